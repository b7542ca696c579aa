//go:build linux && (amd64 || arm64)

package reading

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	spareData = 1 << 30 // bytes that the runtime may map beyond the objects
	low       = 10      // priority, as nice has it; at the lowest, a machine that is busy gives a page so little that its time is up
	x32       = 1 << 30 // numbers of system calls of another ABI begin here
)

// forbidden are the system calls that reach files, other processes and the network.
var forbidden = append([]uint32{
	unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT, unix.SYS_ACCEPT4,
	unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_SENDMMSG, unix.SYS_IO_URING_SETUP,
	unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_UNLINKAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2,
	unix.SYS_MKDIRAT,
	unix.SYS_MKNODAT, unix.SYS_LINKAT, unix.SYS_SYMLINKAT, unix.SYS_TRUNCATE, unix.SYS_FCHMODAT, unix.SYS_FCHOWNAT, unix.SYS_MOUNT,
	unix.SYS_EXECVE, unix.SYS_EXECVEAT, unix.SYS_KILL, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV,
	unix.SYS_PIDFD_OPEN, unix.SYS_BPF, unix.SYS_SETNS, unix.SYS_UNSHARE,
}, forbiddenHere...)

// confine ends the process when it takes much more time or memory than anybody waits for, also when nobody waits any more, and
// makes forbidden system calls fail. On a kernel without such filters the limits are all there is.
func confine(memory uint64) error {
	if err := yield(); err != nil {
		return err
	}
	for resource, limit := range map[int]uint64{
		unix.RLIMIT_CPU: 2 * uint64(TimeLimit/time.Second), unix.RLIMIT_DATA: memory + spareData, unix.RLIMIT_CORE: 0,
	} {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return fmt.Errorf("limit resource %d: %w", resource, err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up privileges: %w", err)
	}
	filter := filterOf(forbidden)
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, failed := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&program)))
	runtime.KeepAlive(filter)
	if failed != 0 && !errors.Is(failed, unix.ENOSYS) && !errors.Is(failed, unix.EINVAL) {
		return fmt.Errorf("filter system calls: %w", failed)
	}
	return nil
}

// yield gives all threads, and with them those that they start, a low priority: a file may wait, live calls may not. Without
// /proc they keep theirs.
func yield() error {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil //nolint:nilerr // a place without /proc
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			return fmt.Errorf("read thread: %w", err)
		}
		if err := unix.Setpriority(unix.PRIO_PROCESS, id, low); err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("lower priority: %w", err)
		}
	}
	return nil
}

// filterOf returns the program that has these system calls fail with EPERM, and those of another ABI than ours. It reads struct
// seccomp_data: the number at 0, the architecture at 4.
func filterOf(calls []uint32) []unix.SockFilter {
	const load, equal, atLeast, end = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K,
		unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	fail := uint8(len(calls) + 1) // instructions from the first comparison of calls to the last instruction
	program := []unix.SockFilter{
		{Code: load, K: 4},
		{Code: equal, K: architecture, Jf: fail + 2},
		{Code: load, K: 0},
		{Code: atLeast, K: x32, Jt: fail},
	}
	for i, call := range calls {
		program = append(program, unix.SockFilter{Code: equal, K: call, Jt: uint8(len(calls) - i)})
	}
	return append(program,
		unix.SockFilter{Code: end, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: end, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)})
}
