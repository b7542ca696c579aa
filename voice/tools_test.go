package voice_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/voice/voicetest"
)

// worker is one tool that takes a while.
type worker struct {
	takes  time.Duration
	says   string // when it begins
	result voice.ToolResult
}

func (worker) List() []llm.Tool { return []llm.Tool{{Name: "book"}} }

func (w worker) Call(ctx context.Context, _ llm.ToolCall, say func(string)) voice.ToolResult {
	if w.says != "" {
		say(w.says)
	}
	select {
	case <-time.After(w.takes):
		return w.result
	case <-ctx.Done():
		return voice.ToolResult{Content: "Unknown.", Err: ctx.Err()}
	}
}

func booking(words ...string) voicetest.Reply {
	return voicetest.Reply{Pieces: words, Tools: []llm.ToolCall{{ID: "1", Name: "book", Arguments: `{"day":"monday"}`}}}
}

func TestWhileAToolWorks(t *testing.T) {
	t.Parallel()

	const longer = "One moment, please. Let me see. This takes a little longer than usual. I am still here. Done."
	booked := voice.ToolResult{Content: "booked"}
	for name, tt := range map[string]struct {
		tool    worker
		replies []voicetest.Reply
		spoken  string
	}{
		"at once":   {worker{0, "", booked}, []voicetest.Reply{booking(), {Pieces: []string{"Done."}}}, "Done."},
		"long":      {worker{8 * time.Second, "", booked}, []voicetest.Reply{booking(), {Pieces: []string{"Done."}}}, longer},
		"very long": {worker{12 * time.Second, "", booked}, []voicetest.Reply{booking(), {Pieces: []string{"Done."}}}, longer},
		"long behind words": {worker{8 * time.Second, "", booked},
			[]voicetest.Reply{booking("I will book that."), {Pieces: []string{"Done."}}}, "I will book that. One moment, please. Done."},
		"short behind words": {worker{3 * time.Second, "", booked},
			[]voicetest.Reply{booking("I will book that."), {Pieces: []string{"Done."}}}, "I will book that. Done."},
		"that speaks": {worker{3 * time.Second, "Let me look.", booked},
			[]voicetest.Reply{booking(), {Pieces: []string{"Done."}}}, "Let me look. Done."},
		"long and speaking": {worker{14 * time.Second, "Let me look.", booked},
			[]voicetest.Reply{booking(), {Pieces: []string{"Done."}}},
			"Let me look. One moment, please. This takes a little longer than usual. I am still here. Done."},
		"with last words": {worker{time.Second, "", voice.ToolResult{Content: "booked", Say: "It is booked. See you."}},
			[]voicetest.Reply{booking(), {Pieces: []string{"Never."}}}, "It is booked. See you."},
		"model fails after": {worker{time.Second, "Let me look.", booked},
			[]voicetest.Reply{booking(), {Err: context.DeadlineExceeded}, {Pieces: []string{"Done."}}},
			"Let me look. One moment, please. Done."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, r := converse(t, func(r *rig) {
				r.session.Tools = tt.tool
				r.stt.Texts = []string{"Book me in."}
				r.llm.Replies = tt.replies
			}, asks)
			require.Equal(t, []string{"assistant: Hello, this is the practice.", "user: Book me in.", "assistant: " + tt.spoken},
				r.journal.Transcript())
			notes := r.journal.Notes(voice.ToolCalled)
			require.Len(t, notes, 1)
			require.Equal(t, tt.replies[0].Tools[0], notes[0].Tool.Call)
			require.Equal(t, "booked", notes[0].Tool.Answer)
			near(t, tt.tool.takes, notes[0].Tool.Took)
		})
	}
}

// What a tool has begun is not asked for again, whatever the caller says meanwhile, nor is that put before the model twice.
func TestACallerInterruptsAToolAtWork(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		takes  time.Duration
		answer string
		roles  []string
	}{
		"and waits shortly": {
			4 * time.Second, "assistant: Yes, and it is done.",
			[]string{"system", "assistant", "user", "assistant", "assistant", "tool", "user"},
		},
		"and is asked for patience": {
			7 * time.Second, "assistant: One moment, please. Yes, and it is done.",
			[]string{"system", "assistant", "user", "assistant", "user", "assistant", "tool"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, r := converse(t, func(r *rig) {
				r.session.Tools = worker{tt.takes, "Let me look.",
					voice.ToolResult{Content: "booked", Then: turn.End{Reason: turn.AssistantEndedCall}}}
				r.stt.Texts = []string{"Book me in.", "Is anybody there?"}
				r.llm.Replies = []voicetest.Reply{booking(), {Pieces: []string{"Yes, and it is done."}}}
			}, func(r *rig) {
				r.at(3 * time.Second)
				r.leg.Speak(time.Second)
				r.leg.Pause(2500 * time.Millisecond)
				r.leg.Speak(time.Second)
				r.leg.Pause(10 * time.Second)
				r.leg.RemoteHangup()
			})
			require.Equal(t, []string{
				"assistant: Hello, this is the practice.", "user: Book me in.", "assistant: Let me look. --", "user: Is anybody there?",
				tt.answer,
			}, r.journal.Transcript()[:5])
			require.NoError(t, r.journal.Notes(voice.ToolCalled)[0].Err)
			require.Len(t, r.llm.Requests(), 2)
			var roles []string
			for _, message := range r.llm.Requests()[1].Messages {
				roles = append(roles, message.Role)
			}
			require.Equal(t, tt.roles, roles)
		})
	}
}

func TestAToolAtWorkIsNoSilence(t *testing.T) {
	t.Parallel()

	outcome, _ := converse(t, func(r *rig) {
		r.session.Script.SilenceTimeout = 5 * time.Second
		r.session.Tools = worker{takes: 9 * time.Second, result: voice.ToolResult{Content: "booked"}}
		r.stt.Texts = []string{"Book me in."}
		r.llm.Replies = []voicetest.Reply{booking(), {Pieces: []string{"Done."}}}
	}, func(r *rig) {
		r.at(3 * time.Second)
		r.leg.Speak(time.Second)
		r.leg.Pause(20 * time.Second)
	})
	require.Equal(t, turn.SilenceTimedOut, outcome.Reason)
	require.Greater(t, outcome.Duration, 18*time.Second, "five seconds behind the reply")
}

func TestToolsAtWorkWhenTheCallerHangsUp(t *testing.T) {
	t.Parallel()

	_, r := converse(t, func(r *rig) {
		r.session.Tools = worker{takes: time.Minute}
		r.stt.Texts = []string{"Book me in."}
		r.llm.Replies = []voicetest.Reply{booking()}
	}, func(r *rig) {
		r.at(3 * time.Second)
		r.leg.Speak(time.Second)
		r.leg.Pause(3 * time.Second)
		r.leg.RemoteHangup()
	})
	notes := r.journal.Notes(voice.ToolCalled)
	require.Len(t, notes, 1)
	require.ErrorIs(t, notes[0].Err, context.Canceled)
	require.Equal(t, "Unknown.", notes[0].Tool.Answer)
}
