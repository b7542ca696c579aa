package analysis

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/providers/llm"
)

// TestPromptsThatNameOneValueAgainAndAgain would be a hundred megabytes for each part of an analysis.
func TestPromptsThatNameOneValueAgainAndAgain(t *testing.T) {
	t.Parallel()
	talk := &Conversation{Turns: []Turn{{Role: llm.RoleUser, Text: strings.Repeat("word ", 20_000)}},
		EndedReason: "customer-ended-call"}
	repeated := jsonb.PromptMessage{Role: llm.RoleUser, Content: strings.Repeat("{{transcript}}", 1000)}
	size := 0
	messages := newValues(talk).compose(&jsonb.AnalysisPart{Messages: []jsonb.PromptMessage{repeated, repeated, repeated}}, "", "")
	for _, message := range messages {
		size += len(message.Content)
	}
	require.Greater(t, size, maxTranscript, "the first ones are there")
	require.Less(t, size, mostFilled+10_000)
}
