package openai_test

import (
	"context"
	"encoding/binary"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/faulttest"
	"github.com/callwright/callwright/providers/openaihttp"
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/providers/stt/openai"
	"github.com/callwright/callwright/providers/stt/stttest"
	"github.com/callwright/callwright/voice/audio"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func provider(t *testing.T, baseURL string) *openai.Provider {
	t.Helper()
	client := openaihttp.NewClient()
	t.Cleanup(client.CloseIdleConnections)
	return openai.New(openai.Config{BaseURL: baseURL, APIKey: faulttest.Key, Timeout: faulttest.Wait, HTTP: client})
}

func answering(t *testing.T, contentType, body string) *openai.Provider {
	t.Helper()
	return provider(t, faulttest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header()["Content-Type"] = nil
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		io.WriteString(w, body)
	}))
}

// transcribe is the text of one stretch of speech.
func transcribe(ctx context.Context, p stt.Provider, o stt.Options, speech []int16) (string, error) {
	stream, err := p.Open(ctx, o)
	if err != nil {
		return "", err
	}
	defer stream.Close()
	if err := stream.Write(speech); err != nil {
		return "", err
	}
	stream.EndOfSpeech()
	event := <-stream.Events()
	return event.Text, stream.Err()
}

func TestConformance(t *testing.T) {
	t.Parallel()
	stttest.Run(t, stttest.Subject{
		Provider: answering(t, "application/json", `{"text":" Good morning. "}`), Words: "Good morning.",
		Speak: func() (stt.Options, func()) { return stt.Options{}, nil },
	})
}

func TestFaults(t *testing.T) {
	t.Parallel()
	faulttest.Run(t, faulttest.Adapter{
		Call: func(ctx context.Context, baseURL string) error {
			_, err := transcribe(ctx, provider(t, baseURL), stt.Options{}, stttest.Speech())
			return err
		},
		ContentType: "application/json", Begin: `{"text":"hello"`, Endless: strings.Repeat(" ", 4096),
	})
}

func TestRequestAsItIsWritten(t *testing.T) {
	t.Parallel()
	speech := stttest.Speech()
	p := provider(t, faulttest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		file, header, err := r.FormFile("file")
		if err != nil || r.URL.Path != "/v1/audio/transcriptions" {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		wav, _ := io.ReadAll(file)
		if header.Filename != "speech.wav" || len(wav) != 44+2*len(speech) ||
			int16(binary.LittleEndian.Uint16(wav[44+200:])) != speech[100] {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		r.MultipartForm.RemoveAll()
		io.WriteString(w,
			`{"text":"`+r.FormValue("model")+" "+r.FormValue("language")+" "+r.FormValue("response_format")+" "+strconv.Itoa(int(binary.LittleEndian.Uint32(wav[24:])))+`"}`)
	}))
	text, err := transcribe(t.Context(), p, stt.Options{Language: "nl"}, speech)
	require.NoError(t, err)
	require.Equal(t, "whisper-1 nl json 8000", text)
	text, err = transcribe(t.Context(), p, stt.Options{Model: "named", Band: audio.Wide}, speech)
	require.NoError(t, err)
	require.Equal(t, "named  json 16000", text)
}

func TestAnswersOfAllSorts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ contentType, body, want string }{
		{"", `{"text":"a"}`, "a"},
		{"text/plain; charset=utf-8", `{"text":"a"}`, "a"},
		{"text/plain", " plain words\n", "plain words"},
		{"application/json", `{"text":"","usage":{"type":"duration","seconds":1}}`, ""},
	} {
		text, err := transcribe(t.Context(), answering(t, c.contentType, c.body), stt.Options{}, stttest.Speech())
		require.NoError(t, err)
		require.Equal(t, c.want, text)
	}
	for _, body := range []string{`{"error":{"message":"no model"}}`, `{}`, `[]`} {
		_, err := transcribe(t.Context(), answering(t, "application/json", body), stt.Options{}, stttest.Speech())
		faulttest.Require(t, fault.Unavailable, err)
	}
}

func TestAFleetingFaultIsNotNoticed(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	p := provider(t, faulttest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if requests.Add(1) == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		io.WriteString(w, `{"text":"again"}`)
	}))
	text, err := transcribe(t.Context(), p, stt.Options{}, stttest.Speech())
	require.NoError(t, err)
	require.Equal(t, "again", text)
}

func TestAClickIsNotSent(t *testing.T) {
	t.Parallel()
	p := provider(t, faulttest.Serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") }))
	text, err := transcribe(t.Context(), p, stt.Options{}, stttest.Speech()[:500])
	require.NoError(t, err)
	require.Empty(t, text)
}

func TestLongSpeechIsTranscribedInParts(t *testing.T) {
	t.Parallel()
	stream, err := answering(t, "", `{"text":"part"}`).Open(t.Context(), stt.Options{})
	require.NoError(t, err)
	defer stream.Close()
	for range 121 {
		require.NoError(t, stream.Write(stttest.Speech()))
	}
	require.Equal(t, "part", stttest.Final(t, stream))
	stream.EndOfSpeech()
	require.Equal(t, "part", stttest.Final(t, stream))
}
