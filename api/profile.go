package api

import (
	"context"
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
)

// Profile is the user behind an API key.
type Profile struct {
	UserID             uuid.UUID `json:"user_id"`
	Email              string    `json:"email"`
	FullName           string    `json:"full_name"`
	CompanyName        *string   `json:"company_name"`
	PhoneNumber        *string   `json:"phone_number" example:"+31201234567"`
	SubscriptionStatus string    `json:"subscription_status" enum:"none,active,past_due,canceled"`
	Credits            int32     `json:"credits"`
	CreatedAt          time.Time `json:"created_at"`
}

// ExtendedProfile is a profile with what belongs to it.
type ExtendedProfile struct {
	Profile
	Counts  ProfileCounts `json:"counts"`
	Limits  Limits        `json:"limits"`
	APIKeys []APIKey      `json:"api_keys" nullable:"false" doc:"Without their texts."`
	Webhook Webhook       `json:"webhook" doc:"Without its secret."`
}

// ProfileCounts are numbers of what an account has.
type ProfileCounts struct {
	Assistants     int64 `json:"assistants"`
	Contacts       int64 `json:"contacts"`
	PhoneNumbers   int64 `json:"phone_numbers" doc:"Numbers of your own."`
	ScheduledCalls int64 `json:"scheduled_calls" doc:"Those that are not processed."`
	Calls          int64 `json:"calls"`
}

type profilePatchInput struct {
	Body struct {
		FullName    Opt[string] `json:"full_name,omitzero" minLength:"1" maxLength:"200"`
		CompanyName Opt[string] `json:"company_name,omitzero" maxLength:"200"`
		PhoneNumber Opt[string] `json:"phone_number,omitzero" maxLength:"64" doc:"E.164." example:"+31201234567"`
	}
}

type profileOutput struct{ Body Profile }

type extendedProfileOutput struct{ Body ExtendedProfile }

func (a *API) registerProfile(to huma.API) {
	handle(a, to, operation(http.MethodGet, "/v1/user/profile", "get-profile", tagUser, "Get your profile",
		"The user behind the API key."), a.profileGet)
	handle(a, to, operation(http.MethodPatch, "/v1/user/profile", "patch-profile", tagUser, "Update your profile",
		"Changes the fields that the body names; null removes, but for `full_name`."), a.profilePatch)
	handle(a, to, operation(http.MethodGet, "/v1/user/profile/extended", "get-extended-profile", tagUser,
		"Get your extended profile",
		"The profile, how much of everything there is, your limits, your keys and your webhook, without any secret."),
		a.profileExtended)
	legacy := operation(http.MethodGet, "/v1/profile", "get-legacy-profile", tagUser, "Get your profile (legacy)",
		"The same as `/v1/user/profile`, which new clients use.")
	legacy.Deprecated = true
	handle(a, to, legacy, a.profileGet)
}

func (a *API) profileGet(ctx context.Context, _ *struct{}) (*profileOutput, error) {
	row, err := dbsqlc.New().AccountGet(ctx, a.DB, &dbsqlc.AccountGetParams{ID: middleware.CallerOf(ctx).AccountID})
	if err != nil {
		return nil, apierror.FromDB("user", err)
	}
	return &profileOutput{Body: renderProfile(row)}, nil
}

func (a *API) profilePatch(ctx context.Context, in *profilePatchInput) (*profileOutput, error) {
	wrong, body := apierror.Invalid(), &in.Body
	params := &dbsqlc.AccountUpdateParams{ID: middleware.CallerOf(ctx).AccountID, Name: body.FullName.value()}
	if body.FullName.Null {
		wrong.With("full_name", "must not be null")
	}
	params.CompanyName, params.SetCompanyName = body.CompanyName.pointer()
	params.PhoneNumber, params.SetPhoneNumber = body.PhoneNumber.pointer()
	if params.PhoneNumber != nil {
		params.PhoneNumber = new(requireNumber(wrong, "phone_number", *params.PhoneNumber))
	}
	if len(wrong.Body.Details) > 0 {
		return nil, wrong
	}
	return middleware.WithChange(ctx, a.DB, func(tx pgx.Tx) (*profileOutput, error) {
		row, err := dbsqlc.New().AccountUpdate(ctx, tx, params)
		if err != nil {
			return nil, apierror.FromDB("user", err)
		}
		return &profileOutput{Body: renderProfile(row)}, nil
	})
}

func (a *API) profileExtended(ctx context.Context, _ *struct{}) (*extendedProfileOutput, error) {
	queries, id := dbsqlc.New(), middleware.CallerOf(ctx).AccountID
	row, err := queries.AccountGet(ctx, a.DB, &dbsqlc.AccountGetParams{ID: id})
	if err != nil {
		return nil, apierror.FromDB("user", err)
	}
	counts, err := a.profileCounts(ctx, id)
	if err != nil {
		return nil, apierror.FromDB("user", err)
	}
	keys, err := queries.APIKeyList(ctx, a.DB, &dbsqlc.APIKeyListParams{AccountID: id, Before: middleware.LastID, Max: maxKeys})
	if err != nil {
		return nil, apierror.FromDB("key", err)
	}
	limits, err := a.limitsGet(ctx, nil)
	if err != nil {
		return nil, err
	}
	webhook, err := a.webhookGet(ctx, nil)
	if err != nil {
		return nil, err
	}
	extended := ExtendedProfile{Profile: renderProfile(row), Counts: counts, Limits: limits.Body, APIKeys: []APIKey{},
		Webhook: webhook.Body}
	for _, key := range keys {
		extended.APIKeys = append(extended.APIKeys, renderAPIKey(&key.APIKey, key.LastUsedAt))
	}
	return &extendedProfileOutput{Body: extended}, nil
}

// profileCounts returns the totals of the lists.
func (a *API) profileCounts(ctx context.Context, accountID uuid.UUID) (ProfileCounts, error) {
	var counts ProfileCounts
	queries, conn := dbsqlc.New(), db.PlanEach(a.DB)
	calls := callFilter{accountID: accountID, statuses: callstate.Statuses(), before: middleware.LastTime}
	waiting := scheduledCallFilter{accountID: accountID, statuses: []string{"scheduled"}}
	for _, count := range []struct {
		into *int64
		of   func() (int64, error)
	}{
		{&counts.Assistants, func() (int64, error) {
			return queries.AssistantCount(ctx, conn, &dbsqlc.AssistantCountParams{AccountID: accountID})
		}},
		{&counts.Contacts, func() (int64, error) { return (&contactFilter{accountID: accountID}).count(ctx, conn) }},
		{&counts.PhoneNumbers, func() (int64, error) {
			return queries.PhoneNumberCountOwn(ctx, conn, &dbsqlc.PhoneNumberCountOwnParams{AccountID: &accountID})
		}},
		{&counts.ScheduledCalls, func() (int64, error) { return waiting.count(ctx, conn) }},
		{&counts.Calls, func() (int64, error) { return calls.count(ctx, conn) }},
	} {
		var err error
		if *count.into, err = count.of(); err != nil {
			return counts, fmt.Errorf("count what an account has: %w", err)
		}
	}
	return counts, nil
}

func renderProfile(row *dbsqlc.Account) Profile {
	return Profile{
		UserID: row.ID, Email: row.Email, FullName: row.Name, CompanyName: row.CompanyName, PhoneNumber: row.PhoneNumber,
		SubscriptionStatus: row.SubscriptionStatus, Credits: row.Credits, CreatedAt: row.CreatedAt.UTC(),
	}
}
