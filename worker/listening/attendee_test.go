package listening

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/voice/turn"
)

// A listener asks to barge in and leaves before the conversation has taken that: the assistant must not stay silent for nobody.
func TestWhoBargesInAndLeavesStepsBack(t *testing.T) {
	t.Parallel()

	commands := make(chan turn.Command, 2)
	l := &attendee{Audience: &Audience{call: &Call{Commands: commands}, ctx: t.Context()}, command: "a"}
	l.change(callstate.ListenerBarges)
	l.stepBack()
	require.Equal(t, turn.BargeIn{ID: "a"}, <-commands)
	require.Equal(t, turn.StepBack{BargeIn: "a"}, <-commands)

	l.stepBack()
	require.Equal(t, turn.StepBack{BargeIn: "a"}, <-commands, "no verdict has come")
	l.asked = false
	l.stepBack()
	require.Empty(t, commands, "who did not barge in gives nothing back")
}
