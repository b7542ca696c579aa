// Package calendar reads at what times a calendar that is published as an iCalendar feed (RFC 5545) is busy, and writes
// invitations (RFC 5546).
//
// It knows the format as Google, Outlook and Apple write it, and HTTP. It must not know what is booked, when a company
// is open, nor who is invited.
package calendar

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

// Interval is the time from Start until End, exclusive.
type Interval struct{ Start, End time.Time }

// Overlaps reports whether the two intervals overlap.
func (i Interval) Overlaps(other Interval) bool {
	return i.Start.Before(other.End) && other.Start.Before(i.End)
}

// busyTimes returns the times within a window at which the calendar is busy: in order, merged, and cut to the window.
// Events that are free, canceled or without valid times do not count. Events without a known time zone, and whole days,
// are in local.
func busyTimes(ctx context.Context, text []byte, window Interval, local *time.Location) ([]Interval, error) {
	events, err := readEvents(text, window, local)
	if err != nil {
		return nil, err
	}
	moved := movedInstances(events)
	work := &budget{ctx: ctx, left: maxRecurrences}
	var busy []Interval
	for _, e := range events {
		if e.free {
			continue
		}
		var others instances
		if e.instead == nil {
			others = moved[e.uid]
		}
		if busy, err = e.appendBusy(busy, window, others, work); err != nil {
			return nil, err
		}
	}
	return Merge(busy), nil
}

// movedInstances returns the instances of recurring events that are replaced by events of their own, by UID.
func movedInstances(events []*event) map[string]instances {
	moved := map[string]instances{}
	for _, e := range events {
		if e.instead != nil {
			moved[e.uid] = append(moved[e.uid], *e.instead)
		}
	}
	return moved
}

// Merge sorts intervals and joins those that touch or overlap. It may modify its argument.
func Merge(busy []Interval) []Interval {
	slices.SortFunc(busy, func(a, b Interval) int { return cmp.Or(a.Start.Compare(b.Start), a.End.Compare(b.End)) })
	var result []Interval
	for _, next := range busy {
		if last := len(result) - 1; last >= 0 && !next.Start.After(result[last].End) {
			if next.End.After(result[last].End) {
				result[last].End = next.End
			}
			continue
		}
		result = append(result, next)
	}
	return result
}

// maxRecurrences limits the instances that are computed for one feed, those before the window included: a calendar with
// thirty daily appointments since the year 2000 has 300,000.
const maxRecurrences = 500_000

var errTooMuch = errors.New("the calendar has too many recurrences")

// budget is the remaining work for one feed.
type budget struct {
	ctx  context.Context
	left int
}

func (b *budget) spend() error {
	b.left--
	if b.left < 0 {
		return errTooMuch
	}
	if b.left%1024 == 0 {
		return b.ctx.Err()
	}
	return nil
}
