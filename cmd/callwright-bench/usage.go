package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// allCPUTime is what this process and those of Postgres have spent so far, as Linux counts it; 0 elsewhere. What processes of
// Postgres spent that have ended meanwhile is missing.
func allCPUTime(ctx context.Context, pool *pgxpool.Pool) (time.Duration, error) {
	rows, err := pool.Query(ctx, "SELECT pid FROM pg_stat_activity")
	if err != nil {
		return 0, err
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	if err != nil {
		return 0, err
	}
	total, err := cpuTime()
	if err != nil {
		return 0, err
	}
	for _, pid := range pids {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(int(pid)) + "/schedstat")
		if errors.Is(err, fs.ErrNotExist) {
			if runtime.GOOS != "linux" {
				return 0, nil
			}
			continue // it has ended
		}
		if err != nil {
			return 0, err
		}
		spent, _, _ := strings.Cut(string(text), " ")
		nanoseconds, err := strconv.ParseInt(spent, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read processor time of Postgres: %w", err)
		}
		total += time.Duration(nanoseconds)
	}
	return total, nil
}

// printMemory says what the memory of the calls that are up consists of, in kB and goroutines of each.
func printMemory(calls int) {
	samples := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"},
	}
	metrics.Read(samples)
	each := func(i int) float64 { return float64(samples[i].Value.Uint64()) / 1024 / float64(calls) }
	fmt.Fprintf(os.Stderr, "per call: heap live %.1f, objects %.1f, unused %.1f, free %.1f, stacks %.1f kB; %.1f goroutines\n",
		each(0), each(1), each(2), each(3), each(4), float64(runtime.NumGoroutine())/float64(calls))
}
