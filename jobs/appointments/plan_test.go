package appointments

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/providers/calendar"
)

func plan(t *testing.T, length time.Duration, hours ...jsonb.OpeningHours) *Plan {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Amsterdam")
	require.NoError(t, err)
	if hours == nil {
		hours = (&jsonb.Booking{}).Hours()
	}
	return &Plan{Hours: hours, Zone: zone, Length: length, Latest: at(t, "2027-11-01T00:00:00Z")}
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return at
}

func clocks(starts []time.Time) []string {
	texts := []string{}
	for _, start := range starts {
		texts = append(texts, start.Format("15:04"))
	}
	return texts
}

func TestFree(t *testing.T) {
	t.Parallel()
	busy := []calendar.Interval{
		{Start: at(t, "2026-11-23T09:00:00Z"), End: at(t, "2026-11-23T11:00:00Z")},
		{Start: at(t, "2026-11-23T13:15:00Z"), End: at(t, "2026-11-23T13:20:00Z")},
	}
	day := at(t, "2026-11-23T23:30:00+01:00")

	require.Equal(t, []string{"09:00", "12:00", "12:30", "13:00", "14:30", "15:00", "15:30", "16:00"},
		clocks(plan(t, time.Hour).Free(day, busy)))
	require.Equal(t, []string{"12:00"}, clocks(plan(t, 2*time.Hour,
		jsonb.OpeningHours{Days: []string{"mon"}, Start: "09:00", End: "14:00"}).Free(day, busy)))
	require.Empty(t, plan(t, time.Hour).Free(at(t, "2026-11-22T12:00:00Z"), nil), "on a Sunday")
	require.Equal(t, []string{"16:30", "16:45"}, clocks(plan(t, 15*time.Minute,
		jsonb.OpeningHours{Days: []string{"mon"}, Start: "16:30", End: "17:00"}).Free(day, nil)))
	require.Len(t, plan(t, 30*time.Minute, jsonb.OpeningHours{Days: []string{"mon"}, Start: "00:00", End: "24:00"}).Free(day, nil),
		48)

	t.Run("HoursThatTouch", func(t *testing.T) {
		t.Parallel()
		p := plan(t, time.Hour, jsonb.OpeningHours{Days: []string{"mon"}, Start: "13:00", End: "14:00"},
			jsonb.OpeningHours{Days: []string{"mon", "tue"}, Start: "12:00", End: "13:00"},
			jsonb.OpeningHours{Days: []string{"mon"}, Start: "12:30", End: "13:30"})
		require.Equal(t, []string{"12:00", "12:30", "13:00"}, clocks(p.Free(day, nil)))
	})
	t.Run("NotTooSoon", func(t *testing.T) {
		t.Parallel()
		p := plan(t, time.Hour)
		p.Earliest = at(t, "2026-11-23T14:01:00Z")
		require.Equal(t, []string{"15:30", "16:00"}, clocks(p.Free(day, nil)))
	})
	t.Run("WhenTheClocksChange", func(t *testing.T) {
		t.Parallel()
		p := plan(t, time.Hour, jsonb.OpeningHours{Days: []string{"sun"}, Start: "00:00", End: "05:00"})
		require.Len(t, p.Free(at(t, "2026-03-29T12:00:00Z"), nil), 4*2-1, "the night has four hours from midnight to five")
		require.Len(t, p.Free(at(t, "2026-10-25T12:00:00Z"), nil), 6*2-1, "the night has six")
	})
}

func TestRefuse(t *testing.T) {
	t.Parallel()
	p := plan(t, time.Hour)
	p.Earliest = at(t, "2026-11-23T10:00:00+01:00")
	busy := []calendar.Interval{{Start: at(t, "2026-11-23T12:00:00+01:00"), End: at(t, "2026-11-23T13:00:00+01:00")}}
	for start, want := range map[string]Why{
		"2026-11-23T10:00:00+01:00": "", "2026-11-23T10:07:00+01:00": "", "2026-11-23T11:00:00+01:00": "",
		"2026-11-23T13:00:00+01:00": "",
		"2026-11-23T16:00:00+01:00": "", "2026-11-23T15:00:00Z": "", "2026-11-23T09:59:00+01:00": TooSoon,
		"2025-11-23T12:00:00+01:00": TooSoon, "2027-11-23T12:00:00+01:00": TooLate,
		"2026-11-23T16:01:00+01:00": Closed, "2026-11-23T18:00:00+01:00": Closed, "2026-11-28T12:00:00+01:00": Closed,
		"2026-11-23T11:01:00+01:00": Taken, "2026-11-23T12:30:00+01:00": Taken,
	} {
		require.Equal(t, want, p.Refuse(at(t, start), busy), start)
	}
}

func TestDays(t *testing.T) {
	t.Parallel()
	days := plan(t, time.Hour).Days(at(t, "2026-10-23T22:30:00Z"), 2)
	require.Equal(t, "2026-10-24T00:00:00+02:00", days.Start.Format(time.RFC3339))
	require.Equal(t, "2026-10-26T00:00:00+01:00", days.End.Format(time.RFC3339))
}
