// Package calendar reads when a calendar is busy that its owner publishes as an iCalendar feed (RFC 5545), and writes
// the invitation to an appointment (RFC 5546).
//
// It knows the format in the shapes that Google, Outlook and Apple give it, and HTTP. It must not know what is booked,
// when a company is open, nor who is invited: that is the caller's business.
package calendar

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

// Interval is a stretch of time; End is the first moment after it.
type Interval struct{ Start, End time.Time }

// Overlaps reports whether the two have a moment in common.
func (i Interval) Overlaps(other Interval) bool {
	return i.Start.Before(other.End) && other.Start.Before(i.End)
}

// busyTimes are the times within a window at which the calendar is busy: in order, merged, and cut to the window.
// Events that are free or canceled do not count, nor those whose times cannot be read. An event without a time zone, or
// with one that nobody knows, and a whole day are meant in local.
func busyTimes(ctx context.Context, text []byte, window Interval, local *time.Location) ([]Interval, error) {
	events, err := readEvents(text, window, local)
	if err != nil {
		return nil, err
	}
	moved := movedInstances(events)
	work := &budget{ctx: ctx, left: mostRecurrences}
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

// movedInstances are the instances of recurring events that events of their own stand for, by UID.
func movedInstances(events []*event) map[string]instances {
	moved := map[string]instances{}
	for _, e := range events {
		if e.instead != nil {
			moved[e.uid] = append(moved[e.uid], *e.instead)
		}
	}
	return moved
}

// Merge puts intervals in order, those that touch or overlap as one. It may change the slice that it is given.
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

// mostRecurrences bounds the instances that one reading of a feed goes through, those before the window included: a
// calendar of thirty daily appointments since the year 2000 has 300,000.
const mostRecurrences = 500_000

var errTooMuch = errors.New("the calendar has too many recurrences")

// budget is the work that one reading may take.
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
