package all_test

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/all"
	"github.com/callwright/callwright/providers/faulttest"
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/providers/stt/stttest"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/ttstest"
)

// liveVendor is a server of both families that use WebSockets. It closes the connection at the end of speech.
func liveVendor(t *testing.T) string {
	t.Helper()
	return faulttest.ServeSocket(t, func(ctx context.Context, conn *websocket.Conn, r *http.Request) {
		for {
			_, data, err := conn.Read(ctx)
			switch {
			case err != nil, strings.Contains(string(data), "Finalize"):
				return
			case strings.Contains(string(data), "close_context") && r.Header.Get("xi-api-key") == faulttest.Key:
				sound := base64.StdEncoding.EncodeToString(make([]byte, 16_000))
				conn.Write(ctx, websocket.MessageText, []byte(`{"contextId":"1","isFinal":true,"audio":"`+sound+`"}`))
			}
		}
	})
}

func TestLiveServers(t *testing.T) {
	t.Parallel()
	live := all.Settings{BaseURL: liveVendor(t), APIKey: faulttest.Key}
	hears, speaks := live, live
	hears.Provider, speaks.Provider = "deepgram", "11labs"
	p := build(t, all.Speech{
		STT: []all.Settings{hears, {Provider: "openai-compatible", BaseURL: vendor(t), APIKey: faulttest.Key, Model: "m"}},
		TTS: []all.Settings{speaks},
	})
	voice, known := p.TTS("11labs")
	require.True(t, known)
	same, _ := p.TTS("elevenlabs")
	require.Same(t, voice, same)
	sound, err := ttstest.Collect(t.Context(), voice, tts.Request{Text: "Hello."})
	require.NoError(t, err)
	require.Len(t, sound, 8000)

	recogniser, known := p.STT("deepgram")
	require.True(t, known)
	stream, err := recogniser.Open(t.Context(), stt.Options{Model: "nova-3"})
	require.NoError(t, err)
	defer stream.Close()
	require.NoError(t, stream.Write(stttest.Speech()))
	stream.EndOfSpeech()
	require.Equal(t, "Hello.", stttest.Final(t, stream)) // the other one stands in
}

func TestLiveServersNeedAKey(t *testing.T) {
	t.Parallel()
	_, err := all.New(all.Speech{STT: []all.Settings{{Provider: "deepgram"}}}, nil)
	require.ErrorContains(t, err, "STT provider deepgram: its API key must be set")
	_, err = all.New(all.Speech{TTS: []all.Settings{{Provider: "elevenlabs"}}}, nil)
	require.ErrorContains(t, err, "TTS provider elevenlabs: its API key must be set")
}
