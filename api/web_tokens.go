package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
)

const webTokenLife = 10 * 60 // seconds, where none are given

// WebToken is a token for web calls without its text, of which only a hash is kept.
type WebToken struct {
	ID          uuid.UUID     `json:"id"`
	AssistantID uuid.UUID     `json:"assistant_id"`
	ContactID   *uuid.UUID    `json:"contact_id"`
	Prefix      string        `json:"prefix" doc:"The first characters of its text." example:"cw_web_9xQ4o"`
	Mode        string        `json:"mode" enum:"live,test" doc:"That of the key that made it."`
	Origins     []string      `json:"origins" nullable:"false" doc:"Whose pages may use it."`
	Variables   jsonb.Strings `json:"variables"`
	MaxCalls    int32         `json:"max_calls"`
	Calls       int32         `json:"calls" doc:"How many it has made."`
	ExpiresAt   time.Time     `json:"expires_at"`
	CreatedAt   time.Time     `json:"created_at"`
}

// NewWebToken is a new token. Its text is shown only here.
type NewWebToken struct {
	WebToken
	Token string `json:"token" doc:"For one page. Shown only now." example:"cw_web_9xQ4o2ZtB1mK7sVhWf3LrTnYpEu6GdJa"`
}

type webTokenCreateInput struct {
	middleware.Idempotency
	Body struct {
		AssistantID uuid.UUID     `json:"assistant_id" format:"uuid" doc:"The one assistant that it reaches."`
		Origins     []string      `json:"origins" minItems:"1" maxItems:"20" nullable:"false" doc:"The origins of the pages that may use it." example:"[\"https://www.example.com\"]"`
		TTLSeconds  int32         `json:"ttl_seconds,omitempty" minimum:"10" maximum:"3600" doc:"How long calls may be begun with it; default 600."`
		MaxCalls    int32         `json:"max_calls,omitempty" minimum:"1" maximum:"100" doc:"How many; default 1."`
		ContactID   *uuid.UUID    `json:"contact_id,omitempty" format:"uuid" doc:"Who is calling, where you know that: one of your contacts."`
		Variables   jsonb.Strings `json:"variables,omitempty" maxProperties:"100" doc:"What fills {{name}} in the assistant's messages. The page cannot change these."`
	}
}

// WebTokenPath names a token.
type WebTokenPath struct {
	ID uuid.UUID `path:"id" format:"uuid" doc:"Id of the token."`
}

type webTokenListInput struct{ middleware.Page }

func (a *API) registerWebTokens(to huma.API) {
	handle(a, to, creates("/v1/web-tokens", "create-web-token", tagCalls, "Create a web token",
		"Returns a token with which a page of yours begins web calls and leaves them, and does nothing else. Your server asks for one when it serves the page: it works for minutes, for the origins that you name.", http.StatusNotFound), a.webTokenCreate)
	handle(a, to, operation(http.MethodGet, "/v1/web-tokens", "list-web-tokens", tagCalls, "List web tokens",
		"Your tokens that work, newest first."), a.webTokenList)
	remove := operation(http.MethodDelete, "/v1/web-tokens/{id}", "delete-web-token", tagCalls, "Revoke a web token",
		"No call is begun with it any more. Those that it has made go on.", http.StatusNotFound)
	remove.DefaultStatus = http.StatusNoContent
	handle(a, to, remove, a.webTokenDelete)
}

func (a *API) webTokenCreate(ctx context.Context, in *webTokenCreateInput) (*middleware.Response[NewWebToken], error) {
	who, body, wrong := middleware.CallerOf(ctx), &in.Body, apierror.Invalid()
	for _, origin := range body.Origins {
		if !isOrigin(origin) {
			wrong.With("origins", "names "+origin+", which is no origin such as https://www.example.com")
		}
	}
	if err := wrong.OrNil(); err != nil {
		return nil, err
	}
	params := &dbsqlc.WebTokenInsertParams{
		ID: newID(), ContactID: body.ContactID, Test: who.Simulated, Origins: body.Origins, Variables: body.Variables,
		MaxCalls: max(1, body.MaxCalls), Seconds: body.TTLSeconds, AccountID: who.AccountID, AssistantID: body.AssistantID,
	}
	if params.Seconds == 0 {
		params.Seconds = webTokenLife
	}
	if params.Variables == nil {
		params.Variables = jsonb.Strings{}
	}
	return middleware.Once(ctx, a.responses, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[NewWebToken], error) {
		token := middleware.NewWebToken()
		params.Prefix, params.Hash = token.Prefix, token.Hash
		row, err := dbsqlc.New().WebTokenInsert(ctx, tx, params)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil, a.notForToken(ctx, tx, params)
		}
		if err != nil {
			return nil, apierror.FromDB("token", err)
		}
		return middleware.RespondSecret(http.StatusCreated, NewWebToken{WebToken: renderWebToken(row), Token: token.Text}), nil
	})
}

// notForToken says what is missing that a token names.
func (a *API) notForToken(ctx context.Context, tx pgx.Tx, params *dbsqlc.WebTokenInsertParams) error {
	if params.ContactID != nil {
		_, err := dbsqlc.New().ContactGet(ctx, tx, &dbsqlc.ContactGetParams{AccountID: params.AccountID, ID: *params.ContactID})
		if err != nil {
			return apierror.FromDB("contact", err)
		}
	}
	return apierror.NotFound("assistant").With("assistant_id", "not found")
}

// isOrigin reports whether a text is an origin as browsers send it.
func isOrigin(text string) bool {
	parsed, err := url.Parse(text)
	return err == nil && (parsed.Scheme == "https" || parsed.Scheme == "http") && parsed.Host != "" &&
		parsed.Scheme+"://"+parsed.Host == text
}

func (a *API) webTokenList(ctx context.Context, in *webTokenListInput) (*middleware.List[WebToken], error) {
	accountID := middleware.CallerOf(ctx).AccountID
	total, err := dbsqlc.New().WebTokenCount(ctx, a.DB, &dbsqlc.WebTokenCountParams{AccountID: accountID})
	if err != nil {
		return nil, apierror.FromDB("token", err)
	}
	rows, err := dbsqlc.New().WebTokenList(ctx, a.DB, &dbsqlc.WebTokenListParams{AccountID: accountID, Before: in.Before(),
		Max: middleware.QueryLimit(in.Limit), Skip: int32(in.Offset)})
	if err != nil {
		return nil, apierror.FromDB("token", err)
	}
	where := func(row *dbsqlc.WebToken) middleware.Position { return middleware.Position{ID: row.ID} }
	return middleware.NewList(in.Limit, &in.Place, rows, total, renderWebToken, where)
}

func (a *API) webTokenDelete(ctx context.Context, in *WebTokenPath) (*struct{}, error) {
	return nil, middleware.InChange(ctx, a.DB, func(tx pgx.Tx) error {
		_, err := dbsqlc.New().WebTokenRevoke(ctx, tx, &dbsqlc.WebTokenRevokeParams{AccountID: middleware.CallerOf(ctx).AccountID,
			ID: in.ID})
		if err != nil {
			return apierror.FromDB("token", err)
		}
		return nil
	})
}

func renderWebToken(row *dbsqlc.WebToken) WebToken {
	mode := middleware.KeyModeLive
	if row.Test {
		mode = middleware.KeyModeTest
	}
	return WebToken{
		ID: row.ID, AssistantID: row.AssistantID, ContactID: row.ContactID, Prefix: row.Prefix, Mode: mode, Origins: row.Origins,
		Variables: row.Variables,
		MaxCalls:  row.MaxCalls, Calls: row.Calls, ExpiresAt: row.ExpiresAt.UTC(), CreatedAt: row.CreatedAt.UTC(),
	}
}
