package reading

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_X86_64

// forbiddenHere are those that only old architectures have.
var forbiddenHere = []uint32{
	unix.SYS_OPEN, unix.SYS_CREAT, unix.SYS_UNLINK, unix.SYS_RENAME, unix.SYS_MKDIR, unix.SYS_RMDIR, unix.SYS_MKNOD, unix.SYS_LINK,
	unix.SYS_SYMLINK, unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN,
}
