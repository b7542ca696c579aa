package spending

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/dbsqlc"
)

// dial is a call that counts among those to its number.
type dial struct {
	to     *Destination
	number string
	most   int32 // in an hour
}

// admit applies the limits of how often and how much. It returns what is to be counted, nil: nothing is.
func admit(to *Destination, number string, limits *dbsqlc.SpendingListLimitsRow) (*dial, *Refusal) {
	most := limits.MaxCallsPerNumber
	switch {
	case Spent(limits.MaxDailyMinutes, limits.CallSeconds):
		return nil, MinutesSpent(to.AccountID, *limits.MaxDailyMinutes)
	case most == nil:
		return nil, nil
	case *most == 0:
		return nil, tooOften(to.AccountID, 0)
	}
	return &dial{to, number, *most}, nil
}

// MinutesSpent returns the refusal of calls of an account that has used its minutes of the day.
func MinutesSpent(accountID uuid.UUID, most int32) *Refusal {
	return &Refusal{AccountID: accountID, Reason: DailyMinutes,
		Why: fmt.Sprintf("is not called today: the account has used the %d minutes of calls that it has in a day in UTC", most)}
}

// BudgetExhausted returns the refusal of new calls of an account that has spent its budget of the month.
func BudgetExhausted(accountID uuid.UUID) *Refusal {
	return &Refusal{AccountID: accountID, Reason: MonthlyBudget,
		Why: "is not called this month: the account has spent its budget for calls"}
}

func tooOften(accountID uuid.UUID, most int32) *Refusal {
	return &Refusal{AccountID: accountID, Reason: CallsPerNumber,
		Why: fmt.Sprintf("was called as often as it may be: one number takes %d calls in an hour", most)}
}

// countDials counts calls to their numbers, each while the number takes one, and adds the others to refused. The row of a number
// is locked until the transaction ends, which makes calls to it, and to no other, wait for each other.
func countDials(ctx context.Context, tx dbsqlc.DBTX, dials []*dial, refused map[*Destination]*Refusal) error {
	for len(dials) > 0 {
		params, asked, later := &dbsqlc.DialedNumberAddParams{}, map[dbsqlc.DialedNumberAddRow]*dial{}, []*dial{}
		for _, one := range dials {
			key := dbsqlc.DialedNumberAddRow{AccountID: one.to.AccountID, PhoneNumber: one.number}
			if asked[key] != nil { // a statement changes a row once
				later = append(later, one)
				continue
			}
			asked[key] = one
			params.AccountIds, params.Numbers = append(params.AccountIds, one.to.AccountID), append(params.Numbers, one.number)
		}
		counted, err := dbsqlc.New().DialedNumberAdd(ctx, tx, params)
		if err != nil {
			return fmt.Errorf("count calls to numbers: %w", err)
		}
		for _, row := range counted {
			delete(asked, *row)
		}
		for _, one := range asked {
			refused[one.to] = tooOften(one.to.AccountID, one.most)
		}
		dials = later
	}
	return nil
}
