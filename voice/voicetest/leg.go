// Package voicetest has a leg, a journal and providers that do what a test says, on the clock of the test: under
// testing/synctest a call of minutes takes no time, and every time is exact.
//
// It knows the interfaces of package voice and of the provider families. It must not know how a session works: a test drives
// it from outside, as a caller and as vendors would.
package voicetest

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/media"
)

// Leg is a leg without a network. What is played on it takes as long as it lasts.
type Leg struct {
	TransferErr   error         // what Transfer returns
	TransferDelay time.Duration // how long it takes
	NoCaptions    bool          // text does not travel beside the sound
	EchoGain      float64       // of what is played, in what the far end sends; 0: none
	EchoDelay     time.Duration // of it
	Sampled       audio.Band    // of all sound, both ways

	mu       sync.Mutex
	incoming chan audio.Incoming
	done     chan struct{}
	err      error
	over     bool
	begun    time.Time
	until    time.Time // when what was handed over will have been played
	played   []Span
	sound    []int16 // that was played, since begun
	random   *rand.Rand
	captions []Caption
	digits   string
	target   string
	record   func(far, near []int16)
	ready    func()
}

// Span is a stretch of sound without a gap, in time since the leg was made.
type Span struct{ From, To time.Duration }

// Caption is a text that the session sent, and when.
type Caption struct {
	At   time.Duration
	Text string
}

// NewLeg returns the leg of an answered call.
func NewLeg() *Leg {
	now := time.Now()
	return &Leg{
		incoming: make(chan audio.Incoming, 4096), done: make(chan struct{}), begun: now, until: now,
		random: rand.New(rand.NewPCG(1, 2)),
	}
}

// Incoming returns what the test sends.
func (l *Leg) Incoming() <-chan audio.Incoming { return l.incoming }

// Notify has ready called when something was put into Incoming, and when that is closed.
func (l *Leg) Notify(ready func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ready = ready
	ready()
}

// Band returns Sampled.
func (l *Leg) Band() audio.Band { return l.Sampled }

// Play takes sound that lasts from the end of what is queued.
func (l *Leg) Play(pcm []int16) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	from := l.until
	if now := time.Now(); from.Before(now) {
		from = now
	}
	l.until = from.Add(l.Sampled.Duration(len(pcm)))
	if gap := l.Sampled.Samples(from.Sub(l.begun)) - len(l.sound); gap > 0 {
		l.sound = append(l.sound, make([]int16, gap)...)
	}
	l.sound = append(l.sound, pcm...)
	l.played = append(l.played, Span{from.Sub(l.begun), l.until.Sub(l.begun)})
}

// Flush drops what was not played.
func (l *Leg) Flush() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	dropped := max(l.until.Sub(now), 0)
	if dropped > 0 {
		l.until = now
	}
	cut := now.Sub(l.begun)
	l.sound = l.sound[:min(len(l.sound), l.Sampled.Samples(cut))]
	for len(l.played) > 0 && l.played[len(l.played)-1].From >= cut {
		l.played = l.played[:len(l.played)-1]
	}
	if n := len(l.played); n > 0 {
		l.played[n-1].To = min(l.played[n-1].To, cut)
	}
	return dropped
}

// Queued returns how much was not played.
func (l *Leg) Queued() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(time.Until(l.until), 0)
}

// Captioned reports the contrary of NoCaptions.
func (l *Leg) Captioned() bool { return !l.NoCaptions }

// Caption keeps the text.
func (l *Leg) Caption(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.captions = append(l.captions, Caption{time.Since(l.begun), text})
}

// SendDigits keeps the digits.
func (l *Leg) SendDigits(digits string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.digits += digits
}

// Record keeps the sink; see Tick.
func (l *Leg) Record(sink func(far, near []int16)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.record = sink
}

// Tick gives one frame of each direction to the recording.
func (l *Leg) Tick(far, near []int16) {
	l.mu.Lock()
	sink := l.record
	l.mu.Unlock()
	if sink != nil {
		sink(far, near)
	}
}

// Hangup ends the call from our side.
func (l *Leg) Hangup(context.Context) error {
	l.end(nil)
	return nil
}

// Transfer waits for TransferDelay and returns TransferErr.
func (l *Leg) Transfer(ctx context.Context, target string) error {
	l.mu.Lock()
	l.target = target
	l.mu.Unlock()
	select {
	case <-time.After(l.TransferDelay):
		return l.TransferErr
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Done is closed when the call is over.
func (l *Leg) Done() <-chan struct{} { return l.done }

// Over reports whether the call is over.
func (l *Leg) Over() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over
}

// Err returns why.
func (l *Leg) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// RemoteHangup ends the call from the far end.
func (l *Leg) RemoteHangup() { l.end(media.ErrRemoteHangup) }

// Fail ends the call with err.
func (l *Leg) Fail(err error) { l.end(err) }

func (l *Leg) end(err error) {
	l.Flush()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	l.over, l.err = true, err
	close(l.incoming)
	close(l.done)
	l.say()
}

func (l *Leg) say() {
	if l.ready != nil {
		l.ready()
	}
}

// Speak sends sound of the far end for d, frame by frame. It returns when it was spoken.
func (l *Leg) Speak(d time.Duration) { l.Sound(murmur(l.Sampled.Samples(d), l.random)) }

// Pause sends silence for d.
func (l *Leg) Pause(d time.Duration) { l.Sound(make([]int16, l.Sampled.Samples(d))) }

// Sound sends pcm, frame by frame, the last one filled up with silence, and the echo of what was played. It returns when it was
// sent.
func (l *Leg) Sound(pcm []int16) {
	for len(pcm) > 0 {
		frame := make([]int16, l.Sampled.FrameLen())
		pcm = pcm[copy(frame, pcm):]
		time.Sleep(audio.FrameDuration)
		l.mu.Lock()
		l.addEcho(frame)
		l.mu.Unlock()
		l.put(audio.Incoming{Frame: frame})
	}
}

// addEcho adds what was played EchoDelay ago.
func (l *Leg) addEcho(frame []int16) {
	if l.EchoGain == 0 {
		return
	}
	first := l.Sampled.Samples(time.Since(l.begun)-l.EchoDelay) - len(frame)
	for i := range frame {
		if at := first + i; at >= 0 && at < len(l.sound) {
			frame[i] = audio.Clamp(float64(frame[i]) + l.EchoGain*float64(l.sound[at]))
		}
	}
}

// SendCaption sends text beside the sound.
func (l *Leg) SendCaption(text string) { l.put(audio.Captioned(text)) }

// Type sends what a person in a browser writes.
func (l *Leg) Type(text string) { l.put(audio.Typed(text)) }

// Press sends keypad digits.
func (l *Leg) Press(digits string) {
	for i := range len(digits) {
		l.put(audio.Incoming{Digit: digits[i]})
	}
}

func (l *Leg) put(in audio.Incoming) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.incoming <- in
		l.say()
	}
}

// Played returns when sound was really played, adjacent pieces joined.
func (l *Leg) Played() []Span {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []Span
	for _, s := range l.played {
		if n := len(out); n > 0 && out[n-1].To == s.From {
			out[n-1].To = s.To
			continue
		}
		out = append(out, s)
	}
	return out
}

// Heard returns the sound that was really played, since the leg was made.
func (l *Leg) Heard() []int16 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]int16(nil), l.sound...)
}

// Captions returns the texts that the session sent.
func (l *Leg) Captions() []Caption {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Caption(nil), l.captions...)
}

// Digits returns the keys that the session pressed.
func (l *Leg) Digits() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.digits
}

// TransferTarget returns where the session sent the caller.
func (l *Leg) TransferTarget() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.target
}

// Detector hears speech in every frame that is loud.
type Detector struct{}

// Prob returns 1 for a loud frame, else 0.
func (Detector) Prob(frame []int16) float32 {
	if audio.Level(frame) > -30 {
		return 1
	}
	return 0
}

// Reset has nothing to forget.
func (Detector) Reset() {}
