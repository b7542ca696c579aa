package media

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func readText(texts []string, lose func(i int) bool) (got []string) {
	var w textWriter
	var r textReader
	for _, text := range texts {
		w.queue(text)
	}
	for i := 0; ; i++ {
		payload, ok := w.tick(nil)
		if !ok {
			return got
		}
		if lose(i) {
			continue
		}
		if text := r.read(payload); text != "" {
			got = append(got, text)
		}
	}
}

func TestTextSurvivesOneLostCopy(t *testing.T) {
	t.Parallel()
	texts := []string{"ja", "ja", "nee, dank u", "ja"}
	require.Equal(t, texts, readText(texts, func(int) bool { return false }))
	require.Equal(t, texts, readText(texts, func(i int) bool { return i%2 == 0 }))
	require.Equal(t, texts, readText(texts, func(i int) bool { return i%2 == 1 }))
	require.Equal(t, []string{"ja", "\uFFFDnee, dank u", "ja"}, readText(texts, func(i int) bool { return i == 2 || i == 3 }))
}

func TestLongTextIsCutBetweenCodePoints(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("日本語", 500), "a" + strings.Repeat("é", 1500), strings.Repeat("x", textBlockLen)} {
		got := readText([]string{text}, func(int) bool { return false })
		for _, piece := range got {
			require.True(t, utf8.ValidString(piece))
			require.LessOrEqual(t, len(piece), textBlockLen)
		}
		require.Equal(t, text, strings.Join(got, ""))
	}
	require.Equal(t, []string{"a\uFFFDb"}, readText([]string{"a\xffb"}, func(int) bool { return false }))
	require.Empty(t, readText([]string{""}, func(int) bool { return false }))
}

func TestTheTextCounterWraps(t *testing.T) {
	t.Parallel()
	w, r := textWriter{counter: 0xffff}, textReader{started: true, next: 0xffff}
	w.queue("a")
	w.queue("b")
	var got string
	for range 4 {
		payload, ok := w.tick(nil)
		require.True(t, ok)
		got += r.read(payload)
	}
	require.Equal(t, "ab", got)
}

func FuzzTextReader(f *testing.F) {
	f.Add([]byte{0, 0, 'h', 'i'}, []byte{0, 1, 0xff})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var r textReader
		require.True(t, utf8.ValidString(r.read(first)+r.read(second)))
		require.Empty(t, r.read(second), "what was read once is not read again")
	})
}
