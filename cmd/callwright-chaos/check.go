//go:build unix

package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

const (
	// lateNote is how far the note of an INVITE may lag behind the packet on a busy machine.
	lateNote = 250 * time.Millisecond
	// clockStep is the precision that times have on their way through JSON and Postgres.
	clockStep   = 2 * time.Millisecond
	orderCost   = 10 // credits
	reportEvent = "end-of-call-report"
)

// invariant is one line of the verdict.
type invariant struct {
	Name     string
	Text     string
	Problems []string
}

// checker finds what belongs together, once for all invariants.
type checker struct {
	observations
	calls    map[string]*callRow   // by id
	byNumber map[string][]*callRow // the oldest first
	owner    map[string]*callRow   // by SIP Call-ID
	rings    []ring                // without retransmissions, the earliest first
	rung     map[string][]ring     // by the id of the call, as are
	moved    map[string][]ring     // transfers
}

func newChecker(o observations) *checker {
	c := &checker{observations: o, calls: map[string]*callRow{}, byNumber: map[string][]*callRow{}, owner: map[string]*callRow{},
		rung: map[string][]ring{}, moved: map[string][]ring{}}
	numbers := map[string]string{}
	for _, one := range o.Ledger {
		numbers[one.ID] = one.Number
	}
	for i := range o.Calls {
		call := &o.Calls[i]
		call.Number = cmp.Or(call.Number, numbers[call.ID]) // an erased call has none
		c.calls[call.ID] = call
		c.byNumber[call.Number] = append(c.byNumber[call.Number], call)
		for _, id := range call.SIPCallIDs {
			c.owner[id] = call
		}
	}
	for _, calls := range c.byNumber {
		slices.SortFunc(calls, func(a, b *callRow) int { return a.CreatedAt.Compare(b.CreatedAt) })
	}
	seen := map[[2]string]bool{}
	for _, one := range slices.SortedFunc(slices.Values(o.Rings), func(a, b ring) int { return a.At.Compare(b.At) }) {
		if id := [2]string{one.CallID, one.Branch}; !seen[id] {
			seen[id] = true
			c.rings = append(c.rings, one)
			switch call := c.owner[one.CallID]; {
			case call == nil:
			case one.Transfer:
				c.moved[call.ID] = append(c.moved[call.ID], one)
			default:
				c.rung[call.ID] = append(c.rung[call.ID], one)
			}
		}
	}
	return c
}

// check judges what was observed.
func check(o observations) []invariant {
	c := newChecker(o)
	lines := []invariant{
		c.accepted(), c.rungTwice(), c.lost(), c.stuck(), c.reports(), c.sequence(), c.money(), c.files(), c.early(), c.lateness(),
		c.panics(), c.pages(),
	}
	if o.Rolled != nil {
		lines = append(lines, c.checkRolled()...)
	}
	return lines
}

// accepted holds that one key makes one record, answered or not, and that whoever called has one call, at least when it was
// answered. A caller is turned away politely.
func (c *checker) accepted() invariant {
	line := invariant{Name: "accepted"}
	unanswered := 0
	for _, one := range c.Ledger {
		if one.ID == "" {
			unanswered++
		}
		made := 0
		if one.Scheduled {
			for _, row := range c.Scheduled {
				if row.Number == one.Number {
					made++
				}
			}
		} else {
			made = len(c.byNumber[one.Number])
		}
		if made > 1 {
			line.problem("key %s made %d records for %s", one.Key, made, one.Number)
		}
	}
	answered, refused := 0, 0
	for _, one := range c.Callers {
		made := len(c.byNumber[one.Number])
		switch {
		case one.Answered:
			answered++
		case one.Code > 0:
			refused++
		}
		if made > 1 || one.Answered && made == 0 {
			line.problem("caller %s made %d calls, answered: %t", one.Number, made, one.Answered)
		}
		if one.Code == 500 {
			line.problem("caller %s was refused with 500", one.Number)
		}
	}
	line.Text = fmt.Sprintf("%d, %d requests unanswered, %d calls, %d INVITEs; %d callers, %d answered, %d refused",
		len(c.Ledger)-unanswered, unanswered,
		len(c.Calls), len(c.rings), len(c.Callers), answered, refused)
	return line
}

// rungTwice holds that a person's phone rings once for a call, not after its call has ended, and not again for a call that
// was given up by us after it may have rung.
func (c *checker) rungTwice() invariant {
	line := invariant{Name: "rung twice"}
	plans := map[string]entry{}
	for _, one := range c.Ledger {
		plans[one.Number] = one
	}
	for _, one := range c.rings {
		call := c.owner[one.CallID]
		switch {
		case call == nil:
			line.problem("%s was rung by INVITE %s, of which no call knows", one.Number, one.CallID)
		case !call.EndedAt.IsZero() && one.At.Sub(call.EndedAt) > lateNote && !c.refusedByCallee(call):
			line.problem("%s was rung %v after its call %s had ended as %s", one.Number, one.At.Sub(call.EndedAt).Round(time.Millisecond),
				call.ID, call.Reason)
		}
	}
	for _, call := range c.Calls {
		if rings := c.rung[call.ID]; len(rings) > 1 {
			line.problem("%s was rung %d times for call %s (%s)", call.Number, len(rings), call.ID, call.Reason)
		}
		if moves := c.moved[call.ID]; len(moves) > 1 {
			line.problem("%s was rung %d times by transfers of call %s (%s)", moves[0].Number, len(moves), call.ID, call.Reason)
		}
		if rings := c.rung[call.ID]; len(rings) > 0 && call.Direction == "inbound" {
			line.problem("%s called, and was rung for call %s", call.Number, call.ID)
		}
	}
	for number, calls := range c.byNumber {
		for i, call := range calls[:len(calls)-1] {
			again := c.rung[calls[i+1].ID]
			chosen := slices.Contains(plans[number].RetryOn, call.Reason)
			if len(c.rung[call.ID]) > 0 && len(again) > 0 && call.Fault == "platform" && !chosen {
				line.problem("%s was rung for call %s, which ended as %s, and again for its retry %s", number, call.ID, call.Reason,
					calls[i+1].ID)
			}
		}
	}
	transfers := 0
	for _, moves := range c.moved {
		transfers += len(moves)
	}
	line.Text = fmt.Sprintf("%d, in %d calls and %d transfers", len(line.Problems), len(c.rung), transfers)
	return line
}

// refusedByCallee reports whether a call ended by the answer to its only INVITE. Such an answer comes after the INVITE, however
// late the note of it is: 400 ms were seen at a load of 36 on two cores.
func (c *checker) refusedByCallee(call *callRow) bool {
	return len(c.rung[call.ID]) == 1 && slices.Contains([]string{"customer-busy", "customer-rejected-call", "carrier-unavailable"},
		call.Reason)
}

// lost holds that what was accepted rings, unless it may have rung when its worker was lost.
func (c *checker) lost() invariant {
	line := invariant{Name: "lost"}
	scheduled := map[string]bool{}
	for _, row := range c.Scheduled {
		scheduled[row.ID] = true
	}
	for _, one := range c.Ledger {
		known := c.calls[one.ID] != nil || scheduled[one.ID]
		if one.ID != "" && !one.Deleted && !known {
			line.problem("%s for %s was accepted and has no row", one.ID, one.Number)
		}
		if one.Scheduled && known && len(c.byNumber[one.Number]) == 0 && one.Due.Before(c.Ended) {
			line.problem("scheduled call %s to %s made no call", one.ID, one.Number)
		}
	}
	unrung := 0
	for _, call := range c.Calls {
		if !call.final() || len(c.rung[call.ID]) > 0 || call.Status == "canceled" || call.Direction == "inbound" {
			continue
		}
		if call.Reason == "worker-lost" {
			unrung++
			continue
		}
		line.problem("call %s to %s ended as %s, fault %s, and never rang", call.ID, call.Number, call.Reason, call.Fault)
	}
	line.Text = fmt.Sprintf("%d (besides, %d ended as worker-lost before an INVITE was seen)", len(line.Problems), unrung)
	return line
}

// stuck holds that in the end no call is under way.
func (c *checker) stuck() invariant {
	line := invariant{Name: "stuck"}
	for _, call := range c.Calls {
		if !call.final() {
			line.problem("call %s to %s is %s, of worker %s", call.ID, call.Number, call.Status, cmp.Or(call.WorkerID, "none"))
		}
	}
	for _, row := range c.Scheduled {
		if row.Status == "scheduled" && row.Due.Before(c.Ended) && len(c.byNumber[row.Number]) > 0 {
			line.problem("scheduled call %s to %s waits for an attempt that was due at %s", row.ID, row.Number,
				row.Due.Format(time.TimeOnly))
		}
	}
	line.Text = fmt.Sprint(len(line.Problems))
	return line
}

// reports holds that each call that ended has one report, the last of its events, and that it arrived.
func (c *checker) reports() invariant {
	line := invariant{Name: "reports"}
	written, arrived, last := map[string]map[string]bool{}, map[string]map[string]bool{}, map[string]eventRow{}
	for _, event := range c.Events {
		if event.Type == reportEvent {
			set(written, event.CallID, event.ID)
		}
		if event.Sequence > last[event.CallID].Sequence {
			last[event.CallID] = event
		}
	}
	for _, event := range c.Receipts {
		if event.Type == reportEvent {
			set(arrived, event.CallID, event.ID)
		}
	}
	missing, double := 0, 0
	for _, call := range c.Calls {
		if !call.final() {
			continue
		}
		switch {
		case len(written[call.ID]) == 0:
			missing++
			line.problem("call %s (%s) has no report", call.ID, call.Reason)
		case len(written[call.ID]) > 1 || len(arrived[call.ID]) > 1:
			double++
			line.problem("call %s has %d reports, and %d arrived", call.ID, len(written[call.ID]), len(arrived[call.ID]))
		case len(arrived[call.ID]) == 0:
			missing++
			line.problem("the report of call %s did not arrive", call.ID)
		case last[call.ID].Type != reportEvent:
			line.problem("the last event of call %s is %s", call.ID, last[call.ID].Type)
		}
	}
	if c.InvalidSignatures > 0 {
		line.problem("%d webhooks had no valid signature", c.InvalidSignatures)
	}
	line.Text = fmt.Sprintf("%d missing, %d double, %d webhooks taken", missing, double, len(c.Receipts))
	return line
}

func set(of map[string]map[string]bool, key, value string) {
	if of[key] == nil {
		of[key] = map[string]bool{}
	}
	of[key][value] = true
}

func (i *invariant) problem(format string, args ...any) {
	i.Problems = append(i.Problems, fmt.Sprintf(format, args...))
}

func quantile(durations []time.Duration, q float64) time.Duration {
	if len(durations) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(durations))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))].Round(time.Millisecond)
}
