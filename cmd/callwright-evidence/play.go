package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/callwright/callwright/voice/turn/evidence"
)

// What is played, by other seeds than that of the figures. Nothing of the closing half is.
const (
	developmentDraws = 12
	fittingDraws     = 8
	fittingTexts     = "cmd/callwright-bench/conversation/fitting.yaml"
)

// pause is one with its truth.
type pause struct {
	evidence.Factors
	More  bool
	Asked string
	Said  string
}

// playPauses plays all draws.
func playPauses(ctx context.Context) (all []pause, err error) {
	folder, err := os.MkdirTemp("", "callwright-evidence-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	bench, err := buildBench(ctx, folder)
	if err != nil {
		return nil, err
	}
	play := func(draws int, options ...string) error {
		for seed := 1; seed <= draws; seed++ {
			read, err := playDraw(ctx, bench, folder, append(options, "-corpus-seed", strconv.Itoa(seed)))
			if err != nil {
				return err
			}
			all = append(all, read...)
		}
		return nil
	}
	if err := play(developmentDraws, "-corpus", "dev"); err != nil {
		return nil, err
	}
	return all, play(fittingDraws, "-corpus", "all", "-corpus-texts", fittingTexts)
}

// buildBench builds the bench with the weights set by hand in place of those in the tree, and returns its path.
func buildBench(ctx context.Context, folder string) (string, error) {
	byHand, overlay := filepath.Join(folder, "weights.go"), filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(byHand, source(start), 0o600); err != nil {
		return "", err
	}
	inTree, err := filepath.Abs(weightsFile)
	if err != nil {
		return "", err
	}
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{inTree: byHand}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(overlay, replaced, 0o600); err != nil {
		return "", err
	}
	bench := filepath.Join(folder, "bench")
	return bench, command(ctx, "go", "build", "-overlay", overlay, "-o", bench, "./cmd/callwright-bench")
}

// playDraw plays the turns of one draw and returns their pauses.
func playDraw(ctx context.Context, bench, folder string, options []string) (all []pause, err error) {
	path := filepath.Join(folder, "pauses.jsonl")
	options = append([]string{"-only", "conversation", "-corpus-calls", "turns", "-corpus-pauses", path}, options...)
	if err := command(ctx, bench, options...); err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var p pause
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return nil, fmt.Errorf("read a pause: %w", err)
		}
		all = append(all, p)
	}
	return all, lines.Err()
}

// command runs one, whose output counts where it fails.
func command(ctx context.Context, name string, args ...string) error {
	var said bytes.Buffer
	c := exec.CommandContext(ctx, name, args...)
	c.Stdout, c.Stderr = &said, &said
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, said.Bytes())
	}
	return nil
}
