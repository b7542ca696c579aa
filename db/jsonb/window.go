package jsonb

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // a window means the same on a machine without time zones of its own
)

// Opens is the first moment at or after now at which the window is open, which is while a clock on its wall shows a time
// within it: times that summer time skips are none, and those that come twice are in it twice. A window whose start is not
// before its end reaches over midnight and belongs to the day on which it starts.
func (w *Window) Opens(now time.Time) (time.Time, error) {
	if w.Timezone == "Local" { // Go's word for the zone of whatever machine asks
		return time.Time{}, errors.New("time zone of window: Local is none")
	}
	location, err := time.LoadLocation(w.Timezone)
	if err != nil {
		return time.Time{}, fmt.Errorf("time zone of window: %w", err)
	}
	start, err := minuteOfDay(w.Start)
	if err != nil {
		return time.Time{}, err
	}
	end, err := minuteOfDay(w.End)
	if err != nil {
		return time.Time{}, err
	}
	if end <= start {
		end += 24 * 60
	}
	local := now.In(location)
	for day := -1; day <= 14; day++ { // two weeks: in one of them summer time may skip the window
		midnight := time.Date(local.Year(), local.Month(), local.Day()+day, 0, 0, 0, 0, time.UTC)
		if !slices.Contains(w.Days, strings.ToLower(midnight.Weekday().String()[:3])) {
			continue
		}
		from, to := midnight.Add(time.Duration(start)*time.Minute), midnight.Add(time.Duration(end)*time.Minute)
		if opens, ok := firstShown(now, from, to, location); ok {
			return opens, nil
		}
	}
	return time.Time{}, fmt.Errorf("window never opens: no day is named")
}

// firstShown returns the first moment at or after now at which a clock in location shows a time between from and to, which
// are such times, written as UTC. It looks at each stretch of one offset by itself.
func firstShown(now, from, to time.Time, location *time.Location) (time.Time, bool) {
	const furthest = 24 * time.Hour // of all zones from UTC, and more
	for at := from.Add(-furthest).In(location); ; {
		_, seconds := at.Zone()
		offset := time.Duration(seconds) * time.Second
		begins, ends := at.ZoneBounds()
		opens, closes := from.Add(-offset), to.Add(-offset)
		for _, bound := range []time.Time{begins, now} { // a zero bound is before everything
			if opens.Before(bound) {
				opens = bound
			}
		}
		if opens.Before(closes) && (ends.IsZero() || opens.Before(ends)) {
			return opens, true
		}
		if ends.IsZero() || ends.After(to.Add(furthest)) {
			return time.Time{}, false
		}
		at = ends
	}
}

// minuteOfDay reads HH:MM, 24:00 included.
func minuteOfDay(text string) (int, error) {
	var hour, minute int
	if n, err := fmt.Sscanf(text, "%d:%d", &hour, &minute); n != 2 || err != nil || hour < 0 || hour > 24 || minute < 0 ||
		minute > 59 || hour == 24 && minute > 0 {
		return 0, fmt.Errorf("time of window %q is not HH:MM", text)
	}
	return hour*60 + minute, nil
}
