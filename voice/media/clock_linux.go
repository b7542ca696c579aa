package media

import (
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// takePrecedence gives the calling goroutine a thread of its own, which the kernel runs before those of others: a packet
// must leave on time, however much else there is to do, and a clock needs little. Other media servers ask for the same.
// The goroutine keeps the thread, and the thread its rank, until both end. Without CAP_SYS_NICE, or a limit RLIMIT_RTPRIO
// of at least 1, it is an error and the goroutine one like others.
func takePrecedence() error {
	runtime.LockOSThread()
	lowest := &unix.SchedAttr{Policy: unix.SCHED_RR, Priority: 1, Flags: unix.SCHED_FLAG_RESET_ON_FORK}
	if err := unix.SchedSetAttr(0, lowest, 0); err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("run the clock of calls before other work: %w", err)
	}
	return nil
}

// threadSleep returns how a clock with precedence sleeps: in the kernel. A timer of Go's would wait for a thread that looks at
// it, and those have none.
//
// Where there are enough of Go's processors the clock keeps the one that it has meanwhile. Who sleeps without has to find one
// again, and the runtime's monitor, which looks after processors in system calls, wakes up 2,700 times a second for it: together
// as much as thirty calls cost.
func threadSleep() func(due time.Time) {
	nanosleep := nanosleepWithout
	if runtime.GOMAXPROCS(0) >= processorsPerClock {
		nanosleep = nanosleepWith
	}
	return func(due time.Time) {
		for {
			wait := time.Until(due)
			if wait <= 0 {
				return
			}
			if err := nanosleep(unix.NsecToTimespec(int64(wait))); err != nil && !errors.Is(err, unix.EINTR) {
				time.Sleep(wait)
			}
		}
	}
}

func nanosleepWithout(length unix.Timespec) error {
	return unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &length, nil)
}

// nanosleepWith does not tell Go's scheduler. What stops the world interrupts it by a signal.
func nanosleepWith(length unix.Timespec) error {
	_, _, errno := unix.RawSyscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, 0, uintptr(unsafe.Pointer(&length)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
