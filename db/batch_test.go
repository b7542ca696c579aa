package db

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBatcher(t *testing.T) {
	t.Parallel()

	t.Run("SharesRunsAndAnswersEachKey", func(t *testing.T) {
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

	t.Run("AValueGoesToOneAskerOnly", func(t *testing.T) {
		t.Parallel()
		b := NewBatcher(func(_ context.Context, keys []int) (map[int]int, error) { return map[int]int{1: 5}, nil })
		same := []*batchRequest[int, int]{{key: 1}, {key: 1}}
		require.True(t, b.try(t.Context(), same))
		require.Equal(t, 5, same[0].value)
		require.Zero(t, same[1].value)
	})
}
