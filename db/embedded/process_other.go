//go:build unix && !linux

package embedded

import (
	"bytes"
	"os/exec"
	"strconv"
	"syscall"
)

// endWithParent can do nothing where the kernel has no parent death signal: a postmaster whose owner is killed stays,
// and the next start ends it.
func endWithParent(*syscall.SysProcAttr) {}

// serves reports whether process pid is a postmaster on this cluster. Process ids are used again.
func serves(pid int, cluster string) bool {
	commandLine, err := exec.Command("ps", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && bytes.Contains(commandLine, []byte(" -D "+cluster+" "))
}
