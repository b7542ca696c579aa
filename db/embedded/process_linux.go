package embedded

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// endWithParent has the kernel ask the child for a fast shutdown when the thread that started it ends.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGINT }

// serves reports whether process pid is a postmaster on this cluster. Process ids are used again, above all in containers.
func serves(pid int, cluster string) bool {
	commandLine, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return err == nil && bytes.Contains(commandLine, []byte("\x00-D\x00"+cluster+"\x00"))
}
