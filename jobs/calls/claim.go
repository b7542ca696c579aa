package calls

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
)

// Dialer is the telephone that jobs place calls with.
type Dialer interface {
	// Reserve takes a place for one call before the call is claimed. It waits for one for at most wait, and returns false
	// when there is none or the process takes no new calls.
	Reserve(ctx context.Context, wait time.Duration) (Place, bool)
	// Stopping is closed when the process begins to stop: it takes no new calls and lets live ones go on.
	Stopping() <-chan struct{}
}

// Place is room for one call on the telephone of a process.
type Place interface {
	// Hold announces the call that is about to be claimed for the place, before the claim commits: from then on nobody takes
	// the call for lost. forget takes that back when the claim fails; the place can hold another call then.
	Hold(callID uuid.UUID) (forget func())
	// Dial rings the number of the held call, not before at, holds the conversation and returns when the end of the call is
	// recorded. It gives the place back.
	Dial(ctx context.Context, call *dbsqlc.Call, at time.Time)
	// Release gives the place back and forgets the call it holds. After a Dial or a Release it does nothing.
	Release()
}

// claimed is a call that this process has claimed, on the place that dials it.
type claimed struct {
	place Place
	call  *dbsqlc.Call
	at    time.Time // when to dial, by this machine's clock; zero: now
}

// dial lasts as long as the call.
func (c *claimed) dial(ctx context.Context) {
	defer c.place.Release()
	c.place.Dial(ctx, c.call, c.at)
}

// claimInTx runs claim in a transaction. Each call that it claims is held by a place before the commit makes the claim
// visible, so that nobody takes the call for lost, and forgotten when the transaction fails.
func claimInTx(ctx context.Context, beginner db.Beginner, claim func(tx pgx.Tx, hold func(Place, uuid.UUID)) error) error {
	var forget []func()
	hold := func(place Place, callID uuid.UUID) { forget = append(forget, place.Hold(callID)) }
	err := db.InTx(ctx, beginner, func(tx pgx.Tx) error { return claim(tx, hold) })
	if err != nil {
		for _, undo := range forget {
			undo()
		}
	}
	return err
}
