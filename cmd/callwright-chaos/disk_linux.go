package main

import (
	"errors"
	"fmt"
	"sync"
	"syscall"
)

// disk is a small file system in memory, which is full while its size is set to what is on it. Only root can make one.
type disk struct {
	path string
	size uint64 // bytes

	mu    sync.Mutex
	fills int // faults that keep it full
}

const fillAttempts = 20 // something may be written between the measuring and the setting

func newDisk(path string, size uint64) (*disk, error) {
	d := &disk{path: path, size: size}
	if err := d.mount(0, size); err != nil {
		return nil, fmt.Errorf("mount a small file system: %w", err)
	}
	return d, nil
}

func (d *disk) mount(flags uintptr, size uint64) error {
	return syscall.Mount("callwright-chaos", d.path, "tmpfs", flags, fmt.Sprintf("size=%d,mode=0755", size))
}

// fill leaves no space.
func (d *disk) fill() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fills++
	var failed error
	for range fillAttempts {
		var now syscall.Statfs_t
		if err := syscall.Statfs(d.path, &now); err != nil {
			return err
		}
		if failed = d.mount(syscall.MS_REMOUNT, (now.Blocks-now.Bfree)*uint64(now.Bsize)); failed == nil {
			return nil
		}
	}
	return fmt.Errorf("fill %s: %w", d.path, failed)
}

// free takes back one fill.
func (d *disk) free() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fills--; d.fills > 0 {
		return nil
	}
	return d.mount(syscall.MS_REMOUNT, d.size)
}

func (d *disk) close() error {
	if err := syscall.Unmount(d.path, syscall.MNT_DETACH); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}
