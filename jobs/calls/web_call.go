package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/jobs/recordings"
)

// WebOfferWait is how long a browser waits for a worker.
const WebOfferWait = 5 * time.Second

// The channels on which workers hear of offers, and API processes of answers: a notification names the call.
const (
	WebOfferChannel  = "web_offer"
	WebAnswerChannel = "web_answer"
)

// ChannelWeb is the channel of calls of browsers.
const ChannelWeb = "web"

// webVisitor is what stands in front of the name that a visitor goes by who is no contact.
const webVisitor = "web:"

// Why a web call does not come about.
var (
	ErrTokenUsed   = errors.New("the web token makes no more calls")
	ErrNotAnswered = errors.New("no worker has taken the web call")
)

// WebOfferRefused is what a worker says of an offer that is none.
type WebOfferRefused struct{ Reason string }

// Error implements error.
func (e *WebOfferRefused) Error() string { return e.Reason }

// WebCall is a call that a browser asks for.
type WebCall struct {
	ID          uuid.UUID
	AccountID   uuid.UUID
	AssistantID uuid.UUID
	ContactID   *uuid.UUID // who is calling, as far as whoever asks knows; nil: a visitor
	Visitor     string     // what a visitor is named
	TokenID     *uuid.UUID // that it is made with; nil: an API key
	Variables   jsonb.Strings
	Simulated   bool
	Offer       string
	Traceparent string
}

// OfferWebCall makes the row of a call that a browser asks for, live and nobody's, and wakes the workers. It fails with
// ErrNoPlace when the account's places are taken, ErrTokenUsed, ErrUnknownContact or ErrUnknownAssistant.
func OfferWebCall(ctx context.Context, tx pgx.Tx, asked *WebCall) (*dbsqlc.Call, error) {
	held, err := lockWithPlace(ctx, tx, asked.AccountID)
	if err != nil {
		return nil, err
	}
	if load := held[asked.AccountID]; load == nil || load.Inbound+load.Outbound >= load.MaxConcurrentCalls {
		return nil, ErrNoPlace
	}
	if err := useWebToken(ctx, tx, asked); err != nil {
		return nil, err
	}
	call, err := insertWebCall(ctx, tx, asked)
	if err != nil {
		return nil, err
	}
	err = dbsqlc.New().WebOfferInsert(ctx, tx, &dbsqlc.WebOfferInsertParams{
		CallID: call.ID, AccountID: call.AccountID, WebTokenID: asked.TokenID, Offer: asked.Offer, Seconds: WebOfferWait.Seconds(),
	})
	if err != nil {
		return nil, fmt.Errorf("insert web offer: %w", err)
	}
	if err := recordStatus(ctx, tx, call); err != nil {
		return nil, err
	}
	return call, db.Notify(ctx, tx, WebOfferChannel, call.ID.String())
}

func useWebToken(ctx context.Context, tx pgx.Tx, asked *WebCall) error {
	if asked.TokenID == nil {
		return nil
	}
	_, err := dbsqlc.New().WebTokenUse(ctx, tx, &dbsqlc.WebTokenUseParams{AccountID: asked.AccountID, ID: *asked.TokenID})
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrTokenUsed
	}
	if err != nil {
		return fmt.Errorf("use web token: %w", err)
	}
	return nil
}

func insertWebCall(ctx context.Context, tx pgx.Tx, asked *WebCall) (*dbsqlc.Call, error) {
	variables := asked.Variables
	if variables == nil {
		variables = jsonb.Strings{}
	}
	text, err := json.Marshal(variables)
	if err != nil {
		return nil, fmt.Errorf("encode variables: %w", err)
	}
	call, err := dbsqlc.New().WebCallInsert(ctx, tx, &dbsqlc.WebCallInsertParams{
		ID: asked.ID, Simulated: asked.Simulated, Visitor: webVisitor + asked.Visitor, Variables: text, Traceparent: asked.Traceparent,
		AccountID: asked.AccountID, AssistantID: asked.AssistantID, ContactID: asked.ContactID,
		ByVersion: db.Writes(tx, db.ShortCalls),
	})
	if !errors.Is(err, pgx.ErrNoRows) {
		if err != nil {
			err = fmt.Errorf("insert web call: %w", err)
		}
		return call, err
	}
	if asked.ContactID != nil {
		_, err := dbsqlc.New().ContactGet(ctx, tx, &dbsqlc.ContactGetParams{AccountID: asked.AccountID, ID: *asked.ContactID})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil, ErrUnknownContact
		}
		if err != nil {
			return nil, fmt.Errorf("get contact: %w", err)
		}
	}
	return nil, ErrUnknownAssistant
}

// ClaimWebCall makes a web call processID's and returns it with its offer. ErrConflict: another process was faster, or nobody
// waits any more.
func ClaimWebCall(ctx context.Context, tx pgx.Tx, sealer seal.Sealer, processID string,
	callID uuid.UUID) (*dbsqlc.Call, string, error) {
	_, secret := recordings.NewSecret(sealer, callID)
	call, err := dbsqlc.New().WebCallClaim(ctx, tx, &dbsqlc.WebCallClaimParams{ID: callID, WorkerID: processID,
		RecordingSecret: secret})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, "", ErrConflict
	}
	if err != nil {
		return nil, "", fmt.Errorf("claim web call: %w", err)
	}
	if err := LoadConfigurations(ctx, tx, call); err != nil {
		return nil, "", err
	}
	offer, err := dbsqlc.New().WebOfferGet(ctx, tx, &dbsqlc.WebOfferGetParams{CallID: callID})
	if err != nil {
		return nil, "", fmt.Errorf("get web offer: %w", err)
	}
	return call, offer, nil
}

// AnswerWebCall hands the answer to a web call of processID, or why there is none, to the API process that waits for it.
func AnswerWebCall(ctx context.Context, conn dbsqlc.DBTX, processID string, callID uuid.UUID, answer, failure string) error {
	err := dbsqlc.New().WebOfferAnswer(ctx, conn, &dbsqlc.WebOfferAnswerParams{
		CallID: callID, WorkerID: processID, Answer: db.NonEmpty(answer), Failure: db.NonEmpty(failure),
	})
	if err != nil {
		return fmt.Errorf("answer web offer: %w", err)
	}
	return db.Notify(ctx, conn, WebAnswerChannel, callID.String())
}

// TakeWebAnswer returns the answer to a web call, once; ErrNotAnswered: there is none yet. A *WebOfferRefused says that the offer
// is none.
func TakeWebAnswer(ctx context.Context, conn dbsqlc.DBTX, accountID, callID uuid.UUID) (string, error) {
	row, err := dbsqlc.New().WebOfferTakeAnswer(ctx, conn, &dbsqlc.WebOfferTakeAnswerParams{AccountID: accountID, CallID: callID})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", ErrNotAnswered
	case err != nil:
		return "", fmt.Errorf("take web answer: %w", err)
	case row.Failure != "":
		return "", &WebOfferRefused{row.Failure}
	}
	return row.Answer, nil
}

// AbandonWebCall ends a web call that no worker has claimed, and forgets its offer. A call that was claimed is left to its
// worker, which the browser does not come to.
func AbandonWebCall(ctx context.Context, tx pgx.Tx, in queue.Inserter, accountID, callID uuid.UUID) error {
	queries, reason := dbsqlc.New(), callstate.ReasonPlatformError
	call, err := queries.WebCallAbandon(ctx, tx, &dbsqlc.WebCallAbandonParams{
		AccountID: accountID, ID: callID, EndedReason: &reason, EndedFault: new(callstate.FaultOf(reason)),
		Error: new(ErrNotAnswered.Error()),
	})
	unused := err == nil
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("abandon web call: %w", err)
	}
	if unused {
		if err := ended(ctx, tx, in, nil, call); err != nil {
			return err
		}
	}
	err = queries.WebOfferForget(ctx, tx, &dbsqlc.WebOfferForgetParams{AccountID: accountID, CallID: callID, Unused: unused})
	if err != nil {
		return fmt.Errorf("forget web offer: %w", err)
	}
	return nil
}

// expireWebOffers ends what API processes have left that died while a browser waited.
func expireWebOffers(ctx context.Context, beginner db.Beginner, in queue.Inserter) error {
	expired, err := dbsqlc.New().WebOfferListExpired(ctx, beginner)
	if err != nil {
		return fmt.Errorf("list expired web offers: %w", err)
	}
	for _, offer := range expired {
		err := db.InTx(ctx, beginner, func(tx pgx.Tx) error { return AbandonWebCall(ctx, tx, in, offer.AccountID, offer.CallID) })
		if err != nil {
			return err
		}
	}
	return nil
}

// LeaveWebCall ends a live web call as the person who is in it does. It fails as Command does.
func LeaveWebCall(ctx context.Context, tx pgx.Tx, accountID, callID uuid.UUID) error {
	_, err := Command(ctx, tx, accountID, callID, CommandEndCall, jsonb.CallCommand{ByCustomer: true})
	return err
}
