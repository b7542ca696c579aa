package worker

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/voice/turn"
)

// TestCommandsBeforeTheClaim has commands arrive when the claim of a call is committed, and the telephone does not hold it
// yet: they are there when it does.
func TestCommandsBeforeTheClaim(t *testing.T) {
	t.Parallel()

	callID := dbfactory.ID(t)
	phone := &Phone{calls: map[uuid.UUID]*liveCall{}}
	require.True(t, phone.idle())
	command := func(kind string) *dbsqlc.CallCommand {
		return &dbsqlc.CallCommand{ID: dbfactory.ID(t), CallID: callID, Type: kind}
	}
	phone.command(command(calls.CommandSay)) // nobody's
	phone.expect(callID)
	require.False(t, phone.idle(), "commands are read")
	said, added := command(calls.CommandSay), command(calls.CommandAddMessage)
	for _, row := range []*dbsqlc.CallCommand{said, added, said} { // a command is read until it is done
		phone.command(row)
	}
	journal := &journal{logger: slog.New(slog.DiscardHandler), ctx: t.Context()} // it owns no row
	phone.claim(callID, nil, journal)
	phone.command(added)
	commands := phone.commandsFor(callID)
	require.Len(t, commands, 2)
	require.Equal(t, turn.Say{ID: said.ID.String()}, <-commands)
	require.Equal(t, turn.AddMessage{ID: added.ID.String()}, <-commands)

	phone.expect(callID)
	phone.command(command(calls.CommandEndCall))
	live, cancel := context.WithCancelCause(t.Context())
	phone.claim(callID, cancel, journal)
	select {
	case <-live.Done():
	case <-time.After(time.Second):
	}
	require.ErrorIs(t, context.Cause(live), errEndedByCommand)
}
