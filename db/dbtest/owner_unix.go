//go:build unix

package dbtest

import (
	"io/fs"
	"os"
	"syscall"
)

// isOurs reports whether a file belongs to this user.
func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
