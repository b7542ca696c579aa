package openai

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThoughtsAreNoReply(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Hello <think>you</think> there.":         "Hello <think>you</think> there.",
		"<think>\nHm. A < b?\n</think>\n\nHello.": "\n\nHello.",
		" \n<think></think>Hello, <think>":        "Hello, <think>",
		"<think>Hm. </thin":                       "",
		"<thinking aloud>":                        "<thinking aloud>",
		"<thi":                                    "<thi",
		"":                                        "",
		"<think>a</think>":                        "",
		"  Hello.":                                "  Hello.",
		"<think>é</think>" + "Één moment</think>, ja.": "Één moment</think>, ja.",
	} {
		for size := 1; size <= max(len(text), 1); size++ {
			var hidden thoughts
			got := ""
			for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
				got += hidden.pass(rest[:min(size, len(rest))])
			}
			if !hidden.over {
				got += hidden.rest()
			}
			require.Equal(t, want, got, "%q by %d", text, size)
		}
	}
}
