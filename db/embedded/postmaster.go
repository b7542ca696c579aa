//go:build unix

package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// postmaster is our child process.
type postmaster struct {
	cmd    *exec.Cmd
	exited chan struct{}
	err    error // how it ended; set before exited is closed
	output *tail
}

// startPostmaster returns when the server accepts connections. Backends of a postmaster that was killed need a moment
// to notice; until they are gone Postgres refuses to start on their shared memory.
func (s *setup) startPostmaster(ctx context.Context) (*postmaster, error) {
	for {
		process, err := s.launch()
		if err != nil {
			return nil, err
		}
		err = process.waitReady(ctx, s.place.dsn("postgres"))
		if err == nil {
			return process, nil
		}
		select {
		case <-process.exited:
			if !process.output.contains("shared memory block") || pause(ctx, 100*time.Millisecond) != nil {
				return nil, err
			}
		default:
			return nil, errors.Join(err, process.stop(ctx))
		}
	}
}

// launch starts the process from a thread that does nothing else and lives as long as we do: the parent death signal
// comes when the thread that forked ends, not the process.
func (s *setup) launch() (*postmaster, error) {
	p := &postmaster{exited: make(chan struct{}), output: &tail{next: s.cfg.Log}}
	p.cmd = s.command(context.Background(), "postgres", s.serverArgs()...)
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
	p.cmd.WaitDelay = 5 * time.Second // after a kill, backends may hold the output open
	endWithParent(p.cmd.SysProcAttr)

	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.err = p.cmd.Wait()
			close(p.exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start postgres: %w", err)
	}
	return p, nil
}

// socketWait is how long a postmaster may take to open its socket. Recovery takes longer, but comes after.
const socketWait = 30 * time.Second

func (p *postmaster) waitReady(ctx context.Context, dsn string) error {
	began := time.Now()
	for {
		conn, err := pgx.Connect(ctx, dsn)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-p.exited:
			return fmt.Errorf("postgres ended while starting: %w: %s", p.err, p.output)
		default:
		}
		silent := pgCode(err) == "" && time.Since(began) > socketWait
		if silent || !notYet(err) || pause(ctx, 5*time.Millisecond) != nil {
			return fmt.Errorf("wait for postgres: %w: %s", errors.Join(ctx.Err(), err), p.output)
		}
	}
}

// stop asks for a fast shutdown, and for an immediate one when ctx ends. It is no error when the process has ended
// before; it is one when the shutdown had to be immediate.
func (p *postmaster) stop(ctx context.Context) error {
	if err := p.signal(syscall.SIGINT); err != nil {
		return err
	}
	select {
	case <-p.exited:
		return nil
	case <-ctx.Done():
	}
	if err := p.signal(syscall.SIGQUIT); err != nil {
		return err
	}
	<-p.exited
	return fmt.Errorf("stop postgres in order: %w", ctx.Err())
}

func (p *postmaster) signal(sig os.Signal) error {
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signal postgres: %w", err)
	}
	return nil
}

// endOrphan waits for a postmaster that outlives its owner: a moment where the kernel ends it, for good elsewhere
// unless asked. The caller holds the lock, so no living owner needs it. A pid file that names another process is made
// to name us, because Postgres takes its parent's id there for stale and any other living process for a postmaster.
func endOrphan(ctx context.Context, cluster string) error {
	path := filepath.Join(cluster, "postmaster.pid")
	for asked := false; ; asked = true {
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read pid of earlier postgres: %w", err)
		}
		first, rest, _ := strings.Cut(string(text), "\n")
		pid, err := strconv.Atoi(strings.TrimSpace(first))
		if err != nil || pid <= 0 || !serves(pid, cluster) {
			return writeFile(path, strconv.Itoa(os.Getpid())+"\n"+rest)
		}
		if !asked {
			if err := syscall.Kill(pid, syscall.SIGINT); err != nil && !errors.Is(err, syscall.ESRCH) {
				return fmt.Errorf("end earlier postgres (process %d): %w", pid, err)
			}
		}
		if pause(ctx, 5*time.Millisecond) != nil {
			return fmt.Errorf("wait for the end of an earlier postgres (process %d): %w", pid, ctx.Err())
		}
	}
}

func writeFile(path, text string) error {
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return fmt.Errorf("write pid of earlier postgres: %w", err)
	}
	return nil
}

// tail passes output on and keeps the end of it for error messages.
type tail struct {
	next io.Writer // may be nil

	mu   sync.Mutex
	last []byte
}

const tailSize = 2000 // bytes

func (t *tail) Write(output []byte) (int, error) {
	t.mu.Lock()
	t.last = append(t.last, output...)
	if surplus := len(t.last) - tailSize; surplus > 0 {
		t.last = append(t.last[:0], t.last[surplus:]...)
	}
	t.mu.Unlock()
	if t.next == nil {
		return len(output), nil
	}
	return t.next.Write(output)
}

func (t *tail) contains(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Contains(t.last, []byte(text))
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return complaint(string(t.last))
}
