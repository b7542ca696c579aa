package turn

import "testing"

// Colleagues barge in on calls and step back.
func TestOperators(t *testing.T) {
	t.Parallel()

	greets := func(s *Plan) { s.FirstMessage = "Hi." }
	barges := func(at float64) []then { return []then{{at, CommandReceived{BargeIn{ID: "a"}}}} }
	back := func(at float64) []then { return []then{{at, CommandReceived{StepBack{"a"}}}} }
	const again = "inform system: " + stoodBack
	checkTurns(t, map[string]turnCase{
		"the assistant is cut off, and listens": {
			greets,
			[][]then{{{0.1, PlaybackStarted{}}}, barges(0.5), said(1, 2, "Who is this?"),
				{{3, CommandReceived{Operator{"I am Ann.", seconds(2.5)}}}}, back(4)},
			[]string{
				"0.00 speak: Hi.", "0.50 cut", "0.50 attend", "0.50 settled: a", "2.50 remember 1.00: Who is this?",
				"3.00 remember 2.50 of a colleague: I am Ann.", "4.00 unattend", "4.00 " + again,
			},
		},
		"who spoke last is answered": {
			greets,
			[][]then{spoken(0.1, 0.4, "Hi."), barges(0.5), said(1, 2, "Who is this?"), back(4), spoken(5, 6, "A robot.")},
			[]string{
				"0.00 speak: Hi.", "0.50 attend", "0.50 settled: a", "2.50 remember 1.00: Who is this?", "4.00 unattend", "4.00 " + again,
				"4.00 think: ",
			},
		},
		"an answer in the making is given up": {
			greets,
			[][]then{spoken(0.1, 0.4, "Hi."), said(1, 2, "Are you open?"), barges(2.8), back(4)},
			[]string{
				"0.00 speak: Hi.", "2.60 think: Are you open?", "2.80 remember 1.00: Are you open?", "2.80 cut", "2.80 attend",
				"2.80 settled: a",
				"4.00 unattend", "4.00 " + again,
			},
		},
		"nobody is reminded, or transferred, and one speaks": {
			func(s *Plan) { greets(s); s.Idle.Messages, s.Idle.After = []string{"Hello?"}, seconds(1) },
			[][]then{
				spoken(0.1, 0.4, "Hi."), barges(0.5), {{5, CommandReceived{Transfer{ID: "b", Target: "x"}}},
					{6, CommandReceived{BargeIn{ID: "c"}}}},
				{{7, CommandReceived{Say{ID: "d", Content: "Later."}}}}, back(10), spoken(10.5, 11, "Later."),
			},
			[]string{
				"0.00 speak: Hi.", "0.50 attend", "0.50 settled: a", "5.00 refused: b", "6.00 refused: c", "10.00 unattend", "10.00 " + again,
				"10.00 speak: Later.", "10.00 settled: d",
			},
		},
		"who was refused takes nobody back": {
			greets,
			[][]then{
				spoken(0.1, 0.4, "Hi."), barges(0.5), {{1, CommandReceived{BargeIn{ID: "b"}}}, {1.5, CommandReceived{StepBack{"b"}}}},
				back(3),
			},
			[]string{"0.00 speak: Hi.", "0.50 attend", "0.50 settled: a", "1.00 refused: b", "3.00 unattend", "3.00 " + again},
		},
		"not while the caller is put through": {
			greets,
			[][]then{spoken(0.1, 0.4, "Hi."), {{0.5, CommandReceived{Transfer{ID: "t", Target: "x"}}}}, barges(1), back(2)},
			[]string{"0.00 speak: Hi.", "0.50 transfer: x", "1.00 refused: a"},
		},
		"a call that ends then ends without a farewell": {
			greets,
			[][]then{spoken(0.1, 0.4, "Hi."), barges(0.5), {{2, ShuttingDown{}}}},
			[]string{"0.00 speak: Hi.", "0.50 attend", "0.50 settled: a", "2.00 hang up: worker-shutdown"},
		},
	})
}
