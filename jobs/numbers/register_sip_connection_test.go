package numbers_test

import (
	"testing"

	"github.com/google/uuid"
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
		ID: id, AccountID: f.Account.ID, PhoneNumberID: dbfactory.Number(t, f.Tx, f.Account.ID).ID, SIPUsername: "alice", SIPProxy: "sip.example",
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
		return jobstest.Work(t, f, &numbers.RegisterSIPConnectionWorker{DB: f.Services.DB, Registrant: f.Services.Registrant, ProcessID: processID}, numbers.RegisterSIPConnectionArgs{SIPConnectionID: id}) == 0
	}

	require.False(t, rings("deaf", false), "left to a process that can")
	require.True(t, rings("first", true))
	require.Equal(t, []uuid.UUID{id}, own("first"))
	require.True(t, rings("second", true), "it is taken, so there is nothing to do")
	require.Empty(t, own("second"))

	report := &dbsqlc.SIPConnectionReportParams{ID: id, WorkerID: new("second"), Status: "registered", Done: 1}
	written, err := dbsqlc.New().SIPConnectionReport(t.Context(), f.Tx, report)
	require.NoError(t, err)
	require.Zero(t, written, "only the process that keeps it registered reports")

	before := len(f.JobKinds(t))
	require.NoError(t, numbers.GiveUpSIPConnections(t.Context(), f.Tx, f.Inserter, "first"))
	require.Empty(t, own("first"))
	require.Len(t, f.JobKinds(t), before+1, "somebody else is asked")
	require.True(t, rings("second", true))
	require.Equal(t, []uuid.UUID{id}, own("second"))
}
