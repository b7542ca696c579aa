//go:build unix

package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// setup is everything that is decided before the server starts.
type setup struct {
	cfg      Config
	place    place
	as       account
	binaries installation
}

func newSetup(ctx context.Context, cfg Config, place place, machine search) (*setup, error) {
	as, err := chooseAccount(place.cluster)
	if err != nil {
		return nil, err
	}
	made, err := clusterVersion(place.cluster)
	if err != nil {
		return nil, err
	}
	if cfg.Cache == "" {
		cfg.Cache = filepath.Join(filepath.Dir(place.dir), "postgres-"+npmVersion)
	}
	binaries, err := machine.find(ctx, cfg, as, made)
	if err != nil {
		return nil, err
	}
	s := &setup{cfg: cfg, place: place, as: as, binaries: binaries}
	if err := checkSpace(place.dir, made > 0); err != nil {
		return nil, err
	}
	if err := place.makeSocketFolder(as); err != nil {
		return nil, err
	}
	if err := s.checkAccess(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

const (
	spaceForNew  = 128 << 20 // bytes: a new cluster, and its first segments of WAL
	spaceForMore = 32 << 20  // bytes: the next segments
)

// checkSpace fails where Postgres would run out of disk at once, and be hard to understand.
func checkSpace(dir string, made bool) error {
	need := uint64(spaceForNew)
	if made {
		need = spaceForMore
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return fmt.Errorf("look for disk space: %w", err)
	}
	if left := disk.Bavail * uint64(disk.Bsize); left < need {
		return fmt.Errorf("%d MiB are left in %s, and Postgres needs %d: %w", left>>20, dir, need>>20, syscall.ENOSPC)
	}
	return nil
}

// checkAccess runs a program as the account inside its own folder, which fails when a parent folder is closed to it.
func (s *setup) checkAccess(ctx context.Context) error {
	for _, folder := range []string{s.place.dir, s.place.socket} {
		cmd := s.command(ctx, "postgres", "--version")
		cmd.Dir = folder
		err := cmd.Run()
		if s.as.drop && errors.Is(err, fs.ErrPermission) {
			return s.as.explainClosed(err, folder, s.binaries.dir)
		}
		if err != nil {
			return fmt.Errorf("run postgres in %s: %w", folder, err)
		}
	}
	return nil
}

// command runs a program of the installation as the account. The folder is one that every user can enter.
func (s *setup) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(s.binaries.dir, program), args...)
	cmd.Dir = "/"
	cmd.Env = append(cmd.Environ(), "LC_ALL=C")
	cmd.SysProcAttr = s.as.processAttr()
	return cmd
}

// ensureCluster makes the cluster under a name that no other start uses and renames it when it is complete, so that a
// start that was interrupted leaves nothing half made behind, and what is left of its initdb disturbs nobody. It reports
// whether it made one, whose files are then still to be synced to the disk.
func (s *setup) ensureCluster(ctx context.Context) (made bool, err error) {
	if version, err := clusterVersion(s.place.cluster); err != nil || version > 0 {
		return false, err
	}
	if err := s.removeUnfinished(ctx); err != nil {
		return false, err
	}
	fresh, err := os.MkdirTemp(s.place.dir, filepath.Base(s.place.cluster)+unfinished+"-")
	if err != nil {
		return false, fmt.Errorf("make cluster: %w", err)
	}
	if err := s.as.give(fresh); err != nil {
		return false, err
	}
	if err := s.initCluster(ctx, fresh); err != nil {
		return false, errors.Join(err, os.RemoveAll(fresh))
	}
	if err := os.Rename(fresh, s.place.cluster); err != nil {
		return false, fmt.Errorf("name finished cluster: %w", err)
	}
	return true, nil
}

// unfinished stands behind the name of a cluster that is being made.
const unfinished = ".new"

// removeUnfinished removes what interrupted starts left behind. The initdb of one that was killed a moment ago may still
// be writing there, for as long as it takes to notice.
func (s *setup) removeUnfinished(ctx context.Context) error {
	entries, err := os.ReadDir(s.place.dir)
	if err != nil {
		return fmt.Errorf("look for unfinished clusters: %w", err)
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), filepath.Base(s.place.cluster)+unfinished) {
			continue
		}
		path, began := filepath.Join(s.place.dir, entry.Name()), time.Now()
		for err := os.RemoveAll(path); err != nil; err = os.RemoveAll(path) {
			if time.Since(began) > noticeLimit || pause(ctx, 20*time.Millisecond) != nil {
				return fmt.Errorf("remove unfinished cluster: %w", err)
			}
		}
	}
	return nil
}

// noticeLimit is how long an initdb whose owner was killed may take to end.
const noticeLimit = 10 * time.Second

func (s *setup) initCluster(ctx context.Context, cluster string) error {
	s.cfg.Progress(fmt.Sprintf("creating a database cluster in %s with PostgreSQL %d", s.place.dir, s.binaries.major))
	args := []string{"-D", cluster, "-U", superuser, "--auth-local=trust", "--auth-host=reject", "-E", "UTF8", "--no-instructions",
		"--no-sync"}
	if s.binaries.major >= 17 { // the same everywhere, whatever the operating system's locales are
		args = append(args, "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
	} else {
		args = append(args, "--locale=C.UTF-8")
	}
	output, err := combinedOutput(s.command(ctx, "initdb", args...))
	if err != nil && strings.Contains(string(output), "could not look up effective user ID") {
		return fmt.Errorf("user id %d has no name on this machine, and Postgres refuses to create a cluster without one: "+
			"add the user to /etc/passwd, or run as another user, or set DATABASE_URL: %w", s.as.uid, err)
	}
	if err != nil {
		return fmt.Errorf("create database cluster: %w: %s", err, complaint(string(output)))
	}
	return nil
}

// combinedOutput runs a program that ends with us, however we end. The kernel's signal comes when the thread that forked
// ends, so this one does nothing else meanwhile.
func combinedOutput(cmd *exec.Cmd) ([]byte, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	endWithParent(cmd.SysProcAttr)
	return cmd.CombinedOutput()
}

// syncFolder syncs all files below a folder to the disk. Those that Postgres removes meanwhile need none.
func syncFolder(folder string) error {
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && (entry.IsDir() || entry.Type().IsRegular()) {
			err = syncFile(path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("sync database cluster: %w", err)
	}
	return nil
}

func syncFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// complaint is the line of a program's output that says what went wrong; without one that does, all of it.
func complaint(output string) string {
	for line := range strings.SplitSeq(output, "\n") {
		for _, severity := range []string{"PANIC: ", "FATAL: ", "error: "} {
			if _, text, found := strings.Cut(line, severity); found {
				return strings.TrimSpace(text)
			}
		}
	}
	return strings.TrimSpace(output)
}

// serverArgs is the command line of the server. What makes it private stands last, so that no setting undoes it.
func (s *setup) serverArgs() []string {
	settings := map[string]string{
		"max_connections":  "300",
		"shared_buffers":   "512MB",
		"max_wal_size":     "4GB",
		"wal_compression":  "on",
		"jit":              "off", // costs more than it brings for short statements
		"random_page_cost": "1.1",
		"timezone":         "UTC",
		"log_timezone":     "UTC",
	}
	maps.Copy(settings, s.cfg.Settings)
	settings["listen_addresses"] = ""
	settings["unix_socket_permissions"] = "0700"

	args := []string{"-D", s.place.cluster, "-p", socketPort, "-k", s.place.socket}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		args = append(args, "-c", name+"="+settings[name])
	}
	return args
}
