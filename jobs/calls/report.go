package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/erasure"
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

// Report records that calls are over, once each: the contact's last interaction, the mail, and the report, which names both.
func (r *Reporter) Report(ctx context.Context, tx pgx.Tx, in queue.Inserter, calls []*dbsqlc.Call,
	turns map[uuid.UUID][]*dbsqlc.CallTurn) error {
	if len(calls) == 0 {
		return nil
	}
	touched, err := touchContacts(ctx, tx, calls)
	if err != nil {
		return err
	}
	links := &messages.RecordingLinks{Seal: r.Seal, PublicURL: r.PublicURL, Until: r.Now().Add(messages.RecordingLinkFor)}
	mails, err := messages.PostCallMail(calls, turns, links)
	if err != nil {
		return err
	}
	if err := messages.EnqueueMail(ctx, tx, in, mails...); err != nil {
		return err
	}
	followed, err := listFollowUps(ctx, tx, callIDs(calls))
	if err != nil {
		return err
	}
	legs, err := ListLegs(ctx, tx, calls...)
	if err != nil {
		return err
	}
	var reports []events.Event
	for _, call := range calls {
		report := &events.Report{
			Call: call, Turns: turns[call.ID], ToolCalls: followed.toolCalls[call.ID], Legs: legs[call.ID], Tasks: followed.tasks[call.ID],
			Usage: followed.usage[call.ID],
		}
		if wasTouched(call) && slices.Contains(touched, *call.ContactID) {
			report.Tasks = append(report.Tasks, events.ContactUpdate(*call.ContactID))
		}
		if call.RecordingKey != nil {
			report.RecordingURL = links.To(call)
		}
		reports = append(reports, report.Event())
	}
	if err := events.Record(ctx, tx, reports...); err != nil {
		return err
	}
	return queue.Insert(ctx, tx, in, erasure.Forgetting(r.Now(), calls))
}

// wasTouched reports whether a call is its contact's interaction: somebody answered.
func wasTouched(call *dbsqlc.Call) bool { return call.ContactID != nil && call.StartedAt != nil }

// touchContacts notes the calls that were answered as their contacts' last interaction. It returns the contacts that there
// are still.
func touchContacts(ctx context.Context, tx pgx.Tx, calls []*dbsqlc.Call) ([]uuid.UUID, error) {
	params := &dbsqlc.ContactTouchManyParams{}
	for _, call := range calls {
		if wasTouched(call) {
			params.Ids = append(params.Ids, *call.ContactID)
			params.CallIds = append(params.CallIds, call.ID)
			if call.AssistantConfig.Forgets() {
				params.ForgottenIds = append(params.ForgottenIds, call.ID)
			}
		}
	}
	if len(params.Ids) == 0 {
		return nil, nil
	}
	touched, err := dbsqlc.New().ContactTouchMany(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("touch contacts: %w", err)
	}
	return touched, nil
}

// followUps are what followed from calls, and what they used, by call.
type followUps struct {
	toolCalls map[uuid.UUID][]*dbsqlc.CallToolCall
	tasks     map[uuid.UUID][]events.Task
	usage     map[uuid.UUID]jsonb.Usage
}

func listFollowUps(ctx context.Context, tx pgx.Tx, callIDs []uuid.UUID) (*followUps, error) {
	found := &followUps{map[uuid.UUID][]*dbsqlc.CallToolCall{}, map[uuid.UUID][]events.Task{}, map[uuid.UUID]jsonb.Usage{}}
	used, err := dbsqlc.New().CallToolCallListMany(ctx, tx, &dbsqlc.CallToolCallListManyParams{CallIds: callIDs})
	if err != nil {
		return nil, fmt.Errorf("list tool calls: %w", err)
	}
	for _, tool := range used {
		found.toolCalls[tool.CallID] = append(found.toolCalls[tool.CallID], tool)
	}
	rows, err := dbsqlc.New().CallFollowUpListMany(ctx, tx, &dbsqlc.CallFollowUpListManyParams{CallIds: callIDs})
	if err != nil {
		return nil, fmt.Errorf("list what followed: %w", err)
	}
	for _, row := range rows {
		task, used := events.Task{}, jsonb.Usage{}
		into := any(&task)
		if row.Type == "usage" {
			into = &used
		}
		if err := json.Unmarshal(row.Detail, into); err != nil {
			return nil, fmt.Errorf("read what followed: %w", err)
		}
		if row.Type == "usage" {
			found.usage[row.CallID] = used
			continue
		}
		task.Type, task.ID, task.Status, task.StartsAt, task.EndsAt = row.Type, row.ID.String(), row.Status, utc(task.StartsAt),
			utc(task.EndsAt)
		found.tasks[row.CallID] = append(found.tasks[row.CallID], task)
	}
	return found, nil
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	return new(at.UTC())
}

// ListTurns returns what was said in calls, in order.
func ListTurns(ctx context.Context, tx dbsqlc.DBTX, callIDs []uuid.UUID) (map[uuid.UUID][]*dbsqlc.CallTurn, error) {
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
