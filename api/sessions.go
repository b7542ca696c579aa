package api

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
)

// OpenSession is a session that works.
type OpenSession struct {
	ID         uuid.UUID  `json:"id"`
	Current    bool       `json:"current" doc:"It is the session that asks."`
	Account    AccountRef `json:"account"`
	Address    *string    `json:"address" doc:"From where the person signed in." example:"198.51.100.7"`
	UserAgent  string     `json:"user_agent" example:"Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"`
	CreatedAt  time.Time  `json:"created_at"`
	LastUsedAt time.Time  `json:"last_used_at" doc:"To the minute."`
	ExpiresAt  time.Time  `json:"expires_at" doc:"When it ends at the latest."`
}

type sessionListInput struct{ middleware.Page }

type SessionPath struct {
	ID uuid.UUID `path:"id" format:"uuid" doc:"Id of the session."`
}

func (a *API) registerSessions(to huma.API) {
	handle(a, to, signedIn(http.MethodGet, "/v1/sessions", "list-sessions", "List your sessions",
		"The sessions of the person that work, in all accounts, newest first."), a.sessionList)
	end := signedIn(http.MethodDelete, "/v1/sessions/{id}", "end-session", "End a session", "Signs the person out there, at once.",
		http.StatusNotFound)
	end.DefaultStatus = http.StatusNoContent
	handle(a, to, end, a.sessionEnd)
	others := signedIn(http.MethodDelete, "/v1/sessions", "end-other-sessions", "Sign out everywhere else",
		"Ends all sessions of the person but the one that asks.")
	others.DefaultStatus = http.StatusNoContent
	handle(a, to, others, a.sessionEndOthers)
}

func (a *API) sessionList(ctx context.Context, in *sessionListInput) (*middleware.List[OpenSession], error) {
	who := middleware.CallerOf(ctx)
	all, err := dbsqlc.New().SessionList(ctx, a.DB, &dbsqlc.SessionListParams{PersonID: who.PersonID,
		IdleSeconds: middleware.SessionIdle.Seconds()})
	if err != nil {
		return nil, apierror.FromDB("session", err)
	}
	before := in.Before()
	rest := slices.DeleteFunc(slices.Clone(all), func(row *dbsqlc.SessionListRow) bool {
		return bytes.Compare(row.APIKey.ID[:],
			before[:]) >= 0
	})
	rest = rest[min(in.Offset, len(rest)):]
	render := func(row *dbsqlc.SessionListRow) OpenSession { return renderOpenSession(row, who.KeyID) }
	where := func(row *dbsqlc.SessionListRow) middleware.Position { return middleware.Position{ID: row.APIKey.ID} }
	return middleware.NewList(in.Limit, &in.Place, rest, int64(len(all)), render, where)
}

func (a *API) sessionEnd(ctx context.Context, in *SessionPath) (*struct{}, error) {
	return nil, middleware.InChange(ctx, a.DB, func(tx pgx.Tx) error {
		who := middleware.CallerOf(ctx)
		if _, err := dbsqlc.New().SessionRevoke(ctx, tx, &dbsqlc.SessionRevokeParams{PersonID: who.PersonID, ID: in.ID}); err != nil {
			return apierror.FromDB("session", err)
		}
		return calls.CheckListeners(ctx, tx)
	})
}

func (a *API) sessionEndOthers(ctx context.Context, _ *struct{}) (*struct{}, error) {
	who := middleware.CallerOf(ctx)
	return nil, middleware.InChange(ctx, a.DB, func(tx pgx.Tx) error {
		if err := dbsqlc.New().SessionRevokeOthers(ctx, tx,
			&dbsqlc.SessionRevokeOthersParams{PersonID: who.PersonID, Keep: who.KeyID}); err != nil {
			return fmt.Errorf("end sessions: %w", err)
		}
		return calls.CheckListeners(ctx, tx)
	})
}

func renderOpenSession(row *dbsqlc.SessionListRow, current uuid.UUID) OpenSession {
	session := OpenSession{
		ID: row.APIKey.ID, Current: row.APIKey.ID == current, Account: AccountRef{ID: row.APIKey.AccountID, Name: row.AccountName},
		Address:   addressText(row.APIKey.Address),
		CreatedAt: row.APIKey.CreatedAt.UTC(), LastUsedAt: row.LastUsedAt.UTC(), ExpiresAt: row.APIKey.ExpiresAt.UTC(),
	}
	if row.APIKey.UserAgent != nil {
		session.UserAgent = *row.APIKey.UserAgent
	}
	return session
}

func addressText(address *netip.Addr) *string {
	if address == nil {
		return nil
	}
	return new(address.String())
}
