package queue

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRetryAt(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for attempt, wait := range map[int]time.Duration{
		0: time.Second, 1: time.Second, 2: 2 * time.Second, 5: 16 * time.Second, 9: 256 * time.Second, 10: 5 * time.Minute,
		1000: 5 * time.Minute,
	} {
		require.Equal(t, wait, RetryAt(now, attempt).Sub(now), "attempt %d", attempt)
	}
}
