package turn

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// streamed is speech of the caller whose words a recogniser gives while they are spoken, with a pause noticed after 0.16 s.
func streamed(from, to float64, text string) []then {
	return []then{
		{from + 0.1, SpeechStarted{Since: seconds(from)}}, {to, Transcribed{text, false}}, {to + 0.16, SpeechPaused{}},
	}
}

func TestTurnsEndByEvidence(t *testing.T) {
	t.Parallel()

	ended := func(to, noticed float64, text string) []then {
		return []then{{noticed, SpeechEnded{End: seconds(to)}}, {noticed + 0.01, Transcribed{text, true}}}
	}
	for name, tt := range map[string]struct {
		events [][]then
		want   []string
	}{
		"a question is answered at once": {
			[][]then{streamed(1, 2, "What are your opening hours"), ended(2, 2.16, "What are your opening hours?")},
			[]string{"2.16 end speech", "2.31 think: What are your opening hours?"},
		},
		"an open clause has time": {
			[][]then{streamed(1, 2, "I would like to"), ended(2, 2.4, "I would like to")},
			[]string{"4.39 think: I would like to"},
		},
		"and is not answered when the caller goes on": {
			[][]then{
				streamed(1, 2, "I would like to"), ended(2, 2.4, "I would like to"),
				streamed(3.5, 4, "make an appointment please"), ended(4, 4.16, "make an appointment. Thank you."),
			},
			[]string{"4.16 end speech", "4.31 think: I would like to make an appointment. Thank you."},
		},
		"a sound behind the words is not the caller's": {
			[][]then{
				{{1.1, SpeechStarted{Since: seconds(1)}}, {2, Transcribed{"What are your opening hours", false}}},
				ended(9, 9.4, "What are your opening hours?"),
			},
			[]string{"3.79 end speech"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := DefaultPlan()
			script.FirstMessageMode = AssistantWaitsForUser
			script.StartSpeaking.ThinkAhead = false
			events := append([]then{{0, Answered{}}}, slices.Concat(tt.events...)...)
			got := play(NewRules(script), 8, events...)
			require.GreaterOrEqual(t, len(got), len(tt.want), "%v", got)
			for i, want := range tt.want {
				at, what, _ := strings.Cut(want, " ")
				gotAt, gotWhat, _ := strings.Cut(got[i], " ")
				require.Equal(t, what, gotWhat)
				wantTime, err := time.ParseDuration(at + "s")
				require.NoError(t, err)
				gotTime, err := time.ParseDuration(gotAt + "s")
				require.NoError(t, err)
				require.InDelta(t, wantTime.Seconds(), gotTime.Seconds(), 0.25, "%s in %v", want, got)
			}
		})
	}
}

func TestInterruptionsByWords(t *testing.T) {
	t.Parallel()

	starts := then{1.1, SpeechStarted{Since: seconds(1)}}
	words := func(at float64, text string) then { return then{at, Transcribed{text, false}} }
	cases := map[string]turnCase{}
	for name, tt := range map[string]struct {
		events []then
		want   []string
	}{
		"the beginning of an acknowledgement only ducks": {
			[]then{starts, words(1.4, "Dat"), words(1.65, "Dat klopt"), {2, SpeechEnded{End: seconds(1.7)}},
				{2.1, Transcribed{"Dat klopt.", true}}},
			[]string{"1.10 duck", "2.10 unduck"},
		},
		"nor does one stop in which a word is that asks for the floor elsewhere": {
			[]then{starts, words(1.4, "Fair"), words(1.65, "Fair enough"), {2, SpeechEnded{End: seconds(1.7)}},
				{2.1, Transcribed{"Fair enough.", true}}},
			[]string{"1.10 duck", "2.10 unduck"},
		},
		"nor does one that begins with such a word": {
			[]then{starts, words(1.4, "No"), words(1.65, "No problem"), {2, SpeechEnded{End: seconds(1.7)}},
				{2.1, Transcribed{"No problem.", true}}},
			[]string{"1.10 duck", "2.10 unduck"},
		},
		"which stops behind a pause": {
			[]then{starts, words(1.4, "No"), {1.56, SpeechPaused{}}},
			[]string{"1.10 duck", "1.56 cut, interrupted"},
		},
		"or where the sound goes on": {
			[]then{starts, words(1.4, "No"), words(2.3, "No Tuesday"), {2.4, Tick{}}},
			[]string{"1.10 duck", "2.15 hold", "2.30 cut, interrupted"},
		},
		"an acknowledgement may pause in the middle": {
			[]then{
				starts, words(1.4, "Ja, dat"), {1.8, SpeechEnded{End: seconds(1.4)}}, {1.81, Transcribed{"Ja, dat.", true}},
				{2, SpeechStarted{Since: seconds(1.9)}}, words(2.1, "klopt"), {2.5, SpeechEnded{End: seconds(2.1)}},
				{2.6, Transcribed{"Klopt.", true}},
			},
			[]string{"1.10 duck", "1.81 unduck", "2.00 duck", "2.60 unduck"},
		},
		"what was acknowledged before does not ask for the floor later": {
			[]then{
				starts, words(1.4, "No problem"), {1.8, SpeechEnded{End: seconds(1.4)}}, {1.81, Transcribed{"No problem.", true}},
				{2, SpeechStarted{Since: seconds(1.9)}}, words(2.1, "very"), words(2.3, "very well"),
				{2.7, SpeechEnded{End: seconds(2.3)}}, {2.8, Transcribed{"Very well then.", true}},
			},
			[]string{"1.10 duck", "1.81 unduck", "2.00 duck", "2.80 unduck"},
		},
		"a judgement is waited for longer": {
			[]then{starts, words(1.4, "That's"), words(1.8, "That's wonderful"), {2.2, SpeechEnded{End: seconds(1.8)}},
				{2.3, Transcribed{"That's wonderful.", true}}},
			[]string{"1.10 duck", "2.30 unduck"},
		},
		"so is one word of understanding behind the first of many other things": {
			[]then{starts, words(1.2, "I"), words(2, "I understand"), {2.4, SpeechEnded{End: seconds(2)}},
				{2.5, Transcribed{"I understand.", true}}},
			[]string{"1.10 duck", "2.50 unduck"},
		},
		"words that change nothing may stand between": {
			[]then{starts, words(1.2, "Dat"), words(1.5, "Dat begrijp ik"), words(1.9, "Dat begrijp ik helemaal"),
				{2.3, SpeechEnded{End: seconds(1.9)}}, {2.4, Transcribed{"Dat begrijp ik helemaal.", true}}},
			[]string{"1.10 duck", "2.40 unduck"},
		},
		"or come first": {
			[]then{starts, words(1.2, "I"), words(1.5, "I totally"), words(1.9, "I totally agree"),
				{2.3, SpeechEnded{End: seconds(1.9)}}, {2.4, Transcribed{"I totally agree.", true}}},
			[]string{"1.10 duck", "2.40 unduck"},
		},
		"but make no acknowledgement of what is none": {
			[]then{starts, words(1.2, "I"), words(1.5, "I really"), words(1.7, "I really need")},
			[]string{"1.10 duck", "1.70 cut, interrupted"},
		},
		"what turns out to show listening goes on": {
			[]then{starts, words(1.4, "Is"), words(1.6, "Is that"), words(1.8, "Is that so"), {2.2, SpeechEnded{End: seconds(1.8)}},
				{2.3, Transcribed{"Is that so?", true}}},
			[]string{"1.10 duck", "1.60 hold", "1.80 resume", "1.80 duck", "2.30 unduck"},
		},
		"also behind a word that asks for the floor": {
			[]then{starts, words(1.4, "No"), words(1.6, "No that's"), words(1.9, "No that's fine"), {2.2, SpeechEnded{End: seconds(1.9)}},
				{2.3, Transcribed{"No, that's fine.", true}}},
			[]string{"1.10 duck", "1.60 hold", "1.90 resume", "1.90 duck", "2.30 unduck"},
		},
		"and what turns out to be something else does not": {
			[]then{starts, words(1.4, "Is"), words(1.6, "Is that"), words(1.9, "Is that included")},
			[]string{"1.10 duck", "1.60 hold", "1.90 cut, interrupted"},
		},
		"nor what ends before it is one": {
			[]then{starts, words(1.4, "How"), {1.56, SpeechPaused{}}},
			[]string{"1.10 duck", "1.40 hold", "1.56 cut, interrupted"},
		},
		"half a word of an acknowledgement only ducks": {
			[]then{starts, words(1.3, "Duid"), words(1.5, "Duidelijk"), {2, SpeechEnded{End: seconds(1.5)}}, {2.1, Transcribed{"Duidelijk.", true}}},
			[]string{"1.10 duck", "2.10 unduck"},
		},
		"also behind other words": {
			[]then{starts, words(1.3, "Ja dat kl"), words(1.5, "Ja dat klopt"), {2, SpeechEnded{End: seconds(1.5)}},
				{2.1, Transcribed{"Ja, dat klopt.", true}}},
			[]string{"1.10 duck", "2.10 unduck"},
		},
		"its rest is not waited for long": {
			[]then{starts, words(1.3, "Duid"), {1.58, Tick{}}, words(1.7, "Duiding graag")},
			[]string{"1.10 duck", "1.57 hold", "1.70 cut, interrupted"},
		},
		"nor is half a word that means something": {
			[]then{starts, words(1.3, "We"), words(1.5, "We're")},
			[]string{"1.10 duck", "1.30 cut, interrupted"},
		},
		"other words stop": {
			[]then{starts, words(1.4, "I"), words(1.6, "I need")},
			[]string{"1.10 duck", "1.60 cut, interrupted"},
		},
		"speech without words holds the sound until it ends": {
			[]then{starts, {2.6, SpeechEnded{End: seconds(2.5)}}, {2.7, Transcribed{"", true}}},
			[]string{"1.10 duck", "1.50 hold", "2.70 resume"},
		},
		"a transcriber that fails does not leave it quiet": {
			[]then{starts, {1.4, SpeechEnded{End: seconds(1.3)}}, {1.7, TranscriberFailed{}}},
			[]string{"1.10 duck", "1.70 unduck"},
		},
		"nor does a sound in which our own words were understood": {
			[]then{starts, {1.3, EchoTranscribed{}}, {2.6, SpeechEnded{End: seconds(2.5)}}, {2.7, Transcribed{"", true}}},
			[]string{"1.10 duck", "2.70 unduck"},
		},
		"what may be an echo never stops by its sound": {
			[]then{words(0.5, "Ja"), {0.6, Transcribed{"Ja.", true}}, {1.1, SpeechStarted{Since: seconds(1), Vague: true}}},
			[]string{"1.10 duck"},
		},
	} {
		cases[name] = turnCase{
			func(s *Plan) { s.FirstMessage, s.FirstMessageInterruptions = "Hi.", true },
			[][]then{{{0.1, PlaybackStarted{}}}, tt.events, {{3, Tick{}}}},
			append([]string{"0.00 speak: Hi."}, tt.want...),
		}
	}
	checkTurns(t, cases)
}

// Words that were answered before they were final come once more, and count once; but not of a transcriber that is gone.
func TestInterimWordsCountOnce(t *testing.T) {
	t.Parallel()

	for name, later := range map[string][]then{
		"they become final": {{5, Transcribed{"What does it cost? And tomorrow?", true}}},
		"they are lost":     {{4.5, TranscriberFailed{}}, {5, Transcribed{"And tomorrow?", true}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := DefaultPlan()
			script.FirstMessageMode = AssistantWaitsForUser
			script.StartSpeaking.ThinkAhead = false
			got := play(NewRules(script), 12, slices.Concat(
				[]then{{0, Answered{}}, {1, Transcribed{"What does it cost", false}}}, spoken(3, 4, "Ten."), later,
			)...)
			var thought []string
			for _, line := range got {
				if _, words, found := strings.Cut(line, "think: "); found {
					thought = append(thought, words)
				}
			}
			require.Equal(t, []string{"What does it cost", "And tomorrow?"}, thought)
		})
	}
}
