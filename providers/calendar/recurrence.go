package calendar

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// Recurrences are computed in local time, which their rules refer to, and each instance is then put into its zone: an
// event at nine stays at nine when summer time begins.

// Limits of what real calendars need, so that a feed cannot keep a processor busy.
const (
	maxRuleBytes = 1024
	maxInterval  = 1000
)

var errTooOften = errors.New("the calendar has an event that recurs within a day, or by a rule that is too long")

// appendBusy adds the times within the window at which the event takes place, except replaced instances.
func (e *event) appendBusy(busy []Interval, window Interval, others instances, work *budget) ([]Interval, error) {
	skip := append(slices.Clip(others), e.skipped...).index()
	add := func(m wallTime) {
		if skip.has(m) {
			return
		}
		taken := e.interval(m)
		if taken.Start.Before(window.Start) {
			taken.Start = window.Start
		}
		if taken.End.After(window.End) {
			taken.End = window.End
		}
		if taken.Start.Before(taken.End) {
			busy = append(busy, taken)
		}
	}
	if err := work.spend(); err != nil {
		return nil, err
	}
	add(e.start) // the first instance counts even if the rule does not match it
	for _, m := range e.added {
		add(m)
	}
	if e.rule == "" {
		return busy, nil
	}
	return busy, e.recur(window, work, add)
}

func (e *event) interval(m wallTime) Interval {
	if e.start.date {
		return Interval{m.instant(), m.zone.instant(m.wall.AddDate(0, 0, e.days))}
	}
	return Interval{m.instant(), m.instant().Add(e.length)}
}

// recur calls add with the instances of the event's rule, up to the end of the window. An invalid rule has none.
func (e *event) recur(window Interval, work *budget, add func(wallTime)) error {
	rule, tooMuch := e.readRule(window)
	if tooMuch {
		return errTooOften
	}
	if rule == nil {
		return nil
	}
	if err := work.ctx.Err(); err != nil { // a rule that matches no day is searched up to the year 9999
		return err
	}
	next := rule.Iterator()
	for wall, ok := next(); ok; wall, ok = next() {
		if err := work.spend(); err != nil {
			return err
		}
		if !wall.Equal(e.start.wall) {
			add(wallTime{wall: wall, zone: e.start.zone, date: e.start.date})
		}
	}
	return nil
}

// readRule returns the event's rule in local time, limited to the window; nil: it is invalid.
func (e *event) readRule(window Interval) (rule *rrule.RRule, tooMuch bool) {
	options, err := rrule.StrToROption(e.rule)
	if err != nil {
		return nil, false
	}
	if len(e.rule) > maxRuleBytes || options.Interval > maxInterval || options.Freq > rrule.DAILY ||
		len(options.Byhour) > 1 || len(options.Byminute) > 1 || len(options.Bysecond) > 1 {
		return nil, true
	}
	last := e.start.zone.wall(window.End)
	if until := e.until(options.Until); !until.IsZero() && until.Before(last) {
		last = until
	}
	options.Dtstart, options.Until = e.start.wall, last
	rule, err = rrule.NewRRule(*options)
	if err != nil {
		return nil, false
	}
	return rule, false
}

// until returns the end of a rule in the event's local time. UNTIL is in UTC, local, or a whole day.
func (e *event) until(read time.Time) time.Time {
	_, text, found := strings.Cut(strings.ToUpper(e.rule), "UNTIL=")
	if !found {
		return time.Time{}
	}
	text, _, _ = strings.Cut(text, ";")
	switch {
	case len(text) == len("20060102"):
		return read.Add(24*time.Hour - time.Second)
	case strings.HasSuffix(text, "Z") && !e.start.date:
		return e.start.zone.wall(read)
	}
	return read
}
