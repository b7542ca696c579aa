package jobs

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// No file is taken for older than it is, whichever of the clocks is wrong.
func TestEarliest(t *testing.T) {
	t.Parallel()
	for _, wrong := range []time.Duration{-time.Hour, 0, time.Hour} {
		s := &Services{Now: func() time.Time { return time.Now().Add(wrong) }}
		require.WithinDuration(t, time.Now().Add(min(wrong, 0)), s.earliest(), time.Minute, "%v", wrong)
	}
}
