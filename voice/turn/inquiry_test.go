package turn

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestServersJudgeTurns(t *testing.T) {
	t.Parallel()

	words := "I would like to"
	paused := slices.Concat(streamed(1, 2, words), []then{{2.4, SpeechEnded{End: seconds(2)}}, {2.5, Transcribed{words, true}}})
	again := slices.Concat(streamed(11, 12, "What now"),
		[]then{{12.16, SpeechEnded{End: seconds(12)}}, {12.2, Transcribed{"What now?", true}}})
	judged := func(at float64, e TurnEndJudged) []then { return []then{{at, e}} }
	for name, tt := range map[string]struct {
		events [][]then
		want   []string
	}{
		"its answer counts from the question": {
			[][]then{paused, judged(2.6, TurnEndJudged{ID: 1, Wait: 4 * time.Second})},
			[]string{"2.50 ask whether the turn is over: I would like to", "6.50 think: I would like to"},
		},
		"it may end a turn that the rules would not": {
			[][]then{paused, judged(2.6, TurnEndJudged{ID: 1})},
			[]string{"2.50 ask whether the turn is over: I would like to", "2.60 think: I would like to"},
		},
		"an answer for other words is late": {
			[][]then{paused, judged(2.6, TurnEndJudged{ID: 7})},
			[]string{"2.50 ask whether the turn is over: I would like to", "5.50 think: I would like to"},
		},
		"the rules decide when it fails": {
			[][]then{paused, judged(2.6, TurnEndJudged{ID: 1, Failed: true})},
			[]string{"2.50 ask whether the turn is over: I would like to", "4.50 think: I would like to"},
		},
		"one that was too slow is not waited for again": {
			[][]then{paused, spoken(5.9, 7, "Yes?"), again},
			[]string{
				"2.50 ask whether the turn is over: I would like to", "5.50 think: I would like to", "5.90 remember 1.00: I would like to",
				"12.20 ask whether the turn is over: What now?", "12.30 think: What now?",
			},
		},
		"until it has answered in time": {
			[][]then{paused, judged(5.4, TurnEndJudged{ID: 1}), spoken(5.8, 7, "Yes?"), again,
				judged(13, TurnEndJudged{ID: 2, Wait: 2 * time.Second})},
			[]string{
				"2.50 ask whether the turn is over: I would like to", "5.40 think: I would like to", "5.80 remember 1.00: I would like to",
				"12.20 ask whether the turn is over: What now?", "14.20 think: What now?",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := DefaultPlan()
			script.StartSpeaking.ThinkAhead = false
			script.FirstMessageMode, script.StartSpeaking.Endpointing = AssistantWaitsForUser, ByServer
			events := append([]then{{0, Answered{}}}, slices.Concat(tt.events...)...)
			got := play(NewRules(script), 16, events...)
			got = slices.DeleteFunc(got, func(line string) bool { return line[len(line)-7:] == "delayed" })
			require.GreaterOrEqual(t, len(got), len(tt.want), "%v", got)
			require.Equal(t, tt.want, got[:len(tt.want)])
		})
	}
}
