package turn

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// endOf plays events and returns why the caller's turn ended that is being answered then.
func endOf(t *testing.T, script func(*Plan), events ...then) EndOfTurn {
	t.Helper()
	plan := DefaultPlan()
	plan.FirstMessage = "Hello."
	script(&plan)
	rules, state := NewRules(plan), State{}
	for _, next := range append([]then{{0, Answered{}}}, events...) {
		for due, ok := state.NextDeadline(); ok && due <= seconds(next.at); due, ok = state.NextDeadline() {
			state, _ = rules.Step(state, due, Tick{})
		}
		state, _ = rules.Step(state, seconds(next.at), next.e)
	}
	for {
		if end, answers := state.EndOfTurn(); answers {
			return end
		}
		due, ok := state.NextDeadline()
		require.True(t, ok && due < time.Minute, "the turn does not end")
		state, _ = rules.Step(state, due, Tick{})
	}
}

func TestWhyATurnEnds(t *testing.T) {
	t.Parallel()

	greeted := spoken(0.1, 1, "Hello.")
	timed := func(p *Plan) { p.StartSpeaking.Endpointing, p.StartSpeaking.Wait = ByPunctuation, 400*time.Millisecond }
	for name, tt := range map[string]struct {
		script func(*Plan)
		events []then
		want   EndRule
		wait   float64
	}{
		"words":             {func(*Plan) {}, said(2, 3, "Can you help me?"), EndByEvidence, 0.309},
		"the shortest wait": {func(p *Plan) { p.StartSpeaking.Wait = time.Second }, said(2, 3, "Can you help me?"), EndByWait, 1},
		"a function": {func(p *Plan) {
			p.StartSpeaking.WaitFunction = func(float64) time.Duration { return 700 * time.Millisecond }
		}, said(2, 3, "Can you help me?"), EndByWaitFunction, 0.7},
		"a rule": {func(p *Plan) {
			p.StartSpeaking.Rules = []EndpointingRule{{Customer: regexp.MustCompile("help"), Wait: 3 * time.Second}}
		}, said(2, 3, "Can you help me?"), EndByCustomRule, 3},
		"others who are heard behind the words": {func(*Plan) {},
			append(said(2, 3, "Can you help me with the"), then{3.6, OthersHeard{}}),
			EndByEvidence, 1},
		"a full stop":    {timed, said(2, 3, "I need help."), EndByPunctuation, 0.1},
		"a number":       {timed, said(2, 3, "Number 4"), EndByNumber, 0.5},
		"no punctuation": {timed, said(2, 3, "I need"), EndByNoPunctuation, 1.5},
		"an entry":       {func(p *Plan) { p.Keypad.Enabled = true }, []then{{2, KeyPressed{'1'}}}, EndByKeypad, 2},
		"an interruption": {func(p *Plan) { p.FirstMessageInterruptions, p.StopSpeaking.Backoff = true, 4*time.Second },
			[]then{{0.2, SpeechStarted{Since: seconds(0.1)}}, {0.5, Transcribed{"Stop it please.", false}},
				{0.9, SpeechEnded{End: seconds(0.6)}}, {1.0, Transcribed{"Stop it please.", true}}},
			EndByBackoff, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events := tt.events
			if tt.want != EndByBackoff {
				events = append(slices.Clip(greeted), events...)
			} else {
				events = append(greeted[:1:1], events...)
			}
			end := endOf(t, tt.script, events...)
			require.Equal(t, tt.want, end.Rule)
			require.InDelta(t, tt.wait, end.Wait.Seconds(), 0.01)
			require.GreaterOrEqual(t, end.At, end.LastWords)
		})
	}

	end := endOf(t, func(*Plan) {}, append(greeted, said(2, 3, "Can you help me?")...)...)
	require.Equal(t, []time.Duration{seconds(3), seconds(3.5), seconds(3.5)},
		[]time.Duration{end.SpeechEnded, end.LastWords, end.At})
}

// A sound that may be the caller's holds a reply back until it is clear what it is, once.
func TestASuspectedSoundHoldsTheReply(t *testing.T) {
	t.Parallel()

	asked := append(spoken(0.1, 1, "Hello."), said(2, 3, "Can you help me?")...)
	asked[len(asked)-1].at = 3.2 // before the wait is over
	asked[len(asked)-2].at = 3.2
	end := endOf(t, func(*Plan) {}, append(asked, then{3.28, SpeechSuspected{}}, then{3.35, SpeechSuspected{}})...)
	require.InDelta(t, 3.41, end.At.Seconds(), 0.001)
}
