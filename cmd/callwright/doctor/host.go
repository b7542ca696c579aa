package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/sip/wire"
)

const (
	handlesPerCall  = 8   // sockets of sound, a recording, connections to three vendors
	handlesOfOthers = 256 // database, jobs, listeners
	enoughCalls     = 500

	diskWarn, diskFail = 5 << 30, 512 << 20 // bytes
)

// Disk returns the check of the room in a folder. It is cheap.
func Disk(folder string) Check {
	return Check{"disk", func(context.Context) Finding {
		const remedy = "make room, or move CALLWRIGHT_FILES_DIR to a larger disk: recordings take 2 to 4 MB a minute"
		free, files, err := freeSpace(existing(folder))
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			return ok("not looked at on this system")
		case err != nil:
			return fail(remedy, "%s: %v", folder, err)
		case free < diskFail:
			return fail(remedy, "%s has %d MB left", folder, free>>20)
		case free < diskWarn:
			return warn(remedy, "%s has %d MB left", folder, free>>20)
		case files > 0 && files < 10_000:
			return warn("make room for files: the disk runs out of inodes before it is full", "%s has room for %d more files", folder,
				files)
		}
		return ok("%s has %d GB left", folder, free>>30)
	}}
}

// existing returns the folder, or the nearest above it that there is.
func existing(folder string) string {
	for {
		if _, err := os.Stat(folder); err == nil || filepath.Dir(folder) == folder {
			return folder
		}
		folder = filepath.Dir(folder)
	}
}

// Kernel returns the checks of what the kernel grants a process that holds calls. They are cheap.
func Kernel() []Check {
	return []Check{
		{"receive buffer", func(context.Context) Finding { return checkReceiveBuffer() }},
		{"precedence", func(context.Context) Finding { return checkPrecedence() }},
		{"file handles", func(context.Context) Finding { return checkHandles() }},
	}
}

func checkReceiveBuffer() Finding {
	got, err := receiveBuffer(wire.ReceiveBuffer)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return ok("not looked at on this system")
	case err != nil:
		return fail("look at the limits of this process", "open a socket: %v", err)
	case got < wire.ReceiveBuffer:
		return warn("sysctl -w net.core.rmem_max=4194304, and the same in /etc/sysctl.d",
			"a socket takes %d kB at a time (net.core.rmem_max): SIP messages of a burst of calls, and sound of web calls, are dropped",
			got>>10)
	}
	return ok("a socket takes %d kB at a time", got>>10)
}

func checkPrecedence() Finding {
	err := media.Precedence()
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return ok("not looked at on this system")
	case err != nil:
		return warn("nothing, if workers have it, as those of the Debian package and of compose do; else grant CAP_SYS_NICE (systemd: AmbientCapabilities) "+
			"or a limit rtprio of 1 (--ulimit rtprio=1)", "what is run like this doctor sends sound late while the machine is busy: %v",
			err)
	}
	return ok("sound goes before all other work")
}

func checkHandles() Finding {
	const remedy = "raise the limit: LimitNOFILE=65536 of systemd, --ulimit nofile=65536, ulimit -n"
	limit, err := handleLimit()
	calls := max(0, int64(limit)-handlesOfOthers) / handlesPerCall
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return ok("not looked at on this system")
	case err != nil:
		return fail("look at the limits of this process", "%v", err)
	case calls == 0:
		return fail(remedy, "%d file handles are not enough for one call", limit)
	case calls < enoughCalls:
		return warn(remedy, "%d file handles are enough for %d calls at once", limit, calls)
	}
	return ok("%d file handles", limit)
}
