// Package peertest finds the programs that tests talk to and nobody here wrote: telephones, a registrar, a
// connection pooler, a browser, a voice. It knows their names and where Debian has them; it must not know how they are used.
// Only tests may import it.
//
// The product needs none of them, so a test without its peer is skipped where the peer is not installed. Continuous
// integration sets CI=true in the environment: there a missing peer is a failure, and no test is left out unseen.
package peertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// peers maps a name to the programs that serve as it, the likeliest first, and to the Debian package of the first. A program with
// arguments serves only where it succeeds with them.
var peers = map[string]struct {
	programs  []string
	debian    string
	arguments []string
}{
	"baresip":       {[]string{"baresip"}, "baresip-core", nil},
	"chromium":      {[]string{"chromium", "chromium-browser", "google-chrome"}, "chromium", nil},
	"espeak-ng":     {[]string{"espeak-ng"}, "espeak-ng", nil},
	"kamailio":      {[]string{"kamailio"}, "kamailio, which puts it into /usr/sbin", nil},
	"npm":           {[]string{"npm"}, "npm", nil},
	"pg_basebackup": {[]string{"pg_basebackup"}, "postgresql-client", nil},
	"pg_dump":       {[]string{"pg_dump"}, "postgresql-client", nil},
	"pgbouncer":     {[]string{"pgbouncer"}, "pgbouncer, which puts it into /usr/sbin", nil},
	"python3-httpx": {[]string{"python3"}, "python3-httpx", []string{"-c", "import httpx"}},
	"sipp":          {[]string{"sipp"}, "sip-tester", nil},
}

// Require returns the path of a peer's program, which PATH must lead to. Without it the test ends: skipped, or failed
// where CI=true is in the environment.
func Require(tb testing.TB, name string) (path string) {
	tb.Helper()
	peer, known := peers[name]
	if !known {
		tb.Fatalf("peertest knows no peer %q", name)
	}
	for _, program := range peer.programs {
		for _, path := range inPath(program) {
			if len(peer.arguments) == 0 || exec.CommandContext(tb.Context(), path, peer.arguments...).Run() == nil {
				return path
			}
		}
	}
	end := tb.Skipf
	if os.Getenv("CI") == "true" {
		end = tb.Fatalf
	}
	end("missing peer: %s: not found in PATH: %s (Debian package: %s)", name, strings.Join(peer.programs, ", "), peer.debian)
	return ""
}

// inPath returns every program of a name that PATH leads to: the first may be of an installation that lacks what the test needs.
func inPath(program string) (paths []string) {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// Script writes a shell script that stands in for a program, and returns its path. No process is forked meanwhile: a child that
// inherited the open file would keep the script from being run ("text file busy").
func Script(tb testing.TB, name, text string) (path string) {
	tb.Helper()
	path = filepath.Join(tb.TempDir(), name)
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		tb.Fatal(err)
	}
	return path
}
