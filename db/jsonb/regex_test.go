package jsonb

import (
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRegexes holds how much all expressions of a plan may ask of the calls of others.
func TestRegexes(t *testing.T) {
	t.Parallel()

	ignoreCase := []any{map[string]any{"type": "ignore-case", "enabled": true}, map[string]any{"type": "strict", "enabled": false}}
	compiled, err := new(Regexes).Compile(`order (?:\d\s*){10,12}\pL+`, ignoreCase)
	require.NoError(t, err)
	require.True(t, compiled.MatchString("My ORDER 12 345 678 90 please"))

	for _, large := range []string{
		strings.Repeat(".{0,999}", 120), strings.Repeat("(?:a|.){100,}", 30), strings.Repeat(`[\p{Greek}x]{500}`, 5),
		`((((.{10}){10}){10})+.{999}){1}.{999}.{999}.{999}`,
	} {
		_, err := new(Regexes).Compile(large, nil)
		require.ErrorIs(t, err, ErrLargeRegex, large)
	}
	plan := Regexes{}
	for range 2 {
		_, err := plan.Compile(".{0,999}", nil)
		require.NoError(t, err)
	}
	_, err = plan.Compile(".{0,999}", nil)
	require.ErrorIs(t, err, ErrLargeRegex, "one rule more")
	_, err = plan.Compile("um$", nil)
	require.NoError(t, err, "small ones still fit")

	for _, unreadable := range []string{"(", "a{1001}", `(?=a)`} {
		_, err := new(Regexes).Compile(unreadable, nil)
		_, is := err.(*syntax.Error) //nolint:errorlint // it is not wrapped
		require.True(t, is, unreadable)
	}
}
