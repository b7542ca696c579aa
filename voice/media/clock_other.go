//go:build !linux

package media

import (
	"errors"
	"time"
)

// takePrecedence has no means here: the clock is a goroutine like others.
func takePrecedence() error { return errors.ErrUnsupported }

func threadSleep() func(due time.Time) { return sleep }
