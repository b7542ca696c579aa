//go:build unix

package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// Server is a running Postgres: our own child process, or one of another process to which we are attached.
type Server struct {
	dsn      string
	place    place
	process  *postmaster // nil when attached
	synced   chan error  // receives how the sync of a new cluster ended; nil when there is none
	lock     *os.File    // nil when attached
	stopOnce sync.Once
	stopErr  error
}

// Start returns when the server accepts connections and has its database. ctx bounds the start only, not the server's
// life. When another process owns the folder, Start attaches to its server, waiting for that start to finish; when the
// owner ends before, Start takes its place.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	return start(ctx, cfg, thisMachine())
}

func start(ctx context.Context, cfg Config, machine search) (*Server, error) {
	if cfg.Database == "" {
		cfg.Database = "callwright"
	}
	if cfg.Progress == nil {
		cfg.Progress = func(string) {}
	}
	place, err := openPlace(cfg.Dir)
	if err != nil {
		return nil, err
	}
	for {
		lock, err := place.tryLock()
		if err != nil {
			return nil, err
		}
		if lock != nil {
			return own(ctx, cfg, place, lock, machine)
		}
		err = place.ensureDatabase(ctx, cfg.Database)
		if err == nil {
			return &Server{dsn: place.dsn(cfg.Database), place: place}, nil
		}
		if !notYet(err) {
			return nil, fmt.Errorf("attach to the server in %s: %w", place.dir, err)
		}
		if pause(ctx, 10*time.Millisecond) != nil {
			return nil, fmt.Errorf("wait for the server in %s, which another process is starting: %w", place.dir,
				errors.Join(ctx.Err(), err))
		}
	}
}

// own starts the server of a place whose lock we hold. It closes the lock when it fails.
func own(ctx context.Context, cfg Config, place place, lock *os.File, machine search) (_ *Server, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, Unlock(lock))
		}
	}()
	setup, err := newSetup(ctx, cfg, place, machine)
	if err != nil {
		return nil, err
	}
	made, err := setup.ensureCluster(ctx)
	if err != nil {
		return nil, err
	}
	if err := endOrphan(ctx, place.cluster); err != nil {
		return nil, err
	}
	if err := place.removeStaleSocket(); err != nil {
		return nil, err
	}
	process, err := setup.startPostmaster(ctx)
	if err != nil {
		return nil, err
	}
	if err := place.ensureDatabase(ctx, cfg.Database); err != nil {
		return nil, errors.Join(err, process.stop(ctx))
	}
	// The lock lasts as long as the server, even where nobody keeps hold of the Server: closed by the garbage collector,
	// it would tell the next process that this server has no owner.
	go func() {
		<-process.exited
		runtime.KeepAlive(lock)
	}()
	server := &Server{dsn: place.dsn(cfg.Database), place: place, process: process, lock: lock}
	if made && cfg.Settings["fsync"] != "off" {
		server.synced = make(chan error, 1)
		go func() { server.synced <- syncFolder(place.cluster) }()
	}
	return server, nil
}

// DSN is the URL of the database named in Config.
func (s *Server) DSN() string { return s.dsn }

// Attached reports whether another process owns the server: it ends with that process, not with this one.
func (s *Server) Attached() bool { return s.process == nil }

// Stop disconnects every client and shuts the server down. When ctx ends first the server stops at once, without a
// checkpoint: nothing committed is lost, and the next start recovers. Attached servers are left alone.
func (s *Server) Stop(ctx context.Context) error {
	if s.Attached() {
		return nil
	}
	s.stopOnce.Do(func() {
		var syncErr error
		if s.synced != nil {
			syncErr = <-s.synced
		}
		s.stopErr = errors.Join(syncErr, s.process.stop(ctx), s.place.removeFarSocket(), Unlock(s.lock))
	})
	return s.stopErr
}

// Remove deletes the folder of a server, data and all. It fails with ErrRunning while a process owns the server. A
// folder that is not there is no error.
func Remove(ctx context.Context, dir string) (err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	place, err := openPlace(dir)
	if err != nil {
		return err
	}
	lock, err := place.tryLock()
	if err != nil {
		return err
	}
	if lock == nil {
		return fmt.Errorf("remove %s: %w", place.dir, ErrRunning)
	}
	defer func() { err = errors.Join(err, Unlock(lock)) }() // the file itself is gone by then
	if err := endOrphan(ctx, place.cluster); err != nil {
		return err
	}
	if err := errors.Join(place.removeFarSocket(), os.RemoveAll(place.dir)); err != nil {
		return fmt.Errorf("remove %s: %w", filepath.Base(place.dir), err)
	}
	return nil
}

// pause waits for d, or less when ctx ends, which is its error.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
