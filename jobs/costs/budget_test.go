package costs_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/costs"
	"github.com/callwright/callwright/jobs/jobstest"
)

// percents returns of which thresholds there are events, in their order.
func percents(t *testing.T, conn dbsqlc.DBTX, accountID uuid.UUID) []int {
	t.Helper()
	var reached []int
	for _, message := range dbfactory.Messages[struct{ Budget struct{ Percent int } }](t, conn,
		"account_id = $1 AND type = 'budget-reached'", accountID) {
		reached = append(reached, message.Budget.Percent)
	}
	return reached
}

func setBudget(t *testing.T, f *jobstest.Fixture, dollars string) *costs.Budget {
	t.Helper()
	budget, err := costs.SetBudget(t.Context(), f.Tx, f.Account.ID, new(usd(t, dollars)), "Europe/Amsterdam")
	require.NoError(t, err)
	return budget
}

func TestThresholds(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	call := f.EndedCall(t)
	setPrices(t, f, costs.Price{Kind: jsonb.KindPrompt, Provider: "maker", USD: usd(t, "1")})
	spend := func(tokens int64) { add(t, f, call.ID, prompt("maker", "m", tokens)) }

	setBudget(t, f, "1")
	spend(799_999)
	require.Empty(t, percents(t, f.Tx, f.Account.ID))
	spend(1)
	spend(100_000)
	require.Equal(t, []int{80}, percents(t, f.Tx, f.Account.ID))
	spend(100_000)
	spend(500_000)
	require.Equal(t, []int{80, 100}, percents(t, f.Tx, f.Account.ID))
	require.True(t, setBudget(t, f, "1").Exhausted())
	require.Equal(t, []int{80, 100}, percents(t, f.Tx, f.Account.ID), "the same budget is no other")

	require.False(t, setBudget(t, f, "2").Exhausted())
	require.Equal(t, []int{80, 100}, percents(t, f.Tx, f.Account.ID), "75 percent of it are spent")
	spend(1_000_000)
	require.Equal(t, []int{80, 100, 80, 100}, percents(t, f.Tx, f.Account.ID), "both at once")
	setBudget(t, f, "3")
	require.Equal(t, []int{80, 100, 80, 100, 80}, percents(t, f.Tx, f.Account.ID), "at once, where it is reached already")

	_, err := costs.SetBudget(t.Context(), f.Tx, f.Account.ID, nil, "UTC")
	require.NoError(t, err)
	spend(9_000_000)
	require.Len(t, percents(t, f.Tx, f.Account.ID), 5)
}

// TestBudgetAtOnce has calls of one account end at the same time in two processes: each threshold is an event once, and the month
// costs what the calls do.
func TestBudgetAtOnce(t *testing.T) {
	t.Parallel()
	f, pool := jobstest.NewCommitted(t)
	const count = 24
	var ids []uuid.UUID
	f.Limit(t, 100, 0)
	for range count {
		call := f.QueuedCall(t)
		require.Len(t, f.Claim(t, call.ID, "process"), 1)
		ids = append(ids, call.ID)
	}
	setPrices(t, f, costs.Price{Kind: jsonb.KindPrompt, Provider: "maker", USD: usd(t, "1")})
	setBudget(t, f, "2")
	require.NoError(t, f.Tx.Commit(t.Context()))

	var running sync.WaitGroup
	for _, id := range ids {
		running.Go(func() { endCall(t, f, pool, id) })
	}
	running.Wait()
	require.Equal(t, []int{80, 100}, percents(t, pool, f.Account.ID))
	budget, err := costs.GetBudget(t.Context(), pool, f.Account.ID)
	require.NoError(t, err)
	require.Equal(t, usd(t, "2.4"), budget.Spent)
	require.True(t, budget.Exhausted())

	refused, err := db.WithTx(t.Context(), pool, func(tx pgx.Tx) ([]calls.DirectResult, error) {
		return calls.MakeDirect(t.Context(), tx, f.Inserter, &calls.DirectCall{
			ID: uuid.Must(uuid.NewV7()), AccountID: f.Account.ID, AssistantID: f.Assistant.ID, ContactID: f.Contact.ID,
			CustomData: []byte(`{}`),
		})
	})
	require.NoError(t, err)
	require.ErrorContains(t, refused[0].Err, "has spent its budget")
}

func endCall(t *testing.T, f *jobstest.Fixture, pool *pgxpool.Pool, id uuid.UUID) {
	err := db.InTx(t.Context(), pool, func(tx pgx.Tx) error {
		_, err := calls.End(t.Context(), tx, f.Inserter, "process", map[uuid.UUID]calls.Ending{
			id: {Status: "completed", Reason: "customer-ended-call", Fault: "customer", Usage: jsonb.Usage{prompt("maker", "m", 100_000)}},
		})
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestBudgetStopsWhatWaits: queued calls end and scheduled calls make none, each with a cause that says so; a call that goes on
// does.
func TestBudgetStopsWhatWaits(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	live := f.QueuedCall(t)
	require.Len(t, f.Claim(t, live.ID, "process"), 1)
	queued := f.QueuedCall(t)
	scheduled := f.ScheduledCall(t, time.Now().Add(-time.Second), nil)
	setBudget(t, f, "0")

	require.Empty(t, f.Claim(t, queued.ID, "process"))
	ended := f.Call(t, queued.ID)
	require.Equal(t, "failed", ended.Status)
	require.Equal(t, "call.start.error-budget-exhausted", *ended.EndedReason)
	require.Contains(t, *ended.Error, "has spent its budget")

	worker := calls.NewStartScheduledCallWorker(f.Services.DB, f.Dialer, "process")
	defer worker.Close()
	jobstest.Work(t, f, worker, calls.StartScheduledCallArgs{ScheduledCallID: scheduled.ID})
	failed := dbfactory.Message[struct{ Cause string }](t, f.Tx, "account_id = $1 AND type = 'scheduled-call-failed'", f.Account.ID)
	require.Equal(t, "budget-exhausted", failed.Cause)

	require.Equal(t, "dialing", f.Call(t, live.ID).Status)
	require.Len(t, f.End(t, live.ID, "process"), 1)
}
