//go:build !linux

package sip

import "time"

// takePrecedence has no means here: the clock is a goroutine like others.
func takePrecedence() error { return nil }

func sleepUntil(due time.Time) { time.Sleep(time.Until(due)) }
