package main

import (
	"context"
	"maps"
	"net/url"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// listValues are what filters are given: a busy assistant and a quiet one, a contact, and days that are full of calls.
type listValues struct {
	Busy, Quiet, Contact, ContactPhone, ContactEmail, CallID, Day, MonthBefore, YearBefore string
}

func findListValues(ctx context.Context, pool *pgxpool.Pool, c *customer) (*listValues, error) {
	rows, err := pool.Query(ctx, `
		WITH used AS (SELECT assistant_id, count(*) AS n FROM call WHERE account_id = $1 GROUP BY 1)
		SELECT (SELECT assistant_id FROM used ORDER BY n DESC LIMIT 1)::text AS busy, (SELECT assistant_id FROM used ORDER BY n LIMIT 1)::text AS quiet,
			contact.id::text AS contact, contact.phone_number AS contact_phone, contact.email AS contact_email,
			(SELECT call_id FROM event WHERE account_id = $1 LIMIT 1)::text AS call_id,
			to_char(now() - interval '10 days', 'YYYY-MM-DD') AS day, to_char(now() - interval '40 days', 'YYYY-MM-DD') AS month_before,
			to_char(now() - interval '370 days', 'YYYY-MM-DD') AS year_before
		FROM contact WHERE account_id = $1 AND id = (SELECT contact_id FROM scheduled_call WHERE account_id = $1 LIMIT 1)`, c.accountID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByName[listValues])
}

// listKinds are the lists with every combination of these values of their filters.
func listKinds(ctx context.Context, pool *pgxpool.Pool, c *customer) ([]*listKind, error) {
	v, err := findListValues(ctx, pool, c)
	if err != nil {
		return nil, err
	}
	var kinds []*listKind
	for _, list := range []struct {
		path    string
		filters []filter
	}{
		{"/v1/assistants", nil},
		{"/v1/phone-numbers", nil},
		{"/v1/calls", []filter{
			{"assistant_id", []string{v.Busy, v.Quiet}}, {"contact_id", []string{v.Contact}},
			{"call_status", []string{"completed", "missed", "in-progress"}},
			{"start_date", []string{v.MonthBefore, v.YearBefore}}, {"end_date", []string{v.Day}},
		}},
		{"/v1/contacts", []filter{
			{"org_id", []string{"org-0", "org-49"}}, {"email", []string{v.ContactEmail}}, {"phone_number", []string{v.ContactPhone}},
			{"full_name", []string{"a", "jan", "VERHOEVEN", "anna de g", "nobody"}},
		}},
		{"/v1/scheduled-calls", []filter{{"assistant_id", []string{v.Busy, v.Quiet}}, {"contact_id", []string{v.Contact}},
			{"processed", []string{"true", "false"}}}},
		{"/v1/events", []filter{{"after", []string{"150500"}}, {"type", []string{"status-update", "end-of-call-report"}},
			{"call_id", []string{v.CallID}}}},
	} {
		for _, values := range combinations(list.filters) {
			kinds = append(kinds, &listKind{path: list.path + "?" + values.Encode()})
		}
	}
	return kinds, nil
}

// filter is a filter of a list with values for it.
type filter struct {
	name   string
	values []string
}

// combinations are all choices of no value or one of each filter.
func combinations(filters []filter) []url.Values {
	all := []url.Values{{}}
	for _, filter := range filters {
		for _, before := range all {
			for _, value := range filter.values {
				with := maps.Clone(before)
				with.Set(filter.name, value)
				all = append(all, with)
			}
		}
	}
	return all
}
