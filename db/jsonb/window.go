package jsonb

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // a window means the same on a machine without time zones of its own
)

// Opens is the first moment at or after now at which the window is open. A window whose start is not before its end
// reaches over midnight and belongs to the day on which it starts.
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
	for day := -1; day <= 7; day++ {
		midnight := time.Date(local.Year(), local.Month(), local.Day()+day, 0, 0, 0, 0, location)
		if !slices.Contains(w.Days, strings.ToLower(midnight.Weekday().String()[:3])) {
			continue
		}
		// Built from the wall clock, not by adding hours to midnight: a day may have 23 or 25 of them.
		opens := time.Date(midnight.Year(), midnight.Month(), midnight.Day(), 0, start, 0, 0, location)
		closes := time.Date(midnight.Year(), midnight.Month(), midnight.Day(), 0, end, 0, 0, location)
		if now.Before(opens) {
			return opens, nil
		}
		if now.Before(closes) {
			return now, nil
		}
	}
	return time.Time{}, fmt.Errorf("window never opens: no day is named")
}

// minuteOfDay reads HH:MM, 24:00 included.
func minuteOfDay(text string) (int, error) {
	var hour, minute int
	if n, err := fmt.Sscanf(text, "%d:%d", &hour, &minute); n != 2 || err != nil || hour < 0 || hour > 24 || minute < 0 || minute > 59 || hour == 24 && minute > 0 {
		return 0, fmt.Errorf("time of window %q is not HH:MM", text)
	}
	return hour*60 + minute, nil
}
