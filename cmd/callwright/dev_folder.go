package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/callwright/callwright/db/embedded"
)

// devFolder is the data folder of a dev that runs, which no other one uses meanwhile.
type devFolder struct {
	path string
	lock *os.File // holds who runs here, for those who come later
}

// openDevFolder fails where another dev runs, saying which, and changes nothing then.
func openDevFolder(path string) (*devFolder, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, fmt.Errorf("make data folder: %w", err)
	}
	f := &devFolder{path: path}
	lock, err := embedded.TryLock(filepath.Join(path, "dev.lock"))
	if err != nil {
		return nil, fmt.Errorf("take data folder: %w", err)
	}
	if lock == nil {
		return nil, f.taken()
	}
	f.lock = lock
	if err := lock.Truncate(0); err != nil { // what it says is about an earlier run
		return nil, errors.Join(fmt.Errorf("take data folder: %w", err), f.close())
	}
	return f, nil
}

// taken says who runs in the folder.
func (f *devFolder) taken() error {
	text, err := os.ReadFile(filepath.Join(f.path, "dev.lock"))
	if err != nil {
		return fmt.Errorf("read who runs in the data folder: %w", err)
	}
	var pid int
	var url string
	if _, err := fmt.Sscanf(string(text), "%d %s", &pid, &url); err != nil {
		return fmt.Errorf("another callwright dev is starting in %s: wait for it, or give this one --data-dir and --listen of its own",
			f.path)
	}
	return fmt.Errorf("callwright dev runs in %s already: process %d, at %s, its key in %s; stop it, or give this one --data-dir and --listen of its own",
		f.path, pid, url, f.settings())
}

// announce writes which process runs here, for those that start later.
func (f *devFolder) announce(url string) error {
	if _, err := f.lock.WriteAt(fmt.Appendf(nil, "%d %s\n", os.Getpid(), url), 0); err != nil {
		return fmt.Errorf("write who runs in the data folder: %w", err)
	}
	return nil
}

// settings is the file of settings.
func (f *devFolder) settings() string { return filepath.Join(f.path, "dev.env") }

func (f *devFolder) close() error { return embedded.Unlock(f.lock) }

// explainFolder adds what helps to an error that says that a folder cannot be written to.
func explainFolder(folder string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), strings.Contains(err.Error(), "No space left on device"):
		return fmt.Errorf("--data-dir: the disk of %s is full; free some of it, or choose a folder on another disk: %w", folder, err)
	case errors.Is(err, syscall.EROFS), strings.Contains(err.Error(), "Read-only file system"):
		return fmt.Errorf("--data-dir: %s is on a read-only disk; choose a folder that can be written to: %w", folder, err)
	case errors.Is(err, fs.ErrPermission) && about(err, folder):
		return fmt.Errorf("--data-dir: %s cannot be written to by this user; choose another folder: %w", folder, err)
	}
	return err
}

// about reports whether an error is about a file in the folder, or the folder.
func about(err error, folder string) bool {
	file, ok := errors.AsType[*fs.PathError](err)
	return ok && strings.HasPrefix(folder+"/", strings.TrimSuffix(file.Path, "/")+"/") ||
		ok && strings.HasPrefix(file.Path, folder+"/")
}

// writeFile replaces a file as a whole: whatever ends this process or the machine, the old text or the new one is there.
func writeFile(path, text string, mode fs.FileMode) (err error) {
	temporary := path + ".new"
	file, err := os.OpenFile(temporary, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}
