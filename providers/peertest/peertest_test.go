package peertest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/peertest"
)

// verdict is a test that notes how it would end.
type verdict struct {
	testing.TB
	ended, reason string
}

func (v *verdict) Helper()                           {}
func (v *verdict) Skipf(format string, args ...any)  { v.end("skipped", format, args...) }
func (v *verdict) Fatalf(format string, args ...any) { v.end("failed", format, args...) }

func (v *verdict) end(how, format string, args ...any) {
	v.ended, v.reason = how, fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// requirePeer returns the path and how the test that requires the peer ends.
func requirePeer(t *testing.T, name string) (path string, v *verdict) {
	v = &verdict{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		path = peertest.Require(v, name)
	}()
	<-done
	return path, v
}

func TestRequire(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	for ci, ended := range map[string]string{"": "skipped", "false": "skipped", "true": "failed"} {
		t.Setenv("CI", ci)
		_, v := requirePeer(t, "sipp")
		require.Equal(t, ended, v.ended, "CI=%s", ci)
		require.Contains(t, v.reason, "missing peer: sipp:")
		require.Contains(t, v.reason, "sip-tester")
	}

	other := filepath.Join(dir, "google-chrome")
	require.NoError(t, os.WriteFile(other, nil, 0o700))
	path, v := requirePeer(t, "chromium")
	require.Empty(t, v.ended, v.reason)
	require.Equal(t, other, path)

	lacking, whole := filepath.Join(dir, "python3"), filepath.Join(t.TempDir(), "python3")
	require.NoError(t, os.WriteFile(lacking, []byte("#!/bin/sh\nexit 1\n"), 0o700))
	require.NoError(t, os.WriteFile(whole, []byte("#!/bin/sh\nexit 0\n"), 0o700))
	_, v = requirePeer(t, "python3-httpx")
	require.Contains(t, v.reason, "missing peer: python3-httpx:")
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+filepath.Dir(whole))
	path, v = requirePeer(t, "python3-httpx")
	require.Empty(t, v.ended, v.reason)
	require.Equal(t, whole, path)

	_, v = requirePeer(t, "no such peer")
	require.Equal(t, "failed", v.ended)
}
