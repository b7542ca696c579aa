package worker

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumbersThatCarriersName(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{
		"+31201234567": "+31201234567", "31201234567": "+31201234567", "0031201234567": "+31201234567", "+31 20 123 45 67": "+31201234567",
		"201": "201", "reception": "reception", "": "anonymous", "\x00\r\n": "anonymous", "a\xffb\x00c": "a\ufffdbc",
		strings.Repeat("é", 40): strings.Repeat("é", 32), "x" + strings.Repeat("é", 40): "x" + strings.Repeat("é", 31),
	} {
		require.Equal(t, want, calledNumber(text), "%q", text)
	}
	for header, want := range map[string]string{
		`"Jan" <sip:+31612345678@carrier.example>`: "+31612345678", "<tel:+31612345678>": "+31612345678",
		"sip:+31612345678;phone-context=x@y": "+31612345678", "": "", "nonsense": "",
	} {
		require.Equal(t, want, userOf(header), header)
	}
}
