package jsonb

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWindowOpens(t *testing.T) {
	t.Parallel()

	weekdays := []string{"mon", "tue", "wed", "thu", "fri"}
	for name, test := range map[string]struct {
		window    Window
		now, want string
	}{
		"Open": {Window{"Europe/Amsterdam", weekdays, "09:00", "17:00"}, "2026-11-20T10:00:00+01:00",
			"2026-11-20T10:00:00+01:00"},
		"BeforeItsStart": {Window{"Europe/Amsterdam", weekdays, "09:00", "17:00"}, "2026-11-20T08:59:59+01:00",
			"2026-11-20T09:00:00+01:00"},
		"AtItsEnd": {Window{"Europe/Amsterdam", weekdays, "09:00", "17:00"}, "2026-11-19T17:00:00+01:00",
			"2026-11-20T09:00:00+01:00"},
		"OverTheWeekend": {Window{"Europe/Amsterdam", weekdays, "09:00", "17:00"}, "2026-11-20T17:00:00+01:00",
			"2026-11-23T09:00:00+01:00"},
		"OtherTimeZone": {Window{"America/New_York", weekdays, "09:00", "17:00"}, "2026-11-20T09:00:00Z",
			"2026-11-20T14:00:00Z"},
		"SummerTimeStarts": {Window{"Europe/Amsterdam", []string{"sun"}, "09:00", "17:00"}, "2027-03-28T00:30:00Z",
			"2027-03-28T07:00:00Z"},
		"SkippedBySummerTime": {Window{"Europe/Amsterdam", []string{"sun"}, "02:15", "02:45"}, "2027-03-28T00:30:00Z",
			"2027-04-04T00:15:00Z"},
		"SkippedAWeekAhead": {Window{"Europe/Amsterdam", []string{"sun"}, "02:15", "02:45"}, "2027-03-21T03:00:00Z",
			"2027-04-04T00:15:00Z"},
		"ItsStartIsSkipped": {Window{"Europe/Amsterdam", []string{"sun"}, "02:15", "03:45"}, "2027-03-28T00:30:00Z",
			"2027-03-28T01:00:00Z"},
		"ItsEndIsSkipped": {Window{"Europe/Amsterdam", []string{"sat"}, "22:00", "02:30"}, "2027-03-28T01:00:00Z",
			"2027-04-03T20:00:00Z"},
		"ComesTwice": {Window{"Europe/Amsterdam", []string{"sun"}, "02:15", "02:45"}, "2027-10-31T00:50:00Z",
			"2027-10-31T01:15:00Z"},
		"ShutBetweenTwoHalves": {Window{"Europe/Amsterdam", []string{"sun"}, "02:30", "03:30"}, "2027-10-31T01:10:00Z",
			"2027-10-31T01:30:00Z"},
		"OpenInTheFirstOfTwo": {Window{"Europe/Amsterdam", []string{"sun"}, "02:30", "03:30"}, "2027-10-31T00:40:00Z",
			"2027-10-31T00:40:00Z"},
		"MidnightIsSkipped": {Window{"America/Santiago", []string{"sun"}, "00:00", "06:00"}, "2027-09-05T03:00:00Z",
			"2027-09-05T04:00:00Z"},
		"HalfAnHourOfSummer": {Window{"Australia/Lord_Howe", []string{"sun"}, "02:00", "03:00"}, "2026-10-03T15:00:00Z",
			"2026-10-03T15:30:00Z"},
		"OverMidnight":  {Window{"UTC", []string{"fri"}, "22:00", "02:00"}, "2026-11-21T01:00:00Z", "2026-11-21T01:00:00Z"},
		"AfterMidnight": {Window{"UTC", []string{"fri"}, "22:00", "02:00"}, "2026-11-21T02:00:00Z", "2026-11-27T22:00:00Z"},
		"TheWholeDay":   {Window{"UTC", []string{"sat"}, "00:00", "24:00"}, "2026-11-21T23:59:00Z", "2026-11-21T23:59:00Z"},
		"OneDayAWeek":   {Window{"UTC", []string{"sat"}, "10:00", "11:00"}, "2026-11-21T11:00:00Z", "2026-11-28T10:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now, err := time.Parse(time.RFC3339, test.now)
			require.NoError(t, err)
			opens, err := test.window.Opens(now)
			require.NoError(t, err)
			require.Equal(t, test.want, opens.In(now.Location()).Format(time.RFC3339))
		})
	}

	for name, window := range map[string]Window{
		"NoSuchZone": {"Mars/Olympus", weekdays, "09:00", "17:00"},
		"NoTime":     {"UTC", weekdays, "nine", "17:00"},
		"NoDay":      {"UTC", nil, "09:00", "17:00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := window.Opens(time.Now())
			require.Error(t, err)
		})
	}
}
