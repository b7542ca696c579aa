// Package questions is what a call waits for from its customer's server: which assistant takes it, what a function returns, for
// how long the caller may go on. A question is recorded as an event before it is posted, and it is posted once; only the process
// that holds the call asks.
package questions

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/events"
)

// liveQuestion is what the process that holds a call asks the customer's server.
type liveQuestion struct {
	accountID, callID uuid.UUID
	processID         string            // which holds the call: nobody else asks
	server            *jsonb.ToolServer // nil: where the call's events go
	timeout           time.Duration     // 0: that of the server
}

// ask records the question, posts it once and returns the body of a 2xx response.
func (q *liveQuestion) ask(ctx context.Context, sender *events.Sender, event func(*dbsqlc.Call) events.Event) ([]byte, error) {
	id, err := db.WithTx(ctx, sender.DB, func(tx pgx.Tx) (uuid.UUID, error) {
		if err := calls.Hold(ctx, tx, q.callID, q.processID); err != nil {
			return uuid.Nil, err
		}
		call, err := dbsqlc.New().CallGet(ctx, tx, &dbsqlc.CallGetParams{AccountID: q.accountID, ID: q.callID})
		if err != nil {
			return uuid.Nil, fmt.Errorf("get call: %w", err)
		}
		return events.RecordQuestion(ctx, tx, event(call))
	})
	if err != nil {
		return nil, err
	}
	return sender.Ask(ctx, events.Question{
		Event: events.DeliverEventArgs{EventID: id, AccountID: q.accountID}, Server: q.server, Timeout: q.timeout,
	})
}
