package db

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSessionNamesAreOfOnePool(t *testing.T) {
	t.Parallel()

	for given, begin := range map[string]string{"": "callwright ", "worker": "worker ", "bél\n": "bl ",
		strings.Repeat("é", 63): "callwright ", strings.Repeat("a", 80): "aaaa"} {
		name := sessionName(given)
		require.True(t, strings.HasPrefix(name, begin), name)
		require.LessOrEqual(t, len(name), 63)
		require.NotEqual(t, name, sessionName(given))
	}
}
