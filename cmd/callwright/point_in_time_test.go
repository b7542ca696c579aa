//go:build unix

package main

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/embedded"
	"github.com/callwright/callwright/providers/peertest"
)

// archiveWait is how long a segment may take to its archive on a machine that is busy.
const archiveWait = time.Minute

// TestRestoreToAPointInTime restores a base backup and what was archived behind it as docs/operations.md says, to the moment
// before an account was deleted.
func TestRestoreToAPointInTime(t *testing.T) {
	t.Parallel()
	long(t)

	basebackup := peertest.Require(t, "pg_basebackup")
	folder := openDir(t)
	archive := filepath.Join(folder, "wal")
	require.NoError(t, os.Mkdir(archive, 0o700))
	require.NoError(t, os.Chmod(archive, 0o777)) // Postgres may run as another user
	first := startCluster(t, filepath.Join(folder, "first"), map[string]string{
		"archive_mode": "on", "archive_command": "test ! -f " + archive + "/%f && cp %p " + archive + "/%f.new && mv " + archive +
			"/%f.new " + archive + "/%f",
	})
	env := []string{"CALLWRIGHT_SEAL_KEYS=" + newSealKey(), "CALLWRIGHT_FILES_DIR=" + t.TempDir()}
	run := func(on *embedded.Server, args ...string) string {
		output, status := runOnce(t, append(slices.Clip(env), "DATABASE_URL="+on.DSN()), args...)
		require.Zero(t, status, "%v: %s", args, output)
		return output
	}
	run(first, "migrate")
	run(first, "account", "create", "early@example.com")
	base := filepath.Join(folder, "base")
	runPostgres(t, basebackup, "--dbname="+first.DSN(), "--pgdata="+base, "--checkpoint=fast", "--wal-method=none")
	run(first, "account", "create", "late@example.com")
	conn, err := pgx.Connect(t.Context(), first.DSN())
	require.NoError(t, err)
	var moment time.Time
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT clock_timestamp()").Scan(&moment))
	run(first, "account", "delete", "late@example.com", "--confirm=late@example.com")
	var segment string
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT pg_walfile_name(pg_switch_wal())").Scan(&segment))
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(archive, segment))
		return err == nil
	}, archiveWait, 50*time.Millisecond)
	require.NoError(t, conn.Close(t.Context()))
	require.NotContains(t, run(first, "account", "list"), "late@example.com")

	restored := recoverCluster(t, folder, base, map[string]string{
		"restore_command": "cp " + archive + "/%f %p", "recovery_target_action": "promote",
		"recovery_target_time": moment.UTC().Format("2006-01-02 15:04:05.999999+00"),
	})
	list := run(restored, "account", "list")
	require.Contains(t, list, "early@example.com")
	require.Contains(t, list, "late@example.com", "it was deleted behind that moment")
	run(restored, "migrate")
	run(restored, "account", "create", "new@example.com")
}

// startCluster runs a Postgres of the test's own.
func startCluster(t *testing.T, dir string, settings map[string]string) *embedded.Server {
	t.Helper()
	maps.Copy(settings, map[string]string{"fsync": "off", "shared_buffers": "32MB", "max_connections": "20"})
	server, err := embedded.Start(t.Context(), embedded.Config{Dir: dir, Settings: settings})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	return server
}

// recoverCluster starts a copy of a base backup and waits until it has recovered.
func recoverCluster(t *testing.T, folder, base string, settings map[string]string) *embedded.Server {
	t.Helper()
	dir := filepath.Join(folder, "restored")
	cluster := filepath.Join(dir, "cluster")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.Rename(base, cluster))
	require.NoError(t, os.WriteFile(filepath.Join(cluster, "recovery.signal"), nil, 0o600))
	info, err := os.Stat(filepath.Join(folder, "first", "cluster"))
	require.NoError(t, err)
	owner := info.Sys().(*syscall.Stat_t)
	require.NoError(t, filepath.WalkDir(cluster, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && os.Geteuid() == 0 {
			err = os.Lchown(path, int(owner.Uid), int(owner.Gid))
		}
		return err
	}))
	server := startCluster(t, dir, settings)
	conn, err := pgx.Connect(t.Context(), server.DSN())
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		var recovering bool
		return conn.QueryRow(t.Context(), "SELECT pg_is_in_recovery()").Scan(&recovering) == nil && !recovering
	}, archiveWait, 50*time.Millisecond)
	require.NoError(t, conn.Close(t.Context()))
	return server
}
