// Package jobstest is what the tests of the subjects of package jobs share: an account with an assistant on a number, a
// contact, and everything that jobs work with.
package jobstest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertest"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/llm/scripted"
	"github.com/callwright/callwright/providers/website"
)

const TestSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// Fixture is an account with an assistant on a number, a contact, and everything that jobs work with.
type Fixture struct {
	Account   *dbsqlc.Account
	Assistant *dbsqlc.Assistant
	Contact   *dbsqlc.Contact
	Services  *jobs.Services
	Dialer    *FakeDialer
	Inserter  *river.Client[pgx.Tx]
	Tx        pgx.Tx
}

func New(t *testing.T) *Fixture {
	t.Helper()
	return NewIn(t, dbtest.Tx(t))
}

// NewCommitted is New on a database of its own, for what needs more than one transaction. The fixture's transaction is
// to be committed before others see what it made.
func NewCommitted(t *testing.T) (*Fixture, *pgxpool.Pool) {
	t.Helper()
	pool := dbtest.Pool(t)
	f := NewIn(t, Begin(t, pool))
	f.Services.DB = pool
	return f, pool
}

func Begin(t *testing.T, pool *pgxpool.Pool) pgx.Tx {
	t.Helper()
	tx, err := pool.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }) // after a commit this does nothing
	return tx
}

func NewIn(t *testing.T, tx pgx.Tx) *Fixture {
	t.Helper()

	ctx, queries := t.Context(), dbsqlc.New()
	inserter, err := river.NewClient(riverpgxv5.New(nil), &river.Config{})
	require.NoError(t, err)
	f := &Fixture{Tx: tx, Inserter: inserter, Dialer: &FakeDialer{Stop: make(chan struct{}), expected: map[uuid.UUID]bool{}}}
	f.Account, err = queries.AccountInsert(ctx, tx, &dbsqlc.AccountInsertParams{ID: NewID(t), Email: NewID(t).String() + "@example.com", Name: "Account"})
	require.NoError(t, err)
	_, err = queries.WebhookEndpointInsert(ctx, tx, &dbsqlc.WebhookEndpointInsertParams{ID: NewID(t), AccountID: f.Account.ID, Secret: new(TestSecret)})
	require.NoError(t, err)
	f.Assistant, err = queries.AssistantInsert(ctx, tx, &dbsqlc.AssistantInsertParams{
		ID: NewID(t), AccountID: f.Account.ID, Name: "Ava", Config: jsonb.Assistant{FirstMessage: "Hello."},
	})
	require.NoError(t, err)
	number, err := queries.PhoneNumberInsert(ctx, tx, &dbsqlc.PhoneNumberInsertParams{
		ID: NewID(t), AccountID: &f.Account.ID, Number: "+31" + NewID(t).String(), Origin: "custom",
	})
	require.NoError(t, err)
	require.NoError(t, queries.PhoneNumberLinkInsert(ctx, tx, &dbsqlc.PhoneNumberLinkInsertParams{
		AccountID: f.Account.ID, AssistantID: f.Assistant.ID, PhoneNumberID: number.ID, Origin: number.Origin,
	}))
	f.Contact, err = queries.ContactInsert(ctx, tx, &dbsqlc.ContactInsertParams{
		ID: NewID(t), AccountID: f.Account.ID, PhoneNumber: "+31612345600", FullName: new("Jan"),
	})
	require.NoError(t, err)
	f.Services = &jobs.Services{
		DB: tx, Dialer: f.Dialer, Hook: hook.New(hook.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}),
		Logger: slog.New(slog.DiscardHandler), Models: noModel{}, Now: time.Now, PublicURL: "https://calls.example.com", Seal: unsealed{},
	}
	f.ReadPDFs(nil)
	return f
}

func (f *Fixture) Sender() *events.Sender {
	return &events.Sender{DB: f.Services.DB, Hook: f.Services.Hook, Seal: f.Services.Seal, Now: f.Services.Now}
}

func (f *Fixture) Reporter() *calls.Reporter {
	return &calls.Reporter{PublicURL: f.Services.PublicURL, Seal: f.Services.Seal, Now: f.Services.Now}
}

// ReadPDFs has websites' PDFs read by pdfs.
func (f *Fixture) ReadPDFs(pdfs website.PDFReader) {
	f.Services.Websites = website.New(website.Config{HTTP: f.Services.Hook.HTTP(), UserAgent: f.Services.Hook.UserAgent(), PDFs: pdfs})
}

func NewID(t *testing.T) uuid.UUID {
	t.Helper()
	id, err := uuid.NewV7()
	require.NoError(t, err)
	return id
}

// unsealed opens what was never sealed; db/seal has its own tests.
type unsealed struct{}

func (unsealed) Open(sealed, _ string) (string, error) { return sealed, nil }

func (unsealed) Seal(plaintext, _ string) string { return plaintext }

// noModel is a deployment without a language model.
type noModel struct{}

func (noModel) LLM(string) (llm.Provider, bool) { return scripted.New(), false }

// FakeDialer notes which calls it was asked to dial.
type FakeDialer struct {
	Dialed   []uuid.UUID
	At       time.Time // of the last dial
	Full     bool
	Stop     chan struct{}
	Booked   int
	expected map[uuid.UUID]bool
}

func (d *FakeDialer) Reserve(context.Context, time.Duration) (calls.Place, bool) {
	if d.Full {
		return nil, false
	}
	d.Booked++
	return &fakePlace{dialer: d}, true
}

func (d *FakeDialer) Stopping() <-chan struct{} { return d.Stop }

type fakePlace struct {
	dialer   *FakeDialer
	held     uuid.UUID
	released bool
}

func (p *fakePlace) Hold(callID uuid.UUID) func() {
	p.held = callID
	p.dialer.expected[callID] = true
	return func() { delete(p.dialer.expected, callID) }
}

func (p *fakePlace) Dial(_ context.Context, call *dbsqlc.Call, at time.Time) {
	p.dialer.At = at
	p.dialer.Dialed = append(p.dialer.Dialed, call.ID)
	p.Release()
}

func (p *fakePlace) Release() {
	if !p.released {
		p.released = true
		delete(p.dialer.expected, p.held)
		p.dialer.Booked--
	}
}

// Webhook has the account's events of these types go to url; nil: nowhere.
func (f *Fixture) Webhook(t *testing.T, url *string, types ...string) *dbsqlc.WebhookEndpoint {
	t.Helper()
	row, err := dbsqlc.New().WebhookEndpointPut(t.Context(), f.Tx, &dbsqlc.WebhookEndpointPutParams{
		AccountID: f.Account.ID, URL: url, Events: types, Enabled: true,
	})
	require.NoError(t, err)
	return row
}

// QueuedCall returns a call that waits to be placed.
func (f *Fixture) QueuedCall(t *testing.T) *dbsqlc.Call {
	t.Helper()
	call, err := dbsqlc.New().CallInsertDirect(t.Context(), f.Tx, &dbsqlc.CallInsertDirectParams{
		ID: NewID(t), AccountID: f.Account.ID, AssistantID: f.Assistant.ID, ContactID: &f.Contact.ID, CustomData: json.RawMessage(`{}`),
	})
	require.NoError(t, err)
	require.NoError(t, calls.Enqueue(t.Context(), f.Tx, f.Inserter, call))
	return call
}

func (f *Fixture) DispatchJob(callID uuid.UUID) calls.PlaceCallArgs {
	return calls.PlaceCallArgs{AccountID: f.Account.ID, CallID: callID}
}

func (f *Fixture) Claim(t *testing.T, callID uuid.UUID, processID string) []*dbsqlc.Call {
	t.Helper()
	calls, err := calls.Claim(t.Context(), f.Tx, f.Inserter, []*calls.PlaceCallArgs{new(f.DispatchJob(callID))}, processID)
	require.NoError(t, err)
	return slices.Collect(maps.Values(calls))
}

func (f *Fixture) Call(t *testing.T, id uuid.UUID) *dbsqlc.Call {
	t.Helper()
	call, err := dbsqlc.New().CallGet(t.Context(), f.Tx, &dbsqlc.CallGetParams{AccountID: f.Account.ID, ID: id})
	require.NoError(t, err)
	return call
}

// Limit sets how many calls the account runs at once.
func (f *Fixture) Limit(t *testing.T, most, inbound int32) {
	t.Helper()
	_, err := calls.SetLimits(t.Context(), f.Tx, f.Inserter, &dbsqlc.AccountSetLimitsParams{ID: f.Account.ID, MaxConcurrentCalls: most, ReservedInboundCalls: inbound})
	require.NoError(t, err)
}

// InboundCall is a live call that came in.
func (f *Fixture) InboundCall(t *testing.T) {
	t.Helper()
	_, err := f.Tx.Exec(t.Context(), "UPDATE call SET direction = 'inbound', status = 'ringing', worker_id = 'process' WHERE id = $1", f.QueuedCall(t).ID)
	require.NoError(t, err)
}

// DispatchJobs returns the calls that the account's place_call jobs name, in the order of their writing.
func (f *Fixture) DispatchJobs(t *testing.T) []uuid.UUID {
	t.Helper()
	rows, err := f.Tx.Query(t.Context(), "SELECT (args->>'call_id')::uuid FROM river_job WHERE kind = 'place_call' AND args->>'account_id' = $1 ORDER BY id", f.Account.ID)
	require.NoError(t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	require.NoError(t, err)
	return ids
}

// EndedCall returns a call that was answered and is over.
func (f *Fixture) EndedCall(t *testing.T) *dbsqlc.Call {
	t.Helper()
	call := f.QueuedCall(t)
	require.Len(t, f.Claim(t, call.ID, "process"), 1)
	_, err := calls.Advance(t.Context(), f.Tx, f.Inserter, "process", &calls.Progress{CallID: call.ID, Status: "in-progress"})
	require.NoError(t, err)
	return f.End(t, call.ID, "process")[0]
}

func (f *Fixture) End(t *testing.T, callID uuid.UUID, processID string) []*dbsqlc.Call {
	t.Helper()
	calls, err := calls.End(t.Context(), f.Tx, f.Inserter, processID, map[uuid.UUID]calls.Ending{
		callID: {Status: "completed", Reason: "customer-ended-call", Fault: "customer"},
	})
	require.NoError(t, err)
	return calls
}

func (f *Fixture) ScheduledCall(t *testing.T, at time.Time, change func(*dbsqlc.ScheduledCallInsertParams)) *dbsqlc.ScheduledCall {
	t.Helper()
	params := &dbsqlc.ScheduledCallInsertParams{
		ID: NewID(t), AccountID: f.Account.ID, AssistantID: f.Assistant.ID, ContactID: f.Contact.ID, ScheduledTime: at,
		Variables: jsonb.Strings{"day": "Monday"}, Instruction: new("Be brief."),
	}
	if change != nil {
		change(params)
	}
	scheduled, err := dbsqlc.New().ScheduledCallInsert(t.Context(), f.Tx, params)
	require.NoError(t, err)
	return scheduled
}

// Events returns the account's events of a call, oldest first, as "type:callStatus".
func (f *Fixture) Events(t *testing.T, callID uuid.UUID) []string {
	t.Helper()
	rows, err := f.Tx.Query(t.Context(), "SELECT type, payload FROM event WHERE account_id = $1 AND call_id = $2 ORDER BY position", f.Account.ID, callID)
	require.NoError(t, err)
	events, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		var eventType string
		var payload struct{ CallStatus string }
		err := row.Scan(&eventType, &payload)
		return fmt.Sprintf("%s:%s", eventType, payload.CallStatus), err
	})
	require.NoError(t, err)
	return events
}

func (f *Fixture) JobKinds(t *testing.T) []string {
	t.Helper()
	rows, err := f.Tx.Query(t.Context(), "SELECT kind FROM river_job ORDER BY id")
	require.NoError(t, err)
	kinds, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return kinds
}

// Work runs a job once, as River would, in the fixture's transaction, and requires that it did not fail. It answers how
// long the job sleeps on, 0 when it is done.
func Work[T river.JobArgs](t *testing.T, f *Fixture, worker river.Worker[T], args T) time.Duration {
	t.Helper()
	result, err := rivertest.NewWorker(t, riverpgxv5.New(nil), &river.Config{}, worker).Work(t.Context(), t, f.Tx, args, nil)
	require.NoError(t, err)
	switch result.EventKind {
	case river.EventKindJobCompleted:
		return 0
	case river.EventKindJobSnoozed:
		return time.Until(result.Job.ScheduledAt)
	}
	t.Fatalf("job ended as %s: %v", result.EventKind, result.Job.Errors)
	return 0
}
