package api

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/traces"
)

const (
	webCallPath  = "/v1/calls/web"
	maxOffer     = 64 << 10               // bytes of SDP
	webAnswerTry = 500 * time.Millisecond // how often an answer is looked for of which no notification came
)

// WebCall is a web call that a worker has answered.
type WebCall struct {
	CallID uuid.UUID `json:"call_id"`
	SDP    string    `json:"sdp" doc:"The answer, with all candidates. The call is answered once the browser has connected."`
}

type webCallInput struct {
	middleware.Idempotency
	Body struct {
		AssistantID *uuid.UUID    `json:"assistant_id,omitempty" format:"uuid" doc:"Whom to talk with; with a web token the assistant of that."`
		SDP         string        `json:"sdp" minLength:"1" maxLength:"65536" doc:"The offer of a browser: one audio stream with G.722 or G.711, and one data channel." example:"v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 0\r\nc=IN IP4 0.0.0.0\r\na=mid:0\r\na=ice-ufrag:Kx9d\r\na=ice-pwd:7sMnPq2uWxYz4aBcDeFgHiJk\r\na=fingerprint:sha-256 0F:74:31:25:CB:A2:13:EC:28:6F:6D:2C:61:FF:5D:C2:BC:B9:DB:3D:98:14:8D:1A:BB:EA:33:0C:A4:60:A8:8E\r\na=setup:actpass\r\na=rtcp-mux\r\na=sendrecv\r\na=rtpmap:0 PCMU/8000\r\n"`
		ContactID   *uuid.UUID    `json:"contact_id,omitempty" format:"uuid" doc:"Who is calling, where that is one of your contacts. Not with a web token, which names the contact itself."`
		Visitor     string        `json:"visitor,omitempty" maxLength:"60" doc:"What a caller who is no contact is named: contact_phone_number is web:VISITOR. Default: visitor."`
		Variables   jsonb.Strings `json:"variables,omitempty" doc:"What fills {{name}} in the assistant's messages. Those of a web token win." maxProperties:"100"`
	}
}

type webCallOutput struct {
	Location string `header:"Location" doc:"DELETE it to leave the call."`
	Body     WebCall
}

func (a *API) registerWebCalls(to huma.API) {
	op := creates(webCallPath, "create-web-call", tagCalls, "Talk in the browser",
		"Answers the WebRTC offer of a browser: the person in it talks with the assistant. Takes JSON, or, as WHIP does (RFC 9725), an offer as `application/sdp` with the assistant in the query, "+
			"and responds alike. 429 `limit_reached` at once when all calls are taken that your account may have at a time, and 503 when no worker takes the call within 5 seconds. "+
			"A page calls this with a web token (`POST /v1/web-tokens`), a server with its key. 409 `conflict` when the Idempotency-Key was used before: an offer is answered once.", http.StatusNotFound, http.StatusForbidden)
	op.MaxBodyBytes = 8 * maxOffer // escaped as JSON, which knows no shorter way for some
	middleware.AllowWebTokens(&op)
	handle(a, to, op, a.webCallCreate)
	leave := operation(http.MethodDelete, webCallPath+"/{call_id}", "leave-web-call", tagCalls, "Leave a web call",
		"Hangs up as the person in the browser does: the call ends as customer-ended-call. 409 `conflict` when it is over. A web token leaves the calls that it has made.", http.StatusNotFound, http.StatusConflict)
	leave.DefaultStatus = http.StatusNoContent
	middleware.AllowWebTokens(&leave)
	handle(a, to, leave, a.webCallLeave)
}

// isWebCallPath reports whether pages of other origins may ask for a path with a web token.
func isWebCallPath(path string) bool {
	path = strings.TrimPrefix(path, "/v1")
	return path == "/calls/web" || strings.HasPrefix(path, "/calls/web/")
}

func (a *API) webCallCreate(ctx context.Context, in *webCallInput) (*webCallOutput, error) {
	asked, err := in.asked(middleware.CallerOf(ctx))
	if err != nil {
		return nil, err
	}
	asked.Traceparent = traces.Parent(ctx)
	answered, forget := a.Events.awaitAnswer(asked.ID)
	defer forget()
	offered := false
	_, err = middleware.Once(ctx, a.responses, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[WebCall], error) {
		_, err := calls.OfferWebCall(ctx, tx, asked)
		offered = true
		return middleware.Respond(http.StatusCreated, WebCall{CallID: asked.ID}), err
	})
	if err != nil {
		return nil, webCallRefused(err)
	}
	if !offered { // an answer is for one connection
		return nil, apierror.Conflict("This offer was taken before. Make another one.")
	}
	answer, err := a.webAnswer(ctx, asked, answered)
	if err != nil {
		return nil, err
	}
	return &webCallOutput{Location: webCallPath + "/" + asked.ID.String(), Body: WebCall{CallID: asked.ID, SDP: answer}}, nil
}

func (in *webCallInput) asked(who middleware.Caller) (*calls.WebCall, error) {
	body, wrong := &in.Body, apierror.Invalid()
	asked := &calls.WebCall{
		ID: newID(), AccountID: who.AccountID, ContactID: body.ContactID, Visitor: db.Legible(body.Visitor, 60),
		Variables: body.Variables,
		Simulated: who.Simulated, Offer: body.SDP,
	}
	if asked.Visitor == "" {
		asked.Visitor = "visitor"
	}
	if why := wrongOffer(body.SDP); why != "" {
		wrong.With("sdp", why)
	}
	if token := who.WebToken; token != nil {
		if body.AssistantID != nil && *body.AssistantID != token.AssistantID {
			return nil, apierror.New(http.StatusForbidden, "wrong_assistant", "This token is for another assistant.")
		}
		if body.ContactID != nil {
			wrong.With("contact_id", "is the token's to name")
		}
		asked.AssistantID, asked.ContactID, asked.TokenID = token.AssistantID, token.ContactID, &token.ID
		asked.Variables = merged(body.Variables, token.Variables)
		return asked, wrong.OrNil()
	}
	if body.AssistantID == nil {
		return nil, wrong.With("assistant_id", "is required")
	}
	asked.AssistantID = *body.AssistantID
	return asked, wrong.OrNil()
}

// merged returns what a page has given under what its token has.
func merged(page, token jsonb.Strings) jsonb.Strings {
	all := jsonb.Strings{}
	for _, some := range []jsonb.Strings{page, token} {
		maps.Copy(all, some)
	}
	return all
}

// webAnswer waits for the answer of a worker. When none comes, or the browser does not wait, the call is over.
func (a *API) webAnswer(ctx context.Context, asked *calls.WebCall, answered <-chan struct{}) (string, error) {
	answer, err := waitForAnswer(ctx, answered, func(ctx context.Context) (string, error) {
		return calls.TakeWebAnswer(ctx, a.DB, asked.AccountID, asked.ID)
	})
	if !errors.Is(err, calls.ErrNotAnswered) {
		return answer, err
	}
	ending, stop := context.WithTimeout(context.WithoutCancel(ctx), calls.WebOfferWait)
	defer stop()
	err = db.InTx(ending, a.DB, func(tx pgx.Tx) error { return calls.AbandonWebCall(ending, tx, a.Jobs, asked.AccountID, asked.ID) })
	if err != nil {
		return "", err
	}
	return "", apierror.New(http.StatusServiceUnavailable, "no_worker",
		"No worker takes web calls at the moment: it needs --web-listen and a free place.").
		WithHeader("Retry-After", "5")
}

// waitForAnswer returns what take returns, which is called when a worker may have answered, once that is an answer or a refusal,
// and calls.ErrNotAnswered when none came in time.
func waitForAnswer(ctx context.Context, answered <-chan struct{}, take func(context.Context) (string, error)) (string, error) {
	waiting, cancel := context.WithTimeout(ctx, calls.WebOfferWait)
	defer cancel()
	again := time.NewTicker(webAnswerTry)
	defer again.Stop()
	for waiting.Err() == nil {
		select {
		case <-answered:
		case <-again.C:
		case <-waiting.Done():
		}
		answer, err := take(context.WithoutCancel(ctx))
		if refused, is := errors.AsType[*calls.WebOfferRefused](err); is {
			return "", apierror.Invalid().With("sdp", refused.Reason)
		}
		if !errors.Is(err, calls.ErrNotAnswered) {
			return answer, err
		}
	}
	return "", calls.ErrNotAnswered
}

func webCallRefused(err error) error {
	switch {
	case errors.Is(err, calls.ErrUnknownAssistant):
		return apierror.NotFound("assistant").With("assistant_id", "not found")
	case errors.Is(err, calls.ErrUnknownContact):
		return apierror.NotFound("contact").With("contact_id", "not found")
	case errors.Is(err, calls.ErrTokenUsed):
		return apierror.New(http.StatusForbidden, "token_used", "This token has made all the calls that it may.")
	case errors.Is(err, calls.ErrNoPlace):
		return apierror.New(http.StatusTooManyRequests, "limit_reached",
			"Your account has as many calls at once as it may.").WithHeader("Retry-After", "30")
	}
	return err
}

func (a *API) webCallLeave(ctx context.Context, in *CallPath) (*struct{}, error) {
	who := middleware.CallerOf(ctx)
	return nil, middleware.InChange(ctx, a.DB, func(tx pgx.Tx) error {
		if who.WebToken != nil {
			own, err := dbsqlc.New().WebOfferIsOfToken(ctx, tx,
				&dbsqlc.WebOfferIsOfTokenParams{AccountID: who.AccountID, CallID: in.ID, WebTokenID: who.WebToken.ID})
			if err != nil || !own {
				return errors.Join(err, apierror.NotFound("call"))
			}
		}
		call, err := dbsqlc.New().CallGet(ctx, tx, &dbsqlc.CallGetParams{AccountID: who.AccountID, ID: in.ID})
		if err != nil {
			return apierror.FromDB("call", err)
		}
		if call.Channel != calls.ChannelWeb {
			return apierror.NotFound("call")
		}
		if err := calls.LeaveWebCall(ctx, tx, who.AccountID, in.ID); errors.Is(err, calls.ErrNotLive) {
			return apierror.Conflict("The call is not live.")
		} else if err != nil {
			return apierror.FromDB("call", err)
		}
		return nil
	})
}
