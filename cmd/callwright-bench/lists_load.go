package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/jobs/maintenance"
)

const (
	listContacts  = 200_000
	listScheduled = 100_000
	listEvents    = 300_000
	otherAccounts = 50
	otherCalls    = 5_000
)

// loadLists fills the customer's lists with a year of business, and those of other accounts. Rows come in by the product's
// own triggers, so that they are counted as they would be; foreign keys are not checked again, and indexes are made at
// the end, which is several times faster.
func loadLists(ctx context.Context, pool *pgxpool.Pool, c *customer, calls int) error {
	if err := bulk(ctx, pool, "DISABLE TRIGGER ALL", "ENABLE TRIGGER USER"); err != nil {
		return err
	}
	rebuild, err := dropIndexes(ctx, pool)
	if err != nil {
		return err
	}
	if err := insertLists(ctx, pool, c, calls); err != nil {
		return err
	}
	for _, index := range rebuild {
		if _, err := pool.Exec(ctx, index); err != nil {
			return fmt.Errorf("index: %w", err)
		}
	}
	if err := bulk(ctx, pool, "ENABLE TRIGGER ALL"); err != nil {
		return err
	}
	if err := maintenance.FoldListCounts(ctx, pool); err != nil {
		return err
	}
	_, err = pool.Exec(ctx, "VACUUM ANALYZE")
	return err
}

// bulk alters the tables that are loaded.
func bulk(ctx context.Context, pool *pgxpool.Pool, actions ...string) error {
	for _, table := range listTables {
		for _, action := range actions {
			if _, err := pool.Exec(ctx, "ALTER TABLE "+table+" "+action); err != nil {
				return fmt.Errorf("%s: %w", table, err)
			}
		}
	}
	return nil
}

var listTables = []string{"assistant", "contact", "call", "call_usage", "scheduled_call", "event"}

// dropIndexes drops the indexes that no constraint needs, and returns how to make them again.
func dropIndexes(ctx context.Context, pool *pgxpool.Pool) ([]string, error) {
	rows, err := pool.Query(ctx, `SELECT pg_get_indexdef(indexrelid), indexrelid::regclass::text FROM pg_index
		WHERE indrelid = ANY ($1::text[]::regclass[]) AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
		listTables)
	if err != nil {
		return nil, err
	}
	type index struct{ Definition, Name string }
	indexes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[index])
	if err != nil {
		return nil, err
	}
	var definitions []string
	for _, index := range indexes {
		if _, err := pool.Exec(ctx, "DROP INDEX "+index.Name); err != nil {
			return nil, err
		}
		definitions = append(definitions, index.Definition)
	}
	return definitions, nil
}

func insertLists(ctx context.Context, pool *pgxpool.Pool, c *customer, calls int) error {
	return db.InTx(ctx, pool, func(tx pgx.Tx) error {
		for _, statement := range listSQL {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return fmt.Errorf("prepare: %w", err)
			}
		}
		if _, err := tx.Exec(ctx, "SELECT pg_temp.load($1, $2, $3, $4, $5, 20)", c.accountID, listContacts, calls, listScheduled,
			listEvents); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `WITH other AS (
				INSERT INTO account (id, email, name) SELECT gen_random_uuid(), 'other-' || i, 'Other' FROM generate_series(1, $1) AS i RETURNING id
			) SELECT pg_temp.load(id, 100, $2, 0, 0, 2) FROM other`, otherAccounts, otherCalls)
		return err
	})
}

// listSQL are functions that make rows; they last for the session.
//
//nolint:dupword // two columns in a row are false
var listSQL = []string{
	// A UUIDv7 of an instant.
	`CREATE FUNCTION pg_temp.uuid_at(instant timestamptz, i bigint) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN
		(lpad(to_hex((extract(epoch FROM instant) * 1000)::bigint), 12, '0') || '7' || substr(md5(i::text), 1, 3) || '8' || substr(md5(i::text), 4, 15))::uuid`,
	// An account's year: the later in the year, the higher the number. Assistants and organisations differ widely in size.
	`CREATE FUNCTION pg_temp.load(account uuid, contacts integer, calls integer, scheduled integer, events integer, assistants integer) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		began timestamptz := now() - interval '365 days';
		number uuid := (SELECT id FROM phone_number LIMIT 1);
		assistant_ids uuid[];
		contact_ids uuid[];
		usage_items jsonb := (SELECT jsonb_agg(jsonb_build_object('cost', 200000, 'kind', kind, 'type', 'model', 'price', 1500000, 'priceOf', 'gpt-4o-mini',
			'provider', 'openai', 'quantity', 3000, 'estimated', true)) FROM generate_series(1, 8), LATERAL (SELECT 'completion_tokens' AS kind) AS one);
	BEGIN
		INSERT INTO assistant (id, account_id, name, config)
		SELECT pg_temp.uuid_at(began, hashtextextended(account::text, i)), account, 'Assistant ' || i, '{"first_message": "Hello."}' FROM generate_series(1, assistants) AS i;
		SELECT array_agg(id ORDER BY id) INTO assistant_ids FROM assistant WHERE account_id = account;
		INSERT INTO contact (id, account_id, phone_number, full_name, email, org_id, created_at)
		SELECT pg_temp.uuid_at(at, hashtextextended(account::text, i)), account, '+316' || lpad(i::text, 8, '0'),
			(ARRAY['Jan', 'Anna', 'Piet', 'Maria', 'Kees', 'Sanne', 'Daan', 'Emma', 'Bram', 'Julia', 'Noah', 'Lotte', 'Finn', 'Eva', 'Ruben', 'Fleur', 'Youssef', 'Fatima', 'Tim', 'Iris'])[1 + abs(hashint4(i)) % 20]
				|| ' ' || (ARRAY['', '', '', 'de ', 'van ', 'van de ', 'van den '])[1 + abs(hashint4(i + 1)) % 7]
				|| (ARRAY['Jong', 'Jansen', 'Vries', 'Berg', 'Bakker', 'Dijk', 'Visser', 'Janssen', 'Smit', 'Meijer', 'Boer', 'Mulder', 'Groot', 'Bos', 'Vos', 'Peters', 'Hendriks', 'Leeuwen', 'Dekker', 'Brouwer', 'Wit', 'Dijkstra', 'Smits', 'Graaf', 'Meer', 'Linden', 'Kok', 'Jacobs', 'Haan', 'Vermeulen', 'Heuvel', 'Veen', 'Broek', 'Schouten', 'Willems', 'Bosch', 'Hoekstra', 'Koster', 'Verhoeven', 'Prins'])[1 + abs(hashint4(i + 2)) % 40],
			'person' || i || '@example.com', 'org-' || floor(50 * power(random(), 3)), at
		FROM generate_series(1, contacts) AS i, LATERAL (SELECT began + interval '365 days' * i / contacts AS at) AS instant;
		SELECT array_agg(id ORDER BY id) INTO contact_ids FROM contact WHERE account_id = account;
		FOR batch IN 0 .. (calls - 1) / 50000 LOOP
			INSERT INTO call (id, account_id, direction, status, simulated, assistant_id, assistant_name, contact_id, contact_name, contact_phone_number,
				phone_number_id, phone_number, timeline, started_at, ended_at, ended_reason, ended_fault, summary, created_at, updated_at)
			SELECT pg_temp.uuid_at(at, hashtextextended(account::text, i)), account, 'outbound',
				CASE WHEN i > calls - 300 THEN (ARRAY['queued', 'dialing', 'ringing', 'in-progress'])[1 + i % 4]
					ELSE (ARRAY['completed', 'completed', 'completed', 'completed', 'completed', 'completed', 'no-answer', 'no-answer', 'busy', 'voicemail', 'failed', 'missed', 'canceled'])[1 + abs(hashint4(i)) % 13] END,
				false, assistant_ids[1 + floor(assistants * power(random(), 3))], 'Assistant', contact_ids[1 + abs(hashint4(i + 7)) % contacts], 'Jan Jansen', '+31612345678', number, '+31850000000',
				'[{"status": "queued", "at": "2026-01-01T00:00:00Z"}, {"status": "dialing", "at": "2026-01-01T00:00:00Z"}, {"status": "in-progress", "at": "2026-01-01T00:00:00Z"}]',
				at, at + interval '60 seconds', 'customer-ended-call', 'customer', 'The customer asked for an appointment and was given one.', at, at
			FROM generate_series(batch * 50000 + 1, least((batch + 1) * 50000, calls)) AS i, LATERAL (SELECT began + interval '365 days' * i / calls AS at) AS instant;
			INSERT INTO call_usage (call_id, account_id, at, assistant_id, assistant_name, phone_number, direction, simulated, unpriced, cost, call_ms,
				transcriber_ms, prompt_tokens, cached_tokens, completion_tokens, embedding_tokens, characters, sms, mail, items)
			SELECT pg_temp.uuid_at(at, hashtextextended(account::text, i)), account, at, assistant_ids[1 + floor(assistants * power(random(), 3))], 'Assistant', '+31850000000', 'outbound',
				false, false, 1200000, 60000, 30000, 3000, 1000, 300, 0, 900, 0, 0, usage_items
			FROM generate_series(batch * 50000 + 1, least((batch + 1) * 50000, calls)) AS i, LATERAL (SELECT began + interval '365 days' * i / calls AS at) AS instant;
		END LOOP;
		INSERT INTO scheduled_call (id, account_id, assistant_id, contact_id, status, scheduled_time, simulated, created_at)
		SELECT pg_temp.uuid_at(at, hashtextextended(account::text, i)), account, assistant_ids[1 + floor(assistants * power(random(), 3))], contact_ids[1 + abs(hashint4(i + 7)) % contacts],
			CASE WHEN i > scheduled * 0.7 THEN 'scheduled' WHEN i % 20 = 0 THEN 'canceled' ELSE 'processed' END, at + interval '7 days', false, at
		FROM generate_series(1, scheduled) AS i, LATERAL (SELECT began + interval '365 days' * i / scheduled AS at) AS instant;
		INSERT INTO event (id, account_id, sequence, type, call_id, payload, delivery, created_at)
		SELECT pg_temp.uuid_at(at, hashtextextended(account::text, i)), account, i, CASE WHEN i % 4 = 0 THEN 'end-of-call-report' ELSE 'status-update' END, pg_temp.uuid_at(at, i / 4),
			'{"type": "status-update", "status": "in-progress", "call": {}}', 'none', at
		FROM generate_series(1, events) AS i, LATERAL (SELECT began + interval '365 days' * (i / 4) / (events / 4 + 1) AS at) AS instant;
		IF events > 0 THEN
			INSERT INTO event_counter (account_id, last) VALUES (account, events);
		END IF;
	END $$`,
}
