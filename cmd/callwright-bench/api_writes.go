package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/worker"
)

// apiWrite is a POST whose requests share transactions, and the statements that one alone runs, sent by pgx without any HTTP,
// each in transactions of its own.
type apiWrite struct {
	name    string
	request func(client int) []byte // the next one
	sql     func(ctx context.Context, tx pgx.Tx) error
}

// apiDirectCall measures POST /v1/calls/direct.
func apiDirectCall(ctx context.Context, b *bench) error {
	return measureWrite(ctx, b, func(c *customer, inserter queue.Inserter) (*apiWrite, error) {
		sql := func(ctx context.Context, tx pgx.Tx) error {
			results, err := calls.MakeDirect(ctx, tx, inserter, &calls.DirectCall{
				ID: uuid.Must(uuid.NewV7()), AccountID: c.accountID, AssistantID: c.assistantID, PhoneNumber: "+31612345601", Simulated: true,
				CustomData: []byte(`{}`),
			})
			if err != nil {
				return err
			}
			return results[0].Err
		}
		return &apiWrite{"api_direct_call", func(client int) []byte { return directCallRequest(c, client) }, sql}, nil
	})
}

func directCallRequest(c *customer, client int) []byte {
	body := fmt.Sprintf(`{"assistant_id":%q,"contact_phone_number":"+31612345601"}`, c.assistantID)
	return apiRequest(c.keys[client].Text, "POST", "/v1/calls/direct", body)
}

// apiScheduledCall measures POST /v1/scheduled-calls, by clients that each call a contact of their own.
func apiScheduledCall(ctx context.Context, b *bench) error {
	return measureWrite(ctx, b, func(c *customer, inserter queue.Inserter) (*apiWrite, error) {
		contacts := make([]uuid.UUID, apiClients)
		for i := range contacts {
			contact, err := insertContact(ctx, b.pool, c, fmt.Sprintf("+316000000%02d", i))
			if err != nil {
				return nil, err
			}
			contacts[i] = contact.ID
		}
		at := time.Now().AddDate(0, 1, 0)
		request := func(client int) []byte {
			body := fmt.Sprintf(`{"assistant_id":%q,"contact_id":%q,"scheduled_time":%q}`, c.assistantID, contacts[client],
				at.Format(time.RFC3339))
			return apiRequest(c.keys[client].Text, "POST", "/v1/scheduled-calls", body)
		}
		var turn atomic.Int64
		sql := func(ctx context.Context, tx pgx.Tx) error {
			results, err := calls.MakeScheduled(ctx, tx, inserter, &calls.ScheduledCall{
				ID: uuid.Must(uuid.NewV7()), AccountID: c.accountID, AssistantID: c.assistantID, ContactID: contacts[turn.Add(1)%apiClients],
				At: at, Simulated: true,
				ScheduledCallDetails: calls.ScheduledCallDetails{Variables: jsonb.Strings{}},
			})
			if err != nil {
				return err
			}
			return results[0].Err
		}
		return &apiWrite{"api_scheduled_call", request, sql}, nil
	})
}

// apiContact measures POST /v1/contacts, each of a number of its own.
func apiContact(ctx context.Context, b *bench) error {
	return measureWrite(ctx, b, func(c *customer, _ queue.Inserter) (*apiWrite, error) {
		var made atomic.Int64
		number := func() string { return fmt.Sprintf("+316%08d", made.Add(1)) }
		request := func(client int) []byte {
			return apiRequest(c.keys[client].Text, "POST", "/v1/contacts",
				fmt.Sprintf(`{"phone_number":%q,"full_name":"Jan Jansen"}`, number()))
		}
		sql := func(ctx context.Context, tx pgx.Tx) error {
			_, err := insertContact(ctx, tx, c, number())
			return err
		}
		return &apiWrite{"api_contact", request, sql}, nil
	})
}

func insertContact(ctx context.Context, conn dbsqlc.DBTX, c *customer, number string) (*dbsqlc.Contact, error) {
	details, err := json.Marshal(jsonb.ContactDetails{FullName: new("Jan Jansen")})
	if err != nil {
		return nil, err
	}
	rows, err := dbsqlc.New().ContactInsertMany(ctx, conn, &dbsqlc.ContactInsertManyParams{
		Ids: []uuid.UUID{uuid.Must(uuid.NewV7())}, AccountIds: []uuid.UUID{c.accountID}, Tests: []bool{true},
		PhoneNumbers: []string{number},
		Details:      []json.RawMessage{details},
	})
	if err != nil {
		return nil, fmt.Errorf("insert contact: %w", err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("there is a contact with %s", number)
	}
	return rows[0], nil
}

// measureWrite compares both ways by 16 clients, each with a key of its own, which take turns on the same database; then by a
// single client, whose requests have nobody to share a transaction with.
func measureWrite(ctx context.Context, b *bench, makeWrite func(c *customer, inserter queue.Inserter) (*apiWrite, error)) error {
	c, err := newCustomer(ctx, b.pool, apiClients, greeter)
	if err != nil {
		return err
	}
	inserter, err := worker.NewInserter(b.pool, b.logger)
	if err != nil {
		return err
	}
	w, err := makeWrite(c, inserter)
	if err != nil {
		return err
	}
	address, stop, err := serveAPI(ctx, b, inserter)
	if err != nil {
		return err
	}
	defer stop()

	overHTTP := func(ctx context.Context, client int) (func() error, error) {
		connection, err := dialAPI(ctx, address)
		if err != nil {
			return nil, err
		}
		return func() error { return connection.post(w.request(client)) }, nil
	}
	raw := func(ctx context.Context, client int) (func() error, error) {
		return func() error { return w.alone(ctx, b, c.keys[client].Hash) }, nil
	}
	http, sql, err := compare(ctx, b, apiClients, overHTTP, raw)
	if err != nil {
		return err
	}
	report(w.name+"_rps", http.rate(), "requests/s")
	report(w.name+"_raw_rps", sql.rate(), "transactions/s")
	report(w.name+"_gain", http.rate()/sql.rate(), "ratio")
	report(w.name+"_p99_ms", percentile(http.latencies, 0.99), "ms")
	http.cost.report(w.name, len(http.latencies))
	sql.cost.report(w.name+"_raw", len(sql.latencies))
	if http, sql, err = compare(ctx, b, 1, overHTTP, raw); err != nil {
		return err
	}
	report(w.name+"_alone_p50_ms", percentile(http.latencies, 0.5), "ms")
	report(w.name+"_alone_raw_p50_ms", percentile(sql.latencies, 0.5), "ms")
	return nil
}

// alone does without HTTP what the API does for one request.
func (w *apiWrite) alone(ctx context.Context, b *bench, keyHash []byte) error {
	_, err := dbsqlc.New().APIKeyAuthenticateMany(ctx, b.pool,
		&dbsqlc.APIKeyAuthenticateManyParams{Hashes: [][]byte{keyHash}, Requests: []int32{1}})
	if err != nil {
		return err
	}
	return db.InTx(ctx, b.pool, func(tx pgx.Tx) error { return w.sql(ctx, tx) })
}
