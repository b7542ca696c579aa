package calls

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/messages"
	"github.com/callwright/callwright/jobs/queue"
)

// Reporter reports calls that are over.
type Reporter struct {
	PublicURL string // where customers reach the API; recordings are named below it
	Seal      seal.Sealer
	Now       func() time.Time
}

// Report records that calls are over, once each: the report, the mail, and the contact's last interaction.
func (r *Reporter) Report(ctx context.Context, tx pgx.Tx, in queue.Inserter, calls []*dbsqlc.Call, turns map[uuid.UUID][]*dbsqlc.CallTurn) error {
	if len(calls) == 0 {
		return nil
	}
	if err := touchContacts(ctx, tx, calls); err != nil {
		return err
	}
	var reports []events.Event
	for _, call := range calls {
		reports = append(reports, events.EndOfCallReport(call, turns[call.ID], r.PublicURL))
	}
	deliveries, err := events.Write(ctx, tx, reports...)
	if err != nil {
		return err
	}
	mails, err := messages.PostCallMail(calls, turns, &messages.RecordingLinks{Seal: r.Seal, PublicURL: r.PublicURL, Until: r.Now().Add(messages.RecordingLinkFor)})
	if err != nil {
		return err
	}
	if err := messages.EnqueueMail(ctx, tx, in, mails...); err != nil {
		return err
	}
	return queue.Insert(ctx, tx, in, append(deliveries, forgetting(r.Now(), calls)...))
}

// touchContacts notes the calls that were answered as their contacts' last interaction.
func touchContacts(ctx context.Context, tx pgx.Tx, calls []*dbsqlc.Call) error {
	params := &dbsqlc.ContactTouchManyParams{}
	for _, call := range calls {
		if call.ContactID != nil && call.StartedAt != nil {
			params.Ids = append(params.Ids, *call.ContactID)
			params.CallIds = append(params.CallIds, call.ID)
			if call.AssistantConfig.Forgets() {
				params.ForgottenIds = append(params.ForgottenIds, call.ID)
			}
		}
	}
	if len(params.Ids) == 0 {
		return nil
	}
	if err := dbsqlc.New().ContactTouchMany(ctx, tx, params); err != nil {
		return fmt.Errorf("touch contacts: %w", err)
	}
	return nil
}

// ListTurns returns what was said in calls, in order.
func ListTurns(ctx context.Context, tx pgx.Tx, callIDs []uuid.UUID) (map[uuid.UUID][]*dbsqlc.CallTurn, error) {
	turns, err := dbsqlc.New().CallTurnListMany(ctx, tx, &dbsqlc.CallTurnListManyParams{CallIds: callIDs})
	if err != nil {
		return nil, fmt.Errorf("list turns: %w", err)
	}
	byCall := map[uuid.UUID][]*dbsqlc.CallTurn{}
	for _, turn := range turns {
		byCall[turn.CallID] = append(byCall[turn.CallID], turn)
	}
	return byCall, nil
}
