package voice_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/voice/voicetest"
)

const request = "I want to book an appointment"

// ask says something for a second, from 2 s on, of which the recogniser knows the words before it ends.
func ask(r *rig, interim string) {
	r.at(2 * time.Second)
	r.leg.Speak(800 * time.Millisecond)
	r.stt.Interim(interim)
	r.leg.Speak(200 * time.Millisecond)
}

// guesses is a call in which the caller asks something and gets these replies.
func guesses(replies ...voicetest.Reply) func(r *rig) {
	return func(r *rig) {
		r.session.Script.FirstMessage = "Hello."
		r.stt.Texts = []string{request, "please."}
		r.llm.Replies = replies
	}
}

func hangUpAfter(d time.Duration, r *rig) {
	r.leg.Pause(d)
	r.leg.RemoteHangup()
}

// The model thinks while it is not certain that the caller has finished, and the first sentence is made.
func TestAReplyIsBegunAhead(t *testing.T) {
	t.Parallel()

	reply := voicetest.Reply{Pieces: []string{"With pleasure. ", "When would it suit you?"}, First: 200 * time.Millisecond}
	outcome, r := converse(t, guesses(reply), func(r *rig) {
		ask(r, request)
		r.leg.Pause(500 * time.Millisecond)
		require.Equal(t, []string{"Hello.", "With pleasure."}, r.tts.Asked(), "the first sentence is enough")
		require.Len(t, r.leg.Played(), 1, "and is not heard")
		hangUpAfter(6*time.Second, r)
	})
	require.Equal(t, []string{"assistant: Hello.", "user: " + request, "assistant: With pleasure. When would it suit you?"},
		r.journal.Transcript())
	require.Len(t, r.llm.Requests(), 1)
	timing := outcome.Timings[0]
	near(t, 3200*time.Millisecond, timing.Guesses[0].At)
	near(t, 3400*time.Millisecond, timing.FirstToken)
	near(t, timing.SpeechEnded+timing.Wait, timing.At)
	near(t, timing.At, timing.FirstSound)
	require.Equal(t, []voice.Guess{{At: timing.Guesses[0].At, Words: request, Used: true}}, timing.Guesses)
}

// What was begun before the caller went on is not heard, and what it cost is on record.
func TestAGuessIsThrownAway(t *testing.T) {
	t.Parallel()

	for name, wrong := range map[string]voicetest.Reply{
		"while it is made": {Pieces: []string{"Wrong. ", "And on. "}, First: 50 * time.Millisecond, Each: time.Minute},
		"that is complete": {Pieces: []string{"Wrong."}, First: 50 * time.Millisecond, Usage: llm.Usage{Prompt: 123, Completion: 4}},
		"that hangs":       {Hang: true},
		"with a tool":      {Tools: []llm.ToolCall{{ID: "a", Name: "book", Arguments: "{}"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outcome, r := converse(t, func(r *rig) {
				guesses(wrong, voicetest.Reply{Pieces: []string{"Right."}})(r)
				r.session.Tools = worker{time.Second, "", voice.ToolResult{Content: "booked"}}
			}, func(r *rig) {
				ask(r, request)
				r.leg.Pause(350 * time.Millisecond)
				r.leg.Speak(500 * time.Millisecond)
				hangUpAfter(4*time.Second, r)
			})
			require.Equal(t, []string{"assistant: Hello.", "user: " + request + " please.", "assistant: Right."}, r.journal.Transcript())
			require.Len(t, r.leg.Captions(), 2)
			require.Empty(t, r.journal.Notes(voice.ToolCalled))
			guess := outcome.Timings[0].Guesses[0]
			require.False(t, guess.Used)
			require.Equal(t, request, guess.Words)
			if wrong.Usage.Prompt != 0 {
				require.Equal(t, voice.Tokens{PromptTokens: 123, CompletionTokens: 4}, guess.Tokens)
			} else {
				require.True(t, guess.Estimated)
				require.Greater(t, guess.PromptTokens, 10)
			}
		})
	}
}

// A tool that a guess wants runs once, when the turn is over.
func TestAToolWaitsForTheEndOfTheTurn(t *testing.T) {
	t.Parallel()

	tool := voicetest.Reply{Pieces: []string{"Let me see. "}, Tools: []llm.ToolCall{{ID: "a", Name: "book", Arguments: "{}"}}}
	outcome, r := converse(t, func(r *rig) {
		guesses(tool, voicetest.Reply{Pieces: []string{"Done."}})(r)
		r.session.Tools = worker{time.Second, "", voice.ToolResult{Content: "booked"}}
	}, func(r *rig) {
		ask(r, request)
		hangUpAfter(5*time.Second, r)
	})
	called := r.journal.Notes(voice.ToolCalled)
	require.Len(t, called, 1)
	near(t, outcome.Timings[0].At, called[0].At)
	require.True(t, outcome.Timings[0].Guesses[0].Used)
	require.Equal(t, "assistant: Let me see. Done.", r.journal.Transcript()[2])
	require.Len(t, r.llm.Requests(), 2)
}

// A guess that fails is no failure of the call: the model is asked when the turn is over.
func TestAGuessMayFail(t *testing.T) {
	t.Parallel()

	outcome, r := converse(t, guesses(voicetest.Reply{Err: fault.New(fault.Unavailable, "test", "overloaded")},
		voicetest.Reply{Pieces: []string{"Yes."}}), func(r *rig) {
		ask(r, request)
		hangUpAfter(4*time.Second, r)
	})
	require.Equal(t, "assistant: Yes.", r.journal.Transcript()[2])
	require.Empty(t, r.journal.Notes(voice.ProviderFailed))
	require.NoError(t, outcome.Err)
	near(t, outcome.Timings[0].At+100*time.Millisecond, outcome.Timings[0].FirstSound)
}

// A model that is slow all the same has the caller be asked for patience, and is asked once.
func TestAGuessMayBeSlow(t *testing.T) {
	t.Parallel()

	outcome, r := converse(t, guesses(voicetest.Reply{Pieces: []string{"Yes."}, First: 5 * time.Second}), func(r *rig) {
		ask(r, request)
		hangUpAfter(8*time.Second, r)
	})
	require.Equal(t, "assistant: One moment, please. Yes.", r.journal.Transcript()[2])
	require.Len(t, r.llm.Requests(), 1)
	timing := outcome.Timings[0]
	near(t, timing.SpeechEnded+3600*time.Millisecond, timing.FirstSound)
	near(t, timing.Guesses[0].At+5*time.Second, timing.FirstToken)
}

// What is put before the model while it guesses is known to the reply that is heard.
func TestAMessageComesIntoAGuess(t *testing.T) {
	t.Parallel()

	_, r := converse(t, guesses(voicetest.Reply{Pieces: []string{"Wrong."}}, voicetest.Reply{Pieces: []string{"Right."}}),
		func(r *rig) {
			ask(r, request)
			r.leg.Pause(240 * time.Millisecond)
			r.commands <- turn.AddMessage{Role: llm.RoleSystem, Content: "Be short."}
			hangUpAfter(4*time.Second, r)
		})
	require.Equal(t, "assistant: Right.", r.journal.Transcript()[2])
	require.Contains(t, r.llm.Requests()[1].Messages, llm.Message{Role: llm.RoleSystem, Content: "Be short."})
}

func TestTheCallerHangsUpOnAGuess(t *testing.T) {
	t.Parallel()

	outcome, r := converse(t, guesses(voicetest.Reply{Hang: true}), func(r *rig) {
		ask(r, request)
		hangUpAfter(300*time.Millisecond, r)
	})
	require.Equal(t, []string{"assistant: Hello.", "user: " + request}, r.journal.Transcript())
	require.Empty(t, outcome.Timings)
	require.Len(t, outcome.Guesses, 1)
	require.False(t, outcome.Guesses[0].Used)
}

func TestNothingIsGuessed(t *testing.T) {
	t.Parallel()

	outcome, r := converse(t, func(r *rig) {
		guesses(voicetest.Reply{Pieces: []string{"Yes."}, First: 200 * time.Millisecond})(r)
		r.session.Script.StartSpeaking.ThinkAhead = false
	}, func(r *rig) {
		ask(r, request)
		hangUpAfter(4*time.Second, r)
	})
	require.Len(t, r.llm.Requests(), 1)
	require.Empty(t, outcome.Guesses)
	near(t, outcome.Timings[0].At+300*time.Millisecond, outcome.Timings[0].FirstSound)
}
