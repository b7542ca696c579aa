package assistant

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/audio"
)

const (
	soundLimit    = 10 * time.Second // to fetch a sound
	soundBytes    = 5 << 20          // of its file
	soundsKept    = 16               // so 80 MiB at most
	soundFresh    = time.Hour        // then it is fetched anew
	soundAgain    = time.Minute      // a failure is not tried again sooner
	soundPatience = 500 * time.Millisecond
	soundMinRate  = 8000
	soundMaxRate  = 48_000
)

// Backgrounds are the sounds that lie under calls. It fetches those that customers name, once for all calls that want them
// at the time, and keeps the ones used last, as many of each account as there is room for.
type Backgrounds struct {
	http   *http.Client // guarded: customers give the addresses
	now    func() time.Time
	office func() []int16

	mu     sync.Mutex
	sounds map[string]*Sound // by URL
}

// Sound is one that is being fetched, or was.
type Sound struct {
	done chan struct{} // closed when pcm and err are set
	pcm  []int16
	err  error

	begun, used time.Time
	account     uuid.UUID // whose call used it last
}

// NewBackgrounds returns sounds that client fetches, which must be safe for addresses from customers.
func NewBackgrounds(client *http.Client) *Backgrounds {
	return &Backgrounds{http: client, now: time.Now, office: sync.OnceValue(voice.OfficeSound), sounds: map[string]*Sound{}}
}

// Find begins to fetch what is not there, for a call of the account. name is off, office or a URL.
func (b *Backgrounds) Find(ctx context.Context, running *sync.WaitGroup, account uuid.UUID, name string) *Sound {
	switch name {
	case "", "off":
		return &Sound{done: closed()}
	case "office":
		return &Sound{done: closed(), pcm: b.office()}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if sound := b.sounds[name]; sound != nil && !sound.stale(now) {
		sound.used, sound.account = now, account
		return sound
	}
	sound := &Sound{done: make(chan struct{}), begun: now, used: now, account: account}
	delete(b.sounds, name) // one that is stale
	b.forget(account)
	b.sounds[name] = sound
	running.Go(func() {
		defer close(sound.done)
		sound.pcm, sound.err = b.fetch(ctx, name)
	})
	return sound
}

func closed() chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

// stale reports whether it is time to fetch it again. One that is under way is not stale.
func (s *Sound) stale(now time.Time) bool {
	select {
	case <-s.done:
	default:
		return false
	}
	if s.err != nil {
		return now.Sub(s.begun) > soundAgain
	}
	return now.Sub(s.begun) > soundFresh
}

// forget drops sounds until one more of the account can be kept: that which was used longest ago of the account that would have
// most. Calls keep the sounds that they play.
func (b *Backgrounds) forget(account uuid.UUID) {
	for len(b.sounds) >= soundsKept {
		kept := map[uuid.UUID]int{account: 1}
		for _, sound := range b.sounds {
			kept[sound.account]++
		}
		var oldest string
		for name, sound := range b.sounds {
			than := b.sounds[oldest]
			if than == nil || kept[sound.account] > kept[than.account] ||
				kept[sound.account] == kept[than.account] && sound.used.Before(than.used) {
				oldest = name
			}
		}
		delete(b.sounds, oldest)
	}
}

var errSoundLate = errors.New("the sound was not there when the call was answered")

// Wait returns the sound, if it is there within soundPatience.
func (s *Sound) Wait(ctx context.Context) ([]int16, error) {
	timer := time.NewTimer(soundPatience)
	defer timer.Stop()
	select {
	case <-s.done:
		return s.pcm, s.err
	case <-timer.C:
		return nil, errSoundLate
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// fetch reads a WAV file of 16-bit samples and makes it one channel of 8 kHz.
func (b *Backgrounds) fetch(ctx context.Context, url string) ([]int16, error) {
	ctx, cancel := context.WithTimeout(ctx, soundLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, fmt.Errorf("ask for sound: %w", err)
	}
	response, err := b.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("fetch sound: %w", fault.FromNet("background", err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("fetch sound: the server answered %d", response.StatusCode)
	}
	file, err := io.ReadAll(io.LimitReader(response.Body, soundBytes+1))
	if err != nil {
		return nil, fmt.Errorf("fetch sound: %w", fault.FromNet("background", err))
	}
	if len(file) > soundBytes {
		return nil, fmt.Errorf("read sound: it is larger than %d MiB", soundBytes>>20)
	}
	return decodeSound(file)
}

func decodeSound(file []byte) ([]int16, error) {
	wav, err := audio.ReadWAV(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("read sound: %w", err)
	}
	if wav.Rate < soundMinRate || wav.Rate > soundMaxRate {
		return nil, fmt.Errorf("read sound: %d Hz are not between %d and %d", wav.Rate, soundMinRate, soundMaxRate)
	}
	resampler, err := audio.NewResampler(wav.Rate, audio.Rate)
	if err != nil {
		return nil, fmt.Errorf("read sound: %w", err)
	}
	pcm := resampler.Flush(resampler.Push(nil, wav.Mono()))
	if len(pcm) == 0 {
		return nil, errors.New("read sound: it is empty")
	}
	return pcm, nil
}
