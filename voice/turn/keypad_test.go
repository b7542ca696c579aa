package turn

import (
	"strings"
	"testing"
	"time"
)

// keys are pressed one every 0.2 s.
func keys(at float64, all string) []then {
	var out []then
	for i := range len(all) {
		out = append(out, then{at + 0.2*float64(i), KeyPressed{all[i]}})
	}
	return out
}

func TestKeypad(t *testing.T) {
	t.Parallel()

	enabled := func(s *Plan) {
		s.FirstMessageMode = AssistantWaitsForUser
		s.Keypad.Enabled = true
	}
	const entry = "User's Keypad Entry: "
	checkTurns(t, map[string]turnCase{
		"keys mean nothing where the plan is off": {
			func(s *Plan) { s.FirstMessageMode = AssistantWaitsForUser }, [][]then{keys(1, "12")}, nil,
		},
		"the entry is complete after the timeout": {
			enabled, [][]then{keys(1, "1234"), spoken(4, 5, "Thanks.")},
			[]string{"3.60 think: " + entry + "1234", "4.00 remember 1.00: " + entry + "1234"},
		},
		"or at a delimiter": {
			func(s *Plan) { enabled(s); s.Keypad.Delimiters = "#*" },
			[][]then{keys(1, "12#"), spoken(1.6, 2, "Thanks."), keys(3, "34*"), spoken(3.6, 4, "Thanks.")},
			[]string{
				"1.40 think: " + entry + "12", "1.60 remember 1.00: " + entry + "12",
				"3.40 think: " + entry + "34", "3.60 remember 3.00: " + entry + "34",
			},
		},
		"a key that is no delimiter belongs to the entry": {
			func(s *Plan) { enabled(s); s.Keypad.Delimiters = "#" }, [][]then{keys(1, "*1#"), spoken(2, 3, "Thanks.")},
			[]string{"1.40 think: " + entry + "*1", "2.00 remember 1.00: " + entry + "*1"},
		},
		"a delimiter alone is no entry": {func(s *Plan) { enabled(s); s.Keypad.Delimiters = "#" }, [][]then{keys(1, "##")}, nil},
		"without a timeout only a delimiter completes it": {
			func(s *Plan) { enabled(s); s.Keypad.Timeout, s.Keypad.Delimiters = 0, "#" },
			[][]then{keys(1, "12"), keys(9, "#"), spoken(9.5, 10, "Thanks.")},
			[]string{"9.00 think: " + entry + "12", "9.50 remember 1.00: " + entry + "12"},
		},
		"a key interrupts": {
			func(s *Plan) { enabled(s); s.Keypad.Delimiters = "#" },
			[][]then{said(1, 2, "Help."), {{3, PlaybackStarted{}}}, keys(4, "1#"), spoken(5.5, 6, "Yes.")},
			[]string{
				"2.60 think: Help.", "3.00 remember 1.00: Help.", "4.00 cut, interrupted",
				"5.00 think: " + entry + "1", "5.50 remember 4.00: " + entry + "1",
			},
		},
		"but not a first message that may not be": {
			func(s *Plan) {
				enabled(s)
				s.FirstMessageMode, s.FirstMessage, s.Keypad.Timeout = AssistantSpeaksFirst, "Hi.", time.Second
			},
			[][]then{{{0.1, PlaybackStarted{}}}, keys(1, "1"), {{4, PlaybackEnded{"Hi."}}}, spoken(4.5, 5, "Thanks.")},
			[]string{"0.00 speak: Hi.", "4.00 think: " + entry + "1", "4.50 remember 1.00: " + entry + "1"},
		},
		"words before it are a message of their own": {
			enabled, [][]then{said(1, 2, "My number is"), keys(2.6, "12"), spoken(5, 6, "Thanks.")},
			[]string{"4.80 remember 1.00: My number is", "4.80 think: " + entry + "12", "5.00 remember 2.60: " + entry + "12"},
		},
		"an endless entry ends": {
			func(s *Plan) { enabled(s); s.Keypad.Timeout = 0 }, [][]then{keys(1, strings.Repeat("1", 64)), spoken(14, 15, "Oh.")},
			[]string{"13.60 think: " + entry + strings.Repeat("1", 64), "14.00 remember 1.00: " + entry + strings.Repeat("1", 64)},
		},
		"keys that were never entered are kept": {
			enabled, [][]then{keys(1, "12"), {{2, Disconnected{CustomerEndedCall}}}},
			[]string{"2.00 remember 1.00: " + entry + "12", "2.00 hang up: customer-ended-call"},
		},
	})
}
