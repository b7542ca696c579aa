package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// againstRounds is how often both revisions are measured, in turn.
const againstRounds = 3

// compareRevisions measures this program and that of another revision of the repository in turn, so that what else the machine
// does slows both, and prints for each figure the medians of both and the ratio of this one to the other. A figure that the other
// revision does not have is printed alone.
func compareRevisions(ctx context.Context, revision, only string, seconds int) (err error) {
	dir, err := os.MkdirTemp("", "callwright-against-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	other, remove, err := buildRevision(ctx, dir, revision)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	own, err := os.Executable()
	if err != nil {
		return err
	}
	here, there := newMeasured(), newMeasured()
	for range againstRounds {
		for _, side := range []struct {
			program string
			found   *measured
		}{{own, here}, {other, there}} {
			if err := side.found.measure(ctx, side.program, only, seconds); err != nil {
				return fmt.Errorf("measure %s: %w", side.program, err)
			}
		}
	}
	for _, name := range here.names {
		report(name, median(here.values[name]), here.units[name])
		if others := there.values[name]; len(others) > 0 {
			report(name+"_at_"+revision, median(others), there.units[name])
			report(name+"_against_"+revision, median(here.values[name])/median(others), "ratio")
		}
	}
	return nil
}

// buildRevision builds the benchmarks of a revision in a work tree of its own below dir.
func buildRevision(ctx context.Context, dir, revision string) (program string, remove func() error, err error) {
	tree, program := filepath.Join(dir, "tree"), filepath.Join(dir, "bench")
	if err := runIn(ctx, "", "git", "worktree", "add", "--detach", tree, revision); err != nil {
		return "", nil, err
	}
	remove = func() error {
		return runIn(context.WithoutCancel(ctx), "", "git", "worktree", "remove", "--force", tree)
	}
	if err := runIn(ctx, tree, "go", "build", "-o", program, "./cmd/callwright-bench"); err != nil {
		return "", nil, errors.Join(err, remove())
	}
	return program, remove, nil
}

func runIn(ctx context.Context, dir, name string, args ...string) error {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = dir
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, output)
	}
	return nil
}

// measured is what one program printed, over all rounds.
type measured struct {
	names  []string // in their order
	values map[string][]float64
	units  map[string]string
}

func newMeasured() *measured {
	return &measured{values: map[string][]float64{}, units: map[string]string{}}
}

// measure runs the program once.
func (m *measured) measure(ctx context.Context, program, only string, seconds int) error {
	command := exec.CommandContext(ctx, program, "-seconds", strconv.Itoa(seconds), "-only", only)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(bytes.NewReader(output))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || fields[0] != "bench" {
			continue
		}
		value, err := strconv.ParseFloat(fields[2], 64)
		if err != nil {
			return fmt.Errorf("read %q: %w", lines.Text(), err)
		}
		name := fields[1]
		if m.units[name] == "" {
			m.names = append(m.names, name)
		}
		m.values[name], m.units[name] = append(m.values[name], value), strings.Join(fields[3:], " ")
	}
	return lines.Err()
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
