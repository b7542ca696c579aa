package lease

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot is CLOCK_BOOTTIME, which goes on while the machine is suspended (clock_gettime(2)).
func sinceBoot() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		panic(fmt.Sprintf("read CLOCK_BOOTTIME, which every Linux since 2.6.39 has: %v", err))
	}
	return time.Duration(now.Nano())
}

// thisHost returns the zero Host where /proc does not tell.
func thisHost() (Host, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
		return Host{}, nil
	}
	if err != nil {
		return Host{}, fmt.Errorf("read boot id: %w", err)
	}
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return Host{}, fmt.Errorf("read namespace of process ids: %w", err)
	}
	host := Host{BootID: string(bytes.TrimSpace(boot)), PIDNamespace: namespace, PID: int32(os.Getpid())}
	host.Started, _, err = stat(host.PID)
	return host, err
}

// gone reports whether a process of this namespace has ended, or its id is another's by now.
func gone(process Host) bool {
	started, ended, err := stat(process.PID)
	if err == nil {
		return ended || started != process.Started
	}
	// /proc may hide the processes of others (proc(5), hidepid), but no system call pretends that they do not exist.
	return errors.Is(unix.Kill(int(process.PID), 0), unix.ESRCH)
}

// stat reads when a process began, and whether nothing is left of it but its entry, from /proc/<pid>/stat (proc(5)).
func stat(pid int32) (started int64, ended bool, err error) {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(int(pid)) + "/stat")
	if err != nil {
		return 0, false, fmt.Errorf("read state of process: %w", err)
	}
	const state, startTime = 0, 19 // fields 3 and 22; before them stands a name in parentheses that may hold anything
	fields := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	if len(fields) <= startTime {
		return 0, false, fmt.Errorf("read state of process: %d fields", len(fields))
	}
	if started, err = strconv.ParseInt(string(fields[startTime]), 10, 64); err != nil {
		return 0, false, fmt.Errorf("read start of process: %w", err)
	}
	return started, bytes.ContainsAny(fields[state], "ZXx"), nil
}
