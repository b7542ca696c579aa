package stt

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What people say passes for hours: 20 letters a second, with 15 interim texts of the utterance.
func TestPeopleAreAllowedToTalk(t *testing.T) {
	t.Parallel()
	var allowed Allowance
	for second := range 3 * 3600 {
		at := time.Duration(second) * time.Second
		for range 15 {
			require.NoError(t, allowed.Take(at, Event{Text: strings.Repeat("a", 1200)}))
		}
		require.NoError(t, allowed.Take(at, Event{Text: strings.Repeat("a", 20), Final: true}))
	}
}

func TestRecognisersThatNeverEnd(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		event Event
		most  int // events
		want  error
	}{
		"interim texts":  {Event{Text: "good"}, eventsFree, errTooOften},
		"empty texts":    {Event{Final: true}, eventsFree, errTooOften},
		"one long text":  {Event{Text: strings.Repeat("a", 1<<20)}, 0, errTooMuchText},
		"final texts":    {Event{Text: strings.Repeat("a", 1<<10), Final: true}, 16, errTooMuchText},
		"as many as one": {Event{Text: strings.Repeat("a", textFree), Final: true}, 1, errTooMuchText},
	} {
		var allowed Allowance
		for range test.most {
			require.NoError(t, allowed.Take(0, test.event), name)
		}
		require.Equal(t, test.want, allowed.Take(0, test.event), name)
	}
}
