package turn

import (
	"testing"
	"time"
)

func TestReminders(t *testing.T) {
	t.Parallel()

	const remind = "speak one of: Hello? | Anyone?"
	impatient := func(s *Plan) {
		s.FirstMessageMode = AssistantWaitsForUser
		s.SilenceTimeout = 0
		s.Idle.Messages, s.Idle.After = []string{"Hello?", "Anyone?"}, 3*time.Second
	}
	checkTurns(t, map[string]turnCase{
		"no messages, no reminders": {func(s *Plan) { impatient(s); s.Idle.Messages = nil }, nil, nil},
		"so many and no more": {
			func(s *Plan) { impatient(s); s.Idle.Max = 2 },
			[][]then{spoken(3.2, 4, "Hello?"), spoken(7.2, 8, "Hello?"), until(30)},
			[]string{"3.00 " + remind, "7.00 " + remind},
		},
		"three where nothing is said": {
			impatient, [][]then{spoken(3.1, 3.5, "Hello?"), spoken(6.6, 7, "Hello?"), spoken(10.1, 10.5, "Hello?"), until(30)},
			[]string{"3.00 " + remind, "6.50 " + remind, "10.00 " + remind},
		},
		"speech makes them start anew where the plan says so": {
			func(s *Plan) { impatient(s); s.Idle.Max, s.Idle.ResetOnSpeech = 1, true },
			[][]then{spoken(3.2, 4, "Hello?"), said(5, 6, "Yes."), spoken(7, 7.5, "Good."), spoken(10.7, 11, "Hello?")},
			[]string{"3.00 " + remind, "6.60 think: Yes.", "7.00 remember 5.00: Yes.", "10.50 " + remind},
		},
		"else they do not": {
			func(s *Plan) { impatient(s); s.Idle.Max = 1 },
			[][]then{spoken(3.2, 4, "Hello?"), said(5, 6, "Yes."), spoken(7, 7.5, "Good."), until(20)},
			[]string{"3.00 " + remind, "6.60 think: Yes.", "7.00 remember 5.00: Yes."},
		},
		"a reminder can be interrupted": {
			impatient, [][]then{{{3.2, PlaybackStarted{}}}, said(3.5, 5, "I am here."), spoken(6, 6.5, "Good.")},
			[]string{"3.00 " + remind, "3.60 duck", "4.00 hold", "5.50 cut, interrupted", "5.60 think: I am here.",
				"6.00 remember 3.50: I am here.", "9.50 " + remind},
		},
		"reminders do not put the silence timeout off": {
			func(s *Plan) {
				impatient(s)
				s.SilenceTimeout = 9 * time.Second
				s.Idle.SilenceMessage = "Too quiet."
			},
			[][]then{spoken(3.2, 4, "Hello?"), spoken(7.2, 7.5, "Hello?"), spoken(10.6, 11, "Too quiet.")},
			[]string{"3.00 " + remind, "7.00 " + remind, "10.50 speak: Too quiet.", "11.00 hang up: silence-timed-out"},
		},
		"but leave a chance to answer": {
			func(s *Plan) { impatient(s); s.SilenceTimeout = 4 * time.Second; s.Idle.Max = 1 },
			[][]then{spoken(3.2, 4, "Hello?"), until(10)},
			[]string{"3.00 " + remind, "7.00 speak: I will hang up now. Goodbye."},
		},
	})
}
