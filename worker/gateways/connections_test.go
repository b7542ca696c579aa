package gateways

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// What many goroutines send at once leaves one after the other; who was idle has saved nothing up.
func TestPace(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		paced, start := newPace(50), time.Now()
		var sending sync.WaitGroup
		for range 101 {
			sending.Go(func() { paced.wait(t.Context()) })
		}
		sending.Wait()
		require.Equal(t, 2*time.Second, time.Since(start))
		time.Sleep(time.Hour)
		start = time.Now()
		for range 11 {
			paced.wait(t.Context())
		}
		require.Equal(t, 200*time.Millisecond, time.Since(start))

		over, cancel := context.WithCancel(t.Context())
		cancel()
		start = time.Now()
		paced.wait(over)
		require.Zero(t, time.Since(start), "who gives up does not wait")
	})
}

// A process that takes a failing connection over goes on with the pauses of the one before.
func TestFailedFor(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		require.Zero(t, failedFor(nil))
		require.Equal(t, 10*time.Minute, failedFor(new(time.Now().Add(-10*time.Minute))))
		require.Equal(t, time.Hour, failedFor(new(time.Now().Add(-10*time.Hour))))
		require.Zero(t, failedFor(new(time.Now().Add(time.Minute))), "by another clock")
	})
}
