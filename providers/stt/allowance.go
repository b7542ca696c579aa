package stt

import (
	"errors"
	"time"
)

// What a recogniser sends at most of one speaker. People say 15 letters a second, and servers send 10 texts a second that replace
// each other; one that is broken, or not what it seems, fills a process with more.
const (
	textFree, textPerSecond     = 16 << 10, 100 // bytes of final text
	eventsFree, eventsPerSecond = 500, 50       // events of any kind
)

var (
	errTooMuchText = errors.New("it sends more text than anybody says")
	errTooOften    = errors.New("it sends texts faster than anybody speaks")
)

// Allowance is what a recogniser may still send. The zero value is of a stream that begins.
type Allowance struct {
	events, text int
}

// Take counts an event that comes after the stream has been open, or the sound has been, for so long. An error says that it is
// too much.
func (a *Allowance) Take(open time.Duration, event Event) error {
	seconds := int(open.Seconds())
	if a.events++; a.events > eventsFree+eventsPerSecond*seconds {
		return errTooOften
	}
	if len(event.Text) > textFree+textPerSecond*seconds {
		return errTooMuchText
	}
	if event.Final {
		a.text += len(event.Text)
	}
	if a.text > textFree+textPerSecond*seconds {
		return errTooMuchText
	}
	return nil
}
