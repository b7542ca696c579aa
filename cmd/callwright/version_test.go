package main

import (
	"net/http"
	"regexp"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

func TestBuildVersion(t *testing.T) {
	t.Parallel()

	const commit = "12b5780ae4223ef2cbeae79f075db8aecaf6cf1e"
	for name, test := range map[string]struct {
		module, revision, modified, want string
	}{
		"Release":          {"v1.4.0", commit, "false", "v1.4.0"},
		"ReleaseCandidate": {"v1.4.0-rc.1", "", "", "v1.4.0-rc.1"},
		"ChangedRelease":   {"v1.4.0+dirty", commit, "true", "v1.4.0+dirty"},
		"Commit":           {"v0.0.0-20261122125349-12b5780ae422", commit, "false", "12b5780ae422"},
		"ChangedCommit":    {"v0.0.0-20261122125349-12b5780ae422+dirty", commit, "true", "12b5780ae422+dirty"},
		"ModuleCache":      {"v0.0.0-20261122125349-12b5780ae422", "", "", "v0.0.0-20261122125349-12b5780ae422"},
		"GoRun":            {"(devel)", "", "", "devel"},
		"Old":              {"", commit, "false", "12b5780ae422"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			info := &debug.BuildInfo{Main: debug.Module{Version: test.module}}
			if test.revision != "" {
				info.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: test.revision}, {Key: "vcs.modified", Value: test.modified}}
			}
			require.Equal(t, test.want, buildVersion(info))
		})
	}
}

func TestVersionIsTold(t *testing.T) {
	t.Parallel()

	output, status := runOnce(t, nil, "--version")
	require.Zero(t, status)
	version := regexp.MustCompile(`^(devel|[0-9a-f]{12}(\+dirty)?|v\d\S+)\n$`).FindStringSubmatch(output)
	require.NotNil(t, version, output)

	p := startPlatform(t, dbtest.DSN(t), true)
	var health struct{ Version string }
	p.call(http.MethodGet, "/healthz", nil, http.StatusOK, &health)
	require.Equal(t, version[1], health.Version)
}
