package spoken

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/sentence"
)

// TestFormsInAStream cuts each written form at every character: the sentences of a stream are those of the whole text, so that no
// form is read in two parts that is one otherwise.
func TestFormsInAStream(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{"nl", "en-US", "en-GB", "de"} {
		table, err := os.ReadFile("testdata/" + tag + ".txt")
		require.NoError(t, err)
		for line := range strings.Lines(string(table)) {
			written, _, _ := strings.Cut(line, " | ")
			text := "Aha " + written + " is it, and so on. Next."
			var streamed []string
			var splitter sentence.Splitter
			for _, letter := range text {
				streamed = append(streamed, splitter.Push(string(letter))...)
			}
			require.Equal(t, sentence.Split(text), append(streamed, splitter.Rest()), text)
		}
	}
}
