//go:build unix

package main

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// sound is a run in which nothing went wrong: a direct call that was transferred, a scheduled one whose first attempt failed at
// the carrier, and a caller.
func sound() *observations {
	o := &observations{
		Ended: noon.Add(time.Hour),
		Ledger: []entry{
			{Key: "k1", Number: "+31610000100", Due: noon, ID: "direct"},
			{Key: "k2", Number: "+31610000207", Due: noon, ID: "plan", Scheduled: true, RetryOn: []string{"failed"},
				RetryDelay: 5 * time.Second, Attempts: 2},
		},
		Rings: []ring{
			{At: noon.Add(time.Second), Number: "+31610000100", CallID: "sip-direct", Branch: "b1"},
			{At: noon.Add(time.Second), Number: "+31610000207", CallID: "sip-first", Branch: "b2"},
			{At: noon.Add(8 * time.Second), Number: "+31610000207", CallID: "sip-second", Branch: "b3"},
			{At: noon.Add(9 * time.Second), Number: transferTarget, CallID: "sip-direct", Branch: "transfer 0", Transfer: true},
		},
		Pages:     []pageCall{{}, {ID: "inbound", Connected: true, Listener: true}},
		Callers:   []caller{{Number: "+31620000001", CallID: "sip-caller", Answered: true}, {Number: "+31620000002", Code: 486}},
		Scheduled: []scheduledRow{{ID: "plan", Number: "+31610000207", Status: "processed", Due: noon}},
		Credits: credits{
			Granted: 100, Balance: 90, LedgerSum: 90, Accepted: []string{"bought", "refused"},
			Orders: []orderRow{{ID: "bought", Status: "completed", Taken: 1}, {ID: "refused", Status: "failed", Taken: 1, Refunds: 1}},
		},
		Files: map[string]string{"recordings/a/direct.wav": "direct"},
	}
	o.Calls = []callRow{
		{ID: "direct", Number: "+31610000100", Status: "completed", Reason: "customer-ended-call", Fault: "customer", CreatedAt: noon,
			EndedAt: noon.Add(20 * time.Second), SIPCallIDs: []string{"sip-direct"}, RecordingKey: "recordings/a/direct.wav"},
		{ID: "first", ScheduledID: "plan", Number: "+31610000207", Status: "failed", Reason: "carrier-unavailable", Fault: "carrier",
			CreatedAt: noon,
			EndedAt:   noon.Add(2 * time.Second), SIPCallIDs: []string{"sip-first"}},
		{ID: "second", ScheduledID: "plan", Number: "+31610000207", Status: "failed", Reason: "carrier-unavailable", Fault: "carrier",
			CreatedAt: noon.Add(7 * time.Second),
			EndedAt:   noon.Add(9 * time.Second), SIPCallIDs: []string{"sip-second"}},
		{ID: "inbound", Number: "+31620000001", Direction: "inbound", Status: "completed", Reason: "customer-ended-call",
			Fault: "customer", CreatedAt: noon,
			EndedAt: noon.Add(9 * time.Second), SIPCallIDs: []string{"sip-caller"}},
	}
	for _, call := range []string{"direct", "first", "second", "inbound"} {
		for _, kind := range []string{"status-update", reportEvent} {
			one := eventRow{ID: kind + " of " + call, Type: kind, CallID: call, Sequence: int64(len(o.Events) + 1)}
			o.Events = append(o.Events, one)
			o.Receipts = append(o.Receipts, receipt(one))
		}
	}
	return o
}

// broken are the names of the lines that have problems.
func broken(lines []invariant) []string {
	var names []string
	for _, line := range lines {
		if len(line.Problems) > 0 {
			names = append(names, line.Name)
		}
	}
	return names
}

func TestSoundRun(t *testing.T) {
	t.Parallel()
	require.Empty(t, broken(check(*sound())))

	o := sound()
	o.Rings = append(o.Rings, o.Rings[0])          // a retransmission
	o.Receipts = append(o.Receipts, o.Receipts[0]) // a redelivery
	o.Calls[0].Number, o.Calls[0].Erased, o.Files = "", true, nil
	require.Empty(t, broken(check(*o)))
}

// TestPlantedViolations plants what must never happen, and expects the line that says so.
func TestPlantedViolations(t *testing.T) {
	t.Parallel()

	type violation struct {
		line  string
		plant func(o *observations)
	}
	violations := map[string]violation{
		"one key made two calls": {"accepted", func(o *observations) {
			twin := o.Calls[0]
			twin.ID, twin.RecordingKey, twin.SIPCallIDs = "first", "", []string{"sip-first"}
			o.Calls[1] = twin
			o.Ledger, o.Rings, o.Scheduled = o.Ledger[:1], o.Rings[:2], nil
			o.Calls = o.Calls[:2]
			o.Events, o.Receipts = o.Events[:4], o.Receipts[:4]
		}},
		"a page was answered for nothing": {"pages", func(o *observations) { o.Pages[1].ID = "nobody's" }},
		"a listener stays":                {"pages", func(o *observations) { o.Listening = 1 }},
		"INVITE doubled by branch": {"rung twice", func(o *observations) {
			again := o.Rings[0]
			again.Branch = "another"
			o.Rings = append(o.Rings, again)
		}},
		"INVITE doubled by Call-ID": {"rung twice", func(o *observations) {
			again := o.Rings[0]
			again.CallID = "another"
			o.Rings = append(o.Rings, again)
		}},
		"claimed twice and rung twice": {"rung twice", func(o *observations) {
			again := o.Rings[0]
			again.CallID = "sip-again"
			o.Rings, o.Calls[0].SIPCallIDs = append(o.Rings, again), append(o.Calls[0].SIPCallIDs, "sip-again")
		}},
		"rung after its end": {"rung twice", func(o *observations) { o.Rings[0].At = o.Calls[0].EndedAt.Add(time.Second) }},
		"retried after it may have rung": {"rung twice", func(o *observations) {
			o.Calls[1].Reason, o.Calls[1].Fault = "worker-lost", "platform"
		}},
		"transferred twice": {"rung twice", func(o *observations) {
			again := o.Rings[3]
			again.Branch = "transfer 1"
			o.Rings = append(o.Rings, again)
		}},
		"transferred after its end": {"rung twice", func(o *observations) { o.Rings[3].At = o.Calls[0].EndedAt.Add(time.Second) }},
		"caller rung": {"rung twice", func(o *observations) {
			o.Rings[0].CallID = "sip-caller"
		}},
		"caller answered without a call": {"accepted", func(o *observations) {
			o.Calls, o.Events, o.Receipts = o.Calls[:3], o.Events[:6], o.Receipts[:6]
		}},
		"caller with two calls":      {"accepted", func(o *observations) { o.Calls[2].Number = o.Calls[3].Number }},
		"caller told of our trouble": {"accepted", func(o *observations) { o.Callers[1].Code = 500 }},
		"no row":                     {"lost", func(o *observations) { o.Ledger[0].ID = "nowhere" }},
		"scheduled, and never made": {"lost", func(o *observations) {
			o.Calls, o.Rings, o.Events, o.Receipts, o.Callers = o.Calls[:1], o.Rings[:1], o.Events[:2], o.Receipts[:2], nil
		}},
		"gave up before it rang": {"lost", func(o *observations) {
			o.Calls[0].Fault, o.Rings = "config", o.Rings[1:]
		}},
		"live for ever":    {"stuck", func(o *observations) { o.Calls[0].Status, o.Calls[0].EndedAt = "in-progress", time.Time{} }},
		"attempt not made": {"stuck", func(o *observations) { o.Scheduled[0].Status = "scheduled" }},
		"report not written": {"reports", func(o *observations) {
			o.Events[5].Type, o.Receipts[5].Type = "status-update", "status-update"
		}},
		"report not delivered": {"reports", func(o *observations) { o.Receipts = o.Receipts[:7] }},
		"two reports": {"reports", func(o *observations) {
			o.Events[4].Type, o.Receipts[4].Type = reportEvent, reportEvent
		}},
		"report before the last event": {"reports", func(o *observations) {
			o.Events[4].Type, o.Events[5].Type, o.Receipts[4].Type, o.Receipts[5].Type = reportEvent, "transcript", reportEvent,
				"transcript"
		}},
		"bad signature": {"reports", func(o *observations) { o.InvalidSignatures = 1 }},
		"gap": {"sequence gaps", func(o *observations) {
			o.Events[5].Sequence, o.Receipts[5].Sequence = 7, 7
		}},
		"no number":                  {"sequence gaps", func(o *observations) { o.Events[0].Sequence, o.Receipts[0].Sequence = 0, 0 }},
		"one number for two":         {"sequence gaps", func(o *observations) { o.Events[2].Sequence, o.Receipts[2].Sequence = 1, 1 }},
		"arrived under another":      {"sequence gaps", func(o *observations) { o.Receipts[0].Sequence = 4 }},
		"paid twice":                 {"credits", func(o *observations) { o.Credits.Orders[0].Taken = 2 }},
		"not paid back":              {"credits", func(o *observations) { o.Credits.Orders[1].Refunds = 0 }},
		"balance off":                {"credits", func(o *observations) { o.Credits.Balance = 91 }},
		"order lost":                 {"credits", func(o *observations) { o.Credits.Accepted = append(o.Credits.Accepted, "nowhere") }},
		"recording outlives erasure": {"orphaned files", func(o *observations) { o.Calls[0].Erased = true }},
		"recording of nobody":        {"orphaned files", func(o *observations) { o.Files["recordings/a/x.wav"] = "x" }},
		"recording missing":          {"orphaned files", func(o *observations) { o.Files = nil }},
		"early":                      {"early", func(o *observations) { o.Rings[1].At = noon.Add(-10 * time.Millisecond) }},
		"retried early":              {"early", func(o *observations) { o.Rings[2].At = noon.Add(6 * time.Second) }},
		"panic":                      {"panics", func(o *observations) { o.Panics = []string{"worker-1.1.log: panic: x"} }},
	}
	for _, name := range slices.Sorted(maps.Keys(violations)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := sound()
			violations[name].plant(o)
			require.Contains(t, broken(check(*o)), violations[name].line)
		})
	}
}

func TestParseInvite(t *testing.T) {
	t.Parallel()
	packet := func(to string) []byte {
		return fmt.Appendf(nil,
			"INVITE sip:+31612345600@127.0.0.1:5060 SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:5070;rport;branch=z9hG4bK.1;x\r\n"+
				"From: <sip:+31850000000@127.0.0.1>;tag=a\r\nTo: %s\r\nCall-ID: abc\r\nCSeq: 1 INVITE\r\n\r\nv=0\r\n", to)
	}
	one, ok := parseInvite(packet("<sip:+31612345600@127.0.0.1>"))
	require.True(t, ok)
	require.Equal(t, ring{At: one.At, Number: "+31612345600", CallID: "abc", Branch: "z9hG4bK.1"}, one)
	_, ok = parseInvite(packet("<sip:+31612345600@127.0.0.1>;tag=b"))
	require.False(t, ok, "it belongs to a call that stands")
	_, ok = parseInvite([]byte("ACK sip:+31612345600@127.0.0.1 SIP/2.0\r\n\r\n"))
	require.False(t, ok)
}

// TestPlan holds that a seed decides the plan, and that every fault meets every step.
func TestPlan(t *testing.T) {
	t.Parallel()
	o := options{seed: 7, faults: len(faults) * len(steps), longest: time.Minute}
	everything := func(fault) bool { return true }
	plan := o.plan(everything)
	pairs := map[[2]string]bool{}
	for i, one := range o.plan(everything) {
		require.Equal(t, plan[i].name, one.name)
		require.Equal(t, plan[i].length, one.length)
		require.GreaterOrEqual(t, one.length, time.Second)
		require.LessOrEqual(t, one.length, time.Minute)
		pairs[[2]string{one.name, one.step}] = true
	}
	require.Len(t, pairs, len(faults)*len(steps))
	o.seed = 8
	require.NotEqual(t, plan[0].length, o.plan(everything)[0].length)
}

// A run in which processes were replaced is judged more strictly.
func TestRolledRun(t *testing.T) {
	t.Parallel()
	rolling := func(wrong func(*observations)) []string {
		o := sound()
		o.Callers = o.Callers[:1]
		o.Rolled = &rolled{API: map[string]string{"k1": "before", "k2": "next"},
			Worker: map[string]string{"direct": "next", "first": "next"}}
		wrong(o)
		return broken(check(*o))
	}
	require.Empty(t, rolling(func(*observations) {}))
	for name, wrong := range map[string]func(*observations){
		"requests":       func(o *observations) { o.Rolled.Failed = []string{"POST /v1/contacts: 502"} },
		"delivered once": func(o *observations) { o.Receipts = append(o.Receipts, o.Receipts[0]) },
		"jobs":           func(o *observations) { o.Rolled.Jobs = []string{"finish_call job 1 is retryable"} },
		"versions":       func(o *observations) { o.Rolled.Upgrade = true },
	} {
		require.Equal(t, []string{name}, rolling(wrong))
	}
	for _, wrong := range []func(*observations){
		func(o *observations) { o.Calls[0].Reason, o.Calls[0].Fault = "worker-shutdown", "platform" },
		func(o *observations) { o.Callers = append(o.Callers, caller{Number: "+31620000009", Code: 503}) },
		func(o *observations) { o.Rolled.Exits = 1 },
	} {
		require.Equal(t, []string{"undisturbed"}, rolling(wrong))
	}
}
