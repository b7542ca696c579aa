package main

import (
	"regexp"
	"runtime/debug"
)

// version names this program in --version, /healthz and the User-Agent. The linker sets it in releases; otherwise run
// takes it from the build information.
var version string

// pseudoVersion is how the go command calls a commit without a tag.
var pseudoVersion = regexp.MustCompile(`\d{14}-[0-9a-f]{12}`)

// buildVersion is the version of the module, else the commit that was built, "+dirty" behind it where files had changed,
// else "devel".
func buildVersion(info *debug.BuildInfo) string {
	released := info.Main.Version
	if released != "" && released != "(devel)" && !pseudoVersion.MatchString(released) {
		return released
	}
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	revision := settings["vcs.revision"]
	switch {
	case len(revision) > shortRevision && settings["vcs.modified"] == "true":
		return revision[:shortRevision] + "+dirty"
	case len(revision) > shortRevision:
		return revision[:shortRevision]
	case pseudoVersion.MatchString(released): // built from the module cache, which knows no repository
		return released
	default:
		return "devel"
	}
}

const shortRevision = 12

// userAgent is the name under which this program asks other servers.
func userAgent() string { return "Callwright/" + version }
