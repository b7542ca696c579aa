package worker

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/worker/gateways"
)

// TestWhatAColleagueDecides has the caller come only where the colleague has heard the message, or agrees.
func TestWhatAColleagueDecides(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		mode    turn.TransferMode
		outcome voice.Outcome
		tool    llm.ToolCall
		status  string
		why     string
	}{
		"heard":  {turn.WarmMessage, voice.Outcome{Reason: turn.AssistantSaidEndCallPhrase}, llm.ToolCall{}, "", ""},
		"agreed": {turn.WarmAssistant, voice.Outcome{Reason: turn.AssistantEndedCall}, llm.ToolCall{Name: toolTaken}, "", ""},
		"hung up": {turn.WarmMessage, voice.Outcome{Reason: turn.CustomerEndedCall}, llm.ToolCall{}, "declined",
			"whoever answered hung up"},
		"a machine": {turn.WarmSummary, voice.Outcome{Reason: turn.Voicemail}, llm.ToolCall{}, "voicemail",
			"an answering machine took the call"},
		"undecided": {turn.WarmAssistant, voice.Outcome{Reason: turn.ExceededMaxDuration}, llm.ToolCall{}, "declined",
			"whoever answered did not take the caller"},
		"said a word": {turn.WarmAssistant, voice.Outcome{Reason: turn.AssistantSaidEndCallPhrase}, llm.ToolCall{}, "declined",
			"whoever answered did not take the caller"},
		"declined": {
			turn.WarmAssistant, voice.Outcome{Reason: turn.AssistantEndedCall},
			llm.ToolCall{Name: toolDeclined, Arguments: `{"reason": "in a meeting"}`}, "declined",
			"whoever answered does not take the caller now: in a meeting",
		},
		"no voice": {
			turn.WarmMessage, voice.Outcome{Reason: turn.ProviderVoiceFailed, Err: errors.New("no voice")}, llm.ToolCall{}, "failed",
			"the colleague could not be spoken to: no voice",
		},
	} {
		decided := &decision{}
		if test.tool.Name != "" {
			require.NoError(t, decided.Call(t.Context(), test.tool, nil).Err, name)
		}
		status, untaken := judge(test.mode, test.outcome, decided)
		require.Equal(t, test.status, status, name)
		if test.why == "" {
			require.Nil(t, untaken, name)
			continue
		}
		require.EqualError(t, untaken, test.why, name)
	}
}

func TestTheSummaryTravelsInOneHeader(t *testing.T) {
	t.Parallel()
	headers := withHeader(map[string]string{"P-Preferred-Identity": "x"}, summaryHeader, "Jan calls\r\nabout a bill.")
	require.Equal(t, map[string]string{"P-Preferred-Identity": "x", summaryHeader: "Jan calls about a bill."}, headers)
	require.Equal(t, "[::1]:5060", gateways.WithSIPPort("[::1]", false))
	require.Equal(t, "pbx.example:5061", gateways.WithSIPPort("pbx.example", true))
	require.Equal(t, "pbx.example:5070", gateways.WithSIPPort("pbx.example:5070", false))
	require.Equal(t, "> Caller: Hello.\n> Assistant: Hi there.", quoted([]llm.Message{
		{Role: llm.RoleSystem, Content: "x"}, {Role: llm.RoleUser, Content: "Hello."}, {Role: llm.RoleAssistant, Content: "Hi\nthere."},
		{Role: llm.RoleTool, Content: "y"},
	}))
}
