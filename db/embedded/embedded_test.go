//go:build unix

package embedded

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

func TestDataOutlivesTheServer(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(openDir(t), "made", "on", "demand")
	var messages []string
	began := time.Now()
	server, err := Start(t.Context(), Config{Dir: dir, Progress: func(message string) { messages = append(messages, message) }})
	require.NoError(t, err)
	t.Logf("first start: %v", time.Since(began))
	require.False(t, server.Attached())
	require.Len(t, messages, 1, "a first start says that it makes a cluster")
	require.Equal(t, "on", query(t, server, "SELECT current_setting('fsync')"))
	execute(t, server, "CREATE TABLE kept AS SELECT 'é' AS word")
	require.NoError(t, server.Stop(t.Context()))
	require.NoError(t, server.Stop(t.Context()), "a second stop does nothing")
	_, err = pgx.Connect(t.Context(), server.DSN())
	require.Error(t, err, "the server must be gone")

	began = time.Now()
	server = run(t, Config{Dir: dir})
	t.Logf("second start: %v", time.Since(began))
	require.Equal(t, "É", query(t, server, "SELECT upper(word) FROM kept"))
	require.Equal(t, "callwright", query(t, server, "SELECT current_database()"))
}

func TestSettings(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	server, err := Start(t.Context(), Config{
		Dir: usedDir(t), Database: "own name", Log: &log,
		Settings: map[string]string{"fsync": "off", "work_mem": "7MB", "listen_addresses": "*"},
	})
	require.NoError(t, err)
	require.Equal(t, "own name", query(t, server, "SELECT current_database()"))
	for setting, want := range map[string]string{
		"jit": "off", "max_connections": "300", "fsync": "off", "work_mem": "7MB", "timezone": "UTC",
		"listen_addresses": "", "unix_socket_permissions": "0700",
	} {
		require.Equal(t, want, query(t, server, "SELECT current_setting('"+setting+"')"), setting)
	}
	require.NoError(t, server.Stop(t.Context()))
	require.Contains(t, log.String(), "database system is ready")
}

func TestSecondProcessAttaches(t *testing.T) {
	t.Parallel()
	dir := usedDir(t)
	owner := startProcess(t, dir, nil)
	attached, _ := owner.ready(t)
	require.False(t, attached)

	second, err := Start(t.Context(), Config{Dir: dir, Database: "other"})
	require.NoError(t, err)
	require.True(t, second.Attached())
	require.Equal(t, "other", query(t, second, "SELECT current_database()"))
	require.NoError(t, second.Stop(t.Context()))
	require.Equal(t, "1", query(t, second, "SELECT '1'"), "an attached server is not stopped")
	require.ErrorIs(t, Remove(t.Context(), dir), ErrRunning)

	require.NoError(t, owner.stdin.Close())
	require.NoError(t, owner.cmd.Wait())
	third := run(t, Config{Dir: dir})
	require.False(t, third.Attached(), "the owner has gone")
}

func TestForgottenServerKeepsItsLock(t *testing.T) {
	t.Parallel()
	dir := usedDir(t)
	pid := func() int {
		server, err := Start(t.Context(), Config{Dir: dir})
		require.NoError(t, err)
		return server.process.cmd.Process.Pid
	}()
	for range 3 { // nobody holds the Server now, and finalizers run between collections
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	second, err := Start(t.Context(), Config{Dir: dir})
	require.NoError(t, err)
	require.True(t, second.Attached(), "the first server still has its owner")
	require.NoError(t, syscall.Kill(pid, syscall.SIGINT))
}

func TestManyStartAtOnce(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	servers := make([]*Server, 6)
	failures := make([]error, len(servers))
	var starts sync.WaitGroup
	for i := range servers {
		starts.Go(func() {
			servers[i], failures[i] = Start(t.Context(), Config{Dir: dir, Settings: fast()})
		})
	}
	starts.Wait()
	require.NoError(t, errors.Join(failures...))
	owners := 0
	for _, server := range servers {
		if !server.Attached() {
			owners++
			t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
		}
	}
	require.Equal(t, 1, owners)
}

func TestOwnerKilled(t *testing.T) {
	t.Parallel()
	dir := usedDir(t)
	owner := startProcess(t, dir, nil)
	_, postmaster := owner.ready(t)
	attached, err := Start(t.Context(), Config{Dir: dir})
	require.NoError(t, err)
	execute(t, attached, "DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 'here' AS word")
	require.True(t, serves(postmaster, attached.place.cluster))
	owner.kill()
	if runtime.GOOS == "linux" { // elsewhere only the next start ends it
		gone := func() bool { return !serves(postmaster, attached.place.cluster) }
		require.Eventually(t, gone, 10*time.Second, time.Millisecond, "the postmaster must go with its owner")
	}

	server := run(t, Config{Dir: dir})
	require.False(t, server.Attached())
	require.Equal(t, "here", query(t, server, "SELECT word FROM kept"))
	require.False(t, serves(postmaster, server.place.cluster))
}

// The moment between an owner's death and the end of its postmaster, here without an end.
func TestOrphanIsEnded(t *testing.T) {
	t.Parallel()
	dir := usedDir(t)
	first, err := Start(t.Context(), Config{Dir: dir, Settings: fast()})
	require.NoError(t, err)
	require.NoError(t, Unlock(first.lock)) // as the kernel does when its holder dies

	second := run(t, Config{Dir: dir})
	require.False(t, second.Attached())
	<-first.process.exited
	require.Equal(t, "1", query(t, second, "SELECT '1'"))
}

func TestOwnerAndPostmasterKilled(t *testing.T) {
	t.Parallel()
	dir := usedDir(t)
	owner := startProcess(t, dir, nil)
	_, postmaster := owner.ready(t)
	attached, err := Start(t.Context(), Config{Dir: dir})
	require.NoError(t, err)
	execute(t, attached, "DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 'here' AS word")
	require.NoError(t, syscall.Kill(postmaster, syscall.SIGKILL))
	owner.kill()
	require.FileExists(t, filepath.Join(dir, "cluster", "postmaster.pid"))

	began := time.Now()
	server := run(t, Config{Dir: dir})
	t.Logf("recovered in %v", time.Since(began))
	require.Equal(t, "here", query(t, server, "SELECT word FROM kept"))
}

// In a container the process ids of the last run are soon those of other processes.
func TestStalePIDNamesALivingProcess(t *testing.T) {
	t.Parallel()
	dir := usedDir(t)
	first, err := Start(t.Context(), Config{Dir: dir, Settings: fast()})
	require.NoError(t, err)
	pidFile := filepath.Join(dir, "cluster", "postmaster.pid")
	text, err := os.ReadFile(pidFile)
	require.NoError(t, err)
	as, err := chooseAccount(filepath.Join(dir, "cluster"))
	require.NoError(t, err)
	require.NoError(t, first.Stop(t.Context()))

	bystander := exec.Command("sleep", "60")
	bystander.Dir, bystander.SysProcAttr = "/", as.processAttr()
	require.NoError(t, bystander.Start())
	t.Cleanup(func() {
		require.NoError(t, bystander.Process.Kill(), "the bystander must still be there")
		_ = bystander.Wait()
	})
	_, rest, _ := strings.Cut(string(text), "\n")
	require.NoError(t, os.WriteFile(pidFile, []byte(strconv.Itoa(bystander.Process.Pid)+"\n"+rest), 0o600))
	require.NoError(t, as.give(pidFile))

	run(t, Config{Dir: dir})
	require.NoError(t, bystander.Process.Signal(syscall.Signal(0)))
}

func TestWithoutRoot(t *testing.T) {
	t.Parallel()
	needRoot(t) // otherwise every other test is this one
	dir := openDir(t)
	nobody := &syscall.Credential{Uid: 65534, Gid: 65534}
	require.NoError(t, os.Chown(dir, 65534, 65534))
	first := startProcess(t, filepath.Join(dir, "server"), nobody)
	attached, _ := first.ready(t)
	require.False(t, attached)
	owned, err := os.Stat(filepath.Join(dir, "server", "cluster"))
	require.NoError(t, err)
	uid, _ := owner(owned)
	require.Equal(t, 65534, uid)
	require.NoError(t, first.stdin.Close())
	require.NoError(t, first.cmd.Wait())

	server := run(t, Config{Dir: filepath.Join(dir, "server")})
	require.Equal(t, "1", query(t, server, "SELECT '1'"), "root runs a cluster as its owner")
}

func TestUserWithoutAName(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := openDir(t)
	require.NoError(t, os.Chown(dir, 54321, 54321))
	answer := startProcess(t, filepath.Join(dir, "server"), &syscall.Credential{Uid: 54321, Gid: 54321}).answer
	require.Contains(t, answer, "user id 54321 has no name on this machine")
	require.Contains(t, answer, "DATABASE_URL")
}

func TestAnotherUsersFolder(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := usedDir(t)
	run(t, Config{Dir: dir})
	answer := startProcess(t, dir, &syscall.Credential{Uid: 65534, Gid: 65534}).answer
	require.Contains(t, answer, "belongs to another user")
}

func TestClosedParentFolder(t *testing.T) {
	t.Parallel()
	needRoot(t)
	closed := filepath.Join(openDir(t), "closed")
	require.NoError(t, os.Mkdir(closed, 0o700))
	_, err := Start(t.Context(), Config{Dir: filepath.Join(closed, "server")})
	require.ErrorContains(t, err, "cannot enter the folder "+closed+" (mode 0700)")
	require.ErrorContains(t, err, "chmod o+x "+closed)
	require.ErrorContains(t, err, "DATABASE_URL")
}

func TestUnfitSocketPaths(t *testing.T) {
	t.Parallel()
	for name, folder := range map[string]string{
		"too long, with a comma": strings.Repeat("long, ", 30),
		"special":                `it's 100% + me & you`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(openDir(t), folder)
			server, err := Start(t.Context(), Config{Dir: dir, Settings: fast()})
			require.NoError(t, err)
			attached, err := Start(t.Context(), Config{Dir: dir})
			require.NoError(t, err)
			require.True(t, attached.Attached())
			require.Equal(t, "1", query(t, attached, "SELECT '1'"))
			require.NoError(t, server.Stop(t.Context()))
			if !strings.HasPrefix(server.place.socket, dir) {
				require.NoDirExists(t, server.place.socket)
			}
		})
	}
}

func TestForeignSocketFolder(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := filepath.Join(openDir(t), strings.Repeat("long/", 30))
	place, err := openPlace(dir)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(place.socket, 0o777))
	t.Cleanup(func() { require.NoError(t, os.Remove(place.socket)) })
	require.NoError(t, os.Chown(place.socket, 12345, 12345))
	_, err = Start(t.Context(), Config{Dir: dir})
	require.ErrorContains(t, err, "belongs to another user")
}

func TestStopAtOnce(t *testing.T) {
	t.Parallel()
	dir := usedDir(t)
	server, err := Start(t.Context(), Config{Dir: dir, Settings: fast()})
	require.NoError(t, err)
	execute(t, server, "DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 'here' AS word")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	// The fast shutdown may win the race against the immediate one; both must leave the data and free the folder.
	if err := server.Stop(ended); err != nil {
		require.ErrorIs(t, err, context.Canceled)
	}
	require.Equal(t, "here", query(t, run(t, Config{Dir: dir}), "SELECT word FROM kept"))
}

func TestInterruptedStart(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Start(ended, Config{Dir: dir, Settings: fast()})
	require.ErrorIs(t, err, context.Canceled)
	// What a killed initdb leaves behind.
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "cluster.new-1", "base"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cluster.new-1", "PG_VERSION"), []byte("15\n"), 0o600))

	server := run(t, Config{Dir: dir})
	require.False(t, server.Attached())
	require.NoDirExists(t, filepath.Join(dir, "cluster.new-1"))
}

// An initdb that is killed with its owner is in the way of nobody, however soon the next start comes.
func TestOwnerKilledInInitdb(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"PG_VERSION", "base/1/PG_VERSION", "global/pg_control"} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			dir := openDir(t)
			owner := launchProcess(t, dir, nil)
			require.Eventually(t, func() bool {
				found, err := filepath.Glob(filepath.Join(dir, "cluster.new-*", file))
				return err == nil && len(found) == 1
			}, 20*time.Second, time.Millisecond)
			owner.kill()
			server := run(t, Config{Dir: dir})
			require.False(t, server.Attached())
			left, err := filepath.Glob(filepath.Join(dir, "cluster.new*"))
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

func TestRefusedSettingIsExplained(t *testing.T) {
	t.Parallel()
	_, err := Start(t.Context(), Config{Dir: usedDir(t), Settings: map[string]string{"no_such_setting": "1"}})
	require.ErrorContains(t, err, `unrecognized configuration parameter "no_such_setting"`)
}

func TestRemove(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(openDir(t), "server")
	require.NoError(t, Remove(t.Context(), dir), "nothing there")
	server, err := Start(t.Context(), Config{Dir: dir, Settings: fast()})
	require.NoError(t, err)
	require.ErrorIs(t, Remove(t.Context(), dir), ErrRunning)
	require.NoError(t, server.Stop(t.Context()))
	require.NoError(t, Remove(t.Context(), dir))
	require.NoDirExists(t, dir)
}
