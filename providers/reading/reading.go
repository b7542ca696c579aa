// Package reading has untrusted files read by a process of its own, one for each file. Such files can make a parser crash, loop
// or fill the memory: the process is killed when it takes too long, ends when it takes too much memory, is given nothing of ours
// but the file, and on Linux comes after live calls at the processor, and may neither open a file or a connection nor start a
// program.
//
// It knows how to start that process: the program itself, with a command that calls Serve. It must not know what is read.
package reading

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/callwright/callwright/providers/fault"
)

// Limits of a process.
const (
	TimeLimit   = 20 * time.Second
	MemoryLimit = 256 << 20 // bytes of objects
)

const (
	leastAtOnce = 2 // files, on a machine of one processor

	memoryCheck = 5 * time.Millisecond
	maxStack    = 64 << 20 // bytes of a goroutine
	maxOutput   = 32 << 20 // bytes

	statusTooMuch = 4 // exit status of a process that reached its memory limit
)

// Process starts a process for each file, as many at once as the machine has processors: what they may take together is bounded,
// and more would not be faster.
type Process struct {
	what    string
	limit   time.Duration
	command []string
	places  chan struct{}
}

// New returns a Process with a time limit for each file. what is what errors call a file, such as "PDF"; command is the program
// and its arguments, which must call Serve.
func New(what string, limit time.Duration, command ...string) *Process {
	return &Process{what: what, limit: limit, command: command, places: make(chan struct{}, AtOnce())}
}

// AtOnce is how many files a Process reads at once. Others wait.
func AtOnce() int { return max(leastAtOnce, runtime.NumCPU()) }

// place waits for a place, which leave gives back.
func (p *Process) place(ctx context.Context) (leave func(), err error) {
	select {
	case p.places <- struct{}{}:
		return func() { <-p.places }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait to read %s: %w", p.what, ctx.Err())
	}
}

// Read returns what the process made of a file. Errors are *fault.Error unless ctx was canceled: Refused if the file cannot
// be read.
func (p *Process) Read(ctx context.Context, file []byte) ([]byte, error) {
	leave, err := p.place(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	limited, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	cmd := exec.CommandContext(limited, p.command[0], p.command[1:]...) // killed when the time is up
	cmd.Stdin = bytes.NewReader(file)
	cmd.Env = []string{"GOMAXPROCS=1", "GOTRACEBACK=none"} // none of our secrets
	var output bounded
	cmd.Stdout = &output
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return output.buffer.Bytes(), nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("read %s: %w", p.what, ctx.Err())
	case limited.Err() != nil:
		return nil, p.refused("the %s takes too long to read")
	case errors.As(err, &exit) && exit.ExitCode() == statusTooMuch:
		return nil, p.refused("the %s takes too much memory to read")
	case errors.As(err, &exit), errors.Is(err, errTooLong):
		return nil, p.refused("the %s is damaged, or cannot be read")
	}
	return nil, &fault.Error{Kind: fault.Unavailable, Provider: p.what, Message: "the reader did not start", Err: err}
}

func (p *Process) refused(format string) error {
	return fault.New(fault.Refused, p.what, fmt.Sprintf(format, p.what))
}

var errTooLong = errors.New("too much output")

// bounded takes maxOutput at most.
type bounded struct{ buffer bytes.Buffer }

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.buffer.Len()+len(p) > maxOutput {
		return 0, errTooLong
	}
	return b.buffer.Write(p)
}

// Serve reads a file from in and writes what read makes of it to out. It gives up what the process does not need for that, and
// ends it by exit if it takes more than limit bytes of memory. A read that panics has failed.
func Serve(in io.Reader, out io.Writer, limit uint64, exit func(status int), read func(file []byte) ([]byte, error)) error {
	debug.SetMaxStack(maxStack)
	if err := confine(limit); err != nil {
		return fmt.Errorf("confine reader: %w", err)
	}
	stop := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { watchMemory(stop, limit, exit) })
	defer watch.Wait()
	defer close(stop)
	file, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("read file: %w", err)
	}
	result, err := try(read, file)
	if err != nil {
		return err
	}
	if _, err := out.Write(result); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}

func try(read func([]byte) ([]byte, error), file []byte) (result []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("read file: panic: %v", cause)
		}
	}()
	return read(file)
}

func watchMemory(stop <-chan struct{}, limit uint64, exit func(status int)) {
	tick := time.NewTicker(memoryCheck)
	defer tick.Stop()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		if metrics.Read(sample); sample[0].Value.Uint64() > limit {
			exit(statusTooMuch)
			return
		}
	}
}
