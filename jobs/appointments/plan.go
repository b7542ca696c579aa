package appointments

import (
	"slices"
	"time"

	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/providers/calendar"
)

// Plan is what decides about appointments of one kind.
type Plan struct {
	Hours    []jsonb.OpeningHours
	Zone     *time.Location
	Length   time.Duration
	Earliest time.Time // no appointment begins before it
	Latest   time.Time // nor after it
}

// Days returns the local days from the one of first on; the interval ends with the last one.
func (p *Plan) Days(first time.Time, count int) calendar.Interval {
	local := first.In(p.Zone)
	midnight := func(days int) time.Time {
		return time.Date(local.Year(), local.Month(), local.Day()+days, 0, 0, 0, 0, p.Zone)
	}
	return calendar.Interval{Start: midnight(0), End: midnight(count)}
}

// Free returns the beginnings of appointments that can be on one local day, in order: every half hour from the opening on, and
// every quarter of an hour where appointments are shorter than half an hour. busy is in order and merged, or not.
func (p *Plan) Free(day time.Time, busy []calendar.Interval) []time.Time {
	step := 30 * time.Minute
	if p.Length < step {
		step = 15 * time.Minute
	}
	var free []time.Time
	for _, open := range p.open(day) {
		for start := open.Start; start.Before(open.End); start = start.Add(step) {
			if p.Refuse(start, busy) == "" {
				free = append(free, start)
			}
		}
	}
	return free
}

// Why is what keeps an appointment from beginning at start.
type Why string

// The reasons.
const (
	TooSoon Why = "too soon"
	TooLate Why = "too late"
	Closed  Why = "closed"
	Taken   Why = "taken"
)

// Refuse returns why an appointment cannot begin at start; empty: it can.
func (p *Plan) Refuse(start time.Time, busy []calendar.Interval) Why {
	if start.Before(p.Earliest) {
		return TooSoon
	}
	if start.After(p.Latest) {
		return TooLate
	}
	wanted := calendar.Interval{Start: start, End: start.Add(p.Length)}
	within := func(open calendar.Interval) bool {
		return !wanted.Start.Before(open.Start) && !wanted.End.After(open.End)
	}
	if !slices.ContainsFunc(p.open(start), within) {
		return Closed
	}
	if slices.ContainsFunc(busy, wanted.Overlaps) {
		return Taken
	}
	return ""
}

// open returns the hours of the local day of a time, those that touch as one.
func (p *Plan) open(day time.Time) []calendar.Interval {
	var hours []calendar.Interval
	for _, h := range p.Hours {
		if start, end, open := h.On(day.In(p.Zone)); open {
			hours = append(hours, calendar.Interval{Start: start, End: end})
		}
	}
	return calendar.Merge(hours)
}
