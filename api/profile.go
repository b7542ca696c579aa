package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/db/dbsqlc"
)

// Profile is the user behind an API key.
type Profile struct {
	UserID             uuid.UUID `json:"user_id"`
	Email              string    `json:"email"`
	FullName           string    `json:"full_name"`
	SubscriptionStatus string    `json:"subscription_status" enum:"none,active,past_due,canceled"`
	CreatedAt          time.Time `json:"created_at"`
}

type profileOutput struct{ Body Profile }

func (a *API) registerProfile(to huma.API) {
	handle(a, to, operation(http.MethodGet, "/v1/user/profile", "get-profile", tagUser, "Get your profile", "The user behind the API key."), a.profileGet)
}

func (a *API) profileGet(ctx context.Context, _ *struct{}) (*profileOutput, error) {
	row, err := dbsqlc.New().AccountGet(ctx, a.DB, &dbsqlc.AccountGetParams{ID: callerOf(ctx).AccountID})
	if err != nil {
		return nil, apierror.FromDB("user", err)
	}
	return &profileOutput{Body: Profile{
		UserID: row.ID, Email: row.Email, FullName: row.Name, SubscriptionStatus: row.SubscriptionStatus, CreatedAt: row.CreatedAt.UTC(),
	}}, nil
}
