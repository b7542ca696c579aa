package calls_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
)

func TestCallCommands(t *testing.T) {
	t.Parallel()

	say := jsonb.CallCommand{Content: "Hello."}
	command := func(t *testing.T, f *jobstest.Fixture, call *dbsqlc.Call) *dbsqlc.CallCommand {
		t.Helper()
		command, err := calls.Command(t.Context(), f.Tx, f.Account.ID, call.ID, calls.CommandSay, say)
		require.NoError(t, err)
		return command
	}
	status := func(t *testing.T, f *jobstest.Fixture, command *dbsqlc.CallCommand) (status string) {
		t.Helper()
		require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT status FROM call_command WHERE id = $1", command.ID).Scan(&status))
		return status
	}
	live := func(t *testing.T, f *jobstest.Fixture) *dbsqlc.Call {
		t.Helper()
		return f.Claim(t, f.QueuedCall(t).ID, "process")[0]
	}

	t.Run("HaveOneOutcome", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		call := live(t, f)
		given := command(t, f, call)
		_, err := calls.FinishCommand(t.Context(), f.Tx, call, given.ID, "")
		require.NoError(t, err)
		_, err = calls.FinishCommand(t.Context(), f.Tx, call, given.ID, "Too late.")
		require.ErrorIs(t, err, calls.ErrConflict)
		f.End(t, call.ID, "process")
		require.Equal(t, "done", status(t, f, given))
		require.Equal(t, []string{"status-update:queued", "call-command-update:", "status-update:completed"}, f.Events(t, call.ID))
	})

	t.Run("FailWhenTheCallEndsFirst", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		call, other := live(t, f), live(t, f)
		given, others := command(t, f, call), command(t, f, other)
		f.End(t, call.ID, "process")
		require.Equal(t, "failed", status(t, f, given))
		require.Equal(t, "pending", status(t, f, others))
		_, err := calls.Command(t.Context(), f.Tx, f.Account.ID, call.ID, calls.CommandSay, say)
		require.ErrorIs(t, err, calls.ErrNotLive)
	})

	t.Run("ReachNobodyElsesCalls", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		stranger := jobstest.NewIn(t, f.Tx)
		_, err := calls.Command(t.Context(), f.Tx, stranger.Account.ID, live(t, f).ID, calls.CommandSay, say)
		require.Error(t, err)
		require.NotErrorIs(t, err, calls.ErrNotLive)
	})

	t.Run("ATransferIsForwarding", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		call := live(t, f)
		_, err := calls.Forward(t.Context(), f.Tx, call.ID, "process", "+31201234567", time.Time{})
		require.ErrorIs(t, err, calls.ErrConflict, "it was not answered")
		_, err = calls.Advance(t.Context(), f.Tx, "process", &calls.Progress{CallID: call.ID, Status: "in-progress"})
		require.NoError(t, err)
		for _, want := range []struct {
			target, status string
		}{{"+31201234567", "forwarding"}, {"", "in-progress"}} {
			moved, err := calls.Forward(t.Context(), f.Tx, call.ID, "process", want.target, time.Time{})
			require.NoError(t, err)
			require.Equal(t, want.status, moved.Status)
			told := dbfactory.Messages[struct {
				Status      string
				Destination struct{ Number string }
			}](t, f.Tx, "call_id = $1", call.ID)
			last := told[len(told)-1]
			require.Equal(t, want.status, last.Status)
			require.Equal(t, want.target, last.Destination.Number)
		}
	})

	t.Run("WhereACallWentIsKeptWhereItWent", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		for reason, want := range map[string]*string{
			callstate.ReasonAssistantForwardedCall: new("sip:desk@example.com"), callstate.ReasonCustomerEndedCallDuringTransfer: nil,
		} {
			call := live(t, f)
			_, err := calls.Advance(t.Context(), f.Tx, "process", &calls.Progress{CallID: call.ID, Status: callstate.StatusInProgress})
			require.NoError(t, err)
			moved, err := calls.Forward(t.Context(), f.Tx, call.ID, "process", "sip:desk@example.com", time.Time{})
			require.NoError(t, err)
			require.Equal(t, "sip:desk@example.com", *moved.TransferredTo)
			ended, err := calls.End(t.Context(), f.Tx, f.Inserter, "process", map[uuid.UUID]calls.Ending{
				call.ID: {Status: callstate.StatusCompleted, Reason: reason, Fault: callstate.FaultOf(reason)},
			})
			require.NoError(t, err)
			require.Equal(t, want, ended[0].TransferredTo, reason)
		}
	})

	t.Run("OnlyTheHolderOfALiveCallHoldsIt", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		call := live(t, f)
		require.NoError(t, calls.Hold(t.Context(), f.Tx, call.ID, "process"))
		require.ErrorIs(t, calls.Hold(t.Context(), f.Tx, call.ID, "other"), calls.ErrConflict)
		f.End(t, call.ID, "process")
		require.ErrorIs(t, calls.Hold(t.Context(), f.Tx, call.ID, "process"), calls.ErrConflict)
	})
}
