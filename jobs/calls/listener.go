package calls

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/events"
)

// mostListeners is how many a call may have at a time. An account may have as many in all as it may have calls, and always those
// of one call.
const mostListeners = 4

// Why nobody may listen in.
var (
	ErrTooManyListeners = errors.New("the call, or the account, has as many listeners as it may")
	ErrSomebodySpeaks   = errors.New("another colleague speaks to the caller")
)

// Listener is somebody who asks to listen in on a live call.
type Listener struct {
	ID        uuid.UUID
	AccountID uuid.UUID
	CallID    uuid.UUID
	PersonID  *uuid.UUID // nil: a key
	SessionID *uuid.UUID // of the person
	KeyID     *uuid.UUID // nil: a person
	Mode      string     // a callstate.Listener mode
	Offer     string
}

// AskToListen makes the row of a listener and wakes the worker that holds the call. It fails with pgx.ErrNoRows when the account
// has no such call, ErrNotLive when nobody talks in it, ErrTooManyListeners, and ErrSomebodySpeaks to who would speak to the
// caller, too.
func AskToListen(ctx context.Context, tx pgx.Tx, asked *Listener) (*dbsqlc.CallListener, error) {
	queries := dbsqlc.New()
	if err := queries.AccountLock(ctx, tx, &dbsqlc.AccountLockParams{ID: asked.AccountID}); err != nil {
		return nil, fmt.Errorf("lock account: %w", err)
	}
	call, err := queries.CallGetForCommand(ctx, tx, &dbsqlc.CallGetForCommandParams{AccountID: asked.AccountID, ID: asked.CallID})
	if err != nil {
		return nil, fmt.Errorf("get call: %w", err)
	}
	if call.EndedAt != nil || call.StartedAt == nil || call.WorkerID == nil {
		return nil, ErrNotLive
	}
	account, err := queries.AccountGet(ctx, tx, &dbsqlc.AccountGetParams{ID: asked.AccountID})
	if err != nil {
		return nil, fmt.Errorf("get account: %w", err)
	}
	load, err := queries.CallListenerLoad(ctx, tx, &dbsqlc.CallListenerLoadParams{AccountID: asked.AccountID, CallID: asked.CallID})
	if err != nil {
		return nil, fmt.Errorf("count listeners: %w", err)
	}
	if load.OfCall >= mostListeners || load.OfAccount >= max(int64(account.MaxConcurrentCalls), mostListeners) {
		return nil, ErrTooManyListeners
	}
	row, err := queries.CallListenerInsert(ctx, tx, &dbsqlc.CallListenerInsertParams{
		ID: asked.ID, AccountID: asked.AccountID, CallID: asked.CallID, PersonID: asked.PersonID, SessionID: asked.SessionID,
		APIKeyID: asked.KeyID,
		Mode:     asked.Mode, Offer: asked.Offer,
	})
	if err != nil {
		return nil, speaksTwice(fmt.Errorf("insert listener: %w", err))
	}
	return row, db.Notify(ctx, tx, CommandChannel, *call.WorkerID)
}

// speaksTwice returns ErrSomebodySpeaks for the error that says so of the database.
func speaksTwice(err error) error {
	if violated, ok := errors.AsType[*pgconn.PgError](err); ok && violated.ConstraintName == "call_listener_barge_key" {
		return ErrSomebodySpeaks
	}
	return err
}

// ListListeners returns the live listeners of the calls of a process.
func ListListeners(ctx context.Context, conn dbsqlc.DBTX, processID string) ([]*dbsqlc.CallListener, error) {
	rows, err := dbsqlc.New().CallListenerListLive(ctx, conn, &dbsqlc.CallListenerListLiveParams{WorkerID: processID})
	if err != nil {
		return nil, fmt.Errorf("list listeners: %w", err)
	}
	return rows, nil
}

// AnswerListener hands the answer to a listener of processID's call to the API process that waits for it. ErrConflict: nobody
// waits any more, or the call is over or somebody else's.
func AnswerListener(ctx context.Context, conn dbsqlc.DBTX, processID string, id uuid.UUID, answer string) error {
	_, err := dbsqlc.New().CallListenerAnswer(ctx, conn,
		&dbsqlc.CallListenerAnswerParams{ID: id, WorkerID: processID, Answer: answer})
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrConflict
	}
	if err != nil {
		return fmt.Errorf("answer listener: %w", err)
	}
	return db.Notify(ctx, conn, WebAnswerChannel, id.String())
}

// RefuseListener says why there is no answer.
func RefuseListener(ctx context.Context, tx pgx.Tx, id uuid.UUID, failure string) error {
	refused, err := dbsqlc.New().CallListenerRefuse(ctx, tx, &dbsqlc.CallListenerRefuseParams{ID: id, Failure: db.Storable(failure)})
	if err != nil {
		return fmt.Errorf("refuse listener: %w", err)
	}
	if err := auditLeft(ctx, tx, refused); err != nil {
		return err
	}
	return db.Notify(ctx, tx, WebAnswerChannel, id.String())
}

// TakeListenerAnswer returns the answer to a listener, once; ErrNotAnswered: there is none yet; ErrNotLive: the call has ended
// first. A *WebOfferRefused says that the worker does not take the offer.
func TakeListenerAnswer(ctx context.Context, conn dbsqlc.DBTX, accountID, id uuid.UUID) (string, error) {
	row, err := dbsqlc.New().CallListenerTakeAnswer(ctx, conn, &dbsqlc.CallListenerTakeAnswerParams{AccountID: accountID, ID: id})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", ErrNotAnswered
	case err != nil:
		return "", fmt.Errorf("take answer for listener: %w", err)
	case row.Failure != "":
		return "", &WebOfferRefused{row.Failure}
	case row.Answer == "":
		return "", ErrNotLive
	}
	return row.Answer, nil
}

// JoinListener records that the browser of a listener is connected. ErrConflict: nobody wants it any more.
func JoinListener(ctx context.Context, tx pgx.Tx, call *dbsqlc.Call, processID string,
	id uuid.UUID) (*dbsqlc.CallListener, error) {
	if err := Hold(ctx, tx, call.ID, processID); err != nil {
		return nil, err
	}
	row, err := dbsqlc.New().CallListenerJoin(ctx, tx, &dbsqlc.CallListenerJoinParams{ID: id})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrConflict
	}
	if err != nil {
		return nil, fmt.Errorf("join listener: %w", err)
	}
	return row, events.Record(ctx, tx, events.CallListenerUpdate(call, row))
}

// SetListenerMode changes what a listener may do, and wakes the worker that holds the call. It fails with pgx.ErrNoRows when
// there is no such listener any more, and with ErrSomebodySpeaks.
func SetListenerMode(ctx context.Context, tx pgx.Tx, accountID, callID, id uuid.UUID, mode string) (*dbsqlc.CallListener, error) {
	queries := dbsqlc.New()
	call, err := queries.CallGetForCommand(ctx, tx, &dbsqlc.CallGetForCommandParams{AccountID: accountID, ID: callID})
	if err != nil {
		return nil, fmt.Errorf("get call: %w", err)
	}
	row, err := queries.CallListenerSetMode(ctx, tx, &dbsqlc.CallListenerSetModeParams{AccountID: accountID, CallID: callID, ID: id,
		Mode: mode})
	if err != nil {
		return nil, speaksTwice(fmt.Errorf("set mode of listener: %w", err))
	}
	return row, listenerChanged(ctx, tx, call, row)
}

// CheckListeners has workers look at once whether those who listen in still may. It is called in the transaction in which a
// session or a key ends, a role changes, or a member leaves: few do, and few listen, so it does not ask whom that concerns. A
// worker that hears nothing of it looks every few seconds.
func CheckListeners(ctx context.Context, tx pgx.Tx) error {
	workers, err := dbsqlc.New().CallListenerWorkers(ctx, tx)
	if err != nil {
		return fmt.Errorf("find workers of listeners: %w", err)
	}
	for _, worker := range workers {
		if err := db.Notify(ctx, tx, CommandChannel, worker); err != nil {
			return err
		}
	}
	return nil
}

// listenerChanged tells customers of one who has joined, and wakes the worker.
func listenerChanged(ctx context.Context, tx pgx.Tx, call *dbsqlc.Call, row *dbsqlc.CallListener) error {
	if row.JoinedAt != nil {
		if err := events.Record(ctx, tx, events.CallListenerUpdate(call, row)); err != nil {
			return err
		}
	}
	if call.WorkerID == nil {
		return nil
	}
	return db.Notify(ctx, tx, CommandChannel, *call.WorkerID)
}

// ListenerExpired reports whether nobody waits any more for the answer to a listener. now is by the clock of Postgres.
func ListenerExpired(row *dbsqlc.CallListener, now time.Time) bool {
	return row.Status == callstate.ListenerAsked && now.Sub(row.CreatedAt) > 2*WebOfferWait
}
