package calendar

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"
)

var errNoTime = errors.New("is not a time")

// event is a VEVENT: an event, a recurring event, or one that replaces an instance of a recurring event.
type event struct {
	uid     string
	start   wallTime
	length  time.Duration // of a timed event
	days    int           // of a whole-day event
	rule    string        // RRULE; empty: it does not recur
	added   instances
	skipped instances
	instead *wallTime // RECURRENCE-ID: it replaces this instance
	free    bool      // transparent or canceled
}

// wallTime is a time as a feed writes it: local time, kept in UTC for calculations, and its zone.
type wallTime struct {
	wall time.Time
	zone zone
	date bool // a whole day
}

func (m wallTime) instant() time.Time { return m.zone.instant(m.wall) }

// instances are some instances of a recurring event.
type instances []wallTime

// index is a set of instances: whole days match any instance of their day.
type index map[int64]bool

const dayMark = 1 << 62 // tells days from instants

func (in instances) index() index {
	set := index{}
	for _, m := range in {
		if m.date {
			set[dayMark|m.wall.Unix()/86400] = true
		} else {
			set[m.instant().Unix()] = true
		}
	}
	return set
}

func (i index) has(m wallTime) bool {
	return i[dayMark|m.wall.Unix()/86400] || !m.date && i[m.instant().Unix()]
}

// readEvents returns the events of a feed. Those without valid times are left out.
func readEvents(text []byte, window Interval, local *time.Location) ([]*event, error) {
	sieved, err := filter(text)
	if err != nil {
		return nil, err
	}
	parsed, err := ics.ParseCalendar(bytes.NewReader(sieved))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotCalendar, err)
	}
	places := newZones(parsed, window, local)
	var events []*event
	for _, component := range parsed.Events() {
		if e, err := readEvent(component, places); err == nil {
			events = append(events, e)
		}
	}
	return events, nil
}

func readEvent(component *ics.VEvent, places *zones) (*event, error) {
	e := &event{uid: component.Id()}
	starts := places.wallTimes(component.GetProperties(ics.ComponentPropertyDtStart))
	if len(starts) != 1 {
		return nil, errNoTime
	}
	e.start = starts[0]
	if err := e.readLength(component, places); err != nil {
		return nil, err
	}
	e.rule = valueOf(component, ics.ComponentPropertyRrule)
	e.added = places.wallTimes(component.GetProperties(ics.ComponentPropertyRdate))
	e.skipped = places.wallTimes(component.GetProperties(ics.ComponentPropertyExdate))
	if named := places.wallTimes(component.GetProperties(ics.ComponentPropertyRecurrenceId)); len(named) > 0 {
		e.instead, e.rule = &named[0], ""
	}
	e.free = strings.EqualFold(valueOf(component, ics.ComponentPropertyTransp), "TRANSPARENT") ||
		strings.EqualFold(valueOf(component, ics.ComponentPropertyStatus), "CANCELLED") ||
		strings.EqualFold(valueOf(component, "X-MICROSOFT-CDO-BUSYSTATUS"), "FREE")
	return e, nil
}

// readLength reads an event's end or duration. Without either a whole day lasts one day, and anything else no time.
func (e *event) readLength(component *ics.VEvent, places *zones) error {
	duration, err := parseDuration(valueOf(component, ics.ComponentPropertyDuration))
	if err != nil {
		return err
	}
	e.length = duration
	if e.start.date {
		e.days = max(1, int(duration/(24*time.Hour)))
	}
	ends := places.wallTimes(component.GetProperties(ics.ComponentPropertyDtEnd))
	if len(ends) == 0 {
		return nil
	}
	if e.start.date {
		e.days = max(1, int(ends[0].wall.Sub(e.start.wall)/(24*time.Hour)))
		return nil
	}
	e.length = ends[0].instant().Sub(e.start.instant())
	return nil
}

func valueOf(component *ics.VEvent, name ics.ComponentProperty) string {
	property := component.GetProperty(name)
	if property == nil {
		return ""
	}
	return strings.TrimSpace(property.Value)
}

// wallTimes returns the times in properties; invalid ones are left out. Of a period it is the start.
func (z *zones) wallTimes(from []*ics.IANAProperty) instances {
	var found instances
	for _, property := range from {
		ianaZone := z.find(property.ICalParameters["TZID"])
		for text := range strings.SplitSeq(property.Value, ",") {
			text, _, _ = strings.Cut(strings.TrimSpace(text), "/")
			if m, err := z.wallTime(text, ianaZone); err == nil {
				found = append(found, m)
			}
		}
	}
	return found
}

func (z *zones) wallTime(text string, in zone) (wallTime, error) {
	switch len(text) {
	case len("20060102"):
		wall, err := time.Parse("20060102", text)
		return wallTime{wall: wall, zone: z.local, date: true}, err
	case len("20060102T150405"):
		wall, err := time.Parse("20060102T150405", text)
		return wallTime{wall: wall, zone: in}, err
	case len("20060102T150405Z"):
		wall, err := time.Parse("20060102T150405Z", text)
		return wallTime{wall: wall, zone: ianaZone{time.UTC}}, err
	}
	return wallTime{}, errNoTime
}

// durations matches those of RFC 5545, at most 99,999 of a unit.
var durations = regexp.MustCompile(`^\+?P(?:(\d{1,5})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,5})M)?(?:(\d{1,5})S)?)?$`)

func parseDuration(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	parts := durations.FindStringSubmatch(strings.ToUpper(text))
	if parts == nil {
		return 0, errors.New("is not a duration")
	}
	var total time.Duration
	for i, unit := range []time.Duration{7 * 24 * time.Hour, 24 * time.Hour, time.Hour, time.Minute, time.Second} {
		if count, err := strconv.Atoi(parts[i+1]); err == nil { // an absent unit is empty
			total += time.Duration(count) * unit
		}
	}
	return total, nil
}
