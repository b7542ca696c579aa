package spending

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/nyaruka/phonenumbers"

	"github.com/callwright/callwright/db/dbsqlc"
)

// Destination is what an account wants to reach.
type Destination struct {
	AccountID uuid.UUID
	Target    string // a number in E.164, or a SIP URI, whose user may be a number
	From      string // the number it is called from, whose country may be called too; empty: none
	Simulated bool   // the network costs nothing: limits of how often and how much do not apply
	Continued bool   // a call goes on there: the budget of new calls does not apply
}

// Reason is the rule that a destination breaks.
type Reason string

// The rules.
const (
	Country        Reason = "country"
	NumberType     Reason = "number_type"
	OwnNumber      Reason = "own_number"
	CallsPerNumber Reason = "calls_per_number"
	DailyMinutes   Reason = "daily_minutes"
	DailyTexts     Reason = "daily_texts"
	MonthlyBudget  Reason = "monthly_budget"
)

// Reasons returns all rules.
func Reasons() []string {
	return []string{string(Country), string(NumberType), string(OwnNumber), string(CallsPerNumber), string(DailyMinutes),
		string(DailyTexts), string(MonthlyBudget)}
}

// Refusal is why a destination is not reached.
type Refusal struct {
	AccountID uuid.UUID
	Reason    Reason
	Why       string // in the form "is in a country that ..."
}

// Error says what is wrong with the destination.
func (r *Refusal) Error() string { return "the destination " + r.Why }

// Sentence is Error for people.
func (r *Refusal) Sentence() string { return "The destination " + r.Why + "." }

// Check returns a *Refusal when the account may not reach the destination at all: for its country, its type, or because the
// call would come back. Other errors are trouble.
func Check(ctx context.Context, conn dbsqlc.DBTX, to *Destination) error {
	refused, err := CheckMany(ctx, conn, to)
	if err == nil && refused[to] != nil {
		return refused[to]
	}
	return err
}

// CheckMany is Check of many destinations. It returns those that are refused.
func CheckMany(ctx context.Context, conn dbsqlc.DBTX, all ...*Destination) (map[*Destination]*Refusal, error) {
	return check(ctx, conn, all, false)
}

// Admit is Check of a call that is made now, which counts as one from when the transaction commits: the limits of how often and
// how much hold, too.
func Admit(ctx context.Context, tx dbsqlc.DBTX, to *Destination) error {
	refused, err := AdmitMany(ctx, tx, to)
	if err == nil && refused[to] != nil {
		return refused[to]
	}
	return err
}

// AdmitMany is Admit of many calls. It returns those that are refused, which count as none.
func AdmitMany(ctx context.Context, tx dbsqlc.DBTX, all ...*Destination) (map[*Destination]*Refusal, error) {
	return check(ctx, tx, all, true)
}

func check(ctx context.Context, conn dbsqlc.DBTX, all []*Destination, calls bool) (map[*Destination]*Refusal, error) {
	asked := newQuestion(all)
	limits, err := asked.limits(ctx, conn)
	if err != nil {
		return nil, err
	}
	refused, counted := map[*Destination]*Refusal{}, []*dial{}
	for i, to := range all {
		refusal, err := asked.judge(ctx, conn, i, limits[i])
		switch {
		case err != nil:
			return nil, err
		case refusal == nil && calls && !to.Continued && limits[i].BudgetExhausted:
			refusal = BudgetExhausted(to.AccountID)
		case refusal == nil && calls && !to.Simulated:
			var dials *dial
			if dials, refusal = admit(to, asked.numbers[i][0], limits[i]); dials != nil {
				counted = append(counted, dials)
			}
		}
		if refusal != nil {
			refused[to] = refusal
		}
	}
	return refused, countDials(ctx, conn, counted, refused)
}

// question is what is asked of the limits of accounts.
type question struct {
	all       []*Destination
	read      [][]*phonenumbers.PhoneNumber // by destination
	numbers   [][]string                    // likewise, in E.164; none of them: the target as it is
	unread    map[int]error                 // why nobody can tell whom a destination reaches
	countries map[uuid.UUID][]string        // of accounts' numbers, as far as they were asked for
}

func newQuestion(all []*Destination) *question {
	q := &question{all: all, countries: map[uuid.UUID][]string{}, unread: map[int]error{}}
	for i, to := range all {
		read, err := readings(to.Target, to.From)
		if err != nil {
			q.unread[i] = err
		}
		numbers := []string{to.Target}
		if len(read) > 0 {
			numbers = numbers[:0]
		}
		for _, number := range read {
			numbers = append(numbers, e164(number))
		}
		q.read, q.numbers = append(q.read, read), append(q.numbers, numbers)
	}
	return q
}

// limits returns the accounts' limits by destination.
func (q *question) limits(ctx context.Context, conn dbsqlc.DBTX) ([]*dbsqlc.SpendingListLimitsRow, error) {
	params := &dbsqlc.SpendingListLimitsParams{}
	for i, to := range q.all {
		for _, number := range q.numbers[i] {
			params.Positions, params.AccountIds, params.Numbers = append(params.Positions, int32(i)),
				append(params.AccountIds, to.AccountID), append(params.Numbers, number)
		}
	}
	rows, err := dbsqlc.New().SpendingListLimits(ctx, conn, params)
	if err != nil {
		return nil, fmt.Errorf("list limits of spending: %w", err)
	}
	if len(rows) != len(params.Positions) {
		return nil, fmt.Errorf("list limits of spending: of %d accounts there are %d", len(params.Positions), len(rows))
	}
	limits := make([]*dbsqlc.SpendingListLimitsRow, len(q.all))
	for _, row := range rows {
		if of := limits[row.Position]; of != nil {
			of.Own = of.Own || row.Own
			continue
		}
		limits[row.Position] = row
	}
	return limits, nil
}

// judge returns why a destination is never reached, nil: it may be.
func (q *question) judge(ctx context.Context, conn dbsqlc.DBTX, i int, limits *dbsqlc.SpendingListLimitsRow) (*Refusal, error) {
	to := q.all[i]
	if err := q.unread[i]; err != nil {
		return &Refusal{AccountID: to.AccountID, Reason: NumberType, Why: err.Error()}, nil
	}
	if limits.Own {
		return &Refusal{AccountID: to.AccountID, Reason: OwnNumber,
			Why: "is a number of this account, or one that all accounts share: the call would come back"}, nil
	}
	for _, number := range q.read[i] {
		if refused := refusedType(number); refused != "" {
			return &Refusal{AccountID: to.AccountID, Reason: NumberType, Why: "is a " + refused + " number: these are not called"}, nil
		}
		if number.GetCountryCode() == freephone {
			continue
		}
		where := country(number)
		if where == "" {
			return &Refusal{AccountID: to.AccountID, Reason: Country, Why: "is a number whose country cannot be told"}, nil
		}
		allowed, err := q.allows(ctx, conn, to, limits.AllowedCountries, where)
		if err != nil {
			return nil, err
		}
		if !allowed {
			return &Refusal{AccountID: to.AccountID, Reason: Country, Why: "is in " + where +
				", which is not among the allowed countries of this account"}, nil
		}
	}
	return nil, nil
}

// allows reports whether the account may reach a country.
func (q *question) allows(ctx context.Context, conn dbsqlc.DBTX, to *Destination, allowed []string, where string) (bool, error) {
	if allowed != nil {
		return slices.Contains(allowed, where), nil
	}
	if slices.Contains(Countries(), where) || countryOf(to.From) == where {
		return true, nil
	}
	if _, known := q.countries[to.AccountID]; !known {
		own, err := countriesOfNumbers(ctx, conn, to.AccountID)
		if err != nil {
			return false, err
		}
		q.countries[to.AccountID] = own
	}
	return slices.Contains(q.countries[to.AccountID], where), nil
}

// AllowedCountries returns the countries that an account may reach, whatever number it calls from. allowed are those that an
// operator named; nil: none were.
func AllowedCountries(ctx context.Context, conn dbsqlc.DBTX, accountID uuid.UUID, allowed []string) ([]string, error) {
	if allowed == nil {
		own, err := countriesOfNumbers(ctx, conn, accountID)
		if err != nil {
			return nil, err
		}
		allowed = append(Countries(), own...)
	}
	allowed = slices.Clone(allowed)
	slices.Sort(allowed)
	return slices.Compact(allowed), nil
}

func countriesOfNumbers(ctx context.Context, conn dbsqlc.DBTX, accountID uuid.UUID) ([]string, error) {
	numbers, err := dbsqlc.New().SpendingListNumbers(ctx, conn, &dbsqlc.SpendingListNumbersParams{AccountID: &accountID})
	if err != nil {
		return nil, fmt.Errorf("list numbers of account: %w", err)
	}
	countries := []string{}
	for _, number := range numbers {
		if where := countryOf(number); where != "" && !slices.Contains(countries, where) {
			countries = append(countries, where)
		}
	}
	return countries, nil
}

// countryOf returns the country of a number in E.164; empty: it has none.
func countryOf(text string) string {
	number, err := phonenumbers.Parse(text, "")
	if err != nil || !strings.HasPrefix(text, "+") {
		return ""
	}
	return country(number)
}
