package deepgram_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
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
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/providers/stt/deepgram"
	"github.com/callwright/callwright/providers/stt/stttest"
	"github.com/callwright/callwright/voice/audio"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func config(t *testing.T, baseURL string) deepgram.Config {
	t.Helper()
	client := openaihttp.NewClient()
	t.Cleanup(client.CloseIdleConnections)
	return deepgram.Config{BaseURL: baseURL, APIKey: faulttest.Key, Timeout: faulttest.Wait, HTTP: client}
}

func open(t *testing.T, s *server, o stt.Options) stt.Stream {
	t.Helper()
	stream, err := deepgram.New(config(t, s.serve(t))).Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, stream.Close()) })
	return stream
}

// next is the next event, which has to come.
func next(t *testing.T, stream stt.Stream) stt.Event {
	t.Helper()
	select {
	case event, ok := <-stream.Events():
		require.True(t, ok, "the stream is over: %v", stream.Err())
		return event
	case <-time.After(10 * time.Second):
		require.Fail(t, "no event came")
		return stt.Event{}
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	s := &server{words: "Good morning."}
	stttest.Run(t, stttest.Subject{
		Provider: deepgram.New(config(t, s.serve(t))), Words: "Good morning.",
		Speak: func() (stt.Options, func()) { return stt.Options{}, nil },
	})
}

func TestFaults(t *testing.T) {
	t.Parallel()
	faulttest.RunSocket(t, faulttest.Socket{
		Call: func(ctx context.Context, baseURL string) error {
			stream, err := deepgram.New(config(t, baseURL)).Open(ctx, stt.Options{})
			if err != nil {
				return err
			}
			defer stream.Close()
			stream.Write(stttest.Speech()) // its Events returns the error
			stream.EndOfSpeech()
			for range stream.Events() {
				continue
			}
			return stream.Err()
		},
		Authorized: func(r *http.Request) bool { return r.Header.Get("Authorization") == "Token "+faulttest.Key },
		Asked: func(ctx context.Context, conn *websocket.Conn) error {
			for {
				kind, _, err := conn.Read(ctx)
				if err != nil || kind == websocket.MessageText {
					return err
				}
			}
		},
		Begin: interim, Endless: interim, EndlessKind: fault.Unavailable,
	})
}

const interim = `{"type":"Results","start":0,"duration":0.5,"is_final":false,"speech_final":false,
	"channel":{"alternatives":[{"transcript":"good"}]}}`

func TestRequestAsItIsWritten(t *testing.T) {
	t.Parallel()
	s := &server{}
	cfg := config(t, s.serve(t)+"?mip_opt_out=true&endpointing=500")
	for i, o := range []stt.Options{{Language: "nl"}, {}, {Model: "base", Band: audio.Wide}} {
		stream, err := deepgram.New(cfg).Open(t.Context(), o)
		require.NoError(t, err)
		require.Eventually(t, func() bool { return len(s.asked()) > i }, 10*time.Second, time.Millisecond)
		require.NoError(t, stream.Close())
	}
	requests := s.asked()
	require.Equal(t, "/v1/listen", requests[0].URL.Path)
	require.Equal(t, url.Values{
		"model": {"nova-3"}, "language": {"nl"}, "encoding": {"linear16"}, "sample_rate": {"8000"}, "channels": {"1"},
		"interim_results": {"true"}, "smart_format": {"true"}, "no_delay": {"true"},
		"endpointing": {"500"}, "utterance_end_ms": {"1000"}, "mip_opt_out": {"true"},
	}, requests[0].URL.Query())
	require.Equal(t, "multi", requests[1].URL.Query().Get("language"))
	require.Equal(t, "base", requests[2].URL.Query().Get("model"))
	require.False(t, requests[2].URL.Query().Has("language"))
	require.Equal(t, "16000", requests[2].URL.Query().Get("sample_rate"))
}

func TestTextsWhileItIsSpoken(t *testing.T) {
	t.Parallel()
	s := &server{sound: func(c *conversation) {
		switch c.heard {
		case 2000:
			c.result("")
			c.result("so")
			c.result("so")
		case 4000:
			c.result("So what", "is_final")
		case 6000:
			c.result("is")
		case 8000:
			c.say(`{"type":"SpeechStarted","channel":[0],"timestamp":0.5}`)
			c.result("is it?", "is_final")
		}
	}}
	stream := open(t, s, stt.Options{})
	require.NoError(t, stream.Write(stttest.Speech()))
	require.Equal(t, stt.Event{Text: "so"}, next(t, stream))
	require.Equal(t, stt.Event{Text: "So what is"}, next(t, stream))
	stream.EndOfSpeech()
	require.Equal(t, stt.Event{Text: "So what is it?", Final: true}, next(t, stream))
	require.Equal(t, stttest.Speech(), s.received())
}

func TestAnUtteranceIsOverBeforeItsPause(t *testing.T) {
	t.Parallel()
	for name, over := range map[string]func(c *conversation){
		"endpoint": func(c *conversation) { c.result("One.", "is_final", "speech_final") },
		"noise": func(c *conversation) {
			c.result("One.", "is_final")
			c.say(`{"type":"UtteranceEnd","channel":[0,1],"last_word_end":0.4}`)
			c.say(`{"type":"UtteranceEnd","channel":[0,1],"last_word_end":-1}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &server{words: "Two.", sound: func(c *conversation) {
				if c.heard == 4000 {
					over(c)
				}
			}}
			stream := open(t, s, stt.Options{})
			require.NoError(t, stream.Write(stttest.Speech()[:4000]))
			require.Equal(t, stt.Event{Text: "One.", Final: true}, next(t, stream))
			require.NoError(t, stream.Write(stttest.Speech()))
			stream.EndOfSpeech()
			require.Equal(t, stt.Event{Text: "Two.", Final: true}, next(t, stream))
		})
	}
}

func TestAPauseBehindAnEndpointIsAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	s := &server{
		sound: func(c *conversation) {
			if c.heard == 6000 {
				c.result("All of it.", "is_final")
				c.result("more")
			}
		},
		flushed: func(*conversation) {}, // as it is for hardly any sound
	}
	stream := open(t, s, stt.Options{})
	require.NoError(t, stream.Write(stttest.Speech()))
	require.Equal(t, stt.Event{Text: "All of it. more"}, next(t, stream))
	stream.EndOfSpeech() // a quarter of a second is not settled
	require.Equal(t, stt.Event{Text: "All of it.", Final: true}, next(t, stream))
	require.NotContains(t, s.told(), "Finalize")
}

func TestTheRestOfAnUtteranceIsNotWaitedForLong(t *testing.T) {
	t.Parallel()
	s := &server{
		sound: func(c *conversation) {
			if c.heard == 4000 {
				c.result("Half.", "is_final")
			}
		},
		flushed: func(*conversation) {},
	}
	stream := open(t, s, stt.Options{})
	require.NoError(t, stream.Write(stttest.Speech()))
	stream.EndOfSpeech()
	require.Equal(t, stt.Event{Text: "Half.", Final: true}, next(t, stream))
	require.NoError(t, stream.Err())
}

func TestALateAnswerIsNotTakenForTheNext(t *testing.T) {
	t.Parallel()
	s := &server{flushed: func(c *conversation) {
		if c.settled == 0 {
			c.result("First.", "is_final")
			return
		}
		c.say(`{"type":"Results","start":1,"duration":0,"is_final":true,"speech_final":true,"from_finalize":true,
			"channel":{"alternatives":[{"transcript":""}]}}`) // of the first
		c.result("Second.", "is_final", "from_finalize")
	}}
	stream := open(t, s, stt.Options{})
	for _, want := range []string{"First.", "Second."} {
		require.NoError(t, stream.Write(stttest.Speech()))
		stream.EndOfSpeech()
		require.Equal(t, want, stttest.Final(t, stream))
	}
}

func TestManyPausesAtOnce(t *testing.T) {
	t.Parallel()
	s := &server{flushed: func(c *conversation) {
		if c.heard > c.settled {
			c.result(numbered(c), "is_final", "from_finalize")
		}
	}}
	stream := open(t, s, stt.Options{})
	for i := range 3 {
		require.NoError(t, stream.Write(stttest.Speech()[:2000+i]))
		stream.EndOfSpeech()
		stream.EndOfSpeech()
	}
	for _, want := range []string{"heard 2000 by 1", "", "heard 2001 by 1", "", "heard 2002 by 1", ""} {
		require.Equal(t, stt.Event{Text: want, Final: true}, next(t, stream))
	}
}

func TestALostConnectionIsNotNoticed(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(c *conversation){
		"cut":         func(c *conversation) { c.cut() },
		"closed":      func(c *conversation) { c.conn.Close(websocket.StatusInternalError, "NET-0000") },
		"complaining": func(c *conversation) { c.say(`{"type":"Error","description":"so sorry","variant":"X"}`) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &server{
				sound: func(c *conversation) {
					if c.number == 1 && c.heard == 4000 {
						c.result("Kept,", "is_final")
						c.result("forgotten")
					}
				},
				flushed: func(c *conversation) {
					if c.number < 3 {
						lose(c)
						return
					}
					c.result(numbered(c), "is_final", "from_finalize")
				},
			}
			stream := open(t, s, stt.Options{})
			require.NoError(t, stream.Write(stttest.Speech()))
			stream.EndOfSpeech()
			require.Equal(t, "Kept, heard 4000 by 3", stttest.Final(t, stream))
			require.NoError(t, stream.Write(stttest.Speech()))
			stream.EndOfSpeech()
			require.Equal(t, "heard 8000 by 3", stttest.Final(t, stream))
		})
	}
}

func TestConnectionsMayBeLostAgainAfterText(t *testing.T) {
	t.Parallel()
	var flushes atomic.Int64
	s := &server{flushed: func(c *conversation) {
		if flushes.Add(1)%2 == 1 {
			c.cut()
			return
		}
		c.result("Again.", "is_final", "from_finalize")
	}}
	stream := open(t, s, stt.Options{})
	for range 5 {
		require.NoError(t, stream.Write(stttest.Speech()))
		stream.EndOfSpeech()
		require.Equal(t, "Again.", stttest.Final(t, stream))
	}
	require.Len(t, s.asked(), 6)
}

func TestAServerThatLosesEveryConnection(t *testing.T) {
	t.Parallel()
	s := &server{flushed: func(c *conversation) { c.cut() }}
	stream := open(t, s, stt.Options{})
	require.NoError(t, stream.Write(stttest.Speech()))
	stream.EndOfSpeech()
	stttest.Over(t, stream)
	faulttest.Require(t, fault.Unavailable, stream.Err())
	require.Len(t, s.asked(), 3)
}

func TestSoundThatIsRefusedIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for _, refuse := range []func(c *conversation){
		func(c *conversation) { c.conn.Close(websocket.StatusPolicyViolation, "DATA-0000") },
		func(c *conversation) { c.say(`{"type":"Error","description":"DATA-0000: what is this?"}`) },
	} {
		s := &server{sound: refuse}
		stream := open(t, s, stt.Options{})
		require.NoError(t, stream.Write(stttest.Speech()))
		stttest.Over(t, stream)
		faulttest.Require(t, fault.Refused, stream.Err())
		require.Len(t, s.asked(), 1)
	}
}

func TestAConnectionLostInSilenceIsMadeAgainForSpeech(t *testing.T) {
	t.Parallel()
	lost := make(chan struct{})
	s := &server{words: "Hello again."}
	s.begun = func(c *conversation) {
		if c.number == 1 {
			c.conn.Close(websocket.StatusInternalError, "NET-0001")
			close(lost)
		}
	}
	stream := open(t, s, stt.Options{})
	<-lost
	require.Len(t, s.asked(), 1)
	require.NoError(t, stream.Write(stttest.Speech()))
	stream.EndOfSpeech()
	require.Equal(t, "Hello again.", stttest.Final(t, stream))
	require.Len(t, s.asked(), 2)
}

func TestAKeyThatIsTakenAwayEndsTheStream(t *testing.T) {
	t.Parallel()
	s := &server{begun: func(c *conversation) { c.conn.Close(3000, "key revoked") }}
	stream := open(t, s, stt.Options{})
	stttest.Over(t, stream)
	faulttest.Require(t, fault.Denied, stream.Err())
}

func TestSilenceIsKeptAlive(t *testing.T) {
	t.Parallel()
	s := &server{words: "Hello."}
	cfg := config(t, s.serve(t))
	cfg.KeepAlive = 10 * time.Millisecond
	stream, err := deepgram.New(cfg).Open(t.Context(), stt.Options{})
	require.NoError(t, err)
	defer stream.Close()
	require.Eventually(t, func() bool { return len(s.told()) >= 3 }, 10*time.Second, time.Millisecond)
	require.Equal(t, []string{"KeepAlive"}, slices.Compact(s.told()))
	require.NoError(t, stream.Write(stttest.Speech()))
	stream.EndOfSpeech()
	require.Equal(t, "Hello.", stttest.Final(t, stream))
}

func TestCloseSaysGoodbye(t *testing.T) {
	t.Parallel()
	s := &server{}
	stream := open(t, s, stt.Options{})
	require.NoError(t, stream.Close())
	require.Eventually(t, func() bool { return slices.Equal(s.told(), []string{"CloseStream"}) }, 10*time.Second, time.Millisecond)
}

// Servers that never stop end the stream, with what they did as the reason, before they fill the process.
func TestServersThatNeverStop(t *testing.T) {
	t.Parallel()
	result := func(text, start, marks string) string {
		return `{"type":"Results","start":` + start + `,"duration":1e308,"channel":{"alternatives":[{"transcript":"` + text + `"}]}` + marks + `}`
	}
	long := strings.Repeat("good morning ", 1000)
	for name, message := range map[string]string{
		"interim texts":   result("good", "0", ""),
		"final texts":     result(long, "0", `,"is_final":true`),
		"whole texts":     result(long, "1e308", `,"is_final":true,"speech_final":true`),
		"texts of before": result("good", "-1e308", `,"is_final":true,"from_finalize":true`),
		"other messages":  `{"type":"Metadata"}`,
		"ends of nothing": `{"type":"UtteranceEnd"}`,
		"large frames":    strings.Repeat("x", 2<<20),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &server{begun: func(c *conversation) {
				for c.conn.Write(c.ctx, websocket.MessageText, []byte(message)) == nil {
					continue
				}
			}}
			stream := open(t, s, stt.Options{})
			heard, more := 0, time.NewTicker(10*time.Millisecond)
			defer more.Stop()
			for over := false; !over; {
				select {
				case event, alive := <-stream.Events():
					heard += len(event.Text)
					over = !alive
				case <-more.C: // a connection that is lost in silence is made again for speech
					_ = stream.Write(stttest.Speech())
				}
			}
			faulttest.Require(t, fault.Unavailable, stream.Err())
			require.Less(t, heard, 1<<20)
		})
	}
}
