package turn

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// asking is speech with its words as a streaming recogniser gives them: 0.16 s after the sound ended the pause is noticed.
func asking(from, to float64, interim string) []then {
	return []then{{from + 0.1, SpeechStarted{Since: seconds(from)}}, {to - 0.1, Transcribed{interim, false}},
		{to + 0.16, SpeechPaused{}}}
}

// stopping is the end of speech that was noticed early, with its words.
func stopping(end float64, text string) []then {
	return []then{{end + 0.18, SpeechEnded{End: seconds(end)}}, {end + 0.28, Transcribed{text, true}}}
}

func TestThinkingAhead(t *testing.T) {
	t.Parallel()

	ahead := func(s *Plan) { s.StartSpeaking = DefaultPlan().StartSpeaking }
	question := asking(2, 3, "Can you help me please")
	checkTurns(t, map[string]turnCase{
		"the words stand": {ahead, [][]then{question, stopping(3, "can you help me, please?"), spoken(3.5, 4, "Yes.")}, []string{
			"3.16 end speech", "3.16 guess: Can you help me please", "3.30 use guess: can you help me, please?",
			"3.50 remember 2.00: can you help me, please?",
		}},
		"the words are others": {ahead, [][]then{question, stopping(3, "Can you help me, Lise?"), spoken(3.5, 4, "Yes.")}, []string{
			"3.16 end speech", "3.16 guess: Can you help me please", "3.28 drop guess", "3.28 guess: Can you help me, Lise?",
			"3.30 use guess: Can you help me, Lise?", "3.50 remember 2.00: Can you help me, Lise?",
		}},
		"the caller goes on": {ahead, [][]then{
			question, {{3.18, SpeechEnded{End: seconds(3)}}, {3.25, SpeechStarted{Since: seconds(3.2)}},
				{3.28, Transcribed{"Can you help me please?", true}}},
			{{3.9, Transcribed{"with my bill", false}}, {4.16, SpeechPaused{}}}, stopping(4, "with my bill?"), spoken(4.5, 5, "Yes."),
		}, []string{
			"3.16 end speech", "3.16 guess: Can you help me please", "3.25 drop guess", "4.16 end speech",
			"4.16 guess: Can you help me please? with my bill", "4.30 use guess: Can you help me please? with my bill?",
			"4.50 remember 2.00: Can you help me please? with my bill?",
		}},
		"more words come without another sound": {ahead, [][]then{question, {{3.2, Transcribed{"Can you help me please with", false}}},
			{{10, Disconnected{CustomerEndedCall}}}}, []string{
			"3.16 end speech", "3.16 guess: Can you help me please", "3.20 drop guess", "6.70 end speech",
			"10.00 remember 2.00: Can you help me please with",
			"10.00 hang up: customer-ended-call",
		}},
		"no more than two in a turn": {ahead, [][]then{
			question, {{3.2, Transcribed{"Can you help me please now", false}}, {3.36, SpeechPaused{}},
				{3.4, Transcribed{"Can you help me please now and here", false}}, {3.56, SpeechPaused{}}},
			stopping(3.5, "Can you help me please now and here?"),
		}, []string{
			"3.16 end speech", "3.16 guess: Can you help me please", "3.20 drop guess", "3.36 end speech",
			"3.36 guess: Can you help me please now",
			"3.40 drop guess", "3.56 end speech", "3.80 think: Can you help me please now and here?", "6.30 delayed",
			"6.30 speak: One moment, please.",
		}},
		"an unfinished clause": {ahead, [][]then{asking(2, 3, "Can you help me because"), {{10, Disconnected{CustomerEndedCall}}}},
			[]string{
				"6.40 end speech", "10.00 remember 2.00: Can you help me because", "10.00 hang up: customer-ended-call",
			}},
		"words that come at once": {func(s *Plan) {
			ahead(s)
			s.StartSpeaking.WaitFunction = func(float64) time.Duration { return 1500 * time.Millisecond }
		}, [][]then{said(2, 3, "Can you help me please?"), spoken(5, 5.5, "Yes.")}, []string{
			"3.50 guess: Can you help me please?", "4.50 use guess: Can you help me please?",
			"5.00 remember 2.00: Can you help me please?",
		}},
		"something is put before the model": {ahead, [][]then{
			question, {{3.17, CommandReceived{AddMessage{ID: "m", Role: "system", Content: "They are a VIP."}}}},
			stopping(3, "Can you help me please?"), spoken(3.5, 4, "Yes."),
		}, []string{
			"3.16 end speech", "3.16 guess: Can you help me please", "3.17 drop guess", "3.17 inform system: They are a VIP.",
			"3.17 settled: m",
			"3.28 guess: Can you help me please?", "3.30 use guess: Can you help me please?",
			"3.50 remember 2.00: Can you help me please?",
		}},
		"something is to be said": {ahead, [][]then{
			question, {{3.17, CommandReceived{Say{ID: "s", Content: "Hold on.", Interrupt: true}}}}, spoken(3.2, 4, "Hold on."),
			{{10, Disconnected{CustomerEndedCall}}},
		}, []string{
			"3.16 end speech", "3.16 guess: Can you help me please", "3.17 drop guess", "3.17 speak: Hold on.", "3.17 hold",
			"3.17 settled: s",
			"4.20 end speech", "10.00 remember 2.00: Can you help me please", "10.00 hang up: customer-ended-call",
		}},
		"a transfer": {ahead, [][]then{question, {{3.17, CommandReceived{Transfer{ID: "t", Target: "x"}}}},
			{{10, Disconnected{CustomerEndedCall}}}}, []string{
			"3.16 end speech", "3.16 guess: Can you help me please", "3.17 drop guess", "3.17 remember 2.00: Can you help me please",
			"3.17 transfer: x",
			"10.00 hang up: customer-ended-call-during-transfer",
		}},
		"a key": {func(s *Plan) { ahead(s); s.Keypad.Enabled = true },
			[][]then{question, {{3.17, KeyPressed{'1'}}}, {{4, Disconnected{CustomerEndedCall}}}}, []string{
				"3.16 end speech", "3.16 guess: Can you help me please", "3.17 drop guess", "4.00 remember 2.00: Can you help me please",
				"4.00 remember 3.17: User's Keypad Entry: 1", "4.00 hang up: customer-ended-call",
			}},
		"the caller hangs up": {ahead, [][]then{question, {{3.2, Disconnected{CustomerEndedCall}}}}, []string{
			"3.16 end speech", "3.16 guess: Can you help me please", "3.20 drop guess", "3.20 remember 2.00: Can you help me please",
			"3.20 hang up: customer-ended-call",
		}},
		"behind an interruption": {func(s *Plan) { ahead(s); s.FirstMessage, s.FirstMessageInterruptions = "Hello.", true }, [][]then{
			{{0.1, PlaybackStarted{}}}, asking(1, 2, "Stop can you help me please"), stopping(2, "Stop, can you help me please?"),
			{{6, PlaybackStarted{}}},
		}, []string{
			"0.00 speak: Hello.", "1.10 duck", "1.50 hold", "1.90 cut, interrupted", "2.16 end speech",
			"2.16 guess: Stop can you help me please",
			"2.50 use guess: Stop, can you help me please?", "5.00 delayed", "5.00 speak: One moment, please.",
			"6.00 remember 1.00: Stop, can you help me please?",
		}},
		"it was switched off": {func(s *Plan) { ahead(s); s.StartSpeaking.ThinkAhead = false },
			[][]then{question, stopping(3, "Can you help me please?"), spoken(3.5, 4, "Yes.")}, []string{
				"3.16 end speech", "3.30 think: Can you help me please?", "3.50 remember 2.00: Can you help me please?",
			}},
		"fixed times": {func(s *Plan) { s.StartSpeaking.ThinkAhead = true; s.StartSpeaking.Wait = time.Second },
			[][]then{question, {{3.4, SpeechEnded{End: seconds(3)}}, {3.5, Transcribed{"Can you help me please?", true}}},
				spoken(4.1, 5, "Yes.")}, []string{
				"3.16 guess: Can you help me please", "4.00 use guess: Can you help me please?",
				"4.10 remember 2.00: Can you help me please?",
			}},
	})
}

// A transcriber whose words come late has not said the last ones in a pause: what is begun there would be thrown away.
func TestNothingIsGuessedWhereWordsComeLate(t *testing.T) {
	t.Parallel()

	plan := DefaultPlan()
	plan.FirstMessageMode = AssistantWaitsForUser
	turns := func(from float64, atPause, said string) []then {
		return []then{
			{from + 0.1, SpeechStarted{Since: seconds(from)}}, {from + 0.9, Transcribed{atPause, false}}, {from + 1.16, SpeechPaused{}},
			{from + 1.17, SpeechEnded{End: seconds(from + 1)}}, {from + 1.4, Transcribed{said, true}},
			{from + 3, PlaybackStarted{}}, {from + 4, PlaybackEnded{"Yes."}},
		}
	}
	guesses := func(said ...[]then) (guessed []string) {
		for _, line := range play(NewRules(plan), 30, append([]then{{0, Answered{}}}, slices.Concat(said...)...)...) {
			if at, words, found := strings.Cut(line, " guess: "); found && !strings.Contains(at, "use") {
				guessed = append(guessed, words)
			}
		}
		return guessed
	}
	late, inTime := turns(1, "What does it", "What does it cost?"), turns(1, "What does it cost", "What does it cost?")
	again := turns(11, "Are you open", "Are you open today?")
	require.Contains(t, guesses(inTime, again), "Are you open")
	require.NotContains(t, guesses(late, again), "Are you open")
}
