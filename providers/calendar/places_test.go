package calendar

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// One owner has feeds parsed that take as long as they may. The others' go on meanwhile, and nothing of who has gone is kept.
func TestPlacesAreShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shared, slow, running := newPlaces(parallel), uuid.New(), sync.WaitGroup{}
		stay := func(owner uuid.UUID, wait, take time.Duration) error {
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			defer cancel()
			leave, err := shared.enter(ctx, owner)
			if err == nil {
				time.Sleep(take)
				leave()
			}
			return err
		}
		began, late := time.Now(), atomic.Int32{}
		for range 5 * parallel {
			running.Go(func() {
				if stay(slow, timeout, timeout*2/3) != nil {
					late.Add(1)
				}
			})
		}
		synctest.Wait()
		for range 10 {
			require.NoError(t, stay(uuid.New(), timeout, time.Millisecond))
		}
		require.Equal(t, 10*time.Millisecond, time.Since(began), "nobody waited for the slow one")
		for range 2 * parallel { // of different owners: no more than there are places
			running.Go(func() { _ = stay(uuid.New(), timeout, time.Second) })
		}
		synctest.Wait()
		require.Len(t, shared.all, parallel)
		running.Wait()
		require.EqualValues(t, 5*parallel-2, late.Load(), "of its own")
		require.Empty(t, shared.owners)
		require.Empty(t, shared.all)
	})
}
