package recordings_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/jobs/recordings"
)

func TestParseKey(t *testing.T) {
	t.Parallel()

	account, call := uuid.New(), uuid.New()
	gotAccount, gotCall, ok := recordings.ParseKey(recordings.Key(account, call))
	require.True(t, ok)
	require.Equal(t, account, gotAccount)
	require.Equal(t, call, gotCall)
	for _, key := range []string{"", "recordings/a.wav", recordings.Key(account, call)[1:], recordings.Key(account, call) + ".wav",
		strings.ToUpper(recordings.Key(account, call))} {
		_, _, ok := recordings.ParseKey(key)
		require.False(t, ok, key)
	}
}
