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
		sound := sounds.Find(t.Context(), running, name)
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
	first := sounds.Find(t.Context(), running, server.URL)
	_, err := first.Wait(t.Context())
	require.ErrorIs(t, err, errSoundLate)
	require.Same(t, first, sounds.Find(t.Context(), running, server.URL), "the next call waits for the same")
	close(release)
	running.Wait()
	pcm, err := first.Wait(t.Context())
	require.NoError(t, err)
	require.Len(t, pcm, 8000)
}
