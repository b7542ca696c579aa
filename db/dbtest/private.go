package dbtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/callwright/callwright/db/embedded"
)

const (
	processPrefix  = "process-"
	templatePrefix = "template-"
	// templateLife is how long the template of another schema, such as another branch's, is kept after its last use.
	templateLife = 24 * time.Hour
)

// sharedFolder is the one folder in which all test processes of this user keep their clusters.
func sharedFolder() (string, error) {
	root := filepath.Join(os.TempDir(), "callwright-dbtest-"+strconv.Itoa(os.Geteuid()))
	if err := os.Mkdir(root, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("make folder of test databases: %w", err)
	}
	info, err := os.Lstat(root)
	if err != nil {
		return "", fmt.Errorf("look at folder of test databases: %w", err)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !info.IsDir() || !ok || int(stat.Uid) != os.Geteuid() {
		return "", fmt.Errorf("%s is not a folder of this user", root)
	}
	if err := os.Chmod(root, 0o755); err != nil { // whatever the umask: Postgres may run as another user
		return "", fmt.Errorf("open folder of test databases: %w", err)
	}
	return root, nil
}

// openPrivate starts a server for this process on a copy of the template cluster. Processes take turns with starting,
// so that one makes the template and none removes what another is about to use.
func openPrivate(ctx context.Context, root string) (_ *server, err error) {
	lock, err := lockFolder(root)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()

	hash, err := schemaHash(moduleFiles)
	if err != nil {
		return nil, err
	}
	sweep(ctx, root, templatePrefix+hash)
	s, err := startCopy(ctx, root, hash)
	if err == nil {
		return s, nil
	}
	// A cleaner of temporary files may have been at the template, or its Postgres may have been replaced by a newer one.
	if removeErr := embedded.Remove(ctx, filepath.Join(root, templatePrefix+hash)); removeErr != nil {
		return nil, errors.Join(err, removeErr)
	}
	return startCopy(ctx, root, hash)
}

func lockFolder(root string) (*os.File, error) {
	lock, err := os.OpenFile(filepath.Join(root, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock of test databases: %w", err)
	}
	for {
		err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
		if err == nil {
			return lock, nil
		}
		if !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(fmt.Errorf("lock test databases: %w", err), lock.Close())
		}
	}
}

// sweep removes the folders of processes that have ended, since no hook runs at the end of a test process, and old
// templates. What cannot be removed now is left to the next process.
func sweep(ctx context.Context, root, keep string) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return
	}
	for _, entry := range entries {
		name := entry.Name()
		old := false
		if info, err := entry.Info(); err == nil && strings.HasPrefix(name, templatePrefix) && name != keep {
			old = time.Since(info.ModTime()) > templateLife
		}
		if old || strings.HasPrefix(name, processPrefix) {
			_ = embedded.Remove(ctx, filepath.Join(root, name))
		}
	}
}

// startCopy starts this process's server, making the template first when there is none.
func startCopy(ctx context.Context, root, hash string) (_ *server, err error) {
	template := filepath.Join(root, templatePrefix+hash)
	if _, err := os.Stat(template); errors.Is(err, fs.ErrNotExist) {
		if err := makeTemplate(ctx, root, template, hash); err != nil {
			return nil, err
		}
	}
	now := time.Now()
	if err := os.Chtimes(template, now, now); err != nil {
		return nil, fmt.Errorf("mark test template as used: %w", err)
	}
	dir := filepath.Join(root, fmt.Sprintf("%s%d-%s", processPrefix, os.Getpid(), strings.ToLower(rand.Text()[:8])))
	private, err := embedded.Start(ctx, embedded.Config{
		Dir: dir, Cache: filepath.Join(root, "postgres"), Template: template, Database: "postgres", Settings: fastSettings(),
	})
	if err != nil {
		return nil, errors.Join(err, embedded.Remove(ctx, dir))
	}
	s, err := connect(ctx, private.DSN(), hash)
	if err != nil {
		return nil, errors.Join(err, private.Stop(ctx))
	}
	s.close = func() error {
		s.admin.Close()
		return private.Stop(context.Background())
	}
	if there, err := s.exists(ctx, s.template); err != nil || !there {
		return nil, errors.Join(fmt.Errorf("the test template %s is damaged", template), err, s.close())
	}
	return s, nil
}

func makeTemplate(ctx context.Context, root, template, hash string) error {
	building := filepath.Join(root, "building")
	if err := embedded.Remove(ctx, building); err != nil {
		return err
	}
	private, err := embedded.Start(ctx, embedded.Config{
		Dir: building, Cache: filepath.Join(root, "postgres"), Database: "postgres", Settings: fastSettings(),
	})
	if err != nil {
		return err
	}
	s, err := connect(ctx, private.DSN(), hash)
	if err == nil {
		err = s.prepare(ctx)
		s.admin.Close()
	}
	if err := errors.Join(err, private.Stop(ctx)); err != nil {
		return fmt.Errorf("make test template: %w", err)
	}
	if err := os.Rename(building, template); err != nil {
		return fmt.Errorf("name finished test template: %w", err)
	}
	return nil
}

// fastSettings trade what a test does not need: data that survives a power cut, and memory.
func fastSettings() map[string]string {
	return map[string]string{
		"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off",
		"shared_buffers": "64MB", "max_wal_size": "1GB", "autovacuum_naptime": "1h",
	}
}
