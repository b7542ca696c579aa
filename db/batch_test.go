package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestBatcher(t *testing.T) {
	t.Parallel()

	t.Run("SharesRunsAndReturnsEachValue", func(t *testing.T) {
		t.Parallel()
		var runs atomic.Int32
		started, first := make(chan struct{}), make(chan struct{})
		b := NewBatcher(func(_ context.Context, keys []int) (map[int]int, error) {
			if runs.Add(1) == 1 {
				close(started)
				<-first // the others gather meanwhile
			}
			squares := map[int]int{}
			for _, key := range keys {
				squares[key] = key * key
			}
			return squares, nil
		})
		var wg sync.WaitGroup
		ask := func(key int) {
			wg.Go(func() {
				value, err := b.Do(t.Context(), key)
				if err != nil || value != key*key {
					t.Errorf("%d: got %d, %v", key, value, err)
				}
			})
		}
		gathered := func() int {
			b.mu.Lock()
			defer b.mu.Unlock()
			return len(b.waiting)
		}
		ask(100)
		<-started
		for key := range 100 {
			ask(key)
		}
		for gathered() < 100 {
			runtime.Gosched()
		}
		close(first)
		wg.Wait()
		require.EqualValues(t, 2, runs.Load(), "a hundred that came meanwhile share one run")
	})

	t.Run("CallersThatAskAgainStayTogether", func(t *testing.T) {
		t.Parallel()
		const callers, rounds = 16, 200
		var batches atomic.Int32
		b := NewBatcher(func(context.Context, []int) (map[int]int, error) {
			batches.Add(1)
			time.Sleep(100 * time.Microsecond) // those that come too late for this batch are there for the next
			return nil, nil
		})
		var wg sync.WaitGroup
		for key := range callers {
			wg.Go(func() {
				for range rounds {
					_, _ = b.Do(t.Context(), key)
				}
			})
		}
		wg.Wait()
		require.Less(t, batches.Load(), int32(rounds*3/2), "the first that asks again takes no batch of its own")
	})

	t.Run("CoolsDownUnlessABatchIsFull", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var batches []int
			var times []time.Duration
			began := time.Now()
			b := NewCooldownBatcher(time.Second, func(_ context.Context, keys []int) (map[int]int, error) {
				batches, times = append(batches, len(keys)), append(times, time.Since(began))
				time.Sleep(100 * time.Millisecond)
				return nil, nil
			})
			ask := func(keys int) {
				for key := range keys {
					go func() { _, _ = b.Do(t.Context(), key) }()
				}
				synctest.Wait()
			}
			ask(1)
			time.Sleep(200 * time.Millisecond)
			ask(3)
			time.Sleep(850 * time.Millisecond) // the second batch is under way
			ask(batchMax + 1)
			time.Sleep(3 * time.Second)
			ask(1)
			time.Sleep(2 * time.Second)
			require.Equal(t, []int{1, 3, batchMax, 1, 1}, batches)
			require.Equal(t, []time.Duration{0, time.Second, 1100 * time.Millisecond, 2100 * time.Millisecond, 4050 * time.Millisecond},
				times)
		})
	})

	t.Run("OneBadKeyHurtsNobodyElse", func(t *testing.T) {
		t.Parallel()
		bad := errors.New("bad")
		b := NewBatcher(func(_ context.Context, keys []int) (map[int]int, error) {
			values := map[int]int{}
			for _, key := range keys {
				if key == 7 {
					return nil, bad
				}
				values[key] = key
			}
			return values, nil
		})
		var wg sync.WaitGroup
		for key := range 20 {
			wg.Go(func() {
				value, err := b.Do(t.Context(), key)
				if key == 7 && !errors.Is(err, bad) || key != 7 && (err != nil || value != key) {
					t.Errorf("%d: got %d, %v", key, value, err)
				}
			})
		}
		wg.Wait()
	})

	t.Run("AValueGoesToOneCallerOnly", func(t *testing.T) {
		t.Parallel()
		b := NewBatcher(func(_ context.Context, keys []int) (map[int]int, error) { return map[int]int{1: 5}, nil })
		same := []*batchRequest[int, int]{{key: 1, values: t.Context()}, {key: 1, values: t.Context()}}
		require.True(t, b.try(same))
		require.Equal(t, 5, same[0].value)
		require.Zero(t, same[1].value)
	})

	t.Run("ACallerThatGivesUpHurtsNobodyElse", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var batches [][]int
			b := NewBatcher(func(ctx context.Context, keys []int) (map[int]int, error) {
				batches = append(batches, keys)
				time.Sleep(time.Second)
				return map[int]int{1: 1, 3: 3}, ctx.Err()
			})
			defer b.Close()
			var callers sync.WaitGroup
			ask := func(key int, patience time.Duration, want error) {
				callers.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					defer cancel()
					began := time.Now()
					value, err := b.Do(ctx, key)
					require.ErrorIs(t, err, want, key)
					if want != nil {
						require.Equal(t, patience, time.Since(began), key)
					} else {
						require.Equal(t, key, value)
					}
				})
				synctest.Wait()
			}
			ask(0, 100*time.Millisecond, context.DeadlineExceeded) // of a batch that runs
			ask(1, time.Hour, nil)
			ask(2, 100*time.Millisecond, context.DeadlineExceeded) // waits
			ask(3, time.Hour, nil)
			callers.Wait()
			require.Equal(t, [][]int{{0}, {1, 3}}, batches)
			gone, cancel := context.WithCancel(t.Context())
			cancel()
			_, err := b.Do(gone, 4)
			require.ErrorIs(t, err, context.Canceled)
			require.Len(t, batches, 2)
		})
	})

	t.Run("ABatchHasTheValuesOfItsFirstCaller", func(t *testing.T) {
		t.Parallel()
		type name struct{}
		b := NewBatcher(func(ctx context.Context, _ []int) (map[int]string, error) {
			_, limited := ctx.Deadline()
			require.True(t, limited)
			return map[int]string{1: ctx.Value(name{}).(string)}, nil
		})
		defer b.Close()
		value, err := b.Do(context.WithValue(t.Context(), name{}, "first"), 1)
		require.NoError(t, err)
		require.Equal(t, "first", value)
	})

	t.Run("CloseEndsWhatRunsAndWaits", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			b := NewCooldownBatcher(time.Hour, func(ctx context.Context, _ []int) (map[int]int, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			})
			errs := make([]error, 2)
			var callers sync.WaitGroup
			for i := range errs {
				callers.Go(func() { _, errs[i] = b.Do(t.Context(), i) })
				synctest.Wait()
			}
			began := time.Now()
			b.Close()
			b.Close()
			callers.Wait()
			require.ErrorIs(t, errs[0], context.Canceled, "its batch was running")
			require.ErrorIs(t, errs[1], ErrBatcherClosed, "it waited")
			require.Zero(t, time.Since(began))
			_, err := b.Do(t.Context(), 2)
			require.ErrorIs(t, err, ErrBatcherClosed)
		})
	})

	t.Run("OwnersTakeTurns", func(t *testing.T) {
		t.Parallel()
		type key struct {
			owner  uuid.UUID
			number int
		}
		greedy, modest := uuid.New(), uuid.New()
		b := NewFairBatcher(func(context.Context, []key) (map[key]int, error) { return nil, nil },
			func(k key) uuid.UUID { return k.owner })
		for number := range 10 * batchMax {
			b.waiting = append(b.waiting, &batchRequest[key, int]{key: key{greedy, number}})
		}
		b.waiting = append(b.waiting, &batchRequest[key, int]{key: key{modest, 0}})
		b.takeTurns()
		require.Equal(t, key{modest, 0}, b.waiting[1].key)
		require.Equal(t, key{greedy, 0}, b.waiting[0].key)
		require.Equal(t, key{greedy, 1}, b.waiting[2].key, "an owner's keys keep their order")
	})
}

// The keys of a batch that took too long would take as long again, one after the other.
func TestBatchThatTakesTooLongFailsAsAWhole(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		var batches []int
		batcher := NewBatcher(func(ctx context.Context, keys []int) (map[int]int, error) {
			batches = append(batches, len(keys))
			<-ctx.Done()
			return nil, ctx.Err()
		})
		var asked sync.WaitGroup
		for key := range 10 {
			asked.Go(func() {
				_, err := batcher.Do(t.Context(), key)
				require.ErrorIs(t, err, context.DeadlineExceeded)
			})
		}
		asked.Wait()
		sum := 0
		for _, size := range batches {
			sum += size
		}
		require.Equal(t, 10, sum, "each key is tried once: %v", batches)
	})
}

// TestBatcherOfUnknownOutcome: nobody finds his own work done and takes it for another's.
func TestBatcherOfUnknownOutcome(t *testing.T) {
	t.Parallel()

	started, first := make(chan struct{}), make(chan struct{})
	done := map[int]bool{}
	b := NewBatcher(func(_ context.Context, keys []int) (map[int]bool, error) {
		if keys[0] == 0 {
			close(started)
			<-first
			return nil, nil
		}
		ours := map[int]bool{}
		for _, key := range keys {
			ours[key], done[key] = !done[key], true
		}
		return ours, fmt.Errorf("commit: %w", Uncertain(io.ErrUnexpectedEOF))
	})
	defer b.Close()
	var asking sync.WaitGroup
	asking.Go(func() { _, _ = b.Do(t.Context(), 0) }) // it holds up the others
	<-started
	var mu sync.Mutex
	var outcomes []error
	for key := 1; key <= 2; key++ {
		asking.Go(func() {
			_, err := b.Do(t.Context(), key)
			mu.Lock()
			defer mu.Unlock()
			outcomes = append(outcomes, err)
		})
	}
	for waiting := 0; waiting < 2; runtime.Gosched() {
		b.mu.Lock()
		waiting = len(b.waiting)
		b.mu.Unlock()
	}
	close(first)
	asking.Wait()
	require.Len(t, outcomes, 2)
	for _, err := range outcomes {
		require.ErrorIs(t, err, ErrUncertain)
	}
}

// TestBatchThatPanics panics in the caller whose key is to blame, and nowhere else.
func TestBatchThatPanics(t *testing.T) {
	t.Parallel()
	started, first := make(chan struct{}), make(chan struct{})
	b := NewBatcher(func(_ context.Context, keys []int) (map[int]int, error) {
		values := map[int]int{}
		for _, key := range keys {
			switch key {
			case 0:
				close(started)
				<-first // the others gather meanwhile
			case 3:
				panic("three")
			}
			values[key] = key
		}
		return values, nil
	})
	defer b.Close()
	var callers sync.WaitGroup
	ask := func(key int) {
		callers.Go(func() {
			defer func() {
				if reason := fmt.Sprint(recover()); key == 3 && !strings.HasPrefix(reason, "three\n\n") || key != 3 && reason != "<nil>" {
					t.Errorf("%d panicked: %s", key, reason)
				}
			}()
			if value, err := b.Do(t.Context(), key); err != nil || value != key {
				t.Errorf("%d: got %d, %v", key, value, err)
			}
		})
	}
	ask(0)
	<-started
	for key := range 6 {
		ask(key + 1)
	}
	close(first)
	callers.Wait()
}
