//go:build unix

package main

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// sequence holds that events are numbered without a gap, and arrive under the number that they have.
func (c *checker) sequence() invariant {
	line := invariant{Name: "sequence gaps"}
	numbers, ids := map[int64]string{}, map[string]int64{}
	for _, event := range c.Events {
		if event.Sequence == 0 {
			line.problem("event %s has no number", event.ID)
			continue
		}
		if other, taken := numbers[event.Sequence]; taken {
			line.problem("events %s and %s are both number %d", other, event.ID, event.Sequence)
		}
		numbers[event.Sequence], ids[event.ID] = event.ID, event.Sequence
	}
	expected := int64(1)
	for _, number := range slices.Sorted(maps.Keys(numbers)) {
		if number != expected {
			line.problem("numbers %d to %d are missing", expected, number-1)
		}
		expected = number + 1
	}
	for _, event := range c.Receipts {
		if number, known := ids[event.ID]; !known || number != event.Sequence {
			line.problem("event %s arrived as number %d and is %d", event.ID, event.Sequence, number)
		}
	}
	line.Text = fmt.Sprintf("%d in %d events", len(line.Problems), len(c.Events))
	return line
}

// money holds that the balance is what was granted less what was bought.
func (c *checker) money() invariant {
	line := invariant{Name: "credits"}
	expected := c.Credits.Granted
	rows := map[string]bool{}
	for _, order := range c.Credits.Orders {
		rows[order.ID] = true
		refunds := 0
		switch order.Status {
		case "failed":
			refunds = 1
		case "pending":
			line.problem("order %s is still pending", order.ID)
		}
		expected -= orderCost * (1 - refunds)
		if order.Taken != 1 || order.Refunds != refunds {
			line.problem("%s order %s was paid %d times and paid back %d times", order.Status, order.ID, order.Taken, order.Refunds)
		}
	}
	for _, id := range c.Credits.Accepted {
		if !rows[id] {
			line.problem("order %s was accepted and has no row", id)
		}
	}
	if c.Credits.Balance != expected || c.Credits.LedgerSum != expected {
		line.problem("the balance is %d and the ledger's sum %d: they should be %d", c.Credits.Balance, c.Credits.LedgerSum, expected)
	}
	line.Text = fmt.Sprintf("balance %d, %d orders", c.Credits.Balance, len(c.Credits.Orders))
	return line
}

// files holds that a recording is there if and only if its call has one.
func (c *checker) files() invariant {
	line := invariant{Name: "orphaned files"}
	for path, id := range c.Files {
		switch call := c.calls[id]; {
		case call == nil:
			line.problem("%s belongs to no call", path)
		case call.Erased:
			line.problem("%s outlives its call", path)
		}
	}
	for _, call := range c.Calls {
		if _, there := c.Files[call.RecordingKey]; call.RecordingKey != "" && !call.Erased && !there {
			line.problem("the recording of call %s is missing: %s", call.ID, call.RecordingKey)
		}
	}
	line.Text = fmt.Sprintf("%d of %d; %d unfinished", len(line.Problems), len(c.Files), c.Drafts)
	return line
}

// early holds that nobody is rung before it is time, neither by the first attempt nor by a later one.
func (c *checker) early() invariant {
	line := invariant{Name: "early"}
	for _, one := range c.Ledger {
		if !one.Scheduled {
			continue
		}
		due := one.Due
		for _, call := range c.byNumber[one.Number] {
			for _, at := range c.rung[call.ID] {
				if ahead := due.Sub(at.At); ahead > clockStep {
					line.problem("%s was rung %v too early for call %s", one.Number, ahead.Round(time.Millisecond), call.ID)
				}
			}
			due = call.EndedAt.Add(one.RetryDelay)
		}
	}
	line.Text = fmt.Sprint(len(line.Problems))
	return line
}

// lateness is a figure: faults make calls late, and how late is for the reader to judge.
func (c *checker) lateness() invariant {
	var late []time.Duration
	for _, one := range c.Ledger {
		calls := c.byNumber[one.Number]
		if len(calls) == 0 || len(c.rung[calls[0].ID]) == 0 || one.Due.IsZero() {
			continue
		}
		late = append(late, max(0, c.rung[calls[0].ID][0].At.Sub(one.Due)))
	}
	return invariant{Name: "lateness", Text: fmt.Sprintf("p50 %v, p99 %v, max %v", quantile(late, 0.5), quantile(late, 0.99),
		quantile(late, 1))}
}

// pages holds that whoever was answered in a browser has a call, and that nobody listens to a call that is over.
func (c *checker) pages() invariant {
	line := invariant{Name: "pages"}
	answered, connected, listened := 0, 0, 0
	for _, one := range c.Pages {
		if one.ID == "" {
			continue
		}
		answered++
		if one.Connected {
			connected++
		}
		if one.Listener {
			listened++
		}
		if c.calls[one.ID] == nil {
			line.problem("web call %s was answered and has no row", one.ID)
		}
	}
	if c.Listening > 0 {
		line.problem("%d listeners are left of calls that are over", c.Listening)
	}
	line.Text = fmt.Sprintf("%d called, %d answered, %d connected, %d listened to", len(c.Pages), answered, connected, listened)
	return line
}

// panics holds that no process ended by a fault of its own.
func (c *checker) panics() invariant {
	return invariant{Name: "panics", Text: fmt.Sprint(len(c.Panics)), Problems: c.Panics}
}
