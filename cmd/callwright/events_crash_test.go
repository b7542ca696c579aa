package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

const callsPerKill = 15

var killedCalls = flag.Int("killed-calls", 60, "calls that TestReportsSurviveKilledWorkers places")

// numberedEvent is an event as the log shows it.
type numberedEvent struct {
	ID       string
	Sequence int64
	Type     string
	CallID   string `json:"call_id"`
	Delivery string
}

// history is the account's whole log.
func (p *platform) history() []numberedEvent {
	p.t.Helper()
	var all []numberedEvent
	for {
		var page struct{ Data []numberedEvent }
		p.call(http.MethodGet, fmt.Sprintf("/v1/events?limit=100&after=%d", len(all)), nil, http.StatusOK, &page)
		if len(page.Data) == 0 {
			return all
		}
		for _, event := range page.Data {
			require.EqualValues(p.t, len(all)+1, event.Sequence, "the sequence has no gap")
			all = append(all, event)
		}
	}
}

// TestReportsSurviveKilledWorkers kills workers at random while they place calls and tell a server that refuses 30 % of
// what it is told: every call has its report, the sequence has no gap, and what comes twice has the same webhook-id.
func TestReportsSurviveKilledWorkers(t *testing.T) {
	t.Parallel()
	long(t)

	p := startPlatform(t, dbtest.DSN(t), true)
	p.server.mu.Lock()
	p.server.respond = func() int {
		if rand.N(10) < 3 {
			return http.StatusServiceUnavailable
		}
		return http.StatusNoContent
	}
	p.server.mu.Unlock()
	workers := []*process{p.startWorker(), p.startWorker()}
	var ids []string
	for i := range *killedCalls {
		ids = append(ids, p.direct("+31612345601"))
		if i%callsPerKill == callsPerKill-1 {
			victim := rand.N(len(workers))
			workers[victim].kill()
			workers[victim] = p.startWorker()
		}
	}
	patience := time.Minute + time.Duration(len(ids))*200*time.Millisecond
	require.Eventually(t, func() bool { return p.allEnded(len(ids)) }, patience, 100*time.Millisecond, "calls do not end")
	p.finishDeliveries(patience)

	history := p.history()
	reports, sequences := map[string]int{}, map[int64]string{}
	for _, event := range history {
		sequences[event.Sequence] = event.ID
		if event.Type == "end-of-call-report" {
			reports[event.CallID]++
		}
	}
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	require.Len(t, p.server.events, len(history), "every event arrived")
	for id, event := range p.server.events {
		require.Equal(t, id, sequences[event.Message.Sequence], "one event has one webhook-id")
	}
	for _, id := range ids {
		require.Equal(t, 1, reports[id], "every call has one report")
	}
	t.Logf("%d calls, %d events, %d kills", len(ids), len(history), len(ids)/callsPerKill)
}

// allEnded reports whether so many calls have their report.
func (p *platform) allEnded(count int) bool {
	var reports struct{ Pagination struct{ Total int } }
	p.call(http.MethodGet, "/v1/events?type=end-of-call-report&limit=1", nil, http.StatusOK, &reports)
	return reports.Pagination.Total == count
}

// finishDeliveries spares the test the hours that the backoff may take: the server is well from now on, and
// what it refused is delivered again.
func (p *platform) finishDeliveries(patience time.Duration) {
	p.t.Helper()
	p.server.mu.Lock()
	p.server.respond = nil
	p.server.mu.Unlock()
	for _, event := range p.history() {
		if event.Delivery != "delivered" {
			p.admin.call(http.MethodPost, "/v1/events/"+event.ID+"/redeliver", nil, http.StatusAccepted, nil)
		}
	}
	require.Eventually(p.t, func() bool {
		for _, event := range p.history() {
			if event.Delivery != "delivered" {
				return false
			}
		}
		return true
	}, patience, 200*time.Millisecond, "events are not delivered")
}
