package calendar

import (
	"cmp"
	"slices"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"
	"github.com/teambition/rrule-go"
)

// zone converts between instants and the local time of a zone. Local times are kept in UTC.
type zone interface {
	instant(wall time.Time) time.Time
	wall(instant time.Time) time.Time
}

// ianaZone is a zone of the IANA database.
type ianaZone struct{ *time.Location }

func (p ianaZone) instant(wall time.Time) time.Time {
	return time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), 0, p.Location)
}

func (p ianaZone) wall(instant time.Time) time.Time {
	local := instant.In(p.Location)
	return time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), 0, time.UTC)
}

// described is a zone that a feed describes itself (VTIMEZONE), as Outlook does for zone names of Windows.
type described []shift

// shift is a change of a zone's offset from UTC.
type shift struct {
	wall   time.Time     // local time before the change
	before time.Duration // east of UTC
	after  time.Duration
}

func (d described) instant(wall time.Time) time.Time {
	return wall.Add(-d.offset(func(s shift) bool { return !s.wall.After(wall) }))
}

func (d described) wall(instant time.Time) time.Time {
	return instant.UTC().Add(d.offset(func(s shift) bool { return !s.wall.Add(-s.before).After(instant) }))
}

// offset returns the offset after the last shift that has passed.
func (d described) offset(passed func(shift) bool) time.Duration {
	offset := d[0].before
	for _, s := range d {
		if !passed(s) {
			break
		}
		offset = s.after
	}
	return offset
}

// zones finds the zones that a feed names.
type zones struct {
	local     ianaZone
	described map[string]described
}

const maxShifts = 4000 // of one zone; two a year since 1601 are 850

func newZones(parsed *ics.Calendar, window Interval, local *time.Location) *zones {
	z := &zones{local: ianaZone{local}, described: map[string]described{}}
	for _, component := range parsed.Components {
		if own, ok := component.(*ics.VTimezone); ok {
			if name := own.GetProperty(ics.ComponentProperty(ics.PropertyTzid)); name != nil && len(z.described) < 100 {
				z.describe(name.Value, own, window)
			}
		}
	}
	return z
}

// find returns the zone of a TZID: the one of the IANA database, also with a prefix that some programs add; else the
// one that the feed describes; else the default.
func (z *zones) find(tzid []string) zone {
	if len(tzid) == 0 {
		return z.local
	}
	for name := strings.TrimSpace(tzid[0]); name != ""; _, name, _ = strings.Cut(name, "/") {
		if name == "Local" { // the zone of this machine
			break
		}
		if location, err := time.LoadLocation(name); err == nil {
			return ianaZone{location}
		}
	}
	if own := z.described[tzid[0]]; len(own) > 0 {
		return own
	}
	return z.local
}

// describe computes the shifts of a zone that the feed describes, up to the window.
func (z *zones) describe(name string, own *ics.VTimezone, window Interval) {
	var shifts described
	for _, component := range own.Components {
		switch part := component.(type) {
		case *ics.Standard:
			shifts = append(shifts, shiftsOf(&part.ComponentBase, window)...)
		case *ics.Daylight:
			shifts = append(shifts, shiftsOf(&part.ComponentBase, window)...)
		}
	}
	slices.SortFunc(shifts, func(a, b shift) int { return cmp.Compare(a.wall.Unix(), b.wall.Unix()) })
	z.described[name] = shifts
}

func shiftsOf(part *ics.ComponentBase, window Interval) []shift {
	value := func(name ics.ComponentProperty) string {
		if property := part.GetProperty(name); property != nil {
			return strings.TrimSpace(property.Value)
		}
		return ""
	}
	start, err := time.Parse("20060102T150405", value(ics.ComponentPropertyDtStart))
	before, errBefore := parseOffset(value("TZOFFSETFROM"))
	after, errAfter := parseOffset(value("TZOFFSETTO"))
	if err != nil || errBefore != nil || errAfter != nil {
		return nil
	}
	shifts := []shift{{start, before, after}}
	options, err := rrule.StrToROption(value(ics.ComponentPropertyRrule))
	if err != nil || options.Freq != rrule.YEARLY {
		return shifts
	}
	options.Dtstart = start
	if end := window.End.AddDate(1, 0, 0); options.Until.IsZero() || options.Until.After(end) {
		options.Until = end
	}
	rule, err := rrule.NewRRule(*options)
	if err != nil {
		return shifts
	}
	next := rule.Iterator()
	for wall, ok := next(); ok && len(shifts) < maxShifts; wall, ok = next() {
		shifts = append(shifts, shift{wall, before, after})
	}
	return shifts
}

// parseOffset parses +0100 or +010000.
func parseOffset(text string) (time.Duration, error) {
	for _, layout := range []string{"-0700", "-070000"} {
		if at, err := time.Parse(layout, text); err == nil {
			_, seconds := at.Zone()
			return time.Duration(seconds) * time.Second, nil
		}
	}
	return 0, errNoTime
}
