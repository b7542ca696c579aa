//go:build unix

package main

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// rolled is what is seen besides where processes are replaced and none fails.
type rolled struct {
	Failed  []string          // requests
	Exits   int64             // of processes that nobody asked to end
	Jobs    []string          // that failed or were given up
	API     map[string]string // version that accepted a request, by its key
	Worker  map[string]string // version that held a call, by its id
	Upgrade bool
}

// checkRolled judges what nobody may notice.
func (c *checker) checkRolled() []invariant {
	return []invariant{c.requests(), c.undisturbed(), c.once(), c.jobs(), c.pairs()}
}

// requests holds that each was answered at once by the balancer.
func (c *checker) requests() invariant {
	return invariant{Name: "requests", Text: fmt.Sprintf("%d failed", len(c.Rolled.Failed)), Problems: c.Rolled.Failed}
}

// undisturbed holds that no call ended by our doing, that who called was answered, and that processes end when they are asked to.
func (c *checker) undisturbed() invariant {
	line := invariant{Name: "undisturbed"}
	for _, call := range c.Calls {
		if call.Fault == "platform" || call.Fault == "provider" || call.Fault == "config" || call.Status == "canceled" {
			line.problem("call %s to %s ended as %s, %s", call.ID, call.Number, call.Status, call.Reason)
		}
	}
	for _, one := range c.Callers {
		if !one.Answered {
			line.problem("caller %s was not answered: %d", one.Number, one.Code)
		}
	}
	if c.Rolled.Exits > 0 {
		line.problem("%d processes ended by themselves", c.Rolled.Exits)
	}
	line.Text = fmt.Sprintf("%d calls", len(c.Calls))
	return line
}

// once holds that no event arrives again where no delivery fails.
func (c *checker) once() invariant {
	line := invariant{Name: "delivered once"}
	times := map[string]int{}
	for _, event := range c.Receipts {
		if times[event.ID]++; times[event.ID] == 2 {
			line.problem("event %s of call %s arrived again", event.ID, event.CallID)
		}
	}
	line.Text = fmt.Sprintf("%d events", len(times))
	return line
}

func (c *checker) jobs() invariant {
	return invariant{Name: "jobs", Text: fmt.Sprintf("%d failed", len(c.Rolled.Jobs)), Problems: c.Rolled.Jobs}
}

// pairs holds that calls which an API process of each version accepted were held by workers of each version, and says how late
// they rang: a notification that the other version does not understand makes them wait.
func (c *checker) pairs() invariant {
	line := invariant{Name: "versions"}
	late := map[string][]time.Duration{}
	for _, one := range c.Ledger {
		calls := c.byNumber[one.Number]
		if one.ID == "" || len(calls) == 0 || len(c.rung[calls[0].ID]) == 0 {
			continue
		}
		pair := fmt.Sprintf("%s to %s", c.Rolled.API[one.Key], c.Rolled.Worker[calls[0].ID])
		late[pair] = append(late[pair], max(0, c.rung[calls[0].ID][0].At.Sub(one.Due)))
	}
	if c.Rolled.Upgrade {
		for _, pair := range []string{"before to before", "before to next", "next to before", "next to next"} {
			if len(late[pair]) == 0 {
				line.problem("no call went %s", pair)
			}
		}
	}
	for _, pair := range slices.Sorted(maps.Keys(late)) {
		if line.Text != "" {
			line.Text += "; "
		}
		line.Text += fmt.Sprintf("%s: %d calls, p50 %v late, max %v", pair, len(late[pair]), quantile(late[pair], 0.5),
			quantile(late[pair], 1))
	}
	return line
}
