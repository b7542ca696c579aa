//go:build unix

package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is the user Postgres runs as: ourselves, or another one when we are root, which Postgres refuses to be.
type account struct {
	uid, gid int
	name     string
	drop     bool // we are root and become this user
}

// chooseAccount as root prefers the owner of a cluster that is already there over the users postgres and nobody.
func chooseAccount(cluster string) (account, error) {
	if os.Geteuid() != 0 {
		return account{uid: os.Geteuid(), gid: os.Getegid(), name: strconv.Itoa(os.Geteuid())}, nil
	}
	if info, err := os.Stat(cluster); err == nil {
		if uid, gid := owner(info); uid != 0 {
			return account{uid: uid, gid: gid, name: userName(uid), drop: true}, nil
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.Atoi(found.Uid)
		gid, gidErr := strconv.Atoi(found.Gid)
		if err := errors.Join(uidErr, gidErr); err != nil {
			return account{}, fmt.Errorf("read user %s: %w", name, err)
		}
		return account{uid: uid, gid: gid, name: name, drop: true}, nil
	}
	return account{},
		errors.New("postgres does not run as root, and this machine has no user postgres or nobody to run it as: run as another user, or set DATABASE_URL")
}

func userName(uid int) string {
	if found, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return found.Username
	}
	return strconv.Itoa(uid)
}

func owner(info fs.FileInfo) (uid, gid int) {
	stat := info.Sys().(*syscall.Stat_t)
	return int(stat.Uid), int(stat.Gid)
}

// processAttr puts a child into a process group of its own, so that Ctrl-C reaches us alone and we stop it in order.
func (a account) processAttr() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if a.drop {
		attr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid), Groups: []uint32{}}
	}
	return attr
}

// give makes the account the owner of path.
func (a account) give(path string) error {
	if !a.drop {
		return nil
	}
	if err := os.Chown(path, a.uid, a.gid); err != nil {
		return fmt.Errorf("hand over to user %s: %w", a.name, err)
	}
	return nil
}

// explainClosed says which folder on the way to one of the paths keeps the account out. It looks at permission bits
// alone, so it only explains a refusal that has already happened.
func (a account) explainClosed(refusal error, paths ...string) error {
	for _, path := range paths {
		for folder := path; ; folder = filepath.Dir(folder) {
			info, err := os.Stat(folder)
			if err == nil && info.IsDir() && !a.mayEnter(info) {
				return fmt.Errorf("user %q, as whom Postgres runs because it refuses to run as root, cannot enter the folder %s (mode %04o): "+
					"choose a folder elsewhere, for example in /var/lib, or run `chmod o+x %s`, or do not run as root, or set DATABASE_URL: %w",
					a.name, folder, info.Mode().Perm(), folder, refusal)
			}
			if folder == filepath.Dir(folder) {
				break
			}
		}
	}
	return fmt.Errorf("user %q, as whom Postgres runs because it refuses to run as root, has no access: %w", a.name, refusal)
}

func (a account) mayEnter(info fs.FileInfo) bool {
	const owners, groups, others = 0o100, 0o010, 0o001
	switch uid, gid := owner(info); {
	case uid == a.uid:
		return info.Mode()&owners != 0
	case gid == a.gid:
		return info.Mode()&groups != 0
	default:
		return info.Mode()&others != 0
	}
}
