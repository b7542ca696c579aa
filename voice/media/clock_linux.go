package media

import (
	"errors"
	"fmt"
	"runtime"
	"time"

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

// sleepThread sleeps in the kernel, with precedence. A timer of Go's would wait for a thread that looks at it, and those
// have none.
func sleepThread(due time.Time) {
	for {
		wait := time.Until(due)
		if wait <= 0 {
			return
		}
		length := unix.NsecToTimespec(int64(wait))
		if err := unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &length, nil); err != nil && !errors.Is(err, unix.EINTR) {
			time.Sleep(wait)
		}
	}
}
