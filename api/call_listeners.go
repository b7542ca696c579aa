package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
)

const listenPath = "/v1/calls/{call_id}/listen"

// CallListener is somebody who listens in on a call, or did.
type CallListener struct {
	ID        uuid.UUID  `json:"id"`
	CallID    uuid.UUID  `json:"call_id"`
	PersonID  *uuid.UUID `json:"person_id" doc:"The member who listens; null: a key."`
	KeyID     *uuid.UUID `json:"api_key_id" doc:"The key; null: a member."`
	Mode      string     `json:"mode" enum:"listen,whisper,barge"`
	Status    string     `json:"status" enum:"asked,answered,joined,left,missed" doc:"answered: the browser is not connected yet; missed: it never was."`
	CreatedAt time.Time  `json:"created_at"`
	JoinedAt  *time.Time `json:"joined_at"`
	EndedAt   *time.Time `json:"ended_at"`
}

// CallListenerAnswer is a listener whose browser a worker has answered.
type CallListenerAnswer struct {
	ID     uuid.UUID `json:"id"`
	CallID uuid.UUID `json:"call_id"`
	SDP    string    `json:"sdp" doc:"The answer, with all candidates. You hear the call once the browser has connected."`
}

const modeDoc = "listen: you hear both sides, and nothing of yours goes anywhere. whisper: what you say, or type, is an instruction that the assistant follows from its next reply on; the caller hears nothing of it. " +
	"barge: the assistant falls silent and the caller hears you; one listener at a time."

type callListenInput struct {
	middleware.Idempotency
	CallPath
	Body struct {
		SDP  string `json:"sdp" minLength:"1" maxLength:"65536" doc:"The offer of a browser: one audio stream with G.722 or G.711, and one data channel." example:"v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 0\r\nc=IN IP4 0.0.0.0\r\na=mid:0\r\na=ice-ufrag:Kx9d\r\na=ice-pwd:7sMnPq2uWxYz4aBcDeFgHiJk\r\na=fingerprint:sha-256 0F:74:31:25:CB:A2:13:EC:28:6F:6D:2C:61:FF:5D:C2:BC:B9:DB:3D:98:14:8D:1A:BB:EA:33:0C:A4:60:A8:8E\r\na=setup:actpass\r\na=rtcp-mux\r\na=sendrecv\r\na=rtpmap:0 PCMU/8000\r\n"`
		Mode string `json:"mode,omitempty" enum:"listen,whisper,barge" default:"listen" doc:"What you do with the call."`
	}
}

type callListenOutput struct {
	Location string `header:"Location" doc:"PATCH it to change the mode, DELETE it to leave."`
	Body     CallListenerAnswer
}

type listenerPath struct {
	CallPath
	ListenerID uuid.UUID `path:"listener_id" format:"uuid" doc:"Id of the listener."`
}

type callListenerPatchInput struct {
	ID         uuid.UUID `path:"call_id" format:"uuid" doc:"Id of the call."`
	ListenerID uuid.UUID `path:"listener_id" format:"uuid" doc:"Id of the listener."`
	Body       struct {
		Mode string `json:"mode" enum:"listen,whisper,barge" doc:"What you do with the call from now on."`
	}
}

type callListenerOutput struct{ Body CallListener }

// CallListenerList are the listeners of a call.
type CallListenerList struct {
	Data []CallListener `json:"data" nullable:"false"`
}

type callListenersOutput struct{ Body CallListenerList }

func (a *API) registerCallListeners(to huma.API) {
	op := creates(listenPath, "create-call-listener", tagCalls, "Listen in on a live call",
		"Answers the WebRTC offer of a browser, as `POST /v1/calls/web` does: it hears the call. "+modeDoc+" Who listens is in the audit, and your server is told by call-listener-update. "+
			"409 `conflict` when the call is not answered or is over, when somebody else has barged in, and for a repeated Idempotency-Key: an offer is answered once. "+
			"429 `limit_reached` when four listen to the call, or as many in all as your account may have calls. 503 when the worker of the call does not answer within 5 seconds.", http.StatusNotFound, http.StatusForbidden)
	op.MaxBodyBytes = 8 * maxOffer
	handle(a, to, op, a.callListen)
	handle(a, to, operation(http.MethodGet, listenPath, "list-call-listeners", tagCalls, "List a call's listeners",
		"Who listens in on a call, or did, the latest first.", http.StatusNotFound), a.callListeners)
	handle(a, to, operation(http.MethodPatch, listenPath+"/{listener_id}", "patch-call-listener", tagCalls,
		"Listen, whisper or barge in",
		"Changes what you do with the call. "+modeDoc+" The change is on its way when the response comes: the data channel says when it is made, or why not. "+
			"404 when it is another's, 409 `conflict` when you have left, or somebody else has barged in.", http.StatusNotFound,
		http.StatusConflict), a.callListenerPatch)
	leave := operation(http.MethodDelete, listenPath+"/{listener_id}", "delete-call-listener", tagCalls, "Stop listening in",
		"Ends a listener, yours or another's. 409 `conflict` when it has ended.", http.StatusNotFound, http.StatusConflict)
	leave.DefaultStatus = http.StatusNoContent
	handle(a, to, leave, a.callListenerDelete)
}

func (a *API) callListen(ctx context.Context, in *callListenInput) (*callListenOutput, error) {
	asked, err := in.asked(middleware.CallerOf(ctx))
	if err != nil {
		return nil, err
	}
	answered, forget := a.Events.awaitAnswer(asked.ID)
	defer forget()
	offered := false
	_, err = middleware.Once(ctx, a.responses, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[CallListenerAnswer], error) {
		_, err := calls.AskToListen(ctx, tx, asked)
		offered = true
		return middleware.Respond(http.StatusCreated, CallListenerAnswer{ID: asked.ID, CallID: asked.CallID}), err
	})
	if err != nil {
		return nil, listeningRefused(err)
	}
	if !offered { // an answer is for one connection
		return nil, apierror.Conflict("This offer was taken before. Make another one.")
	}
	answer, err := a.listenerAnswer(ctx, asked, answered)
	if err != nil {
		return nil, err
	}
	return &callListenOutput{
		Location: fmt.Sprintf("/v1/calls/%s/listen/%s", asked.CallID, asked.ID),
		Body:     CallListenerAnswer{ID: asked.ID, CallID: asked.CallID, SDP: answer},
	}, nil
}

func (in *callListenInput) asked(who middleware.Caller) (*calls.Listener, error) {
	if why := wrongOffer(in.Body.SDP); why != "" {
		return nil, apierror.Invalid().With("sdp", why)
	}
	asked := &calls.Listener{ID: newID(), AccountID: who.AccountID, CallID: in.ID, PersonID: who.PersonID, Mode: in.Body.Mode,
		Offer: in.Body.SDP}
	if who.PersonID == nil {
		asked.KeyID = &who.KeyID
	} else {
		asked.SessionID = &who.KeyID
	}
	if asked.Mode == "" {
		asked.Mode = callstate.ListenerListens
	}
	return asked, nil
}

// listenerAnswer waits for the answer of the worker that holds the call. When none comes, nobody listens.
func (a *API) listenerAnswer(ctx context.Context, asked *calls.Listener, answered <-chan struct{}) (string, error) {
	answer, err := waitForAnswer(ctx, answered, func(ctx context.Context) (string, error) {
		return calls.TakeListenerAnswer(ctx, a.DB, asked.AccountID, asked.ID)
	})
	if !errors.Is(err, calls.ErrNotAnswered) {
		return answer, listeningRefused(err)
	}
	ending, stop := context.WithTimeout(context.WithoutCancel(ctx), calls.WebOfferWait)
	defer stop()
	err = db.InTx(ending, a.DB, func(tx pgx.Tx) error {
		return calls.ListenerLeft(ending, tx, asked.AccountID, asked.CallID, asked.ID)
	})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", err
	}
	return "", apierror.New(http.StatusServiceUnavailable, "no_worker",
		"The worker that holds the call did not answer.").WithHeader("Retry-After", "5")
}

func listeningRefused(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, calls.ErrNotLive):
		return apierror.Conflict("The call is not answered, or is over.")
	case errors.Is(err, calls.ErrSomebodySpeaks):
		return apierror.Conflict("Somebody else has barged in on this call. Listen, or wait until they have left.")
	case errors.Is(err, calls.ErrTooManyListeners):
		return apierror.New(http.StatusTooManyRequests, "limit_reached",
			"As many listen in as may: four to a call, and in all as many as your account may have calls.").WithHeader("Retry-After", "30")
	}
	return apierror.FromDB("call", err)
}

func (a *API) callListeners(ctx context.Context, in *CallPath) (*callListenersOutput, error) {
	queries, accountID := dbsqlc.New(), middleware.CallerOf(ctx).AccountID
	if _, err := queries.CallGet(ctx, a.DB, &dbsqlc.CallGetParams{AccountID: accountID, ID: in.ID}); err != nil {
		return nil, apierror.FromDB("call", err)
	}
	rows, err := queries.CallListenerList(ctx, a.DB, &dbsqlc.CallListenerListParams{AccountID: accountID, CallID: in.ID})
	if err != nil {
		return nil, apierror.FromDB("listener", err)
	}
	out := &callListenersOutput{Body: CallListenerList{Data: []CallListener{}}}
	for _, row := range rows {
		out.Body.Data = append(out.Body.Data, renderCallListener(row))
	}
	return out, nil
}

// callListenerPatch changes one's own: nobody opens another's microphone.
func (a *API) callListenerPatch(ctx context.Context, in *callListenerPatchInput) (*callListenerOutput, error) {
	who := middleware.CallerOf(ctx)
	middleware.About(ctx, in.ID) // who looks for whom a call was heard by knows the call
	return middleware.WithChange(ctx, a.DB, func(tx pgx.Tx) (*callListenerOutput, error) {
		row, err := a.listener(ctx, tx, in.ID, in.ListenerID)
		if err != nil {
			return nil, err
		}
		if db.UUIDOf(row.PersonID) != db.UUIDOf(who.PersonID) || row.APIKeyID != nil && *row.APIKeyID != who.KeyID {
			return nil, apierror.NotFound("listener")
		}
		row, err = calls.SetListenerMode(ctx, tx, who.AccountID, in.ID, in.ListenerID, in.Body.Mode)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil, apierror.Conflict("You do not listen to this call any more.")
		}
		if err != nil {
			return nil, listeningRefused(err)
		}
		return &callListenerOutput{renderCallListener(row)}, nil
	})
}

func (a *API) callListenerDelete(ctx context.Context, in *listenerPath) (*struct{}, error) {
	middleware.About(ctx, in.ID)
	return nil, middleware.InChange(ctx, a.DB, func(tx pgx.Tx) error {
		if _, err := a.listener(ctx, tx, in.ID, in.ListenerID); err != nil {
			return err
		}
		err := calls.EndListener(ctx, tx, middleware.CallerOf(ctx).AccountID, in.ID, in.ListenerID)
		if errors.Is(err, pgx.ErrNoRows) {
			return apierror.Conflict("This listener has left.")
		}
		return err
	})
}

func (a *API) listener(ctx context.Context, tx pgx.Tx, callID, id uuid.UUID) (*dbsqlc.CallListener, error) {
	row, err := dbsqlc.New().CallListenerGet(ctx, tx, &dbsqlc.CallListenerGetParams{AccountID: middleware.CallerOf(ctx).AccountID,
		CallID: callID, ID: id})
	if err != nil {
		return nil, apierror.FromDB("listener", err)
	}
	return row, nil
}

func renderCallListener(row *dbsqlc.CallListener) CallListener {
	return CallListener{
		ID: row.ID, CallID: row.CallID, PersonID: row.PersonID, KeyID: row.APIKeyID, Mode: row.Mode, Status: row.Status,
		CreatedAt: row.CreatedAt.UTC(), JoinedAt: utc(row.JoinedAt), EndedAt: utc(row.EndedAt),
	}
}
