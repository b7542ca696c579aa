package worker

import (
	"context"
	"errors"
	"syscall"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/jobs/calls"
)

// A call that this process has claimed and cannot dial, by no fault of the call's or of its customer's settings, is given back
// as long as nothing was sent.

// errNoDatabase is the error of a call whose way out could not be looked up.
var errNoDatabase = errors.New("the way out of the call cannot be looked up")

// notDialed returns the ending of a call that could not be dialed because of err, or err itself where that is a failure of ours.
func notDialed(ctx context.Context, err error) (calls.Ending, error) {
	switch {
	case ctx.Err() != nil:
		return cutShort(ctx), nil
	case errors.Is(err, errNoDatabase), exhausted(err):
		return calls.Ending{}, err
	}
	return endingFor(callstate.ReasonStartErrorNoCarrier, err), nil
}

// exhausted reports whether this machine or process has no file handle, port or memory left.
func exhausted(err error) bool {
	for _, lack := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.EADDRINUSE, syscall.EADDRNOTAVAIL} {
		if errors.Is(err, lack) {
			return true
		}
	}
	return false
}

// explainGiveBack tells the customer why a call waits again.
func explainGiveBack(err error) string {
	if errors.Is(err, errNoDatabase) {
		return "Not dialed yet: the worker lost its database before. It is tried again at once."
	}
	if !exhausted(err) {
		return "Not dialed yet: the worker stopped before. It is tried again at once."
	}
	return "Not dialed yet: the worker had no network port or file handle left. It is tried again at once."
}
