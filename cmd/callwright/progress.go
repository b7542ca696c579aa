package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progress prints the steps, a line each, with the seconds since the start.
type progress struct {
	mu    sync.Mutex
	out   io.Writer
	start time.Time
}

func newProgress(out io.Writer) *progress { return &progress{out: out, start: time.Now()} }

func (p *progress) step(what, message string) {
	p.print(fmt.Sprintf("%6.2fs  %-10s %s\n", time.Since(p.start).Seconds(), what, message))
}

// print writes text as it is. A terminal that is gone is no reason to stop serving.
func (p *progress) print(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = io.WriteString(p.out, text)
}
