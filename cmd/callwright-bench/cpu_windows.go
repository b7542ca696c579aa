package main

import (
	"fmt"
	"syscall"
	"time"
)

// cpuTime is what this process has spent so far.
func cpuTime() (time.Duration, error) {
	process, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0, fmt.Errorf("read processor time: %w", err)
	}
	var created, exited, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(process, &created, &exited, &kernel, &user); err != nil {
		return 0, fmt.Errorf("read processor time: %w", err)
	}
	return spent(kernel) + spent(user), nil
}

// spent reads a time that counts units of 100 ns.
func spent(t syscall.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}
