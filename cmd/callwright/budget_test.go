package main

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbtest"
)

// TestBudgetOfTwoWorkers has calls of one account end at once in two processes: each threshold of its budget is told of once, the
// month costs what the calls do, and no call is made after.
func TestBudgetOfTwoWorkers(t *testing.T) {
	t.Parallel()
	long(t)

	dsn := dbtest.DSN(t)
	p := startPlatform(t, dsn, true)
	p.run("limits", p.account, "--max-concurrent-calls", "20")
	p.run("prices", "set", "transcriber_minutes", "captions", "60")
	for range 2 {
		p.startWorker("--queues=calls=4,schedule=1,webhooks=2,default=2,analysis=2,knowledge=1")
	}
	var ids []string
	for i := range 8 {
		ids = append(ids, p.direct(fmt.Sprint("+316123456", i+2, "12")))
	}
	for _, id := range ids { // what a call costs is what its caller says
		require.Eventually(t, func() bool { return len(p.get(id).Transcript) >= 2 }, patience, 50*time.Millisecond)
	}
	var workers int
	pool, err := db.Open(t.Context(), dsn, 2)
	require.NoError(t, err)
	defer pool.Close()
	require.NoError(t,
		pool.QueryRow(t.Context(), "SELECT count(DISTINCT worker_id) FROM call WHERE status = 'in-progress'").Scan(&workers))
	require.Equal(t, 2, workers)
	p.admin.call(http.MethodPut, "/v1/user/budget", object{"monthly": 4}, http.StatusOK, nil)

	var ending sync.WaitGroup
	for _, id := range ids {
		ending.Go(func() { p.hangUp(id) })
	}
	ending.Wait()
	for _, id := range ids {
		p.server.waitReport(t, id)
	}
	var told struct {
		Data []struct {
			Message struct{ Budget struct{ Percent int } }
		}
	}
	p.call(http.MethodGet, "/v1/events?type=budget-reached", nil, http.StatusOK, &told)
	var percents []int
	for _, event := range told.Data {
		percents = append(percents, event.Message.Budget.Percent)
	}
	require.ElementsMatch(t, []int{80, 100}, percents)
	status, refused := p.post(p.url, "after", "/v1/calls/direct", p.callTo("+31612345601"))
	require.Equal(t, http.StatusPaymentRequired, status, refused)
	require.Contains(t, refused, "budget_exhausted")
}
