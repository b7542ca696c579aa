package erasure

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
)

// ExpireTranscripts removes what was said in the next of an account's calls from before, at most so many, and what repeats
// it. Summaries and recordings stay. It returns how many calls it went through.
func ExpireTranscripts(ctx context.Context, tx pgx.Tx, accountID uuid.UUID, before time.Time, most int) (int, error) {
	rows, err := dbsqlc.New().RetentionListSpoken(ctx, tx,
		&dbsqlc.RetentionListSpokenParams{AccountID: accountID, Before: db.UUIDAt(before), Max: int32(most)})
	if err != nil {
		return 0, fmt.Errorf("list old calls: %w", err)
	}
	who := person{accountID: accountID}
	for _, row := range rows {
		if !row.Ended {
			break
		}
		who.calls = append(who.calls, row.ID)
	}
	if len(who.calls) == 0 {
		return 0, nil
	}
	if err := eraseEach(ctx, tx, &who, transcripts...); err != nil {
		return 0, err
	}
	err = dbsqlc.New().RetentionMarkSpoken(ctx, tx, &dbsqlc.RetentionMarkSpokenParams{AccountID: accountID,
		Transcripts: &who.calls[len(who.calls)-1]})
	if err != nil {
		return 0, fmt.Errorf("mark old calls: %w", err)
	}
	return len(who.calls), nil
}

// ExpireRecordings takes the recordings from the oldest of an account's calls from before, at most so many, and asks for the
// files to be deleted. It returns how many there were.
func ExpireRecordings(ctx context.Context, tx pgx.Tx, in queue.Inserter, accountID uuid.UUID, before time.Time,
	most int) (int, error) {
	calls, err := dbsqlc.New().RetentionForgetRecordings(ctx, tx, &dbsqlc.RetentionForgetRecordingsParams{
		AccountID: accountID, Before: db.UUIDAt(before), Max: int32(most),
	})
	if err != nil {
		return 0, fmt.Errorf("forget old recordings: %w", err)
	}
	return len(calls), discardRecordings(ctx, tx, in, &person{accountID: accountID, calls: calls})
}

// ExpireCalls deletes the oldest of an account's calls from before, at most so many, with all that belongs to them, the scheduled
// calls that made them among it. Their events stay as long as events do, without what they said. It returns how many there were.
func ExpireCalls(ctx context.Context, tx pgx.Tx, in queue.Inserter, accountID uuid.UUID, before time.Time,
	most int) (int, error) {
	queries := dbsqlc.New()
	calls, err := queries.RetentionListCalls(ctx, tx, &dbsqlc.RetentionListCallsParams{AccountID: accountID,
		Before: db.UUIDAt(before), Max: int32(most)})
	if err != nil {
		return 0, fmt.Errorf("list old calls: %w", err)
	}
	if len(calls) == 0 {
		return 0, nil
	}
	who := person{accountID: accountID, calls: calls}
	if err := eraseEach(ctx, tx, &who, eraseEvents, eraseAttempts); err != nil {
		return 0, err
	}
	if err := queries.RetentionReleaseScheduled(ctx, tx,
		&dbsqlc.RetentionReleaseScheduledParams{AccountID: accountID, CallIds: calls}); err != nil {
		return 0, fmt.Errorf("release scheduled calls: %w", err)
	}
	if err := queries.RetentionDeleteAppointments(ctx, tx,
		&dbsqlc.RetentionDeleteAppointmentsParams{AccountID: accountID, CallIds: calls}); err != nil {
		return 0, fmt.Errorf("delete old appointments: %w", err)
	}
	madeBy, err := queries.RetentionDeleteCalls(ctx, tx, &dbsqlc.RetentionDeleteCallsParams{AccountID: accountID, Ids: calls})
	if err != nil {
		return 0, fmt.Errorf("delete old calls: %w", err)
	}
	var scheduled []uuid.UUID
	for _, id := range madeBy {
		if id != nil {
			scheduled = append(scheduled, *id)
		}
	}
	if err := queries.RetentionDeleteScheduled(ctx, tx,
		&dbsqlc.RetentionDeleteScheduledParams{AccountID: accountID, Ids: scheduled}); err != nil {
		return 0, fmt.Errorf("delete old scheduled calls: %w", err)
	}
	return len(calls), discardRecordings(ctx, tx, in, &who)
}
