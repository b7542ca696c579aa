package voice

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/llm"
)

func TestRecentHistory(t *testing.T) {
	t.Parallel()

	said := func(n, size int) []llm.Message {
		var all []llm.Message
		for i := range n {
			all = append(all, llm.Message{Role: llm.RoleUser, Content: fmt.Sprintf("%d%s", i, strings.Repeat(" ", size))})
		}
		return all
	}
	instructions := llm.Message{Role: llm.RoleSystem, Content: "Be kind."}
	short := append([]llm.Message{instructions}, said(100, 1000)...)
	require.Equal(t, short, recent(short))
	require.Empty(t, recent(nil))

	long := append([]llm.Message{instructions}, said(250, 1000)...)
	kept := recent(long)
	require.Equal(t, instructions, kept[0])
	require.Equal(t, long[len(long)-len(kept)+1:], kept[1:])
	require.InDelta(t, 100, len(kept), 2)
	require.Len(t, long, 251, "it is as it was")
	require.NotEqual(t, instructions, recent(long[1:])[0])

	tools := []llm.Message{
		instructions, {Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{Arguments: strings.Repeat("a", mostHistory)}}},
		{Role: llm.RoleTool, Content: "b"}, {Role: llm.RoleTool, Content: "c"}, {Role: llm.RoleUser, Content: "d"},
	}
	require.Equal(t, []llm.Message{instructions, tools[4]}, recent(tools))
	endless := []llm.Message{instructions, {Role: llm.RoleUser, Content: strings.Repeat("a", mostHistory)}}
	require.Equal(t, endless, recent(endless), "the last words stay")
}
