package jsonb_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/jsonb"
)

func TestTimelineReadsBothForms(t *testing.T) {
	t.Parallel()
	read := func(text string) (timeline jsonb.Timeline, err error) {
		return timeline, json.Unmarshal([]byte(text), &timeline)
	}
	long, err := read(`[{"status": "queued", "at": "2026-11-24T00:00:00.123456+00:00"}, {"status": "forwarding", "at": "2026-11-24T00:00:01Z", "destination": "+31201234567"}]`)
	require.NoError(t, err)
	require.Len(t, long, 2)
	require.Equal(t, "+31201234567", long[1].Destination)

	short, err := read(`"queued 1795478400123456,dialing 876544,completed 60000000"`)
	require.NoError(t, err)
	at := time.Date(2026, 11, 24, 0, 0, 0, 123456000, time.UTC)
	require.Equal(t, jsonb.Timeline{
		{Status: "queued", At: at}, {Status: "dialing", At: at.Add(876544 * time.Microsecond)},
		{Status: "completed", At: at.Add(60876544 * time.Microsecond)},
	}, short)

	for _, wrong := range []string{`""`, `"queued"`, `"queued soon"`} {
		_, err := read(wrong)
		require.Error(t, err, wrong)
	}
}
