//go:build unix

package main

import (
	"os"
	"syscall"
)

// pauseProcess stops a process, whose sockets stay open and say nothing.
func pauseProcess(process *os.Process) error { return process.Signal(syscall.SIGSTOP) }
