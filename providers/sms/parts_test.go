package sms

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"":                              1,
		strings.Repeat("a", 160):        1,
		strings.Repeat("a", 161):        2,
		strings.Repeat("a", 306):        2,
		strings.Repeat("a", 307):        3,
		strings.Repeat("€", 80):         1,
		strings.Repeat("€", 81):         2,
		strings.Repeat("ë", 70):         1, // not in the alphabet
		strings.Repeat("ë", 71):         2,
		strings.Repeat("😀", 35):         1,
		strings.Repeat("😀", 36):         2,
		strings.Repeat("a", 70) + "😀":   2,
		"Bedankt, tot morgen om 9 uur!": 1,
	} {
		require.Equal(t, want, Parts(text), "%.20s", text)
	}
}
