package voice_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/voice/voicetest"
)

func able(r *rig) {
	r.session.Script.Abilities = voice.Abilities{
		EndCall: true, SendDigits: true,
		Transfers: []voice.Destination{
			{Name: "reception", Description: "questions about bills", Target: "+31201234567",
				Announcement: "I will put you through to the reception."},
			{Name: "Dr. Jansen", Target: "sip:jansen@example.com"},
		},
	}
}

// wish is a reply that asks for a tool, behind some words.
func wish(name, arguments string, words ...string) voicetest.Reply {
	return voicetest.Reply{Pieces: words, Tools: []llm.ToolCall{{ID: "1", Name: name, Arguments: arguments}}}
}

// asks is a caller who says one thing, and then listens until the call is over or 20 s
// have passed.
func asks(r *rig) {
	r.at(3 * time.Second)
	r.leg.Speak(time.Second)
	r.leg.Pause(20 * time.Second)
	r.leg.RemoteHangup()
}

func TestAbilities(t *testing.T) {
	t.Parallel()

	const transfers = "assistant: I will put you through to the reception."
	for name, tt := range map[string]struct {
		replies []voicetest.Reply
		reason  turn.Reason
		spoken  []string
	}{
		"end": {
			[]voicetest.Reply{wish("end_call", "{}", "Bye now.")}, turn.AssistantEndedCall,
			[]string{"assistant: Bye now."},
		},
		"end without a word": {
			[]voicetest.Reply{wish("end_call", "")}, turn.AssistantEndedCall,
			[]string{"assistant: I will hang up now. Goodbye."},
		},
		"transfer": {
			[]voicetest.Reply{wish("transfer", `{"destination": "Reception "}`)}, turn.AssistantForwardedCall, []string{transfers},
		},
		"transfer behind words": {
			[]voicetest.Reply{wish("transfer", `{"destination": "reception"}`, "Of course.")}, turn.AssistantForwardedCall,
			[]string{"assistant: Of course.", transfers},
		},
		"transfer that nobody announces": {
			[]voicetest.Reply{wish("transfer", `{"destination": "Dr. Jansen"}`)}, turn.AssistantForwardedCall,
			[]string{"assistant: One moment, I will put you through."},
		},
		"transfer that the model announces": {
			[]voicetest.Reply{wish("transfer", `{"destination": "Dr. Jansen"}`, "Here is the doctor.")}, turn.AssistantForwardedCall,
			[]string{"assistant: Here is the doctor."},
		},
		"transfer to nobody": {
			[]voicetest.Reply{wish("transfer", `{"destination": "the pope"}`), {Pieces: []string{"I cannot."}}}, turn.CustomerEndedCall,
			[]string{"assistant: I cannot."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outcome, r := converse(t, func(r *rig) {
				able(r)
				r.stt.Texts = []string{"Help."}
				r.llm.Replies = tt.replies
			}, asks)
			require.Equal(t, tt.reason, outcome.Reason)
			require.Equal(t, append([]string{"assistant: Hello, this is the practice.", "user: Help."}, tt.spoken...),
				r.journal.Transcript())
		})
	}
}

func TestSendDigits(t *testing.T) {
	t.Parallel()

	_, r := converse(t, func(r *rig) {
		able(r)
		r.stt.Texts = []string{"For English press one."}
		r.llm.Replies = []voicetest.Reply{wish("send_digits", `{"digits": "1,2#"}`), {Pieces: []string{"Done."}}}
	}, asks)
	require.Equal(t, "1,2#", r.leg.Digits())
	require.Equal(t, "assistant: Done.", r.journal.Transcript()[2])
	require.NoError(t, r.journal.Notes(voice.ToolCalled)[0].Err)
}

func TestAbilitiesMisused(t *testing.T) {
	t.Parallel()

	for arguments, want := range map[string]string{
		`{"digits": "call me"}`: "Want 1 to 40 of the keys", `{}`: "Want 1 to 40 of the keys", `{"digits": 1`: "not a JSON object",
	} {
		_, r := converse(t, func(r *rig) {
			able(r)
			r.stt.Texts = []string{"For English press one."}
			r.llm.Replies = []voicetest.Reply{wish("send_digits", arguments), {Pieces: []string{"Sorry."}}}
		}, asks)
		require.Empty(t, r.leg.Digits())
		require.ErrorContains(t, r.journal.Notes(voice.ToolCalled)[0].Err, want)
		messages := r.llm.Requests()[1].Messages
		require.Contains(t, messages[len(messages)-1].Content, want, "the model is told")
	}
}

func TestAbilitiesStandBesideTheToolsOfOthers(t *testing.T) {
	t.Parallel()

	_, r := converse(t, func(r *rig) {
		able(r)
		r.session.Tools = shadow{}
		r.stt.Texts = []string{"Help."}
		r.llm.Replies = []voicetest.Reply{wish("end_call", "{}"), wish("nonsense", "{}"), {Pieces: []string{"So."}}}
	}, asks)
	var names []string
	for _, tool := range r.llm.Requests()[0].Tools {
		names = append(names, tool.Name)
		require.True(t, json.Valid(tool.Parameters) || tool.Name == "end_call", tool.Name)
	}
	require.Equal(t, []string{"transfer", "send_digits", "end_call"}, names)
	require.Contains(t, r.llm.Requests()[0].Tools[0].Description, "reception: questions about bills")
	require.Contains(t, string(r.llm.Requests()[0].Tools[0].Parameters), `"enum":["reception","Dr. Jansen"]`)
	require.Equal(t, "theirs: end_call", r.llm.Requests()[1].Messages[len(r.llm.Requests()[1].Messages)-1].Content)
	require.Equal(t, "theirs: nonsense", r.llm.Requests()[2].Messages[len(r.llm.Requests()[2].Messages)-1].Content)
	require.Equal(t, "assistant: So.", r.journal.Transcript()[2])
}

func TestKeypadEntryIsAMessage(t *testing.T) {
	t.Parallel()

	_, r := converse(t, func(r *rig) {
		r.session.Script.FirstMessage = "one two three four five six seven eight nine ten"
		r.session.Script.FirstMessageInterruptions = true
		r.session.Script.Keypad = turn.KeypadPlan{Enabled: true, Timeout: time.Second, Delimiters: "#"}
		r.answers("Thank you.")
	}, func(r *rig) {
		r.at(time.Second)
		r.leg.Press("1")
		r.at(1500 * time.Millisecond)
		r.leg.Press("23#")
		r.at(6 * time.Second)
		r.leg.RemoteHangup()
	})
	require.Equal(t, []string{"assistant: one two three --", "user: User's Keypad Entry: 123", "assistant: Thank you."},
		r.journal.Transcript())
	messages := r.llm.Requests()[0].Messages
	require.Equal(t, llm.Message{Role: llm.RoleUser, Content: "User's Keypad Entry: 123"}, messages[len(messages)-1])
}

func TestRemindersVary(t *testing.T) {
	t.Parallel()

	next := 0
	outcome, r := converse(t, func(r *rig) {
		r.session.Script.Idle.Messages = []string{"Are you there?", "Hello?", "Still with me?"}
		r.session.Script.Idle.SilenceMessage = "I cannot hear you, goodbye."
		r.session.Pick = func(n int) int {
			next += 2
			return next % n
		}
	}, func(*rig) {})
	require.Equal(t, turn.SilenceTimedOut, outcome.Reason)
	require.Equal(t, []string{
		"assistant: Hello, this is the practice.", "assistant: Still with me?", "assistant: Hello?",
		"assistant: I cannot hear you, goodbye.",
	}, r.journal.Transcript())
	require.InDelta(t, 1.6+30+1.6, outcome.Duration.Seconds(), 0.3)
}

// shadow is a tool of others that has the name of an ability.
type shadow struct{}

func (shadow) List() []llm.Tool { return []llm.Tool{{Name: "end_call"}} }

func (shadow) Call(_ context.Context, call llm.ToolCall, _ func(string)) voice.ToolResult {
	return voice.ToolResult{Content: "theirs: " + call.Name}
}
