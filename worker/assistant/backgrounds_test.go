package assistant

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/voice/audio"
)

// wav is a file of so many samples in each of two channels.
func wav(t *testing.T, rate, samples int) []byte {
	t.Helper()
	file := &bytes.Buffer{}
	writer, err := audio.NewWAVWriter(file, rate, 2)
	require.NoError(t, err)
	pcm := make([]int16, samples)
	for i := range pcm {
		pcm[i] = 1000
	}
	require.NoError(t, writer.WriteStereo(pcm, pcm))
	require.NoError(t, writer.Close())
	return file.Bytes()
}

func TestBackgrounds(t *testing.T) {
	t.Parallel()

	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch r.URL.Path {
		case "/music.wav":
			_, _ = w.Write(wav(t, 16_000, 16_000))
		case "/slow.wav": // of the far end: its samples would be hours
			_, _ = w.Write(wav(t, 100, 16_000))
		case "/empty.wav":
			_, _ = w.Write(wav(t, 8000, 0))
		case "/large.wav":
			_, _ = w.Write(wav(t, 48_000, soundBytes/4+1))
		case "/text":
			fmt.Fprint(w, "RIFF, but not really")
		case "/moved":
			http.Redirect(w, r, "/music.wav", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	client := hook.New(hook.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	t.Cleanup(client.Close)
	now := time.Now()
	sounds, running := NewBackgrounds(client.HTTP()), &sync.WaitGroup{}
	sounds.now = func() time.Time { return now }
	hear := func(name string) ([]int16, error) {
		sound := sounds.Find(t.Context(), running, uuid.Nil, name)
		running.Wait()
		return sound.Wait(t.Context())
	}

	for _, name := range []string{"", "off"} {
		pcm, err := hear(name)
		require.NoError(t, err)
		require.Empty(t, pcm)
	}
	office, err := hear("office")
	require.NoError(t, err)
	require.NotEmpty(t, office)
	again, _ := hear("office")
	require.Same(t, &office[0], &again[0], "made once")

	music, err := hear(server.URL + "/music.wav")
	require.NoError(t, err)
	require.InDelta(t, 8000, len(music), 20)
	require.InDelta(t, 1000, music[4000], 5)
	_, err = hear(server.URL + "/music.wav")
	require.NoError(t, err)
	require.EqualValues(t, 1, asked.Load(), "fetched once")
	now = now.Add(soundFresh + time.Second)
	_, err = hear(server.URL + "/music.wav")
	require.NoError(t, err)
	require.EqualValues(t, 2, asked.Load(), "and anew after a while")

	for path, want := range map[string]string{
		"/slow.wav": "100 Hz", "/empty.wav": "is empty", "/large.wav": "larger than 5 MiB", "/text": "not a 16-bit PCM WAV",
		"/moved": "answered 302", "/none": "answered 404",
	} {
		before := asked.Load()
		for range 2 {
			pcm, err := hear(server.URL + path)
			require.ErrorContains(t, err, want, path)
			require.Empty(t, pcm)
		}
		require.Equal(t, before+1, asked.Load(), "not tried again at once")
		now = now.Add(soundAgain + time.Second)
		_, err := hear(server.URL + path)
		require.Error(t, err)
		require.Equal(t, before+2, asked.Load())
	}
	_, err = hear("http://169.254.169.254/music.wav")
	kind, _ := fault.Of(err)
	require.Equal(t, fault.Refused, kind)

	for i := range 3 * soundsKept {
		_, err := hear(fmt.Sprint(server.URL, "/", i))
		require.Error(t, err)
	}
	require.Len(t, sounds.sounds, soundsKept)
}

// A call does not wait for a server that is slow.
func TestABackgroundThatIsLate(t *testing.T) {
	t.Parallel()

	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-release
		_, _ = w.Write(wav(t, 8000, 8000))
	}))
	t.Cleanup(server.Close)
	sounds, running := NewBackgrounds(server.Client()), &sync.WaitGroup{}
	first := sounds.Find(t.Context(), running, uuid.Nil, server.URL)
	_, err := first.Wait(t.Context())
	require.ErrorIs(t, err, errSoundLate)
	require.Same(t, first, sounds.Find(t.Context(), running, uuid.Nil, server.URL), "the next call waits for the same")
	close(release)
	running.Wait()
	pcm, err := first.Wait(t.Context())
	require.NoError(t, err)
	require.Len(t, pcm, 8000)
}

// An account that names ever more sounds keeps its own from being kept, and not those of others.
func TestBackgroundsAreShared(t *testing.T) {
	t.Parallel()

	var asked sync.Map // how often, by path
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		count, _ := asked.LoadOrStore(r.URL.Path, new(atomic.Int64))
		count.(*atomic.Int64).Add(1) //nolint:forcetypeassert // what is stored
		_, _ = w.Write(wav(t, 8000, 800))
	}))
	t.Cleanup(server.Close)
	now := time.Now()
	sounds, running := NewBackgrounds(server.Client()), &sync.WaitGroup{}
	sounds.now = func() time.Time { now = now.Add(time.Millisecond); return now }
	hear := func(account uuid.UUID, path string) {
		sound := sounds.Find(t.Context(), running, account, server.URL+path)
		running.Wait()
		_, err := sound.Wait(t.Context())
		require.NoError(t, err)
	}
	greedy, others := uuid.New(), make([]uuid.UUID, soundsKept-1)
	for i := range others {
		others[i] = uuid.New()
	}
	for round := range 3 {
		for i, account := range others {
			hear(account, fmt.Sprint("/other/", i))
		}
		for i := range 2 * soundsKept {
			hear(greedy, fmt.Sprint("/greedy/", round, "/", i))
		}
	}
	for i := range others {
		count, _ := asked.Load(fmt.Sprint("/other/", i))
		require.EqualValues(t, 1, count.(*atomic.Int64).Load()) //nolint:forcetypeassert // what is stored
	}
	require.Len(t, sounds.sounds, soundsKept)
}
