//go:build unix

package files

import (
	"os"
	"syscall"
)

// adopt has what root has made belong to whom the folder root belongs to. Where that may not be, as in a container without
// CAP_CHOWN or on a network's disk, it stays as it was made.
func adopt(root *os.Root, name string) {
	if os.Geteuid() != 0 {
		return
	}
	info, err := root.Stat(".")
	if err != nil {
		return
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = root.Lchown(name, int(owner.Uid), int(owner.Gid))
	}
}
