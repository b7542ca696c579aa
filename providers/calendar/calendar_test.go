package calendar

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func amsterdam(t testing.TB) *time.Location {
	t.Helper()
	location, err := time.LoadLocation("Europe/Amsterdam")
	require.NoError(t, err)
	return location
}

// fortnight includes the end of summer time.
func fortnight(t testing.TB) Interval {
	t.Helper()
	return Interval{time.Date(2026, 10, 19, 0, 0, 0, 0, amsterdam(t)), time.Date(2026, 11, 2, 0, 0, 0, 0, amsterdam(t))}
}

// told returns the intervals as text, in Amsterdam.
func told(t testing.TB, busy []Interval) []string {
	t.Helper()
	lines := []string{}
	for _, i := range busy {
		lines = append(lines, i.Start.In(amsterdam(t)).Format("02 15:04Z07")+" - "+i.End.In(amsterdam(t)).Format("02 15:04Z07"))
	}
	return lines
}

func TestBusyTimesOfVendors(t *testing.T) {
	t.Parallel()
	for vendor, want := range map[string][]string{
		"google": {"20 14:00+02 - 20 15:00+02", "22 00:00+02 - 24 00:00+02", "27 14:00+01 - 27 15:00+01"},
		"outlook": {
			"19 09:00+02 - 19 10:00+02", "20 09:00+02 - 20 10:00+02", "22 00:00+02 - 23 00:00+02", "23 09:00+02 - 23 10:00+02",
			"24 09:00+02 - 24 10:00+02", "25 09:00+01 - 25 10:00+01", "26 09:00+01 - 26 10:00+01", "26 14:00+01 - 26 15:00+01",
			"27 09:00+01 - 27 10:00+01", "28 09:00+01 - 28 10:00+01",
		},
		"apple": {
			"19 16:00+02 - 19 17:00+02", "20 16:00+02 - 20 17:00+02", "24 10:00+02 - 24 11:30+02", "26 10:00+01 - 26 11:30+01",
			"27 13:00+01 - 27 14:00+01", "28 00:00+01 - 29 00:00+01", "29 16:00+01 - 29 17:00+01",
		},
	} {
		t.Run(vendor, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile("testdata/" + vendor + ".ics")
			require.NoError(t, err)
			for name, shape := range map[string]string{
				"LF": string(text), "CRLF": strings.ReplaceAll(string(text), "\n", "\r\n"), "BOM": "\xef\xbb\xbf" + string(text),
			} {
				busy, err := busyTimes(t.Context(), []byte(shape), fortnight(t), amsterdam(t))
				require.NoError(t, err, name)
				require.Equal(t, want, told(t, busy), name)
			}
		})
	}
}

// event is a calendar with one event of these lines.
func calendarOf(lines ...string) string {
	return "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\nUID:1\n" + strings.Join(lines, "\n") + "\nEND:VEVENT\nEND:VCALENDAR\n"
}

func TestBusyTimes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lines []string
		want  []string
	}{
		"CutToTheWindow":  {[]string{"DTSTART:20261001T000000Z", "DTEND:20261020T000000Z"}, []string{"19 00:00+02 - 20 02:00+02"}},
		"BeforeTheWindow": {[]string{"DTSTART:20261018T200000Z", "DTEND:20261018T220000Z"}, nil},
		"NoLength":        {[]string{"DTSTART:20261020T080000Z"}, nil},
		"EndsBeforeStart": {[]string{"DTSTART:20261020T080000Z", "DTEND:20261020T070000Z"}, nil},
		"UnknownZone":     {[]string{"DTSTART;TZID=Nowhere:20261020T080000", "DURATION:PT1H"}, []string{"20 08:00+02 - 20 09:00+02"}},
		"OurOwnZone":      {[]string{"DTSTART;TZID=Local:20261020T080000", "DURATION:PT1H"}, []string{"20 08:00+02 - 20 09:00+02"}},
		"NoTime":          {[]string{"DTSTART:tomorrow", "DURATION:PT1H"}, nil},
		"NoSuchDay":       {[]string{"DTSTART:20260230T080000Z", "DURATION:PT1H"}, nil},
		"UnknownRule": {[]string{"DTSTART:20261020T080000Z", "DURATION:PT1H", "RRULE:FREQ=NOW"},
			[]string{"20 10:00+02 - 20 11:00+02"}},
		"UntilADay": {[]string{"DTSTART:20261020T080000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;UNTIL=20261021"},
			[]string{"20 10:00+02 - 20 11:00+02", "21 10:00+02 - 21 11:00+02"}},
		"ExceptWholeDays": {[]string{"DTSTART:20261020T080000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=3",
			"EXDATE;VALUE=DATE:20261021"}, []string{"20 10:00+02 - 20 11:00+02", "22 10:00+02 - 22 11:00+02"}},
		"ExceptInUTC": {[]string{"DTSTART;TZID=Europe/Amsterdam:20261020T100000", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=2",
			"EXDATE:20261020T080000Z"}, []string{"21 10:00+02 - 21 11:00+02"}},
		"StartOffTheRule": {[]string{"DTSTART:20261020T080000Z", "DURATION:PT1H", "RRULE:FREQ=WEEKLY;BYDAY=FR;COUNT=1"},
			[]string{"20 10:00+02 - 20 11:00+02", "23 10:00+02 - 23 11:00+02"}},
		"Touching": {[]string{"DTSTART:20261020T080000Z", "DURATION:PT24H", "RRULE:FREQ=DAILY;COUNT=3"},
			[]string{"20 10:00+02 - 23 10:00+02"}},
		"WholeDaysRecur": {[]string{"DTSTART;VALUE=DATE:20261024", "RRULE:FREQ=DAILY;COUNT=3", "EXDATE;VALUE=DATE:20261025"},
			[]string{"24 00:00+02 - 25 00:00+02", "26 00:00+01 - 27 00:00+01"}},
		"PeriodsAreStarts": {[]string{"DTSTART:20261020T080000Z", "DURATION:PT1H", "RDATE;VALUE=PERIOD:20261021T080000Z/PT1H"},
			[]string{"20 10:00+02 - 20 11:00+02", "21 10:00+02 - 21 11:00+02"}},
		"OtherCase": {[]string{"dtstart:20261020T080000Z", "Duration:pt1h"}, []string{"20 10:00+02 - 20 11:00+02"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			busy, err := busyTimes(t.Context(), []byte(calendarOf(test.lines...)), fortnight(t), amsterdam(t))
			require.NoError(t, err)
			require.ElementsMatch(t, test.want, told(t, busy))
		})
	}
}

func TestHostileFeeds(t *testing.T) {
	t.Parallel()
	manyDaily := strings.Builder{}
	manyDaily.WriteString("BEGIN:VCALENDAR\n")
	for range 2000 {
		manyDaily.WriteString("BEGIN:VEVENT\nDTSTART:19700101T000000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY\nEND:VEVENT\n")
	}
	manyDaily.WriteString("END:VCALENDAR\n")
	for name, test := range map[string]struct {
		text string
		want error
	}{
		"Nothing":         {"", errNotCalendar},
		"AWebPage":        {"<!doctype html><html></html>", errNotCalendar},
		"Binary":          {"\x00\xff\xfe\x00", errNotCalendar},
		"CutOff":          {"BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261020T080000Z\n", errNotCalendar},
		"NestedDeeply":    {strings.Repeat("BEGIN:VCALENDAR\n", 100_000), errNotCalendar},
		"CrossedEnds":     {"BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VCALENDAR\nEND:VEVENT\n", errNotCalendar},
		"EverySecond":     {calendarOf("DTSTART:19700101T000000Z", "DURATION:PT1S", "RRULE:FREQ=SECONDLY"), errTooOften},
		"EveryHourOfADay": {calendarOf("DTSTART:19700101T000000Z", "DURATION:PT1S", "RRULE:FREQ=DAILY;BYHOUR=1,2,3"), errTooOften},
		"LongRule": {calendarOf("DTSTART:19700101T000000Z", "RRULE:FREQ=DAILY;BYDAY="+strings.Repeat("MO,", 1000)+"MO"),
			errTooOften},
		"HugeInterval":     {calendarOf("DTSTART:19700101T000000Z", "RRULE:FREQ=DAILY;INTERVAL=9223372036854775807"), errTooOften},
		"AMillionTimes":    {manyDaily.String(), errTooMuch},
		"NeverMatches":     {calendarOf("DTSTART:19700101T000000Z", "DURATION:PT1H", "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"), nil},
		"ManyParameters":   {calendarOf("DTSTART;" + strings.Repeat("A=B;", 20_000) + "C=D:20261020T080000Z"), nil},
		"OneEndlessLine":   {calendarOf("DTSTART:" + strings.Repeat("20261020T080000Z,", 100_000)), nil},
		"EndlesslyFolded":  {calendarOf("EXDATE:" + strings.Repeat("\n 20261020T080000Z,", 50_000)), nil},
		"ControlCharacter": {calendarOf("DTSTART;TZID=\x01:20261020T080000"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := busyTimes(t.Context(), []byte(test.text), fortnight(t), amsterdam(t))
			if test.want == nil {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, test.want)
		})
	}

	t.Run("StopsWithItsContext", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := busyTimes(ctx, []byte(calendarOf("DTSTART:19700101T000000Z", "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30")),
			fortnight(t), amsterdam(t))
		require.ErrorIs(t, err, context.Canceled)
	})
}

func FuzzBusyTimes(f *testing.F) {
	for _, vendor := range []string{"google", "outlook", "apple"} {
		text, err := os.ReadFile("testdata/" + vendor + ".ics")
		require.NoError(f, err)
		f.Add(text)
	}
	for i, rule := range []string{"FREQ=MONTHLY;BYDAY=-1FR;BYSETPOS=-1", "FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO",
		"FREQ=YEARLY;BYYEARDAY=-366", "FREQ=WEEKLY;WKST=SU;INTERVAL=2"} {
		f.Add([]byte(calendarOf(fmt.Sprintf("DTSTART:2020010%dT080000Z", i+1), "DURATION:PT1H", "RRULE:"+rule)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		window := fortnight(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		busy, err := busyTimes(ctx, text, window, amsterdam(t))
		if err != nil {
			return
		}
		last := window.Start.Add(-1)
		for _, i := range busy {
			require.True(t, i.Start.After(last) && i.Start.Before(i.End) && !i.End.After(window.End), "%v", busy)
			last = i.End
		}
	})
}
