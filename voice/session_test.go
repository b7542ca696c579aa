package voice_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/stt/captions"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/voice/voicetest"
)

// rig is a session with a leg, a journal and providers that the test controls.
type rig struct {
	leg      *voicetest.Leg
	journal  *voicetest.Journal
	llm      *voicetest.LLM
	stt      *voicetest.STT
	tts      *voicetest.TTS
	session  *voice.Session
	commands chan turn.Command
	drain    context.CancelFunc
	begun    time.Time
}

// at sleeps until a time since the answer.
func (r *rig) at(when time.Duration) { time.Sleep(when - time.Since(r.begun)) }

// answers has the model give these replies, each after 200 ms.
func (r *rig) answers(replies ...string) {
	r.llm.Replies = nil
	for _, text := range replies {
		r.llm.Replies = append(r.llm.Replies, voicetest.Reply{Pieces: strings.SplitAfter(text, " "), First: 200 * time.Millisecond})
	}
}

// converse runs a session in a bubble of its own clock: prepare before, act as the far
// end. It fails when the session leaves anything running.
func converse(t *testing.T, prepare, act func(r *rig)) (outcome voice.Outcome, result *rig) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		script := voice.DefaultScript()
		script.SystemPrompt = "You answer for a dental practice."
		script.FirstMessage = "Hello, this is the practice."
		r := &rig{
			leg: voicetest.NewLeg(), journal: &voicetest.Journal{}, llm: &voicetest.LLM{},
			stt: &voicetest.STT{Delay: 100 * time.Millisecond}, tts: &voicetest.TTS{First: 100 * time.Millisecond},
			commands: make(chan turn.Command, 8), begun: time.Now(),
		}
		r.session = &voice.Session{
			Leg: r.leg, Journal: r.journal, LLM: r.llm, STT: r.stt, TTS: r.tts, Script: script, Commands: r.commands,
			Detector: voicetest.Detector{}, Loops: voice.NewLoops(2, 1),
		}
		defer r.session.Loops.Close()
		prepare(r)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r.drain = cancel
		done := make(chan voice.Outcome)
		go func() { done <- r.session.Run(ctx) }()
		act(r)
		outcome, result = <-done, r
	})
	return outcome, result
}

func near(t *testing.T, want, got time.Duration) {
	t.Helper()
	require.InDelta(t, want.Seconds(), got.Seconds(), 0.06) // two frames of voice activity
}

func TestConversation(t *testing.T) {
	t.Parallel()

	outcome, r := converse(t, func(r *rig) {
		r.stt.Texts = []string{"What are your opening hours?", "Thank you, goodbye."}
		r.answers("We are open from nine. Until five!", "You are welcome. Goodbye.")
		r.session.Script.EndCallPhrases = []string{"goodbye"}
	}, func(r *rig) {
		r.at(2 * time.Second)
		r.leg.Speak(time.Second)
		r.leg.Pause(4 * time.Second)
		r.leg.Speak(time.Second)
		r.leg.Pause(5 * time.Second)
	})
	require.Equal(t, turn.AssistantSaidEndCallPhrase, outcome.Reason)
	require.Equal(t, turn.FaultAssistant, outcome.Fault)
	require.NoError(t, outcome.Err)
	require.Equal(t, []string{
		"assistant: Hello, this is the practice.",
		"user: What are your opening hours?",
		"assistant: We are open from nine. Until five!",
		"user: Thank you, goodbye.",
		"assistant: You are welcome. Goodbye.",
	}, r.journal.Transcript())
	require.Equal(t, 5, outcome.Turns)

	turns := r.journal.Turns()
	near(t, 100*time.Millisecond, turns[0].At)
	near(t, 2*time.Second, turns[1].At)
	// 400 ms to notice the silence, 100 ms to recognise, no more patience after a question, 200 ms to think, 100 ms to speak.
	require.Len(t, outcome.Timings, 2)
	timing := outcome.Timings[0]
	require.Equal(t, &timing, turns[2].Timing)
	require.Nil(t, turns[0].Timing, "it answers nobody")
	near(t, 3000*time.Millisecond, timing.SpeechEnded)
	near(t, 3500*time.Millisecond, timing.LastWords)
	near(t, 3500*time.Millisecond, timing.At)
	near(t, 3700*time.Millisecond, timing.FirstToken)
	near(t, 3800*time.Millisecond, timing.FirstSound)
	require.Equal(t, turn.EndByEvidence, timing.Rule)
	require.Less(t, timing.Continues, 0.2, "a question")
	near(t, 3800*time.Millisecond, turns[2].At)

	var captions []string
	for _, c := range r.leg.Captions() {
		captions = append(captions, c.Text)
	}
	require.Equal(t, []string{
		"Hello, this is the practice.", "We are open from nine.", "Until five!", "You are welcome.", "Goodbye.",
	}, captions)
	near(t, 3800*time.Millisecond+5*voicetest.WordLength, r.leg.Captions()[2].At)

	request := r.llm.Requests()[1]
	require.Equal(t, llm.Message{Role: llm.RoleSystem, Content: "You answer for a dental practice."}, request.Messages[0])
	require.Equal(t, "Thank you, goodbye.", request.Messages[len(request.Messages)-1].Content)
	require.Len(t, request.Messages, 5)
	require.InDelta(t, 8000*(2+0.3+2*0.4), r.stt.Samples(), 1200, "speech, the second one's pre-roll and the silence that ends it")
}

func TestTheFirstSentenceIsHeardWhileTheModelStillTalks(t *testing.T) {
	t.Parallel()

	_, r := converse(t, func(r *rig) {
		r.session.Script.FirstMessageMode = turn.AssistantWaitsForUser
		r.stt.Texts = []string{"Is anybody there?"}
		r.llm.Replies = []voicetest.Reply{{Pieces: []string{"One. ", "Two. ", "Three. "}, Each: 2 * time.Second}}
	}, func(r *rig) {
		r.leg.Speak(time.Second)
		r.leg.Pause(10 * time.Second)
		r.leg.RemoteHangup()
	})
	near(t, 1600*time.Millisecond, r.leg.Captions()[0].At)
	near(t, 3600*time.Millisecond, r.leg.Captions()[1].At)
	require.Equal(t, []string{"user: Is anybody there?", "assistant: One. Two. Three."}, r.journal.Transcript())
}

func TestInterruption(t *testing.T) {
	t.Parallel()

	outcome, r := converse(t, func(r *rig) {
		r.session.Script.FirstMessage = "one two three four five six seven eight nine ten"
		r.session.Script.FirstMessageInterruptions = true
		r.stt.Texts = []string{"I have a question."}
		r.answers("Yes?")
	}, func(r *rig) {
		r.leg.Pause(time.Second)
		r.leg.Speak(time.Second)
		r.leg.Pause(3 * time.Second)
		r.leg.RemoteHangup()
	})
	require.Equal(t, turn.CustomerEndedCall, outcome.Reason)
	require.Equal(t, []string{
		"assistant: one two three four five --", "user: I have a question.", "assistant: Yes?",
	}, r.journal.Transcript(), "1.5 s of sound were heard, 0.3 s a word")
	near(t, 1500*time.Millisecond, r.leg.Played()[0].To) // stopped for 0.5 s of voice
	require.Len(t, r.journal.Notes(voice.UserInterrupted), 1)
	last := r.llm.Requests()[0].Messages
	require.Equal(t, "one two three four five", last[len(last)-2].Content, "the model knows what was heard, not what was meant")
}

func TestFalseInterruptionIsResumed(t *testing.T) {
	t.Parallel()

	for name, text := range map[string]string{"noise": "", "acknowledgement": "Yeah, okay."} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, r := converse(t, func(r *rig) {
				r.session.Script.FirstMessage = "one two three four five six seven eight nine ten"
				r.session.Script.FirstMessageInterruptions = true
				r.stt.Texts = []string{text}
			}, func(r *rig) {
				r.at(time.Second)
				r.leg.Speak(400 * time.Millisecond)
				r.leg.Pause(5 * time.Second)
				r.leg.RemoteHangup()
			})
			require.Equal(t, "assistant: one two three four five six seven eight nine ten", r.journal.Transcript()[0])
			require.Empty(t, r.journal.Notes(voice.UserInterrupted))
			played := r.leg.Played()
			require.Len(t, played, 2)
			near(t, 1900*time.Millisecond, played[1].From) // 400 ms of silence, 100 ms to recognise
			heard := played[0].To - played[0].From + played[1].To - played[1].From
			near(t, 3200*time.Millisecond, heard) // all of it, and 200 ms twice
		})
	}
}

func TestAReplyMayEndWhileItIsHeld(t *testing.T) {
	t.Parallel()

	_, r := converse(t, func(r *rig) {
		r.session.Script.FirstMessageMode = turn.AssistantWaitsForUser
		r.stt.Texts = []string{"Hi.", "", "And?"}
		r.llm.Replies = []voicetest.Reply{{Pieces: []string{"One. ", "\n"}, Each: 2 * time.Second}, {Pieces: []string{"Two."}}}
	}, func(r *rig) {
		r.leg.Speak(time.Second)
		r.at(3 * time.Second)
		r.leg.Speak(time.Second) // noise, while the model is about to finish
		r.at(7 * time.Second)
		r.leg.Speak(time.Second)
		r.at(12 * time.Second)
		r.leg.RemoteHangup()
	})
	require.Equal(t, []string{"user: Hi.", "assistant: One.", "user: And?", "assistant: Two."}, r.journal.Transcript())
	require.Len(t, r.leg.Played(), 2)
}

// TestAReplyWithoutEnd has a model say more than is ever spoken. Nobody waits for the rest of it.
func TestAReplyWithoutEnd(t *testing.T) {
	t.Parallel()

	_, r := converse(t, func(r *rig) {
		r.session.Script.FirstMessageMode = turn.AssistantWaitsForUser
		r.stt.Texts = []string{"Hi."}
		r.llm.Replies = []voicetest.Reply{{Pieces: slices.Repeat([]string{"One and two and three and four. "}, 1500), Hang: true}}
	}, func(r *rig) {
		r.leg.Speak(time.Second)
		r.at(time.Minute)
		r.leg.RemoteHangup()
	})
	asked := len(r.llm.Requests())
	require.Equal(t, 1, asked, "a model that is waited for stalls, and is asked for the rest")
	require.NotEmpty(t, r.leg.Played())
}

func TestHangUpInMidSentence(t *testing.T) {
	t.Parallel()

	outcome, r := converse(t, func(r *rig) {
		r.session.Script.FirstMessage = "one two three four five six seven eight nine ten"
	}, func(r *rig) {
		r.at(time.Second)
		r.leg.RemoteHangup()
	})
	require.Equal(t, turn.CustomerEndedCall, outcome.Reason)
	near(t, time.Second, outcome.Duration)
	require.Equal(t, []string{"assistant: one two three --"}, r.journal.Transcript())
}

func TestLastWordsBeforeTheHangUpAreKept(t *testing.T) {
	t.Parallel()

	outcome, r := converse(t, func(r *rig) {
		r.stt.Texts = []string{"Never mind."}
	}, func(r *rig) {
		r.at(2 * time.Second)
		r.leg.Speak(time.Second)
		r.leg.RemoteHangup()
	})
	require.Equal(t, turn.CustomerEndedCall, outcome.Reason)
	require.Equal(t, "user: Never mind.", r.journal.Transcript()[1])
}

func TestSpeechEndsAlthoughTheFarEndStopsSending(t *testing.T) {
	t.Parallel()

	_, r := converse(t, func(r *rig) {
		r.stt.Texts = []string{"Are you there?"}
		r.answers("Yes.")
	}, func(r *rig) {
		r.at(2 * time.Second)
		r.leg.Speak(time.Second)
		r.at(6 * time.Second)
		r.leg.RemoteHangup()
	})
	require.Equal(t, "assistant: Yes.", r.journal.Transcript()[2])
}

func unavailable() error { return fault.New(fault.Unavailable, "test", "down") }

func TestModelFailure(t *testing.T) {
	t.Parallel()

	fails := voicetest.Reply{Err: unavailable()}
	hangs := voicetest.Reply{Hang: true}
	breaks := voicetest.Reply{Pieces: []string{"It is fine. ", "And "}, Err: unavailable()}
	stalls := voicetest.Reply{Pieces: []string{"It is fine. ", "And "}, Hang: true}
	slow := voicetest.Reply{Pieces: []string{"Yes."}, First: 9 * time.Second}
	works := voicetest.Reply{Pieces: []string{"Yes."}}
	const apology = "assistant: I am sorry, something went wrong on our side. Please try again later. Goodbye."
	for name, tt := range map[string]struct {
		replies []voicetest.Reply
		reason  turn.Reason
		spoken  []string
		longest time.Duration
	}{
		"once": {[]voicetest.Reply{fails, works}, turn.CustomerEndedCall, []string{"assistant: Yes."}, 0},
		"twice": {[]voicetest.Reply{fails, fails, works}, turn.CustomerEndedCall, []string{"assistant: One moment, please. Yes."},
			0},
		"for good": {[]voicetest.Reply{fails}, turn.ProviderLLMFailed, []string{"assistant: One moment, please.", apology},
			15 * time.Second},
		"silent": {[]voicetest.Reply{hangs}, turn.ProviderLLMFailed,
			[]string{"assistant: One moment, please. Let me see. This takes a little longer than usual. I am still here. One moment, please. This takes --", apology}, 40 * time.Second},
		"slow": {[]voicetest.Reply{slow}, turn.CustomerEndedCall,
			[]string{"assistant: One moment, please. Let me see. This takes a little longer than usual. I am still here. Yes."}, 0},
		"empty": {[]voicetest.Reply{{}}, turn.ProviderLLMFailed, []string{"assistant: One moment, please.", apology},
			15 * time.Second},
		"broken off": {[]voicetest.Reply{breaks, works}, turn.CustomerEndedCall, []string{"assistant: It is fine. Yes."}, 0},
		"stalled":    {[]voicetest.Reply{stalls, works}, turn.CustomerEndedCall, []string{"assistant: It is fine. Yes."}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outcome, r := converse(t, func(r *rig) {
				r.stt.Texts = []string{"Is it?"}
				r.llm.Replies = tt.replies
			}, func(r *rig) {
				r.at(2 * time.Second)
				r.leg.Speak(time.Second)
				r.leg.Pause(28 * time.Second)
				r.leg.RemoteHangup()
			})
			require.Equal(t, tt.reason, outcome.Reason)
			require.Equal(t, append([]string{"assistant: Hello, this is the practice.", "user: Is it?"}, tt.spoken...),
				r.journal.Transcript())
			require.Equal(t, name == "slow", len(r.journal.Notes(voice.ProviderFailed)) == 0)
			require.Equal(t, 20*time.Second, r.llm.Requests()[0].FirstToken)
			if tt.longest > 0 {
				require.ErrorContains(t, outcome.Err, "ask the language model")
				require.Less(t, outcome.Duration, tt.longest)
				if name != "empty" {
					require.ErrorContains(t, outcome.Err, "test: ", "the vendor")
				}
			}
		})
	}
}

func TestALongCallForgetsItsBeginning(t *testing.T) {
	t.Parallel()

	_, r := converse(t, func(r *rig) {
		r.stt.Texts = []string{"Is it?"}
		r.answers("Yes.")
		for range 2 {
			r.commands <- turn.AddMessage{Role: llm.RoleSystem, Content: strings.Repeat("a", 150_000)}
		}
	}, func(r *rig) {
		r.at(2 * time.Second)
		r.leg.Speak(time.Second)
		r.leg.Pause(3 * time.Second)
		r.leg.RemoteHangup()
	})
	var asked []string
	for _, message := range r.llm.Requests()[0].Messages {
		asked = append(asked, message.Content[:min(len(message.Content), 40)])
	}
	require.Equal(t, []string{"You answer for a dental practice.", "Hello, this is the practice.", "Is it?"}, asked)
}

func TestVoiceFailure(t *testing.T) {
	t.Parallel()

	t.Run("of one sentence", func(t *testing.T) {
		t.Parallel()
		outcome, r := converse(t, func(r *rig) {
			r.tts.Fail = func(text string) error {
				if strings.HasPrefix(text, "Hello") {
					return unavailable()
				}
				return nil
			}
		}, func(*rig) {})
		require.Equal(t, turn.ProviderVoiceFailed, outcome.Reason)
		require.Equal(t, turn.FaultProvider, outcome.Fault)
		require.ErrorContains(t, outcome.Err, "synthesise speech")
		require.Len(t, r.journal.Transcript(), 1, "it still said sorry")
	})
	t.Run("of all", func(t *testing.T) {
		t.Parallel()
		outcome, _ := converse(t, func(r *rig) {
			r.tts.Hang = func(string) bool { return true }
		}, func(*rig) {})
		require.Equal(t, turn.ProviderVoiceFailed, outcome.Reason)
		require.Less(t, outcome.Duration, 40*time.Second)
	})
	t.Run("of one that is slow and says so", func(t *testing.T) {
		t.Parallel()
		_, r := converse(t, func(r *rig) {
			r.tts.First, r.tts.Asks = 6*time.Second, 10*time.Second
		}, func(r *rig) {
			r.at(10 * time.Second)
			r.leg.RemoteHangup()
		})
		require.Equal(t, []string{"assistant: Hello, this is the practice."}, r.journal.Transcript())
	})
	for name, tt := range map[string]struct {
		failures int
		failure  error // nil: no sound
	}{"once": {1, unavailable()}, "twice": {2, unavailable()}, "without sound": {2, nil}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			_, r := converse(t, func(r *rig) {
				r.tts.Fail = func(string) error {
					if asked++; asked <= tt.failures && tt.failure != nil {
						return tt.failure
					}
					return nil
				}
				r.tts.Mute = func(string) bool { return asked <= tt.failures }
			}, func(r *rig) {
				r.at(6 * time.Second)
				r.leg.RemoteHangup()
			})
			require.Equal(t, []string{"assistant: Hello, this is the practice."}, r.journal.Transcript())
			require.Equal(t, tt.failures+1, asked)
		})
	}
}

// The rest of a sentence that breaks off is asked for once more; the next ones may be made by somebody else.
func TestAVoiceThatBreaksOff(t *testing.T) {
	t.Parallel()

	breaks := func(broken func(text string) bool) func(r *rig) {
		return func(r *rig) {
			r.session.Script.FirstMessage = "One two three four. Five six. Seven eight. Nine ten. Eleven."
			r.tts.Break = func(text string) error {
				if broken(text) {
					return unavailable()
				}
				return nil
			}
		}
	}
	outcome, r := converse(t, breaks(func(text string) bool {
		return slices.Contains([]string{"One two three four.", "Seven eight.", "Nine ten."}, text)
	}), func(r *rig) {
		r.at(6 * time.Second)
		r.leg.RemoteHangup()
	})
	require.Equal(t, turn.CustomerEndedCall, outcome.Reason)
	require.NoError(t, outcome.Err)
	require.Equal(t, []string{"assistant: One two three four. Five six. Seven eight. Nine ten. Eleven."}, r.journal.Transcript())
	require.Len(t, r.journal.Notes(voice.ProviderFailed), 3)

	outcome, r = converse(t, breaks(func(text string) bool {
		return strings.Contains("Five six. Seven eight. Nine ten.", text)
	}), func(*rig) {})
	require.Equal(t, turn.ProviderVoiceFailed, outcome.Reason)
	require.Len(t, r.journal.Transcript(), 2, "it still said sorry")
}

func TestTranscriberFailure(t *testing.T) {
	t.Parallel()

	t.Run("once", func(t *testing.T) {
		t.Parallel()
		_, r := converse(t, func(r *rig) {
			r.stt.Texts = []string{"", "Open?"}
			r.stt.Fail = func(pause int) error {
				if pause == 1 {
					return unavailable()
				}
				return nil
			}
			r.answers("Yes.")
		}, func(r *rig) {
			r.at(2 * time.Second)
			r.leg.Speak(time.Second)
			r.leg.Pause(6 * time.Second)
			r.leg.Speak(time.Second)
			r.leg.Pause(3 * time.Second)
			r.leg.RemoteHangup()
		})
		require.Equal(t, []string{
			"assistant: Hello, this is the practice.",
			"assistant: Sorry, I did not catch that. Could you say it again?",
			"user: Open?", "assistant: Yes.",
		}, r.journal.Transcript())
	})
	t.Run("for good", func(t *testing.T) {
		t.Parallel()
		outcome, _ := converse(t, func(r *rig) {
			r.stt.OpenErr = func(int) error { return unavailable() }
		}, func(r *rig) { r.leg.Pause(2 * time.Second) })
		require.Equal(t, turn.ProviderTranscriberFailed, outcome.Reason)
		require.ErrorContains(t, outcome.Err, "open the recogniser")
		require.Less(t, outcome.Duration, 15*time.Second)
	})
	t.Run("a leg without the captions that it needs", func(t *testing.T) {
		t.Parallel()
		outcome, r := converse(t, func(r *rig) {
			r.leg.NoCaptions = true
			r.session.STT = captions.New(slog.New(slog.DiscardHandler))
		}, func(*rig) {})
		require.Equal(t, turn.ProviderTranscriberFailed, outcome.Reason)
		require.Len(t, r.journal.Notes(voice.ProviderFailed), 3)
	})
	t.Run("speech meanwhile is kept", func(t *testing.T) {
		t.Parallel()
		_, r := converse(t, func(r *rig) {
			r.session.Script.FirstMessageMode = turn.AssistantWaitsForUser
			r.stt.Texts = []string{"Hello?"}
			r.stt.OpenErr = func(attempt int) error {
				if attempt < 3 {
					return unavailable()
				}
				return nil
			}
			r.answers("Hi.")
		}, func(r *rig) {
			r.leg.Speak(600 * time.Millisecond)
			r.leg.Pause(4 * time.Second)
			r.leg.RemoteHangup()
		})
		require.Equal(t, []string{"user: Hello?", "assistant: Hi."}, r.journal.Transcript())
	})
}

func TestMaxDurationEndsTheCallWhateverFails(t *testing.T) {
	t.Parallel()

	for name, sabotage := range map[string]func(r *rig){
		"nothing": func(*rig) {},
		"voice hangs after the greeting": func(r *rig) {
			r.tts.Hang = func(text string) bool { return !strings.HasPrefix(text, "Hello") }
		},
		"long farewell": func(r *rig) { r.session.Script.EndCallMessage = strings.Repeat("bye ", 100) },
		"model hangs":   func(r *rig) { r.llm.Replies = []voicetest.Reply{{Hang: true}} },
		"transfer hangs": func(r *rig) {
			r.leg.TransferDelay = time.Hour
			r.commands <- turn.Transfer{ID: "t", Target: "+31201234567"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outcome, _ := converse(t, func(r *rig) {
				r.session.Script.MaxDuration = 7 * time.Second
				r.stt.Texts = []string{"Hello?"}
				r.answers("Yes.")
				sabotage(r)
			}, func(r *rig) {
				r.at(4 * time.Second)
				r.leg.Speak(time.Second)
				r.leg.Pause(2 * time.Second)
			})
			require.Equal(t, turn.ExceededMaxDuration, outcome.Reason)
			require.GreaterOrEqual(t, outcome.Duration, 7*time.Second)
			require.LessOrEqual(t, outcome.Duration, 17*time.Second)
		})
	}
}

func TestSilenceTimeout(t *testing.T) {
	t.Parallel()

	outcome, r := converse(t, func(r *rig) {
		r.session.Script.SilenceTimeout = 10 * time.Second
		r.session.Script.EndCallMessage = "Goodbye then."
	}, func(r *rig) { r.leg.Pause(5 * time.Second) })
	require.Equal(t, turn.SilenceTimedOut, outcome.Reason)
	require.Equal(t, []string{"assistant: Hello, this is the practice.", "assistant: Goodbye then."}, r.journal.Transcript())
	near(t, 1600*time.Millisecond+10*time.Second+700*time.Millisecond, outcome.Duration)
}

func TestDrainSaysGoodbye(t *testing.T) {
	t.Parallel()

	outcome, r := converse(t, func(r *rig) { r.session.Script.Language = "nl-NL" }, func(r *rig) {
		r.at(5 * time.Second)
		r.drain()
	})
	require.Equal(t, turn.WorkerShutdown, outcome.Reason)
	require.Equal(t, turn.FaultPlatform, outcome.Fault)
	require.Equal(t, "assistant: Ik ga nu ophangen. Tot ziens.", r.journal.Transcript()[1])
}

func TestTheLegFails(t *testing.T) {
	t.Parallel()

	for err, reason := range map[error]turn.Reason{
		media.ErrMediaTimeout:        turn.CustomerAudioNotReceived,
		errors.New("transport died"): turn.CarrierDroppedCall,
	} {
		outcome, _ := converse(t, func(*rig) {}, func(r *rig) {
			r.at(time.Second)
			r.leg.Fail(err)
		})
		require.Equal(t, reason, outcome.Reason)
		require.ErrorIs(t, outcome.Err, err)
	}
}

// TestTheFarEndIsLost has the connection to a browser end: that is nobody's fault but the person's who brings it.
func TestTheFarEndIsLost(t *testing.T) {
	t.Parallel()

	outcome, _ := converse(t, func(*rig) {}, func(r *rig) {
		r.at(time.Second)
		r.leg.Fail(media.ErrDisconnected)
	})
	require.Equal(t, turn.CustomerConnectionLost, outcome.Reason)
	require.Equal(t, turn.FaultCustomer, outcome.Fault)
	require.NoError(t, outcome.Err)
}

func TestRecording(t *testing.T) {
	t.Parallel()

	var far, near []int16
	converse(t, func(r *rig) {
		r.session.Record = func(f, n []int16) { far, near = f, n }
	}, func(r *rig) {
		r.at(time.Second)
		r.leg.Tick([]int16{1}, []int16{2})
		r.leg.RemoteHangup()
	})
	require.Equal(t, []int16{1}, far)
	require.Equal(t, []int16{2}, near)
}

func TestCommands(t *testing.T) {
	t.Parallel()

	outcome, r := converse(t, func(r *rig) {
		r.stt.Texts = []string{"Hm?"}
		r.answers("They paid, thank you.")
	}, func(r *rig) {
		r.at(3 * time.Second)
		r.commands <- turn.AddMessage{ID: "1", Role: llm.RoleSystem, Content: "The bill is paid.", TriggerResponse: true}
		r.at(6 * time.Second)
		r.commands <- turn.Say{ID: "2", Content: "This call ends soon."}
		r.at(9 * time.Second)
		r.commands <- turn.Say{ID: "3", Content: "Now.", EndAfter: true}
	})
	require.Equal(t, turn.AssistantEndedCallAfterMessage, outcome.Reason)
	require.Equal(t, []string{
		"assistant: Hello, this is the practice.", "assistant: They paid, thank you.",
		"assistant: This call ends soon.", "assistant: Now.",
	}, r.journal.Transcript())
	messages := r.llm.Requests()[0].Messages
	require.Equal(t, llm.Message{Role: llm.RoleSystem, Content: "The bill is paid."}, messages[len(messages)-1])
	var done []string
	for _, note := range r.journal.Notes(voice.CommandDone) {
		done = append(done, note.Command)
	}
	require.Equal(t, []string{"1", "2", "3"}, done)
}

func TestTransfer(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		err    error
		reason turn.Reason
		notes  voice.NoteKind
	}{
		"accepted": {nil, turn.AssistantForwardedCall, voice.CommandDone},
		"refused":  {errors.New("busy"), turn.CustomerEndedCall, voice.CommandFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outcome, r := converse(t, func(r *rig) {
				r.leg.TransferErr, r.leg.TransferDelay = tt.err, time.Second
			}, func(r *rig) {
				r.at(3 * time.Second)
				r.commands <- turn.Transfer{ID: "t", Target: "+31201234567"}
				r.at(10 * time.Second)
				r.leg.RemoteHangup()
			})
			require.Equal(t, tt.reason, outcome.Reason)
			require.Equal(t, "+31201234567", r.leg.TransferTarget())
			require.Len(t, r.journal.Notes(tt.notes), 1)
			require.ErrorIs(t, r.journal.Notes(voice.TransferFinished)[0].Err, tt.err)
		})
	}
}

func TestAHangUpJustBehindATransferIsTheTransfer(t *testing.T) {
	t.Parallel()

	outcome, _ := converse(t, func(r *rig) { r.leg.TransferDelay = time.Second }, func(r *rig) {
		r.at(3 * time.Second)
		r.commands <- turn.Transfer{ID: "t", Target: "+31201234567"}
		r.at(3900 * time.Millisecond)
		r.leg.RemoteHangup()
	})
	require.Equal(t, turn.AssistantForwardedCall, outcome.Reason)
}

// clock is a tool that knows the time, and one that ends the call.
type clock struct{ hang bool }

func (clock) List() []llm.Tool { return []llm.Tool{{Name: "time"}, {Name: "end"}} }

func (c clock) Call(ctx context.Context, call llm.ToolCall, _ func(string)) voice.ToolResult {
	if c.hang {
		<-ctx.Done()
		return voice.ToolResult{Content: "The clock does not answer.", Err: ctx.Err()}
	}
	if call.Name == "end" {
		return voice.ToolResult{Then: turn.End{Reason: turn.AssistantEndedCall, Farewell: true}}
	}
	return voice.ToolResult{Content: "noon"}
}

func TestTools(t *testing.T) {
	t.Parallel()

	outcome, r := converse(t, func(r *rig) {
		r.session.Tools = clock{}
		r.session.Script.EndCallMessage = "Bye."
		r.stt.Texts = []string{"What time is it?", "Thanks, bye."}
		r.llm.Replies = []voicetest.Reply{
			{Pieces: []string{"Let me see. "}, Tools: []llm.ToolCall{{ID: "1", Name: "time"}}},
			{Pieces: []string{"It is noon."}},
			{Tools: []llm.ToolCall{{ID: "2", Name: "end"}}},
		}
	}, func(r *rig) {
		r.at(2 * time.Second)
		r.leg.Speak(time.Second)
		r.leg.Pause(5 * time.Second)
		r.leg.Speak(time.Second)
		r.leg.Pause(2 * time.Second)
	})
	require.Equal(t, turn.AssistantEndedCall, outcome.Reason)
	require.Equal(t, []string{
		"assistant: Hello, this is the practice.", "user: What time is it?", "assistant: Let me see. It is noon.",
		"user: Thanks, bye.", "assistant: Bye.",
	}, r.journal.Transcript())
	require.Len(t, r.journal.Notes(voice.ToolCalled), 2)
	require.Len(t, r.llm.Requests()[0].Tools, 2)
	var roles []string
	for _, m := range r.llm.Requests()[2].Messages {
		roles = append(roles, m.Role)
	}
	require.Equal(t, []string{"system", "assistant", "user", "assistant", "tool", "assistant", "user"}, roles)
	require.Equal(t, "noon", r.llm.Requests()[1].Messages[4].Content)
}

func TestAToolThatHangsIsToldToTheModel(t *testing.T) {
	t.Parallel()

	_, r := converse(t, func(r *rig) {
		r.session.Tools = clock{hang: true}
		r.stt.Texts = []string{"What time is it?"}
		r.llm.Replies = []voicetest.Reply{
			{Tools: []llm.ToolCall{{ID: "1", Name: "time"}}}, {Pieces: []string{"I do not know."}},
		}
	}, func(r *rig) {
		r.at(2 * time.Second)
		r.leg.Speak(time.Second)
		r.leg.Pause(36 * time.Second)
		r.leg.RemoteHangup()
	})
	require.Equal(t, []string{
		"assistant: Hello, this is the practice.", "user: What time is it?",
		"assistant: One moment, please. Let me see. This takes a little longer than usual. I am still here. One moment, please. This takes a little longer than usual. I am still here. One moment, please. I do not know.",
	}, r.journal.Transcript())
	require.ErrorIs(t, r.journal.Notes(voice.ToolCalled)[0].Err, context.DeadlineExceeded)
}

func TestDigitsAreNoted(t *testing.T) {
	t.Parallel()

	_, r := converse(t, func(*rig) {}, func(r *rig) {
		r.at(time.Second)
		r.leg.Press("1#")
		r.at(2 * time.Second)
		r.leg.RemoteHangup()
	})
	notes := r.journal.Notes(voice.DigitPressed)
	require.Len(t, notes, 2)
	require.Equal(t, "#", notes[1].Text)
}

func TestTheModelSpeaksFirst(t *testing.T) {
	t.Parallel()

	for prompt, want := range map[string]string{"You answer for a dental practice.": "You answer for a dental practice.",
		"": "Greet the caller."} {
		_, r := converse(t, func(r *rig) {
			r.session.Script.SystemPrompt, r.session.Script.FirstMessage = prompt, ""
			r.session.Script.FirstMessageMode = turn.AssistantSpeaksFirstGenerated
			r.stt.Texts = []string{"Hello?", "Are you open?"}
			r.answers("Welcome to the practice.", "Yes.")
		}, func(r *rig) {
			r.leg.Pause(500 * time.Millisecond)
			r.leg.Speak(400 * time.Millisecond) // into the greeting, which may not be interrupted
			r.leg.Pause(3 * time.Second)
			r.leg.RemoteHangup()
		})
		require.Equal(t, []llm.Message{{Role: llm.RoleSystem, Content: want}}, r.llm.Requests()[0].Messages)
		require.Equal(t, []string{"assistant: Welcome to the practice.", "user: Hello?", "assistant: Yes."}, r.journal.Transcript())
		near(t, 300*time.Millisecond, r.leg.Played()[0].From)
	}
}
