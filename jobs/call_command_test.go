package jobs

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
)

func TestCallCommands(t *testing.T) {
	t.Parallel()

	say := jsonb.CallCommand{Content: "Hello."}
	command := func(t *testing.T, f *fixture, call *dbsqlc.Call) *dbsqlc.CallCommand {
		t.Helper()
		command, err := CommandCall(t.Context(), f.tx, f.account.ID, call.ID, CommandSay, say)
		require.NoError(t, err)
		return command
	}
	status := func(t *testing.T, f *fixture, command *dbsqlc.CallCommand) (status string) {
		t.Helper()
		require.NoError(t, f.tx.QueryRow(t.Context(), "SELECT status FROM call_command WHERE id = $1", command.ID).Scan(&status))
		return status
	}
	live := func(t *testing.T, f *fixture) *dbsqlc.Call {
		t.Helper()
		return f.claim(t, f.queuedCall(t).ID, "process")[0]
	}

	t.Run("HaveOneOutcome", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		call := live(t, f)
		given := command(t, f, call)
		_, err := CommandFinished(t.Context(), f.tx, f.inserter, call, given.ID, "")
		require.NoError(t, err)
		_, err = CommandFinished(t.Context(), f.tx, f.inserter, call, given.ID, "Too late.")
		require.ErrorIs(t, err, ErrMoved)
		f.end(t, call.ID, "process")
		require.Equal(t, "done", status(t, f, given))
		require.Equal(t, []string{"status-update:queued", "status-update:dialing", "call-command-update:", "status-update:completed"}, f.events(t, call.ID))
	})

	t.Run("FailWhenTheCallEndsFirst", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		call, other := live(t, f), live(t, f)
		given, others := command(t, f, call), command(t, f, other)
		f.end(t, call.ID, "process")
		require.Equal(t, "failed", status(t, f, given))
		require.Equal(t, "pending", status(t, f, others))
		_, err := CommandCall(t.Context(), f.tx, f.account.ID, call.ID, CommandSay, say)
		require.ErrorIs(t, err, ErrNotLive)
	})

	t.Run("ReachNobodyElsesCalls", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		stranger := setupIn(t, f.tx)
		_, err := CommandCall(t.Context(), f.tx, stranger.account.ID, live(t, f).ID, CommandSay, say)
		require.Error(t, err)
		require.NotErrorIs(t, err, ErrNotLive)
	})

	t.Run("ATransferIsForwarding", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		call := live(t, f)
		_, err := CallForwarding(t.Context(), f.tx, f.inserter, call.ID, "process", "+31201234567")
		require.ErrorIs(t, err, ErrMoved, "it was not answered")
		_, err = CallsProgressed(t.Context(), f.tx, f.inserter, "process", &Progress{CallID: call.ID, Status: "in-progress"})
		require.NoError(t, err)
		for _, want := range []struct {
			target, status string
		}{{"+31201234567", "forwarding"}, {"", "in-progress"}} {
			moved, err := CallForwarding(t.Context(), f.tx, f.inserter, call.ID, "process", want.target)
			require.NoError(t, err)
			require.Equal(t, want.status, moved.Status)
			var told string
			require.NoError(t, f.tx.QueryRow(t.Context(), `SELECT coalesce(payload #>> '{destination,number}', '') FROM event
				WHERE call_id = $1 AND payload ->> 'status' = $2 ORDER BY id DESC LIMIT 1`, call.ID, want.status).Scan(&told))
			require.Equal(t, want.target, told)
		}
	})

	t.Run("WhereACallWentIsKeptWhereItWent", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		for reason, want := range map[string]*string{
			callstate.ReasonAssistantForwardedCall: new("sip:desk@example.com"), callstate.ReasonCustomerEndedCallDuringTransfer: nil,
		} {
			call := live(t, f)
			_, err := CallsProgressed(t.Context(), f.tx, f.inserter, "process", &Progress{CallID: call.ID, Status: callstate.StatusInProgress})
			require.NoError(t, err)
			moved, err := CallForwarding(t.Context(), f.tx, f.inserter, call.ID, "process", "sip:desk@example.com")
			require.NoError(t, err)
			require.Equal(t, "sip:desk@example.com", *moved.TransferredTo)
			ended, err := CallsEnded(t.Context(), f.tx, f.inserter, "process", map[uuid.UUID]Ending{
				call.ID: {Status: callstate.StatusCompleted, Reason: reason, Fault: callstate.FaultOf(reason)},
			})
			require.NoError(t, err)
			require.Equal(t, want, ended[0].TransferredTo, reason)
		}
	})

	t.Run("OnlyTheHolderOfALiveCallHoldsIt", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		call := live(t, f)
		require.NoError(t, HoldCall(t.Context(), f.tx, call.ID, "process"))
		require.ErrorIs(t, HoldCall(t.Context(), f.tx, call.ID, "other"), ErrMoved)
		f.end(t, call.ID, "process")
		require.ErrorIs(t, HoldCall(t.Context(), f.tx, call.ID, "process"), ErrMoved)
	})
}
