package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

// assistantSpoke is the line of dev's output that shows the first words of its assistant, once they were spoken.
var assistantSpoke = regexp.MustCompile(`^ *[0-9.]+s +assistant `)

const firstCallLimit = time.Minute

// firstCallSeconds is what a newcomer waits for: from the start of the built program on an empty data folder to the first
// words of the assistant in its output.
func firstCallSeconds(ctx context.Context, b *bench) (err error) {
	dir := filepath.Dir(b.scratch)
	program := filepath.Join(dir, "callwright")
	if output, err := exec.CommandContext(ctx, "go", "build", "-o", program,
		"github.com/callwright/callwright/cmd/callwright").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w: %s", err, output)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, firstCallLimit, errors.New("nobody spoke in time"))
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "dev", "--data-dir="+filepath.Join(dir, "dev"), "--listen=127.0.0.1:0")
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	output, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	started := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	waitErr := waitForWords(output)
	spoken := time.Since(started)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return errors.Join(waitErr, err)
	}
	if _, err := io.Copy(io.Discard, output); err != nil {
		return err
	}
	if err := errors.Join(waitErr, cmd.Wait(), context.Cause(ctx)); err != nil {
		return err
	}
	report("first_call_seconds", spoken.Seconds(), "s")
	return nil
}

func waitForWords(output io.Reader) error {
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if assistantSpoke.Match(lines.Bytes()) {
			return nil
		}
	}
	return errors.Join(errors.New("the assistant did not speak"), lines.Err())
}
