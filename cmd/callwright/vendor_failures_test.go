package main

import (
	le "encoding/binary"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/db/jsonb"
)

// faultyVendor plays the vendors of all families over HTTP, and one of streaming recognition, each with its own fault.
type faultyVendor struct {
	model, transcriber, voice, stream func(w http.ResponseWriter, r *http.Request)
}

func (v *faultyVendor) serve(t *testing.T) (url string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := map[string]func(http.ResponseWriter, *http.Request){
			"completions": v.model, "transcriptions": v.transcriber, "speech": v.voice, "listen": v.stream,
		}[filepath.Base(r.URL.Path)]
		if answer == nil {
			http.NotFound(w, r)
			return
		}
		if r.Method == http.MethodPost {
			_, _ = io.Copy(io.Discard, r.Body) // else the server does not notice that the client has left
		}
		answer(w, r)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL + "/v1"
}

func hangs(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func answersStatus(status int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"error":{"message":"as status %d says"}}`, status)
	}
}

// saysAndStalls is a model that says a sentence and the beginning of another.
func saysAndStalls(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"This is all that I can tell you. And then "}}]}`+"\n\n")
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

// hums makes half a second of sound, and no more.
func hums(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "audio/pcm")
	for i := range 12_000 {
		_ = le.Write(w, le.LittleEndian, int16(8000*math.Sin(float64(i)/20)))
	}
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

// hearsAndBreaks is a streaming recogniser that recognises something as soon as it gets sound, and breaks off.
func hearsAndBreaks(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer conn.CloseNow() //nolint:errcheck // that is the fault
	for range 20 {
		if _, _, err := conn.Read(r.Context()); err != nil {
			return
		}
	}
	_ = conn.Write(r.Context(), websocket.MessageText, []byte(`{"type":"Results","is_final":true,"speech_final":true,`+
		`"channel":{"alternatives":[{"transcript":"Hello"}]}}`))
}

// hearsNothing is a streaming recogniser that takes sound and returns no words.
func hearsNothing(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer conn.CloseNow() //nolint:errcheck // nobody reads it
	for {
		if _, _, err := conn.Read(r.Context()); err != nil {
			return
		}
	}
}

// faultyVendors are settings of a worker whose vendors are at url, and whose stand-ins need no vendor.
func faultyVendors(url, transcriber string) []string {
	return []string{
		"--llm-provider=openai-compatible", "--llm-base-url=" + url, "--llm-model=m", "--llm-2-provider=scripted",
		"--stt-provider=" + transcriber, "--stt-base-url=" + url, "--stt-model=m", "--stt-key=k", "--stt-2-provider=captions",
		"--tts-provider=openai-compatible", "--tts-base-url=" + url, "--tts-model=m", "--tts-voice=v", "--tts-2-provider=flite",
	}
}

// TestVendorsThatFailAreNamed has each kind of vendor fail in each way in a call that stand-ins save: the call and its report say
// who failed, how, how often, and who stood in.
func TestVendorsThatFailAreNamed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		vendor      faultyVendor
		transcriber string
		want        []string // kind, happened, stand-in
	}{
		"Hang": {faultyVendor{model: hangs, transcriber: hangs, voice: hangs}, "openai-compatible",
			[]string{"model timeout scripted", "transcriber timeout captions", "voice timeout flite"}},
		"Stall": {faultyVendor{model: saysAndStalls, stream: hearsNothing, voice: hums}, "deepgram",
			[]string{"model stalled scripted", "transcriber timeout captions", "voice stalled flite"}},
		"BreakOff": {faultyVendor{model: answersStatus(503), stream: hearsAndBreaks, voice: answersStatus(401)}, "deepgram",
			[]string{"model unavailable scripted", "transcriber broke captions", "voice denied flite"}},
		"Refuse": {faultyVendor{model: answersStatus(503), transcriber: answersStatus(503), voice: answersStatus(429)},
			"openai-compatible",
			[]string{"model unavailable scripted", "transcriber unavailable captions", "voice unavailable flite"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startPlatform(t, dbtest.DSN(t), true)
			worker := p.startWorker(faultyVendors(test.vendor.serve(t), test.transcriber)...)
			id := p.direct("+31612345600")
			call := p.waitStatus(id, "completed", "failed")
			require.Equal(t, "completed", call.Status, "%+v", call)
			require.Equal(t, test.want, failuresOf(call.Providers.Failures), "%+v", call.Providers)
			var reported []jsonb.Failure
			for _, failure := range p.server.waitReport(t, id).Message.Artifact.ProviderFailures {
				failure.StandIn = failure.StandInOfReport
				reported = append(reported, failure.Failure)
			}
			require.Equal(t, []jsonb.Failure(call.Providers.Failures), reported)
			worker.stop()
		})
	}
}

// failuresOf returns in order which failures other than of vendors that were skipped there were.
func failuresOf(failures []jsonb.Failure) []string {
	var out []string
	for _, failure := range failures {
		if failure.Happened == "skipped" {
			continue
		}
		standIn := "nobody"
		if failure.StandIn != nil {
			standIn = *failure.StandIn
		}
		out = append(out, strings.Join([]string{failure.Kind, failure.Happened, standIn}, " "))
	}
	slices.Sort(out)
	return out
}
