package api

import (
	"cmp"
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
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
)

const (
	maxKeys     = 100 // active keys of an account
	newKeyLimit = 100 // requests per minute
	keyGrace    = 24 * time.Hour
)

// APIKey is a key without its text, of which only a hash is kept.
type APIKey struct {
	ID                uuid.UUID  `json:"id"`
	Name              string     `json:"name" example:"Booking server"`
	Mode              string     `json:"mode" enum:"live,test" doc:"Calls of a test key stay on the simulated phone network."`
	Prefix            string     `json:"prefix" doc:"The first characters of its text, to identify the key." example:"cw_live_9xQ4"`
	Scopes            []string   `json:"scopes" nullable:"false" doc:"What it may do: read, write or admin, with those that each contains." example:"[\"read\",\"write\"]"`
	RequestsPerMinute int32      `json:"requests_per_minute"`
	ExpiresAt         *time.Time `json:"expires_at" doc:"null: it does not expire."`
	ReplacedBy        *uuid.UUID `json:"replaced_by" doc:"The key that was made when this one was rotated."`
	LastUsedAt        *time.Time `json:"last_used_at" doc:"To the minute. null: not used since the database last recovered from a crash."`
	CreatedAt         time.Time  `json:"created_at"`
}

// NewAPIKey is a new key. Its text is shown only here.
type NewAPIKey struct {
	APIKey
	Key string `json:"key" doc:"The text of the key. Shown only now." example:"cw_live_9xQ4o2ZtB1mK7sVhWf3LrTnYpEu6GdJa"`
}

type apiKeyCreateInput struct {
	middleware.Idempotency
	Body struct {
		Name      string    `json:"name,omitempty" maxLength:"100" doc:"What the key is for." example:"Booking server"`
		Mode      string    `json:"mode,omitempty" enum:"live,test" doc:"Default live."`
		Scopes    keyScopes `json:"scopes,omitempty" doc:"What it may do; each scope contains those before it: read, write, admin. Default write." example:"[\"read\"]"`
		ExpiresAt *ISOTime  `json:"expires_at,omitempty" doc:"When it stops working; default when the calling key does, if ever." example:"2027-01-01T00:00:00Z"`
	}
}

type APIKeyPath struct {
	ID uuid.UUID `path:"id" format:"uuid" doc:"Id of the key."`
}

type apiKeyRotateInput struct {
	APIKeyPath
	middleware.Idempotency
	Body *struct {
		RevokeNow bool     `json:"revoke_now,omitempty" doc:"The key stops working at once, without the day of grace."`
		ExpiresAt *ISOTime `json:"expires_at,omitempty" doc:"When the new key stops working; default when the old one would have."`
	}
}

type apiKeyListInput struct{ middleware.Page }

func (a *API) registerAPIKeys(to huma.API) {
	handle(a, to, operation(http.MethodGet, "/v1/api-keys", "list-api-keys", tagUser, "List API keys",
		"Your keys, newest first, expired ones included; revoked ones are not listed."), a.apiKeyList)
	handle(a, to, creates("/v1/api-keys", "create-api-key", tagUser, "Create an API key",
		"Returns the key's text, once. No key makes one that lives longer, may do more or asks faster than itself: 403 `exceeds_key`, which names the field. 409 `conflict` when you have 100 keys that work."), a.apiKeyCreate)
	handle(a, to, creates("/v1/api-keys/{id}/rotate", "rotate-api-key", tagUser, "Rotate an API key",
		"Makes a key with the name, mode, scopes and limit of this one and returns its text, once. The old key works for 24 hours more, or until it expires if that is sooner; with `revoke_now` it stops working at once. "+
			"403 `exceeds_key` when the new key would live longer, may do more or ask faster than the calling key; 409 `conflict` when the key was rotated before or has expired.", http.StatusNotFound), a.apiKeyRotate)
	remove := operation(http.MethodDelete, "/v1/api-keys/{id}", "delete-api-key", tagUser, "Revoke an API key",
		"The key stops working at once, everywhere, even if it is the calling key.", http.StatusNotFound)
	remove.DefaultStatus = http.StatusNoContent
	handle(a, to, remove, a.apiKeyDelete)
}

func (a *API) apiKeyList(ctx context.Context, in *apiKeyListInput) (*middleware.List[APIKey], error) {
	accountID := middleware.CallerOf(ctx).AccountID
	total, err := dbsqlc.New().APIKeyCount(ctx, a.DB, &dbsqlc.APIKeyCountParams{AccountID: accountID})
	if err != nil {
		return nil, apierror.FromDB("key", err)
	}
	rows, err := dbsqlc.New().APIKeyList(ctx, a.DB, &dbsqlc.APIKeyListParams{AccountID: accountID, Before: in.Before(),
		Max: middleware.QueryLimit(in.Limit), Skip: int32(in.Offset)})
	if err != nil {
		return nil, apierror.FromDB("key", err)
	}
	render := func(row *dbsqlc.APIKeyListRow) APIKey { return renderAPIKey(&row.APIKey, row.LastUsedAt) }
	where := func(row *dbsqlc.APIKeyListRow) middleware.Position { return middleware.Position{ID: row.APIKey.ID} }
	return middleware.NewList(in.Limit, &in.Place, rows, total, render, where)
}

func (a *API) apiKeyCreate(ctx context.Context, in *apiKeyCreateInput) (*middleware.Response[NewAPIKey], error) {
	who, body := middleware.CallerOf(ctx), &in.Body
	expiresAt, err := a.readKeyEnd(body.ExpiresAt)
	if err != nil {
		return nil, err
	}
	params := &dbsqlc.APIKeyInsertParams{
		AccountID: who.AccountID, Name: body.Name, Mode: cmp.Or(body.Mode, middleware.KeyModeLive),
		Scope:             string(middleware.Largest(body.Scopes)),
		RequestsPerMinute: min(newKeyLimit, who.Rate.Limit), ExpiresAt: expiresAt,
	}
	if params.ExpiresAt == nil {
		params.ExpiresAt = who.ExpiresAt
	}
	return a.makeKey(ctx, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[NewAPIKey], error) {
		if err := makeRoomForKey(ctx, tx, who.AccountID); err != nil {
			return nil, err
		}
		return insertKey(ctx, tx, params)
	})
}

func (a *API) apiKeyRotate(ctx context.Context, in *apiKeyRotateInput) (*middleware.Response[NewAPIKey], error) {
	var end *ISOTime
	grace := keyGrace
	if in.Body != nil {
		end = in.Body.ExpiresAt
		if in.Body.RevokeNow {
			grace = 0
		}
	}
	expiresAt, err := a.readKeyEnd(end)
	if err != nil {
		return nil, err
	}
	return a.makeKey(ctx, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[NewAPIKey], error) {
		row, err := dbsqlc.New().APIKeyGet(ctx, tx, &dbsqlc.APIKeyGetParams{AccountID: middleware.CallerOf(ctx).AccountID, ID: in.ID})
		if err != nil {
			return nil, apierror.FromDB("key", err)
		}
		before := &row.APIKey
		params := &dbsqlc.APIKeyInsertParams{
			AccountID: before.AccountID, Name: before.Name, Mode: before.Mode, Scope: before.Scope,
			RequestsPerMinute: before.RequestsPerMinute, ExpiresAt: expiresAt,
		}
		if expiresAt == nil {
			params.ExpiresAt = before.ExpiresAt
		}
		if err := makeRoomForKey(ctx, tx, before.AccountID); err != nil {
			return nil, err
		}
		output, err := insertKey(ctx, tx, params)
		if err != nil {
			return nil, err
		}
		return output, replaceKey(ctx, tx, before, output.Body.ID, grace)
	})
}

// replaceKey lets the old key expire after its grace period.
func replaceKey(ctx context.Context, tx pgx.Tx, before *dbsqlc.APIKey, newID uuid.UUID, grace time.Duration) error {
	queries := dbsqlc.New()
	_, err := queries.APIKeyReplace(ctx, tx, &dbsqlc.APIKeyReplaceParams{
		AccountID: before.AccountID, ID: before.ID, ReplacedBy: &newID, GraceSeconds: grace.Seconds(),
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return apierror.Conflict("The key was rotated before, or does not work any more.")
	}
	if err != nil {
		return fmt.Errorf("replace key: %w", err)
	}
	if grace > 0 {
		return nil
	}
	if _, err := queries.APIKeyRevoke(ctx, tx, &dbsqlc.APIKeyRevokeParams{AccountID: before.AccountID, ID: before.ID}); err != nil {
		return fmt.Errorf("revoke key: %w", err)
	}
	return calls.CheckListeners(ctx, tx)
}

func (a *API) apiKeyDelete(ctx context.Context, in *APIKeyPath) (*struct{}, error) {
	return nil, middleware.InChange(ctx, a.DB, func(tx pgx.Tx) error {
		who := middleware.CallerOf(ctx)
		row, err := dbsqlc.New().APIKeyRevoke(ctx, tx, &dbsqlc.APIKeyRevokeParams{AccountID: who.AccountID, ID: in.ID})
		if err != nil {
			return apierror.FromDB("key", err)
		}
		if err := managesKeys(who, row.Mode); err != nil {
			return err
		}
		return calls.CheckListeners(ctx, tx)
	})
}

// makeKey is once for responses that hold a key. It refuses a key that is more than the calling one, which a stored response
// may hold too: all keys of an account share their idempotency keys.
func (a *API) makeKey(ctx context.Context, request *middleware.Idempotency,
	fn func(tx pgx.Tx) (*middleware.Response[NewAPIKey], error)) (*middleware.Response[NewAPIKey], error) {
	return middleware.Once(ctx, a.responses, request, fn, func(made *NewAPIKey) error {
		who := middleware.CallerOf(ctx)
		if err := managesKeys(who, made.Mode); err != nil {
			return err
		}
		return exceeds(who, &made.APIKey)
	})
}

// managesKeys refuses a person who may not manage keys of a mode.
func managesKeys(who middleware.Caller, mode string) error {
	if mode == middleware.KeyModeLive && !roleOf(who).Has(middleware.RoleAdmin) {
		return middleware.RoleRefused(middleware.RoleAdmin, who.Role)
	}
	return nil
}

// exceeds returns an error for a key that lives longer, may do more or asks faster than that of who.
func exceeds(who middleware.Caller, made *APIKey) error {
	refused := apierror.New(http.StatusForbidden, "exceeds_key",
		"A key makes no key that lives longer, may do more or asks faster than itself.")
	if who.ExpiresAt != nil && (made.ExpiresAt == nil || made.ExpiresAt.After(*who.ExpiresAt)) {
		refused.With("expires_at", "is later than that of the calling key, "+who.ExpiresAt.UTC().Format(time.RFC3339))
	}
	if len(made.Scopes) > len(who.Scope.All()) {
		refused.With("scopes", "are more than those of the calling key")
	}
	if made.RequestsPerMinute > who.Rate.Limit {
		refused.With("requests_per_minute", fmt.Sprintf("is more than the %d of the calling key", who.Rate.Limit))
	}
	if len(refused.Body.Details) > 0 {
		return refused
	}
	return nil
}

// makeRoomForKey returns an error if the account has as many keys as it may. It locks the account, so that two requests
// cannot both take the last one.
func makeRoomForKey(ctx context.Context, tx pgx.Tx, accountID uuid.UUID) error {
	queries := dbsqlc.New()
	if err := queries.AccountLock(ctx, tx, &dbsqlc.AccountLockParams{ID: accountID}); err != nil {
		return fmt.Errorf("lock account: %w", err)
	}
	working, err := queries.APIKeyCountWorking(ctx, tx, &dbsqlc.APIKeyCountWorkingParams{AccountID: accountID})
	if err != nil {
		return fmt.Errorf("count keys: %w", err)
	}
	if working >= maxKeys {
		return apierror.Conflict(fmt.Sprintf("You have %d keys that work; revoke one first.", working))
	}
	return nil
}

func insertKey(ctx context.Context, tx pgx.Tx, params *dbsqlc.APIKeyInsertParams) (*middleware.Response[NewAPIKey], error) {
	key := middleware.NewKey(params.Mode == middleware.KeyModeTest)
	params.ID, params.Prefix, params.Hash = newID(), key.Prefix, key.Hash
	row, err := dbsqlc.New().APIKeyInsert(ctx, tx, params)
	if err != nil {
		return nil, apierror.FromDB("key", err)
	}
	return middleware.RespondSecret(http.StatusCreated, NewAPIKey{APIKey: renderAPIKey(row, nil), Key: key.Text}), nil
}

func (a *API) readKeyEnd(given *ISOTime) (*time.Time, error) {
	if given == nil {
		return nil, nil
	}
	wrong := apierror.Invalid()
	end := readTime(wrong, "expires_at", *given)
	if len(wrong.Body.Details) == 0 && !end.After(a.Now()) {
		wrong.With("expires_at", "is in the past")
	}
	return &end, wrong.OrNil()
}

// scopesOf returns what a key of a scope may do.
func scopesOf(scope string) []string {
	var all []string
	for _, one := range middleware.Scope(scope).All() {
		all = append(all, string(one))
	}
	return all
}

// keyScopes are scopes that a key is to have.
type keyScopes []middleware.Scope

// Schema implements huma.SchemaProvider.
func (keyScopes) Schema(huma.Registry) *huma.Schema {
	element := &huma.Schema{Type: huma.TypeString}
	for _, scope := range middleware.ScopeAdmin.All() {
		element.Enum = append(element.Enum, string(scope))
	}
	element.PrecomputeMessages()
	schema := &huma.Schema{Type: huma.TypeArray, Items: element, MinItems: new(1), MaxItems: new(len(element.Enum))}
	schema.PrecomputeMessages()
	return schema
}

func renderAPIKey(row *dbsqlc.APIKey, lastUsedAt *time.Time) APIKey {
	return APIKey{
		ID: row.ID, Name: row.Name, Mode: row.Mode, Prefix: row.Prefix, Scopes: scopesOf(row.Scope),
		RequestsPerMinute: row.RequestsPerMinute, ExpiresAt: utc(row.ExpiresAt),
		ReplacedBy: row.ReplacedBy, LastUsedAt: utc(lastUsedAt), CreatedAt: row.CreatedAt.UTC(),
	}
}
