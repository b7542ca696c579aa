package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/maintenance"
	"github.com/callwright/callwright/jobs/spending"
	"github.com/callwright/callwright/worker"
)

// noLimit is given in place of a number to take a limit away.
const noLimit = "none"

// keptEver is given in place of days.
const keptEver = "ever"

// limitsCommand shows the limits of an account, after those that are named were set.
type limitsCommand struct {
	accountFlags
	outputFlags
	logFlags
	MaxConcurrentCalls    *int32 `help:"Calls that run at once; more wait in order. Calls above a lower limit go on." placeholder:"N"`
	ReservedInbound       *int32 `help:"Places among them that outbound calls leave to inbound ones." placeholder:"N"`
	MaxKnowledgeDocuments *int32 `help:"Documents of the knowledge base; those above a lower limit stay." placeholder:"N"`
	Countries             string `help:"Countries that may be called and written to, such as NL,BE; default: those of the EU and the EEA and of the account's numbers." placeholder:"CODES|default"`
	CallsPerNumber        string `help:"Calls to one number within an hour, 0 to 1000, or none for no limit." placeholder:"N|none"`
	DailyMinutes          string `help:"Minutes of outbound calls in a day in UTC, or none for no limit." placeholder:"N|none"`
	DailyTexts            string `help:"Text messages in a day in UTC, or none for no limit." placeholder:"N|none"`
	KeepTranscripts       string `help:"Days for which what was said in a call is kept: 3 or more, ever, or default for those of the deployment." placeholder:"N|ever|default"`
	KeepRecordings        string `help:"Days for which recordings are kept, likewise." placeholder:"N|ever|default"`
	KeepEvents            string `help:"Days for which events and their deliveries are kept, likewise." placeholder:"N|ever|default"`
	KeepCalls             string `help:"Days for which calls are kept, likewise." placeholder:"N|ever|default"`
}

// Run implements the command.
func (c *limitsCommand) Run(ctx context.Context) error {
	params, err := c.params()
	if err != nil {
		return err
	}
	pool, account, err := c.openAccount(ctx)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := checkReserved(params, account); err != nil {
		return err
	}
	inserter, err := worker.NewInserter(pool, c.logger())
	if err != nil {
		return err
	}
	params.ID = account.ID
	account, err = db.WithTx(ctx, pool, func(tx pgx.Tx) (*dbsqlc.Account,
		error) {
		return calls.SetLimits(ctx, tx, inserter, params)
	})
	if err != nil {
		return err
	}
	return c.show(ctx, pool, account)
}

// params are the limits that the flags set.
func (c *limitsCommand) params() (*dbsqlc.AccountSetLimitsParams, error) {
	params := &dbsqlc.AccountSetLimitsParams{
		MaxConcurrentCalls: c.MaxConcurrentCalls, ReservedInboundCalls: c.ReservedInbound,
		MaxKnowledgeDocuments: c.MaxKnowledgeDocuments,
		SetAllowedCountries:   c.Countries != "",
	}
	for flag, check := range map[string]struct {
		value *int32
		most  int32
	}{
		"--max-concurrent-calls": {c.MaxConcurrentCalls, 100_000}, "--reserved-inbound": {c.ReservedInbound, 100_000},
		"--max-knowledge-documents": {c.MaxKnowledgeDocuments, 1_000_000},
	} {
		if check.value != nil && (*check.value < 0 || *check.value > check.most) {
			return nil, fmt.Errorf("%s must be 0 to %d", flag, check.most)
		}
	}
	var err error
	if params.AllowedCountries, err = readCountries(c.Countries); err != nil {
		return nil, fmt.Errorf("--countries: %w", err)
	}
	for flag, limit := range map[string]struct {
		text string
		most int
		set  *bool
		into **int32
	}{
		"--calls-per-number": {c.CallsPerNumber, 1000, &params.SetMaxCallsPerNumber, &params.MaxCallsPerNumber},
		"--daily-minutes":    {c.DailyMinutes, 10_000_000, &params.SetMaxDailyMinutes, &params.MaxDailyMinutes},
		"--daily-texts":      {c.DailyTexts, 10_000_000, &params.SetMaxDailyTexts, &params.MaxDailyTexts},
	} {
		*limit.set = limit.text != ""
		if limit.text == "" || limit.text == noLimit {
			continue
		}
		n, err := strconv.Atoi(limit.text)
		if err != nil || n < 0 || n > limit.most {
			return nil, fmt.Errorf("%s must be 0 to %d, or %s", flag, limit.most, noLimit)
		}
		*limit.into = new(int32(n))
	}
	return params, c.readKept(params)
}

// readKept adds the days for which things are kept.
func (c *limitsCommand) readKept(params *dbsqlc.AccountSetLimitsParams) error {
	for flag, kept := range map[string]struct {
		text string
		into **int32
	}{
		"--keep-transcripts": {c.KeepTranscripts, &params.KeepTranscripts},
		"--keep-recordings":  {c.KeepRecordings, &params.KeepRecordings},
		"--keep-events":      {c.KeepEvents, &params.KeepEvents}, "--keep-calls": {c.KeepCalls, &params.KeepCalls},
	} {
		switch kept.text {
		case "":
		case keptEver:
			*kept.into = new(int32(0))
		case "default":
			*kept.into = new(int32(-1))
		default:
			n, err := strconv.Atoi(kept.text)
			if err != nil || n < maintenance.LeastRetention || n > maintenance.MostRetention {
				return fmt.Errorf("%s must be %d to %d days, %s or default", flag, maintenance.LeastRetention, maintenance.MostRetention,
					keptEver)
			}
			*kept.into = new(int32(n))
		}
	}
	return nil
}

// readCountries returns the countries of a list; nil: the default.
func readCountries(list string) ([]string, error) {
	if list == "" || list == "default" {
		return nil, nil
	}
	countries := []string{}
	for code := range strings.SplitSeq(list, ",") {
		code = strings.ToUpper(strings.TrimSpace(code))
		if !spending.IsCountry(code) {
			return nil, fmt.Errorf("%q is not the code of a country (ISO 3166), such as NL", code)
		}
		countries = append(countries, code)
	}
	slices.Sort(countries)
	return slices.Compact(countries), nil
}

// checkReserved keeps an account from having more places for inbound calls than it has at all.
func checkReserved(params *dbsqlc.AccountSetLimitsParams, account *dbsqlc.Account) error {
	most, reserved := account.MaxConcurrentCalls, account.ReservedInboundCalls
	if params.MaxConcurrentCalls != nil {
		most = *params.MaxConcurrentCalls
	}
	if params.ReservedInboundCalls != nil {
		reserved = *params.ReservedInboundCalls
	}
	if reserved > most {
		return errors.New("--reserved-inbound must be 0 to --max-concurrent-calls")
	}
	return nil
}

// limitsRecord is an account's limits and what it used of them today.
type limitsRecord struct {
	MaxConcurrentCalls    int32            `json:"max_concurrent_calls"`
	ReservedInbound       int32            `json:"reserved_inbound"`
	MaxKnowledgeDocuments int32            `json:"max_knowledge_documents"`
	Countries             []string         `json:"countries"`
	DefaultCountries      bool             `json:"default_countries"`
	CallsPerNumber        *int32           `json:"calls_per_number"`
	DailyMinutes          *int32           `json:"daily_minutes"`
	MinutesToday          float64          `json:"minutes_today"`
	DailyTexts            *int32           `json:"daily_texts"`
	TextsToday            int64            `json:"texts_today"`
	KeepTranscripts       *int32           `json:"keep_transcripts"` // 0: for ever; null: as the deployment says
	KeepRecordings        *int32           `json:"keep_recordings"`
	KeepEvents            *int32           `json:"keep_events"`
	KeepCalls             *int32           `json:"keep_calls"`
	RefusedToday          map[string]int64 `json:"refused_today"`
}

func (c *limitsCommand) show(ctx context.Context, conn dbsqlc.DBTX, account *dbsqlc.Account) error {
	used, err := spending.Today(ctx, conn, account.ID)
	if err != nil {
		return err
	}
	countries, err := spending.AllowedCountries(ctx, conn, account.ID, account.AllowedCountries)
	if err != nil {
		return err
	}
	return printRecord(c.outputFlags, limitsRecord{
		MaxConcurrentCalls: account.MaxConcurrentCalls, ReservedInbound: account.ReservedInboundCalls,
		MaxKnowledgeDocuments: account.MaxKnowledgeDocuments,
		Countries:             countries, DefaultCountries: account.AllowedCountries == nil, CallsPerNumber: account.MaxCallsPerNumber,
		DailyMinutes: account.MaxDailyMinutes, MinutesToday: float64(used.CallSeconds) / 60, DailyTexts: account.MaxDailyTexts,
		TextsToday: used.Texts, RefusedToday: used.Refused, KeepTranscripts: account.KeepTranscripts,
		KeepRecordings: account.KeepRecordings,
		KeepEvents:     account.KeepEvents, KeepCalls: account.KeepCalls,
	},
		column[limitsRecord]{"concurrent calls", func(r limitsRecord) string { return strconv.Itoa(int(r.MaxConcurrentCalls)) }},
		column[limitsRecord]{"reserved inbound", func(r limitsRecord) string { return strconv.Itoa(int(r.ReservedInbound)) }},
		column[limitsRecord]{"knowledge documents", func(r limitsRecord) string { return strconv.Itoa(int(r.MaxKnowledgeDocuments)) }},
		column[limitsRecord]{"countries", func(r limitsRecord) string { return strings.Join(r.Countries, ",") }},
		column[limitsRecord]{"calls per number", func(r limitsRecord) string { return limitCell(r.CallsPerNumber) + " an hour" }},
		column[limitsRecord]{"daily minutes", func(r limitsRecord) string {
			return fmt.Sprintf("%s, %.1f used", limitCell(r.DailyMinutes), r.MinutesToday)
		}},
		column[limitsRecord]{"daily texts", func(r limitsRecord) string {
			return fmt.Sprintf("%s, %d used", limitCell(r.DailyTexts), r.TextsToday)
		}},
		column[limitsRecord]{"keeps transcripts", func(r limitsRecord) string { return keptCell(r.KeepTranscripts) }},
		column[limitsRecord]{"keeps recordings", func(r limitsRecord) string { return keptCell(r.KeepRecordings) }},
		column[limitsRecord]{"keeps events", func(r limitsRecord) string { return keptCell(r.KeepEvents) }},
		column[limitsRecord]{"keeps calls", func(r limitsRecord) string { return keptCell(r.KeepCalls) }},
		column[limitsRecord]{"refused today", limitsRecord.refused},
	)
}

// refused says how often each rule refused something.
func (r limitsRecord) refused() string {
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(r.RefusedToday)) {
		parts = append(parts, fmt.Sprintf("%d %s", r.RefusedToday[reason], reason))
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

func keptCell(days *int32) string {
	switch {
	case days == nil:
		return "default"
	case *days == 0:
		return keptEver
	}
	return fmt.Sprintf("%d days", *days)
}

func limitCell(limit *int32) string {
	if limit == nil {
		return noLimit
	}
	return strconv.Itoa(int(*limit))
}
