//go:build unix

package main

import (
	"slices"
	"time"
)

// entry is one request of the driver: what it asked for, and what it was answered.
type entry struct {
	Key         string
	Number      string
	Transferred bool
	Scheduled   bool
	Due         time.Time // when it should ring; of a direct call, when it was accepted
	ID          string    // of the call or the scheduled call; empty: never answered
	RetryOn     []string
	RetryDelay  time.Duration
	Attempts    int // at most
	Deleted     bool
}

// ring is an INVITE transaction as the tap saw it first, or one that the far end was asked for by a REFER.
type ring struct {
	At             time.Time
	Number         string
	CallID, Branch string // CallID of a transfer is that of the call that was transferred
	From           uint16 // SIP port of the worker
	Transfer       bool
}

// callRow is a call as Postgres has it at the end.
type callRow struct {
	ID, ScheduledID        string
	Number, Direction      string
	Status, Reason, Fault  string
	CreatedAt, EndedAt     time.Time
	SIPCallIDs             []string // all that its row ever had
	Erased                 bool     // or deleted
	RecordingKey, WorkerID string
}

func (c *callRow) final() bool { return slices.Contains(finalStatuses, c.Status) }

var finalStatuses = []string{"completed", "missed", "busy", "no-answer", "voicemail", "failed", "canceled"}

// scheduledRow is a scheduled call as Postgres has it at the end.
type scheduledRow struct {
	ID, Number, Status string
	Due                time.Time // of the next attempt
}

// eventRow is an event as Postgres has it at the end; Sequence is 0 while it has none.
type eventRow struct {
	ID, Type, CallID string
	Sequence         int64
}

// receipt is an event that the receiver took.
type receipt struct {
	ID, Type, CallID string
	Sequence         int64
}

// credits is the account's money.
type credits struct {
	Granted, Balance, LedgerSum int
	Orders                      []orderRow
	Accepted                    []string // orders that the driver was told of
}

// orderRow is an order of a number and what it moved in the ledger.
type orderRow struct {
	ID, Status     string
	Taken, Refunds int // ledger rows
}

// observations is all that was seen from outside.
type observations struct {
	Ended             time.Time
	Ledger            []entry
	Callers           []caller
	Pages             []pageCall
	Rings             []ring
	Calls             []callRow
	Scheduled         []scheduledRow
	Events            []eventRow
	Receipts          []receipt
	InvalidSignatures int
	Credits           credits
	Files             map[string]string // kept recordings: name by path, and the call it belongs to
	Drafts            int
	Listening         int // listeners who are not over
	Panics            []string
	Rolled            *rolled // nil: there were faults
}
