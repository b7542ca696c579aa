package main

import (
	"slices"
	"time"
)

// settleTime is how long an event waits for others that were numbered before it and may still arrive.
const settleTime = 250 * time.Millisecond

// eventOrder brings the events of one call into their order. They are delivered side by side and may overtake each other,
// come twice, or never; their numbers are those of the account, whose other events lie between them. So an event that does
// not follow right upon the one before it waits briefly, and no longer.
type eventOrder struct {
	last    int64 // the highest number that was given out
	seen    map[int64]bool
	waiting []waitingEvent // by their numbers
}

type waitingEvent struct {
	devEvent
	until time.Time
}

func newEventOrder() *eventOrder { return &eventOrder{seen: map[int64]bool{}} }

func (o *eventOrder) add(event devEvent, now time.Time) {
	sequence := event.Message.Sequence
	if o.seen[sequence] {
		return
	}
	o.seen[sequence] = true
	at, _ := slices.BinarySearchFunc(o.waiting, sequence, func(other waitingEvent, sequence int64) int {
		return int(other.Message.Sequence - sequence)
	})
	until := now.Add(settleTime)
	if event.Message.CallStatus == "queued" { // the first of a call
		until = now
	}
	o.waiting = slices.Insert(o.waiting, at, waitingEvent{event, until})
}

// next returns the next event if nothing can come before it any more.
func (o *eventOrder) next(now time.Time) (devEvent, bool) {
	if len(o.waiting) == 0 {
		return devEvent{}, false
	}
	first := o.waiting[0]
	if first.Message.Sequence > o.last+1 && first.until.After(now) {
		return devEvent{}, false
	}
	o.waiting = o.waiting[1:]
	o.last = max(o.last, first.Message.Sequence)
	return first.devEvent, true
}

// due fires when next may have something; nil: nothing waits.
func (o *eventOrder) due(now time.Time) <-chan time.Time {
	if len(o.waiting) == 0 {
		return nil
	}
	return time.After(o.waiting[0].until.Sub(now))
}
