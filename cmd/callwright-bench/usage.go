package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
)

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
