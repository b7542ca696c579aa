package numbers_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/numbers"
)

// fakeRegistrant is a telephone that registers connections, or does not.
type fakeRegistrant struct {
	live bool
}

func (r *fakeRegistrant) Registers(simulated bool) bool { return simulated || r.live }

func TestRegisterSIPConnection(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	id := dbfactory.ID(t)
	require.NoError(t, dbsqlc.New().SIPConnectionInsert(t.Context(), f.Tx, &dbsqlc.SIPConnectionInsertParams{
		ID: id, AccountID: f.Account.ID, PhoneNumberID: dbfactory.Number(t, f.Tx, f.Account.ID).ID, SIPUsername: "alice",
		SIPProxy: "sip.example",
	}))
	own := func(processID string) (ids []uuid.UUID) {
		rows, err := dbsqlc.New().SIPConnectionListOwn(t.Context(), f.Tx, &dbsqlc.SIPConnectionListOwnParams{WorkerID: &processID})
		require.NoError(t, err)
		for _, row := range rows {
			ids = append(ids, row.ID)
		}
		return ids
	}
	rings := func(processID string, live bool) bool {
		f.Services.Registrant = &fakeRegistrant{live}
		return jobstest.Work(t, f, &numbers.RegisterSIPConnectionWorker{DB: f.Services.DB, Registrant: f.Services.Registrant,
			ProcessID: processID}, numbers.RegisterSIPConnectionArgs{SIPConnectionID: id}) == 0
	}

	require.False(t, rings("deaf", false), "left to a process that can")
	require.True(t, rings("first", true))
	require.Equal(t, []uuid.UUID{id}, own("first"))
	require.True(t, rings("second", true), "it is taken, so there is nothing to do")
	require.Empty(t, own("second"))

	report := &dbsqlc.SIPConnectionReportParams{ID: id, WorkerID: "second", Status: "registered", Done: 1}
	require.NoError(t, numbers.ReportSIPConnection(t.Context(), f.Tx, report))
	require.Equal(t, "registering", statusOf(t, f, id), "only the process that keeps it registered reports")

	before := len(f.JobKinds(t))
	require.NoError(t, numbers.GiveUpSIPConnections(t.Context(), f.Tx, f.Inserter, "first"))
	require.Empty(t, own("first"))
	require.Len(t, f.JobKinds(t), before+1, "somebody else is asked")
	require.True(t, rings("second", true))
	require.Equal(t, []uuid.UUID{id}, own("second"))
}

func statusOf(t *testing.T, f *jobstest.Fixture, id uuid.UUID) (status string) {
	t.Helper()
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT status FROM sip_connection WHERE id = $1", id).Scan(&status))
	return status
}

// pendingConnection makes a connection for a number that nobody has yet, which process "worker" keeps registered.
func pendingConnection(t *testing.T, f *jobstest.Fixture, accountID uuid.UUID,
	number string) (connection, phoneNumber uuid.UUID) {
	t.Helper()
	row := dbfactory.Number(t, f.Tx, accountID, func(n *dbsqlc.PhoneNumberInsertParams) { n.Number, n.Status = number, "pending" })
	id := dbfactory.ID(t)
	require.NoError(t, dbsqlc.New().SIPConnectionInsert(t.Context(), f.Tx, &dbsqlc.SIPConnectionInsertParams{
		ID: id, AccountID: accountID, PhoneNumberID: row.ID, SIPUsername: "alice", SIPProxy: "sip.example",
	}))
	_, err := dbsqlc.New().SIPConnectionClaim(t.Context(), f.Tx, &dbsqlc.SIPConnectionClaimParams{ID: id, WorkerID: new("worker")})
	require.NoError(t, err)
	return id, row.ID
}

func report(t *testing.T, f *jobstest.Fixture, id uuid.UUID, status string) {
	t.Helper()
	require.NoError(t, numbers.ReportSIPConnection(t.Context(), f.Tx, &dbsqlc.SIPConnectionReportParams{
		ID: id, WorkerID: "worker", Status: status, Done: 1, LastError: new("refused with 403 Forbidden"), SIPCode: new(int32(403)),
	}))
}

// Two accounts bring one number: the first whose proxy registers it has it, also after its connection failed again. Whoever
// comes later gets it only when it is free.
func TestANumberIsWhoseProxyRegistersItFirst(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	const number = "+31207654321"
	other := dbfactory.Account(t, f.Tx)
	first, firstNumber := pendingConnection(t, f, f.Account.ID, number)
	second, secondNumber := pendingConnection(t, f, other.ID, number)
	numberStatus := func(id uuid.UUID) (status string) {
		require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT status FROM phone_number WHERE id = $1", id).Scan(&status))
		return status
	}
	report(t, f, first, "failed")
	require.Equal(t, "pending", numberStatus(firstNumber))
	report(t, f, second, "registered")
	require.Equal(t, "active", numberStatus(secondNumber))
	report(t, f, first, "registered")
	require.Equal(t, "pending", numberStatus(firstNumber), "it is somebody else's")
	require.Equal(t, "failed", statusOf(t, f, first))
	report(t, f, second, "failed")
	report(t, f, first, "registered")
	require.Equal(t, "pending", numberStatus(firstNumber), "a failure gives nothing away")

	row, err := dbsqlc.New().PhoneNumberGetByNumber(t.Context(), f.Tx, &dbsqlc.PhoneNumberGetByNumberParams{Number: number})
	require.NoError(t, err)
	require.Equal(t, other.Email, *row.AccountEmail, "the operator sees whose it is")
	require.NoError(t, numbers.TakeBack(t.Context(), f.Tx, f.Inserter, &row.PhoneNumber))
	require.Equal(t, "released", numberStatus(secondNumber))
	report(t, f, second, "registered")
	require.Equal(t, "released", numberStatus(secondNumber), "its connection is gone")
	report(t, f, first, "registered")
	require.Equal(t, "active", numberStatus(firstNumber))
	require.Equal(t, "registered", statusOf(t, f, first))
}

// A connection that fails for a day is stopped, which its account is told; a success in between starts the day anew.
func TestAConnectionThatFailsForADayStops(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	id, _ := pendingConnection(t, f, f.Account.ID, "+31207654322")
	passes := func(hours int) {
		_, err := f.Tx.Exec(t.Context(), "UPDATE sip_connection SET failing_since = failing_since - make_interval(hours => $1)", hours)
		require.NoError(t, err)
	}
	report(t, f, id, "failed")
	passes(23)
	report(t, f, id, "failed")
	require.Equal(t, "failed", statusOf(t, f, id))
	report(t, f, id, "registered")
	report(t, f, id, "failed")
	passes(23)
	report(t, f, id, "failed")
	require.Equal(t, "failed", statusOf(t, f, id), "it was registered an hour ago")
	passes(2)
	report(t, f, id, "failed")
	require.Equal(t, "stopped", statusOf(t, f, id))

	event := dbfactory.Message[struct {
		Type          string
		SIPConnection struct {
			ID      uuid.UUID
			Reason  string
			SIPCode int `json:"sipCode"`
		}
		PhoneNumber struct{ Number string }
	}](t, f.Tx, "account_id = $1 AND call_id IS NULL", f.Account.ID)
	require.Equal(t, "sip-connection-stopped", event.Type)
	require.Equal(t, id, event.SIPConnection.ID)
	require.Equal(t, "failed-for-a-day", event.SIPConnection.Reason)
	require.Equal(t, 403, event.SIPConnection.SIPCode)
	require.Equal(t, "+31207654322", event.PhoneNumber.Number)

	_, err := dbsqlc.New().SIPConnectionGetUnclaimed(t.Context(), f.Tx, &dbsqlc.SIPConnectionGetUnclaimedParams{ID: id})
	require.ErrorIs(t, err, pgx.ErrNoRows, "no process takes it")
	_, err = dbsqlc.New().SIPConnectionTest(t.Context(), f.Tx, &dbsqlc.SIPConnectionTestParams{AccountID: f.Account.ID, ID: id})
	require.NoError(t, err)
	_, err = dbsqlc.New().SIPConnectionGetUnclaimed(t.Context(), f.Tx, &dbsqlc.SIPConnectionGetUnclaimedParams{ID: id})
	require.NoError(t, err, "a test begins anew")
}
