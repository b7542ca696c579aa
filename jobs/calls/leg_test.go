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
	"github.com/callwright/callwright/jobs/costs"
	"github.com/callwright/callwright/jobs/jobstest"
)

const deskNumber = "+31201234567"

// talking is an outbound call that was answered and is being transferred.
func talking(t *testing.T, f *jobstest.Fixture) *dbsqlc.Call {
	t.Helper()
	call := f.Claim(t, f.QueuedCall(t).ID, "process")[0]
	_, err := calls.Advance(t.Context(), f.Tx, "process", &calls.Progress{CallID: call.ID, Status: callstate.StatusInProgress})
	require.NoError(t, err)
	forwarded, err := calls.Forward(t.Context(), f.Tx, call.ID, "process", deskNumber, time.Now())
	require.NoError(t, err)
	return forwarded
}

// addLeg rings the desk.
func addLeg(t *testing.T, f *jobstest.Fixture, call *dbsqlc.Call, processID string) (uuid.UUID, time.Duration, error) {
	t.Helper()
	id := dbfactory.ID(t)
	longest, err := calls.AddLeg(t.Context(), f.Tx, call, &calls.Leg{
		ID: id, ProcessID: processID, Destination: deskNumber, Mode: "blind-transfer", SIPCallID: id.String(),
	})
	return id, longest, err
}

func moveLeg(t *testing.T, f *jobstest.Fixture, call *dbsqlc.Call, id uuid.UUID, status string) {
	t.Helper()
	step := &calls.LegStep{ID: id, Status: status, At: time.Now()}
	require.NoError(t, calls.MoveLeg(t.Context(), f.Tx, f.Inserter, call, "process", step))
}

// legOf is the only leg of a call.
func legOf(t *testing.T, f *jobstest.Fixture, call *dbsqlc.Call) *dbsqlc.CallLeg {
	t.Helper()
	legs, err := calls.ListLegs(t.Context(), f.Tx, f.Call(t, call.ID))
	require.NoError(t, err)
	require.Len(t, legs[call.ID], 1)
	return legs[call.ID][0]
}

func TestASecondLegTakesAPlace(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	f.Limit(t, 2, 0)
	call := talking(t, f)
	id, longest, err := addLeg(t, f, call, "process")
	require.NoError(t, err)
	require.Equal(t, 2*time.Hour, longest)
	admitted, err := calls.AdmitInbound(t.Context(), f.Tx, f.Account.ID)
	require.NoError(t, err)
	require.False(t, admitted, "the places are taken")
	waiting := f.QueuedCall(t)
	require.Empty(t, f.Claim(t, waiting.ID, "process"))

	before := len(f.DispatchJobs(t))
	moveLeg(t, f, call, id, callstate.LegRinging)
	moveLeg(t, f, call, id, callstate.LegBusy)
	moveLeg(t, f, call, id, callstate.LegCompleted) // again: it was over
	require.Equal(t, callstate.LegBusy, legOf(t, f, call).Status)
	require.Len(t, f.DispatchJobs(t), before+1, "who waits is told of the place, once")
	require.Len(t, f.Claim(t, waiting.ID, "process"), 1)
	_, _, err = addLeg(t, f, call, "process")
	require.ErrorIs(t, err, calls.ErrNoPlace)
}

func TestOneSecondLegAtATime(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	call := talking(t, f)
	_, _, err := addLeg(t, f, call, "another process")
	require.ErrorIs(t, err, calls.ErrConflict)
	_, _, err = addLeg(t, f, call, "process")
	require.NoError(t, err)
	_, _, err = addLeg(t, f, call, "process")
	require.ErrorIs(t, err, calls.ErrConflict)
}

func TestMinutesOfASecondLeg(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	execIn(t, f, "UPDATE account SET max_daily_minutes = 60 WHERE id = $1", f.Account.ID)
	call := talking(t, f)
	execIn(t, f, "UPDATE call SET simulated = false, reserved_seconds = 600 WHERE id = $1", call.ID)
	call = f.Call(t, call.ID)
	id, longest, err := addLeg(t, f, call, "process")
	require.NoError(t, err)
	require.Equal(t, 25*time.Minute, longest, "the rest of the day, for two legs that cost")
	moveLeg(t, f, call, id, callstate.LegInProgress)
	moveLeg(t, f, call, id, callstate.LegJoined)
	execIn(t, f, "UPDATE call_leg SET started_at = now() - interval '90 seconds' WHERE id = $1", id)
	execIn(t, f, "UPDATE call SET started_at = now() - interval '100 seconds' WHERE id = $1", call.ID)
	before := len(f.DispatchJobs(t))
	require.Len(t, f.End(t, call.ID, "process"), 1)
	leg := legOf(t, f, call)
	require.Equal(t, callstate.LegCompleted, leg.Status)
	require.NotNil(t, leg.EndedAt)
	require.InDelta(t, 190, today(t, f).CallSeconds, 2)
	require.Len(t, f.DispatchJobs(t), before)
}

func TestALegOfALostCall(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	call := talking(t, f)
	id, _, err := addLeg(t, f, call, "process")
	require.NoError(t, err)
	moveLeg(t, f, call, id, callstate.LegInProgress)
	// the worker died before it wrote that the call was forwarded
	execIn(t, f, "UPDATE call SET timeline = '[]' WHERE id = $1", call.ID)
	_, err = calls.End(t.Context(), f.Tx, f.Inserter, "process", map[uuid.UUID]calls.Ending{
		call.ID: {Status: callstate.StatusFailed, Reason: callstate.ReasonWorkerLost, Fault: callstate.FaultPlatform},
	})
	require.NoError(t, err)
	leg := legOf(t, f, call)
	require.Equal(t, callstate.LegFailed, leg.Status)
	require.Equal(t, "the worker that held the call died", *leg.Error)
	step := &calls.LegStep{ID: id, Status: callstate.LegCompleted}
	require.ErrorIs(t, calls.MoveLeg(t.Context(), f.Tx, f.Inserter, call, "process", step), calls.ErrConflict)
}

// TestASecondLegCosts: its minutes cost what the number does that it went to, beside those of the call, once.
func TestASecondLegCosts(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	long := time.Now().Add(-time.Hour)
	require.NoError(t, costs.SetPrices(t.Context(), f.Tx,
		costs.Price{Kind: jsonb.KindOutbound, Provider: "trunk", ValidFrom: long, USD: 1},
		costs.Price{Kind: jsonb.KindOutbound, Provider: "trunk", Model: "3120", ValidFrom: long, USD: 6_000_000},
	))
	call := talking(t, f)
	_, err := f.Tx.Exec(t.Context(), "UPDATE call SET simulated = false, direction = 'inbound' WHERE id = $1", call.ID)
	require.NoError(t, err)
	unanswered, _, err := addLeg(t, f, call, "process")
	require.NoError(t, err)
	moveLeg(t, f, call, unanswered, callstate.LegNoAnswer)
	joined, _, err := addLeg(t, f, call, "process")
	require.NoError(t, err)
	moveLeg(t, f, call, joined, callstate.LegInProgress)
	_, err = f.Tx.Exec(t.Context(), "UPDATE call_leg SET started_at = now() - interval '90 seconds' WHERE id = $1", joined)
	require.NoError(t, err)
	_, err = f.Tx.Exec(t.Context(), "UPDATE call_leg SET ended_at = now(), status = 'completed' WHERE id = $1", joined)
	require.NoError(t, err)
	require.Len(t, f.End(t, call.ID, "process"), 1)

	used, err := costs.List(t.Context(), f.Tx, f.Account.ID, call.ID)
	require.NoError(t, err)
	require.Len(t, used[call.ID], 2)
	leg := used[call.ID][1]
	require.Equal(t, []any{"transfer", jsonb.KindOutbound, "trunk", "3120", int64(90_000), int64(9_000_000)},
		[]any{leg.Part, leg.Kind, leg.Provider, leg.PriceOf, leg.Quantity, leg.Cost})
	require.Len(t, used[call.ID].Costs(), 2)
	var outbound, inbound int64
	row := f.Tx.QueryRow(t.Context(), "SELECT leg_ms, call_ms FROM call_usage WHERE call_id = $1", call.ID)
	require.NoError(t, row.Scan(&outbound, &inbound))
	require.Equal(t, int64(90_000), outbound)
	require.Equal(t, used[call.ID][0].Quantity, inbound)
}
