package jobstest

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
)

// AddTalk returns a call that was answered, with a conversation, and is over.
func (f *Fixture) AddTalk(t *testing.T) *dbsqlc.Call {
	t.Helper()
	call := f.EndedCall(t)
	for position, turn := range []struct{ role, text string }{{"assistant", "Hello."}, {"user", "Who is this?"}} {
		require.NoError(t, calls.AddTurns(t.Context(), f.Tx, &calls.Turn{
			Call: call, Position: int32(position), Role: turn.role, Text: turn.text, SecondsFromStart: float64(position),
		}))
	}
	return call
}

// FinishCall works the job that follows the end of a call, and returns how long it sleeps on.
func (f *Fixture) FinishCall(t *testing.T, callID uuid.UUID) time.Duration {
	t.Helper()
	return Work(t, f, f.FinishCallWorker(), calls.FinishCallArgs{CallID: callID})
}

// SentReport is what is read of an end-of-call-report.
type SentReport struct {
	Transcript  string
	EndedReason string
	Messages    []struct{ Role, Message string }
	Analysis    struct {
		Summary, SuccessEvaluation string
		StructuredData             map[string]any
	}
}

// SentReports returns the end-of-call-reports of a call.
func (f *Fixture) SentReports(t *testing.T, callID uuid.UUID) []SentReport {
	t.Helper()
	return dbfactory.Messages[SentReport](t, f.Tx, "call_id = $1 AND type = 'end-of-call-report'", callID)
}

// GetContact returns the fixture's contact as it is now.
func (f *Fixture) GetContact(t *testing.T) *dbsqlc.Contact {
	t.Helper()
	contact, err := dbsqlc.New().ContactGet(t.Context(), f.Tx, &dbsqlc.ContactGetParams{AccountID: f.Account.ID, ID: f.Contact.ID})
	require.NoError(t, err)
	return contact
}

// QueuedCall returns a call that waits to be placed.
func (f *Fixture) QueuedCall(t *testing.T) *dbsqlc.Call {
	t.Helper()
	call, err := calls.InsertDirect(t.Context(), f.Tx, &calls.DirectCall{
		ID: dbfactory.ID(t), AccountID: f.Account.ID, AssistantID: f.Assistant.ID, ContactID: f.Contact.ID,
		CustomData: json.RawMessage(`{}`),
	})
	require.NoError(t, err)
	require.NoError(t, calls.Enqueue(t.Context(), f.Tx, f.Inserter, call))
	return call
}

// DispatchJob returns the arguments of the job that places the call.
func (f *Fixture) DispatchJob(callID uuid.UUID) calls.PlaceCallArgs {
	return calls.PlaceCallArgs{AccountID: f.Account.ID, CallID: callID}
}

// Claim claims a call for the process and returns it, none when it has no place.
func (f *Fixture) Claim(t *testing.T, callID uuid.UUID, processID string) []*dbsqlc.Call {
	t.Helper()
	calls, err := calls.Claim(t.Context(), f.Tx, f.Inserter, []*calls.PlaceCallArgs{new(f.DispatchJob(callID))}, processID)
	require.NoError(t, err)
	return slices.Collect(maps.Values(calls))
}

// Call returns a call as it is now.
func (f *Fixture) Call(t *testing.T, id uuid.UUID) *dbsqlc.Call {
	t.Helper()
	call, err := dbsqlc.New().CallGet(t.Context(), f.Tx, &dbsqlc.CallGetParams{AccountID: f.Account.ID, ID: id})
	require.NoError(t, err)
	require.NoError(t, calls.LoadConfigurations(t.Context(), f.Tx, call))
	return call
}

// Limit sets how many calls the account runs at once.
func (f *Fixture) Limit(t *testing.T, most, inbound int32) {
	t.Helper()
	_, err := calls.SetLimits(t.Context(), f.Tx, f.Inserter,
		&dbsqlc.AccountSetLimitsParams{ID: f.Account.ID, MaxConcurrentCalls: &most, ReservedInboundCalls: &inbound})
	require.NoError(t, err)
}

// InboundCall inserts a live call that came in.
func (f *Fixture) InboundCall(t *testing.T) {
	t.Helper()
	_, err := f.Tx.Exec(t.Context(),
		"UPDATE call SET direction = 'inbound', status = 'ringing', worker_id = 'process' WHERE id = $1", f.QueuedCall(t).ID)
	require.NoError(t, err)
}

// DispatchJobs returns the calls that the account's place_call jobs name, in the order of their writing.
func (f *Fixture) DispatchJobs(t *testing.T) []uuid.UUID {
	t.Helper()
	rows, err := f.Tx.Query(t.Context(),
		"SELECT (args->>'call_id')::uuid FROM river_job WHERE kind = 'place_call' AND args->>'account_id' = $1 ORDER BY id",
		f.Account.ID)
	require.NoError(t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	require.NoError(t, err)
	return ids
}

// EndedCall returns a call that was answered and is over.
func (f *Fixture) EndedCall(t *testing.T) *dbsqlc.Call {
	t.Helper()
	call := f.QueuedCall(t)
	require.Len(t, f.Claim(t, call.ID, "process"), 1)
	_, err := calls.Advance(t.Context(), f.Tx, "process", &calls.Progress{CallID: call.ID, Status: "in-progress"})
	require.NoError(t, err)
	return f.End(t, call.ID, "process")[0]
}

// End ends a call of the process, as its customer hangs up.
func (f *Fixture) End(t *testing.T, callID uuid.UUID, processID string) []*dbsqlc.Call {
	t.Helper()
	calls, err := calls.End(t.Context(), f.Tx, f.Inserter, processID, map[uuid.UUID]calls.Ending{
		callID: {Status: "completed", Reason: "customer-ended-call", Fault: "customer"},
	})
	require.NoError(t, err)
	return calls
}

// ScheduledCall returns a scheduled call of the contact.
func (f *Fixture) ScheduledCall(t *testing.T, at time.Time, change func(*calls.ScheduledCall)) *dbsqlc.ScheduledCall {
	t.Helper()
	asked := &calls.ScheduledCall{
		ID: dbfactory.ID(t), AccountID: f.Account.ID, AssistantID: f.Assistant.ID, ContactID: f.Contact.ID, At: at,
		ScheduledCallDetails: calls.ScheduledCallDetails{Variables: jsonb.Strings{"day": "Monday"}, Instruction: new("Be brief.")},
	}
	if change != nil {
		change(asked)
	}
	made, err := calls.InsertScheduled(t.Context(), f.Tx, asked)
	require.NoError(t, err)
	return made
}

// Events returns the account's events of a call, oldest first, as "type:callStatus".
func (f *Fixture) Events(t *testing.T, callID uuid.UUID) []string {
	t.Helper()
	events := []string{}
	for _, message := range dbfactory.Messages[struct{ Type, CallStatus string }](t, f.Tx, "account_id = $1 AND call_id = $2",
		f.Account.ID, callID) {
		events = append(events, message.Type+":"+message.CallStatus)
	}
	return events
}
