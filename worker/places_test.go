package worker

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
)

// late is the sound of calls, of whose frames a share leaves late.
type late struct {
	places *places
	share  float64

	mu           sync.Mutex
	frames, late float64
}

// pass lets seconds pass.
func (l *late) pass(seconds int) {
	for range seconds {
		due := float64(50 * l.places.calls())
		l.mu.Lock()
		l.frames, l.late = l.frames+due, l.late+l.share*due
		l.mu.Unlock()
		time.Sleep(lookAtLateness)
		synctest.Wait()
	}
}

func (l *late) measure() (frames, late uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return uint64(l.frames), uint64(l.late)
}

func TestPlacesCloseWhileSoundLeavesLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sound := &late{places: newPlaces(1000)}
		p := sound.places
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go p.follow(ctx, sound.measure, slog.New(slog.DiscardHandler))
		synctest.Wait()
		take := func() bool { return p.take(t.Context(), 0, nil) }
		for range 300 {
			require.True(t, take())
		}
		sound.share = 0.009
		sound.pass(3)
		require.Equal(t, 1000, p.open(), "that is no matter")

		sound.share = 0.02
		sound.pass(lateSeconds - 1)
		require.Equal(t, 1000, p.open(), "the machine has paused")
		sound.share = 0
		sound.pass(1)
		sound.share = 0.02
		sound.pass(lateSeconds - 1)
		require.Equal(t, 1000, p.open(), "once more")
		sound.pass(1)
		require.Equal(t, 300, p.open())
		require.False(t, take())
		for range 20 {
			p.give()
		}
		sound.pass(1)
		require.Equal(t, 280, p.open(), "calls that end are not replaced")
		require.False(t, take())

		sound.share = 0
		sound.pass(calmSeconds - 1)
		require.False(t, take(), "it may be the calm between two storms")
		sound.pass(1)
		require.Equal(t, 308, p.open(), "a tenth more")
		sound.pass(10)
		require.Equal(t, 308, p.open(), "as long as nobody wants them")
		for take() {
		}
		sound.pass(1)
		require.Equal(t, 338, p.open())
		sound.share = 1
		sound.pass(lateSeconds)
		require.Equal(t, 308, p.open(), "it was too many")
		sound.share = 0
		sound.pass(forgetSeconds)
		require.Equal(t, 1000, p.open())
		require.Equal(t, 308, p.calls())
	})
}

func TestFewCallsAreTakenHoweverLateTheyAre(t *testing.T) {
	t.Parallel()
	p := newPlaces(1000)
	require.True(t, p.take(t.Context(), 0, nil))
	for range lateSeconds {
		p.observe(50, 50)
	}
	require.Equal(t, leastPlaces, p.open())
	require.Equal(t, 1, p.calls())
	small := newPlaces(leastPlaces / 2)
	for range lateSeconds {
		small.observe(50, 50)
	}
	require.Equal(t, leastPlaces/2, small.open())
}

// A job does not wait for a place here while another process has one.
func TestProcessesKnowOfEachOthersPlaces(t *testing.T) {
	t.Parallel()
	pool := dbtest.Pool(t)
	phones := map[string]*Phone{}
	for _, id := range []string{"full", "other"} {
		phones[id] = &Phone{processID: id, pool: pool, places: newPlaces(1), stopping: make(chan struct{})}
		require.NoError(t, dbsqlc.New().ProcessLeaseAcquire(t.Context(), pool, &dbsqlc.ProcessLeaseAcquireParams{ProcessID: id}))
		require.NoError(t, phones[id].reportPlaces(t.Context()))
	}
	full, other := phones["full"], phones["other"]
	require.True(t, full.places.take(t.Context(), 0, full.stopping))
	require.NoError(t, full.reportPlaces(t.Context()))
	require.True(t, full.places.elsewhere.Load())
	require.False(t, full.places.take(t.Context(), time.Hour, full.stopping))

	require.True(t, other.places.take(t.Context(), 0, other.stopping))
	require.NoError(t, other.reportPlaces(t.Context()))
	require.NoError(t, full.reportPlaces(t.Context()))
	require.False(t, full.places.elsewhere.Load(), "it is full, too")
	other.places.give()
	close(other.stopping)
	require.NoError(t, other.reportPlaces(t.Context()))
	require.NoError(t, full.reportPlaces(t.Context()))
	require.False(t, full.places.elsewhere.Load(), "it takes none any more")
	full.places.give()
	require.NoError(t, full.reportPlaces(t.Context()))
	require.True(t, full.places.take(t.Context(), 0, full.stopping))
}
