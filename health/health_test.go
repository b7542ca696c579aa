package health

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWordsAreThoseOfTheProblems(t *testing.T) {
	t.Parallel()
	secret := errors.New("dial tcp 10.1.2.3:5432: refused")
	away, full := &Problem{Words: "the database is away", Err: secret}, &Problem{Words: "all places are taken"}
	for want, err := range map[string]error{
		"":                     secret,
		"the database is away": away,
		"the database is away; all places are taken": errors.Join(nil, fmt.Errorf("look: %w", away), full),
	} {
		require.Equal(t, want, Words(err))
	}
	require.Empty(t, Words(nil))
	require.ErrorIs(t, away, secret)
	require.Equal(t, "the database is away: dial tcp 10.1.2.3:5432: refused", away.Error(), "the log has it all")
	require.Equal(t, "all places are taken", full.Error())
}
