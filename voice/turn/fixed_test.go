package turn

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLanguageCode(t *testing.T) {
	t.Parallel()

	for tag, want := range map[string]string{"nl": "nl", "nl-NL": "nl", "EN_us": "en", "fil-PH": "fil", "": "", "multi": "",
		"auto": "", "x": ""} {
		require.Equal(t, want, LanguageCode(tag), tag)
	}
}
