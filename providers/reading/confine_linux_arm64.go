package reading

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_AARCH64

// forbiddenHere are those that only old architectures have.
var forbiddenHere []uint32
