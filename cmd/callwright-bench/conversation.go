package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/callwright/callwright/cmd/callwright-bench/conversation"
	"github.com/callwright/callwright/providers/tts/espeak"
)

// conversationOptions choose what of the corpus is played.
type conversationOptions struct {
	conversation.Part
	misses bool   // print what went wrong
	pauses string // a file for what was known at each pause; empty: none
}

// conversations plays the corpus of conversations in a process of its own, whose clock is virtual.
func conversations(ctx context.Context, b *bench) (err error) {
	if !espeak.New(espeak.Config{}).Installed() {
		fmt.Fprintln(os.Stderr, "conversation: espeak-ng is not installed; the corpus is in English alone, with two voices")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "callwright-conversation-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "found.json")
	part := b.conversation.Part
	options := []string{
		"-corpus", string(part.Half), "-corpus-calls", part.Calls, "-corpus-seed", strconv.FormatUint(part.Seed, 10),
		"-corpus-texts", part.Texts, "-corpus-found", path, "-corpus-waits=" + strconv.FormatBool(part.Waits),
		"-corpus-late=" + strconv.FormatBool(part.Late), "-corpus-rough=" + strconv.FormatBool(part.Rough),
	}
	played := exec.CommandContext(ctx, self, options...)
	played.Stdout, played.Stderr = os.Stderr, os.Stderr
	if err := played.Run(); err != nil {
		return fmt.Errorf("play the corpus: %w", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	checks, err := conversation.Read(file)
	if err != nil {
		return err
	}
	if b.conversation.misses {
		printMisses(checks)
	}
	if b.conversation.pauses != "" {
		if err := writePauses(b.conversation.pauses, checks); err != nil {
			return err
		}
	}
	for _, f := range conversation.Figures(checks) {
		report(f.Name, f.Value, f.Unit)
	}
	return nil
}

func printMisses(checks []conversation.Check) {
	slices.SortFunc(checks, func(a, b conversation.Check) int {
		return cmp.Or(cmp.Compare(a.Call, b.Call), cmp.Compare(a.Kind, b.Kind))
	})
	for _, c := range checks {
		if c.Pause != nil {
			continue
		}
		verdict := "ok "
		if c.Bad {
			verdict = "bad"
		}
		fmt.Fprintf(os.Stderr, "%s %s %s %.0f ms %s\n", c.Call, verdict, c.Kind, c.MS, c.Note)
	}
}

func writePauses(path string, checks []conversation.Check) (err error) {
	slices.SortStableFunc(checks, func(a, b conversation.Check) int { return cmp.Compare(a.Call, b.Call) })
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write pauses: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return conversation.WritePauses(file, checks)
}

// corpusFolder is where the sounds of the corpus are kept between runs.
func corpusFolder() string {
	if cache, err := os.UserCacheDir(); err == nil {
		return filepath.Join(cache, "callwright-bench")
	}
	return filepath.Join(os.TempDir(), "callwright-bench-corpus")
}
