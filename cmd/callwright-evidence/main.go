// Command callwright-evidence makes the weights of package evidence, voice/turn/evidence/weights.go, out of pauses whose truth is
// known. Run it in the root of the repository:
//
//	go run ./cmd/callwright-evidence
//
// It plays turns of the bench's conversations, of the development half and of fitting.yaml, by a program that has the weights set
// by hand and waits each pause out: what is learned does not depend on what was learned before. The same sources give the same
// weights.
//
// It says, too, what pauses and turns come to that it has not seen: those behind the questions of one of eight parts, by weights
// made of the other seven.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/callwright/callwright/providers/tts/espeak"
	"github.com/callwright/callwright/voice/turn/evidence"
)

const weightsFile = "voice/turn/evidence/weights.go"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "callwright-evidence:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if !espeak.New(espeak.Config{}).Installed() {
		return errors.New("espeak-ng is not installed, without which there are no Dutch pauses")
	}
	all, err := playPauses(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d pauses\nset by hand: %s\n", len(all), sumUp(all, func(pause) evidence.Weighing { return start }))
	of := fitParts(all)
	fmt.Fprintf(os.Stderr, "not seen: %s\n", sumUp(all, func(p pause) evidence.Weighing { return of[partOf(p)] }))
	weights := fit(all)
	fmt.Fprintf(os.Stderr, "seen: %s\n", sumUp(all, func(pause) evidence.Weighing { return weights }))
	return os.WriteFile(weightsFile, source(weights), 0o644) //nolint:gosec // as all sources
}
