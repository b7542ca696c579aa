package elevenlabs_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/faulttest"
	"github.com/callwright/callwright/providers/openaihttp"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/elevenlabs"
	"github.com/callwright/callwright/providers/tts/ttstest"
	"github.com/callwright/callwright/voice/audio"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func config(t *testing.T, baseURL string) elevenlabs.Config {
	t.Helper()
	client := openaihttp.NewClient()
	t.Cleanup(client.CloseIdleConnections)
	return elevenlabs.Config{BaseURL: baseURL, APIKey: faulttest.Key,
		FirstSound: faulttest.Wait, Idle: faulttest.Wait, HTTP: client}
}

func provider(t *testing.T, cfg elevenlabs.Config) *elevenlabs.Provider {
	t.Helper()
	p := elevenlabs.New(cfg)
	t.Cleanup(p.Close)
	return p
}

func speaking(t *testing.T, s *server) *elevenlabs.Provider {
	t.Helper()
	return provider(t, config(t, s.serve(t)))
}

func TestConformance(t *testing.T) {
	t.Parallel()
	ttstest.Run(t, speaking(t, &server{}), tts.Request{Text: "Good morning."})
}

func TestFaults(t *testing.T) {
	t.Parallel()
	faulttest.RunSocket(t, faulttest.Socket{
		Call: func(ctx context.Context, baseURL string) error {
			_, err := ttstest.Collect(ctx, provider(t, config(t, baseURL)), tts.Request{Text: "hi"})
			return err
		},
		Authorized: func(r *http.Request) bool { return r.Header.Get("xi-api-key") == faulttest.Key },
		Asked: func(ctx context.Context, conn *websocket.Conn) error {
			for range 3 {
				if _, _, err := conn.Read(ctx); err != nil {
					return err
				}
			}
			return nil
		},
		Begin: sounding("1", tone()), Endless: sounding("1", tone()), EndlessKind: fault.Unavailable,
	})
}

func TestRequestAsItIsWritten(t *testing.T) {
	t.Parallel()
	s := &server{}
	p := provider(t, config(t, s.serve(t)+"?enable_logging=false"))
	for _, req := range []tts.Request{
		{Text: " Hi \"you\".\n", Language: "nl"},
		{Text: "Hi.", Language: "nl", Voice: "abc123", Model: "eleven_multilingual_v2"},
		{Text: "Hi.", Band: audio.Wide},
	} {
		_, err := ttstest.Collect(t.Context(), p, req)
		require.NoError(t, err)
	}
	requests := s.asked()
	require.Equal(t, "pcm_16000", requests[2].URL.Query().Get("output_format"), "over a connection of its own")
	require.Equal(t, "/v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb/multi-stream-input", requests[0].URL.Path)
	require.Equal(t, url.Values{
		"model_id": {"eleven_flash_v2_5"}, "language_code": {"nl"}, "output_format": {"pcm_8000"},
		"auto_mode": {"true"}, "inactivity_timeout": {"60"}, "enable_logging": {"false"},
	}, requests[0].URL.Query())
	require.Equal(t, "/v1/text-to-speech/abc123/multi-stream-input", requests[1].URL.Path)
	require.False(t, requests[1].URL.Query().Has("language_code"))
	require.Equal(t, []string{
		`{"context_id":"1","text":" "}`,
		`{"context_id":"1","text":"Hi \"you\". ","flush":true}`,
		`{"context_id":"1","close_context":true}`,
	}, s.told()[:3])
}

func TestVoicesThatAreNoIDs(t *testing.T) {
	t.Parallel()
	s := &server{}
	for _, voice := range []string{"../voices", "a/b", "a?b", " "} {
		_, err := ttstest.Collect(t.Context(), speaking(t, s), tts.Request{Text: "a", Voice: voice})
		faulttest.Require(t, fault.Refused, err)
	}
	require.Empty(t, s.asked())
}

func TestSoundIsHeardBeforeItIsComplete(t *testing.T) {
	t.Parallel()
	heard := make(chan struct{})
	p := speaking(t, &server{flushed: func(c *conversation, id string) {
		c.say(sounding(id, tone()))
		<-heard
		c.say(strings.Replace(sounding(id, tone()), `"isFinal":null`, `"is_final":true`, 1)) // both in one
	}})
	samples := 0
	for chunk, err := range p.Speak(t.Context(), tts.Request{Text: "a"}) {
		require.NoError(t, err)
		if samples == 0 {
			close(heard)
		}
		samples += len(chunk)
	}
	require.Equal(t, 16_000, samples)
}

func TestAConnectionIsUsedAgain(t *testing.T) {
	t.Parallel()
	s := &server{flushed: func(c *conversation, id string) {
		c.say(sounding("of nobody", tone())) // an utterance that was left
		c.say(sounding(id, tone()))
		c.say(`{"context_id":"` + id + `","isFinal":true}`)
		c.say(`{"type":"flush_done","context_id":"` + id + `"}`)
	}}
	p := speaking(t, s)
	for _, text := range []string{"One.", "Two.", "Three."} {
		sound, err := ttstest.Collect(t.Context(), p, tts.Request{Text: text})
		require.NoError(t, err)
		require.Len(t, sound, 8000)
	}
	require.Len(t, s.asked(), 1)
	_, err := ttstest.Collect(t.Context(), p, tts.Request{Text: "Four.", Voice: "another"})
	require.NoError(t, err)
	require.Len(t, s.asked(), 2)
	p.Close()
	require.Eventually(t, func() bool { return s.over() == 2 }, 10*time.Second, time.Millisecond)
	_, err = ttstest.Collect(t.Context(), p, tts.Request{Text: "Five."})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return s.over() == 3 }, 10*time.Second, time.Millisecond)
}

func TestAConnectionIsNotKeptForever(t *testing.T) {
	t.Parallel()
	s := &server{}
	cfg := config(t, s.serve(t))
	cfg.Keep = time.Millisecond
	p := provider(t, cfg)
	_, err := ttstest.Collect(t.Context(), p, tts.Request{Text: "One."})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return s.over() == 1 }, 10*time.Second, time.Millisecond)
	_, err = ttstest.Collect(t.Context(), p, tts.Request{Text: "Two."})
	require.NoError(t, err)
}

func TestAConnectionThatWasLostMeanwhileIsNotNoticed(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(c *conversation){
		"cut":     func(c *conversation) { c.conn.CloseNow() },
		"closed":  func(c *conversation) { c.conn.Close(websocket.StatusPolicyViolation, "input_timeout_exceeded") },
		"refused": func(c *conversation) { c.say(`{"message":"too many","error":"max_active_conversations","code":1008}`) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var utterances atomic.Int64 // on several connections
			s := &server{flushed: func(c *conversation, id string) {
				if utterances.Add(1) == 2 {
					lose(c)
					return
				}
				c.say(sounding(id, tone()))
				c.say(`{"contextId":"` + id + `","isFinal":true}`)
			}}
			p := speaking(t, s)
			for range 3 {
				sound, err := ttstest.Collect(t.Context(), p, tts.Request{Text: "One."})
				require.NoError(t, err)
				require.Len(t, sound, 8000)
			}
			require.Len(t, s.asked(), 2)
		})
	}
}

func TestAConnectionThatIsClosedWhileItIsKeptIsNotNoticed(t *testing.T) {
	t.Parallel()
	var utterances atomic.Int64
	s := &server{flushed: func(c *conversation, id string) {
		c.say(sounding(id, tone()))
		c.say(`{"contextId":"` + id + `","isFinal":true}`)
		if utterances.Add(1) == 1 {
			c.hearOut()
			c.say(`{"message":"Nobody speaks.","error":"input_timeout_exceeded","code":1008}`)
			c.conn.Close(websocket.StatusPolicyViolation, "input_timeout_exceeded")
		}
	}}
	p := speaking(t, s)
	for n := range 2 {
		sound, err := ttstest.Collect(t.Context(), p, tts.Request{Text: "One."})
		require.NoError(t, err)
		require.Len(t, sound, 8000)
		require.Eventually(t, func() bool { return n > 0 || s.over() == 1 }, 10*time.Second, time.Millisecond)
	}
	require.Len(t, s.asked(), 2)
}

func TestAConnectionLostInTheMiddleIsToldOf(t *testing.T) {
	t.Parallel()
	var utterances atomic.Int64
	s := &server{flushed: func(c *conversation, id string) {
		c.say(sounding(id, tone()))
		if utterances.Add(1) == 2 {
			c.hearOut()
			c.conn.CloseNow()
			return
		}
		c.say(`{"contextId":"` + id + `","isFinal":true}`)
	}}
	p := speaking(t, s)
	_, err := ttstest.Collect(t.Context(), p, tts.Request{Text: "One."})
	require.NoError(t, err)
	sound, err := ttstest.Collect(t.Context(), p, tts.Request{Text: "Two."})
	faulttest.Require(t, fault.Unavailable, err)
	require.Len(t, sound, 8000)
}

func TestComplaints(t *testing.T) {
	t.Parallel()
	for complaint, want := range map[string]fault.Kind{
		`{"message":"You have no credits left.","error":"quota_exceeded","code":1008}`: fault.Denied,
		`{"message":"Who are you?","error":"invalid_api_key","code":"1008"}`:           fault.Denied,
		`{"message":"A voice with this id does not exist.","error":"voice_not_found"}`: fault.Refused,
		`{"message":"What?","error":"invalid_message","code":1008}`:                    fault.Refused,
		`{"message":"Wait.","error":"system_busy","code":1008}`:                        fault.Unavailable,
		`{"message":"Oh dear.","error":"something new","code":1011,"context_id":"1"}`:  fault.Unavailable,
		`{"audio":"!"}`: fault.Unavailable,
	} {
		p := speaking(t, &server{flushed: func(c *conversation, _ string) { c.say(complaint) }})
		_, err := ttstest.Collect(t.Context(), p, tts.Request{Text: "a"})
		faulttest.Require(t, want, err)
	}
	for reason, want := range map[string]fault.Kind{
		"This request exceeds your quota": fault.Denied, "something else": fault.Refused,
	} {
		p := speaking(t, &server{flushed: func(c *conversation, _ string) { c.conn.Close(websocket.StatusPolicyViolation, reason) }})
		_, err := ttstest.Collect(t.Context(), p, tts.Request{Text: "a"})
		faulttest.Require(t, want, err)
	}
}

func TestWordsWithoutSound(t *testing.T) {
	t.Parallel()
	p := speaking(t, &server{flushed: func(c *conversation, id string) {
		c.say(`{"audio":null,"contextId":"` + id + `","isFinal":true}`)
	}})
	_, err := ttstest.Collect(t.Context(), p, tts.Request{Text: "a"})
	faulttest.Require(t, fault.Unavailable, err)
	sound, err := ttstest.Collect(t.Context(), p, tts.Request{Text: "..."})
	require.NoError(t, err)
	require.Empty(t, sound)
}

func TestAListenerWhoLeavesEndsTheUtterance(t *testing.T) {
	t.Parallel()
	s := &server{flushed: func(c *conversation, id string) { c.say(sounding(id, tone())) }}
	for _, err := range speaking(t, s).Speak(t.Context(), tts.Request{Text: "a"}) {
		require.NoError(t, err)
		break
	}
	require.Eventually(t, func() bool { return s.over() == 1 }, 10*time.Second, time.Millisecond)
}
