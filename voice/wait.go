package voice

import (
	"context"
	"time"

	"github.com/callwright/callwright/providers/fault"
)

// sleep reports whether ctx lasted that long.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// tooLate is the failure of a vendor that gave nothing for so long.
func tooLate(vendor, nothing string, limit time.Duration) error {
	return &fault.Error{Kind: fault.Timeout, Provider: vendor, Message: nothing + " for " + limit.String(),
		Err: context.DeadlineExceeded}
}

// causeOf returns the reason for which ctx was cancelled in place of the error that this caused.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
