package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/jobs/spending"
)

// destinationRules are for the descriptions of the operations that dial.
const destinationRules = " 403 `destination_not_allowed` when your account may not reach the number; `details.reason` is the rule: `country`, `number_type`, `own_number`, `calls_per_number` or `daily_minutes`. " +
	"`GET /v1/user/limits` shows them."

// budgetRules are for the description of the operation that dials at once.
const budgetRules = " 402 `budget_exhausted` when the calls of this month have cost your budget (`GET /v1/user/budget`)."

// destinationRefused returns the response for a destination that the account may not reach, which the field of the request names,
// and counts it; other errors it returns as they are. The transaction of the request is over.
func (a *API) destinationRefused(ctx context.Context, field string, err error) error {
	refusal, is := errors.AsType[*spending.Refusal](err)
	if !is {
		return err
	}
	if err := spending.AddRefusals(ctx, a.DB, refusal); err != nil {
		a.Logger.WarnContext(ctx, "refused destination not counted", "error", err, "request_id", middleware.RequestID(ctx))
	}
	if refusal.Reason == spending.MonthlyBudget {
		return apierror.New(http.StatusPaymentRequired, "budget_exhausted",
			"The calls of this month have cost your budget. Calls that go on and that come in are not affected.")
	}
	return apierror.New(http.StatusForbidden, "destination_not_allowed", refusal.Sentence()).
		With(field, refusal.Why).With("reason", string(refusal.Reason))
}
