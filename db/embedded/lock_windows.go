package embedded

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// farByte is the byte that is locked: nobody can read a locked one, and what the file says is for others to read.
const farByte = 1 << 30

// lock reports whether the lock was free.
func lock(file *os.File) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, &windows.Overlapped{Offset: farByte})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

func unlock(file *os.File) error {
	return windows.UnlockFileEx(windows.Handle(file.Fd()), 0, 1, 0, &windows.Overlapped{Offset: farByte})
}
