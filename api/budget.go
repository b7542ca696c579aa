package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/costs"
)

// Budget is what an account may spend on calls in a month.
type Budget struct {
	Monthly   *jsonb.USD `json:"monthly" doc:"US dollars that the calls of a month may cost; null: there is no budget." example:"250"`
	TimeZone  string     `json:"time_zone" doc:"IANA time zone of your months, and of the days of your usage." example:"Europe/Amsterdam"`
	Month     string     `json:"month" doc:"The present one." example:"2026-11"`
	Spent     jsonb.USD  `json:"spent" doc:"US dollars that its calls have cost which are over." example:"81.3025"`
	Exhausted bool       `json:"exhausted" doc:"Calls that you make are refused until the month is over or the budget is raised: with 402 budget_exhausted, a queued one ends as failed, and a scheduled one that falls due makes no call. Calls that go on and that come in are not affected, so that a month may cost more than its budget."`
}

type budgetPutInput struct {
	Body struct {
		Monthly  *jsonb.USD `json:"monthly" required:"true" nullable:"true" minimum:"0" maximum:"10000000" doc:"US dollars, with at most 8 decimals; null: no budget." example:"250"`
		TimeZone string     `json:"time_zone,omitempty" maxLength:"64" doc:"IANA time zone; absent: as it is." example:"Europe/Amsterdam"`
	}
}

type budgetOutput struct{ Body Budget }

func (a *API) registerBudget(to huma.API) {
	handle(a, to, operation(http.MethodGet, "/v1/user/budget", "get-budget", tagUser, "Get your budget",
		"What the calls of a month may cost, and what those of this month have cost. It has nothing to do with credits, which pay for numbers."), a.budgetGet)
	handle(a, to, operation(http.MethodPut, "/v1/user/budget", "update-budget", tagUser, "Set your budget",
		"Sets what the calls of a month may cost. At 80 and at 100 percent there is a `budget-reached` event, each once in a month; of another budget there are others, "+
			"at once where the month's calls have cost so much already. Months that are over keep the costs that they were given."),
		a.budgetPut)
}

func (a *API) budgetGet(ctx context.Context, _ *struct{}) (*budgetOutput, error) {
	budget, err := costs.GetBudget(ctx, a.DB, middleware.CallerOf(ctx).AccountID)
	if err != nil {
		return nil, apierror.FromDB("user", err)
	}
	return renderBudget(budget), nil
}

func (a *API) budgetPut(ctx context.Context, in *budgetPutInput) (*budgetOutput, error) {
	accountID, zone := middleware.CallerOf(ctx).AccountID, in.Body.TimeZone
	if zone != "" && !validZone(zone) {
		return nil, apierror.Invalid().With("time_zone", unknownZone)
	}
	return middleware.WithChange(ctx, a.DB, func(tx pgx.Tx) (*budgetOutput, error) {
		if zone == "" {
			before, err := costs.GetBudget(ctx, tx, accountID)
			if err != nil {
				return nil, apierror.FromDB("user", err)
			}
			zone = before.TimeZone
		}
		budget, err := costs.SetBudget(ctx, tx, accountID, in.Body.Monthly, zone)
		if isUnknownZone(err) {
			return nil, apierror.Invalid().With("time_zone", unknownZone)
		}
		if err != nil {
			return nil, apierror.FromDB("user", err)
		}
		return renderBudget(budget), nil
	})
}

func renderBudget(budget *costs.Budget) *budgetOutput {
	return &budgetOutput{Body: Budget{
		Monthly: budget.Monthly, TimeZone: budget.TimeZone, Month: budget.Month, Spent: budget.Spent, Exhausted: budget.Exhausted(),
	}}
}

const unknownZone = "is not an IANA time zone, such as Europe/Amsterdam"

// isUnknownZone reports whether Postgres does not know a time zone that we do.
func isUnknownZone(err error) bool {
	refused, is := errors.AsType[*pgconn.PgError](err)
	return is && refused.Code == pgerrcode.InvalidParameterValue
}

// validZone reports whether a text names a time zone, ours aside.
func validZone(text string) bool {
	_, err := time.LoadLocation(text)
	return err == nil && text != "" && text != "Local"
}
