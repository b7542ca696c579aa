package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// disk is a small file system in memory, which can be filled. Only root can make one.
type disk struct{ path string }

func newDisk(path string, size int64) (*disk, error) {
	if err := syscall.Mount("callwright-chaos", path, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		return nil, fmt.Errorf("mount a small file system: %w", err)
	}
	return &disk{path: path}, nil
}

func (d *disk) filler() string { return filepath.Join(d.path, ".filler") }

// fill leaves no space.
func (d *disk) fill() error {
	file, err := os.Create(d.filler())
	if err != nil {
		return err
	}
	defer file.Close()
	for size := 1 << 20; size >= 512; size /= 2 {
		for block := make([]byte, size); err == nil; {
			_, err = file.Write(block)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			return err
		}
		err = nil
	}
	return nil
}

func (d *disk) free() error {
	if err := os.Remove(d.filler()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func (d *disk) close() error { return syscall.Unmount(d.path, syscall.MNT_DETACH) }
