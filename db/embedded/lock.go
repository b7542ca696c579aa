package embedded

import (
	"errors"
	"fmt"
	"os"
)

// TryLock locks the file at path, made when missing, for this process. It returns nil, nil when another process holds the
// lock. The kernel frees the lock when its holder dies.
func TryLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	locked, err := lock(file)
	if err == nil && !locked {
		return nil, file.Close()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), file.Close())
	}
	if !sameFile(file, path) { // removed between open and flock: this lock protects nothing
		return nil, file.Close()
	}
	return file, nil
}

// Unlock gives a lock back at once. Closing alone does not: a child that is being forked at this moment, for whatever
// purpose, holds a copy of the file until it has become another program.
func Unlock(file *os.File) error {
	return errors.Join(unlock(file), file.Close())
}

func sameFile(file *os.File, path string) bool {
	opened, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(opened, named)
}
