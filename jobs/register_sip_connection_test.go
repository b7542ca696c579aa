package jobs

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
)

// fakeRegistrant is a telephone that registers connections, or does not.
type fakeRegistrant struct {
	live bool
}

func (r *fakeRegistrant) Registers(simulated bool) bool { return simulated || r.live }

func TestRegisterSIPConnection(t *testing.T) {
	t.Parallel()

	f := setup(t)
	id := newID(t)
	require.NoError(t, dbsqlc.New().SIPConnectionInsert(t.Context(), f.tx, &dbsqlc.SIPConnectionInsertParams{
		ID: id, AccountID: f.account.ID, PhoneNumberID: dbfactory.Number(t, f.tx, f.account.ID).ID, SIPUsername: "alice", SIPProxy: "sip.example",
	}))
	own := func(processID string) (ids []uuid.UUID) {
		rows, err := dbsqlc.New().SIPConnectionListOwn(t.Context(), f.tx, &dbsqlc.SIPConnectionListOwnParams{WorkerID: &processID})
		require.NoError(t, err)
		for _, row := range rows {
			ids = append(ids, row.ID)
		}
		return ids
	}
	rings := func(processID string, live bool) bool {
		f.deps.Registrant = &fakeRegistrant{live}
		return work(t, f, &RegisterSIPConnectionWorker{DB: f.deps.DB, Registrant: f.deps.Registrant, ProcessID: processID}, RegisterSIPConnectionArgs{SIPConnectionID: id}) == 0
	}

	require.False(t, rings("deaf", false), "left to a process that can")
	require.True(t, rings("first", true))
	require.Equal(t, []uuid.UUID{id}, own("first"))
	require.True(t, rings("second", true), "it is taken, so there is nothing to do")
	require.Empty(t, own("second"))

	report := &dbsqlc.SIPConnectionReportParams{ID: id, WorkerID: new("second"), Status: "registered", Done: 1}
	written, err := dbsqlc.New().SIPConnectionReport(t.Context(), f.tx, report)
	require.NoError(t, err)
	require.Zero(t, written, "only the process that keeps it registered reports")

	before := len(f.jobKinds(t))
	require.NoError(t, GiveUpSIPConnections(t.Context(), f.tx, f.inserter, "first"))
	require.Empty(t, own("first"))
	require.Len(t, f.jobKinds(t), before+1, "somebody else is asked")
	require.True(t, rings("second", true))
	require.Equal(t, []uuid.UUID{id}, own("second"))
}
