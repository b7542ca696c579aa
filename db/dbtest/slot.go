package dbtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/callwright/callwright/db/embedded"
)

// maxSlots bounds the test processes of one user that run at the same time.
const maxSlots = 64

// slot is a cluster on disk that one process at a time runs, and the next one after it: a start takes a tenth of a
// second where a new cluster takes one. There are as many as there were processes at the same time.
type slot struct {
	*server
	postgres *embedded.Server
}

// slotsFolder is the one folder in which all test processes of this user keep their clusters.
func slotsFolder() (string, error) {
	root := filepath.Join(os.TempDir(), "callwright-dbtest-"+strconv.Itoa(os.Geteuid()))
	if err := os.Mkdir(root, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("make folder of test databases: %w", err)
	}
	info, err := os.Lstat(root)
	if err != nil {
		return "", fmt.Errorf("look at folder of test databases: %w", err)
	}
	if !info.IsDir() || !isOurs(info) {
		return "", fmt.Errorf("%s is not a folder of this user", root)
	}
	if err := os.Chmod(root, 0o755); err != nil { // whatever the umask: Postgres may run as another user
		return "", fmt.Errorf("open folder of test databases: %w", err)
	}
	return root, nil
}

func openSlot(ctx context.Context, root string) (*server, error) {
	s, err := takeSlot(ctx, root)
	if err != nil {
		return nil, err
	}
	return s.server, nil
}

// takeSlot starts the first cluster that no other process runs. The lock that Postgres's owner holds is what decides;
// of two processes that want the same slot, one finds itself attached and goes on to the next.
func takeSlot(ctx context.Context, root string) (*slot, error) {
	boot := bootID()
	if err := removeEarlierBoots(ctx, root, boot); err != nil {
		return nil, err
	}
	for number := range maxSlots {
		dir := filepath.Join(root, boot+"-"+strconv.Itoa(number))
		s, err := startSlot(ctx, root, dir)
		if err != nil {
			s, err = restartSlot(ctx, root, dir, err)
		}
		if err != nil || s != nil {
			return s, err
		}
	}
	return nil, fmt.Errorf("all %d test database servers in %s are in use", maxSlots, root)
}

// restartSlot makes a slot anew: a cleaner of temporary files may have been at it, or another version of Postgres may
// have taken the place of the one that made it.
func restartSlot(ctx context.Context, root, dir string, cause error) (*slot, error) {
	err := embedded.Remove(ctx, dir)
	if errors.Is(err, embedded.ErrRunning) {
		return nil, nil // another process is in it now
	}
	if err != nil {
		return nil, errors.Join(cause, err)
	}
	return startSlot(ctx, root, dir)
}

// startSlot returns nil, nil when another process runs the slot.
func startSlot(ctx context.Context, root, dir string) (*slot, error) {
	postgres, err := embedded.Start(ctx, embedded.Config{
		Dir: dir, Cache: filepath.Join(root, "postgres"), Database: "postgres", Settings: fastSettings(),
	})
	if err != nil {
		return nil, err
	}
	if postgres.Attached() {
		return nil, nil
	}
	s, err := open(ctx, postgres.DSN(), 0)
	if err != nil {
		return nil, errors.Join(err, postgres.Stop(ctx))
	}
	if err := s.dropOtherTemplates(ctx); err != nil {
		s.admin.Close()
		return nil, errors.Join(err, postgres.Stop(ctx))
	}
	return &slot{server: s, postgres: postgres}, nil
}

// fastSettings trade what a test does not need: data that survives a power cut, and memory.
func fastSettings() map[string]string {
	return map[string]string{
		"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off",
		"shared_buffers": "64MB", "max_wal_size": "1GB",
	}
}

// bootID names the run of the operating system where it says so. Without fsync, clusters may not survive its crash.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "slot"
	}
	return "slot-" + string(id[:min(8, len(id))])
}

func removeEarlierBoots(ctx context.Context, root, boot string) error {
	entries, err := os.ReadDir(root)
	if err != nil {
		return fmt.Errorf("list test database servers: %w", err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "slot-") && !strings.HasPrefix(entry.Name(), boot+"-") {
			if err := embedded.Remove(ctx, filepath.Join(root, entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
