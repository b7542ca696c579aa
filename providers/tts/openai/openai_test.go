package openai_test

import (
	"context"
	"encoding/binary"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/faulttest"
	"github.com/callwright/callwright/providers/openaihttp"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/openai"
	"github.com/callwright/callwright/providers/tts/ttstest"
	"github.com/callwright/callwright/voice/audio"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tone is a second at 440 Hz, as samples of rate hertz in bytes.
func tone(rate int) string {
	var out []byte
	for i := range rate {
		sample := int16(8000 * math.Sin(2*math.Pi*440*float64(i)/float64(rate)))
		out = binary.LittleEndian.AppendUint16(out, uint16(sample))
	}
	return string(out)
}

// wav is tone with the header that servers send before they know the length.
func wav(rate int) string {
	header := audio.EncodeWAV(nil, audio.Narrow)
	binary.LittleEndian.PutUint32(header[4:], math.MaxUint32)
	binary.LittleEndian.PutUint32(header[24:], uint32(rate))
	binary.LittleEndian.PutUint32(header[40:], math.MaxUint32)
	return string(header) + tone(rate)
}

func provider(t *testing.T, baseURL string) *openai.Provider {
	t.Helper()
	client := openaihttp.NewClient()
	t.Cleanup(client.CloseIdleConnections)
	return openai.New(openai.Config{BaseURL: baseURL, APIKey: faulttest.Key,
		FirstSound: faulttest.Wait, Idle: faulttest.Wait, HTTP: client})
}

func answering(t *testing.T, contentType, body string) *openai.Provider {
	t.Helper()
	return provider(t, faulttest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header()["Content-Type"] = nil
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		for len(body) > 1001 {
			io.WriteString(w, body[:1001]) // samples are torn apart
			w.(http.Flusher).Flush()
			body = body[1001:]
		}
		io.WriteString(w, body)
	}))
}

func TestConformance(t *testing.T) {
	t.Parallel()
	ttstest.Run(t, answering(t, "audio/pcm", tone(24_000)), tts.Request{Text: "Good morning."})
}

func TestFaults(t *testing.T) {
	t.Parallel()
	faulttest.Run(t, faulttest.Adapter{
		Call: func(ctx context.Context, baseURL string) error {
			_, err := ttstest.Collect(ctx, provider(t, baseURL), tts.Request{Text: "hi"})
			return err
		},
		ContentType: "audio/pcm", Begin: tone(8000), Endless: tone(24_000),
	})
}

func TestSoundOfAllSorts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ contentType, body string }{
		"raw":                    {"audio/pcm", tone(24_000)},
		"raw without a type":     {"", tone(24_000)},
		"wav":                    {"audio/wav", wav(24_000)},
		"wav called pcm":         {"application/octet-stream", wav(22_050)},
		"wav of a high rate":     {"audio/x-wav", wav(48_000)},
		"wav of the line's rate": {"audio/wav", wav(8000)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sound, err := ttstest.Collect(t.Context(), answering(t, c.contentType, c.body), tts.Request{Text: "a"})
			require.NoError(t, err)
			require.InDelta(t, 8000, len(sound), 2)
			for i := 2000; i < 4000; i++ { // the same tone at the same time
				require.InDelta(t, 8000*math.Sin(2*math.Pi*440*float64(i)/8000), sound[i], 80)
			}
		})
	}
}

func TestSoundThatCannotBePlayed(t *testing.T) {
	t.Parallel()
	stereo := []byte(wav(8000))
	stereo[22] = 2
	for contentType, body := range map[string]string{
		"audio/mpeg": "ID3xxxxxxx", "audio/ogg": "OggSxxxxx", "audio/wav": string(stereo), "audio/x-wav": wav(8000)[:30],
	} {
		sound, err := ttstest.Collect(t.Context(), answering(t, contentType, body), tts.Request{Text: "a"})
		faulttest.Require(t, fault.Unavailable, err)
		require.Empty(t, sound)
	}
}

func TestRequestAsItIsWritten(t *testing.T) {
	t.Parallel()
	var path, body string
	p := provider(t, faulttest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		path, body = r.URL.Path, string(raw)
		io.WriteString(w, tone(8000))
	}))
	_, err := ttstest.Collect(t.Context(), p, tts.Request{Text: "Hi \"you\"", Voice: "nova"})
	require.NoError(t, err)
	require.Equal(t, "/v1/audio/speech", path)
	require.JSONEq(t, `{"model":"gpt-4o-mini-tts","voice":"nova","input":"Hi \"you\"","response_format":"pcm"}`, body)
}

func TestSoundIsHeardBeforeItIsComplete(t *testing.T) {
	t.Parallel()
	heard := make(chan struct{})
	p := provider(t, faulttest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "audio/pcm")
		io.WriteString(w, tone(8000))
		w.(http.Flusher).Flush()
		<-heard
		io.WriteString(w, strings.Repeat("\x00", 100))
	}))
	first := true
	for _, err := range p.Speak(t.Context(), tts.Request{Text: "a"}) {
		require.NoError(t, err)
		if first {
			first = false
			time.Sleep(faulttest.Wait + 100*time.Millisecond) // a busy listener does not use up the server's time
			close(heard)
		}
	}
	require.False(t, first)
}
