package jobs

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
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/llm/scripted"
	"github.com/callwright/callwright/providers/website"
)

const testSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// fixture is an account with an assistant on a number, a contact, and everything that jobs work with.
type fixture struct {
	account   *dbsqlc.Account
	assistant *dbsqlc.Assistant
	contact   *dbsqlc.Contact
	deps      *Services
	dialer    *fakeDialer
	inserter  *river.Client[pgx.Tx]
	tx        pgx.Tx
}

func setup(t *testing.T) *fixture {
	t.Helper()
	return setupIn(t, dbtest.Tx(t))
}

// setupCommitted is setup on a database of its own, for what needs more than one transaction. The fixture's transaction is
// to be committed before others see what it made.
func setupCommitted(t *testing.T) (*fixture, *pgxpool.Pool) {
	t.Helper()
	pool := dbtest.Pool(t)
	f := setupIn(t, begin(t, pool))
	f.deps.DB = pool
	return f, pool
}

func begin(t *testing.T, pool *pgxpool.Pool) pgx.Tx {
	t.Helper()
	tx, err := pool.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }) // after a commit this does nothing
	return tx
}

func setupIn(t *testing.T, tx pgx.Tx) *fixture {
	t.Helper()

	ctx, queries := t.Context(), dbsqlc.New()
	inserter, err := river.NewClient(riverpgxv5.New(nil), &river.Config{})
	require.NoError(t, err)
	f := &fixture{tx: tx, inserter: inserter, dialer: &fakeDialer{stopping: make(chan struct{}), expected: map[uuid.UUID]bool{}}}
	f.account, err = queries.AccountInsert(ctx, tx, &dbsqlc.AccountInsertParams{ID: newID(t), Email: newID(t).String() + "@example.com", Name: "Account"})
	require.NoError(t, err)
	_, err = queries.WebhookEndpointInsert(ctx, tx, &dbsqlc.WebhookEndpointInsertParams{ID: newID(t), AccountID: f.account.ID, Secret: new(testSecret)})
	require.NoError(t, err)
	f.assistant, err = queries.AssistantInsert(ctx, tx, &dbsqlc.AssistantInsertParams{
		ID: newID(t), AccountID: f.account.ID, Name: "Ava", Config: jsonb.Assistant{FirstMessage: "Hello."},
	})
	require.NoError(t, err)
	number, err := queries.PhoneNumberInsert(ctx, tx, &dbsqlc.PhoneNumberInsertParams{
		ID: newID(t), AccountID: &f.account.ID, Number: "+31" + newID(t).String(), Origin: "custom",
	})
	require.NoError(t, err)
	require.NoError(t, queries.PhoneNumberLinkInsert(ctx, tx, &dbsqlc.PhoneNumberLinkInsertParams{
		AccountID: f.account.ID, AssistantID: f.assistant.ID, PhoneNumberID: number.ID, Origin: number.Origin,
	}))
	f.contact, err = queries.ContactInsert(ctx, tx, &dbsqlc.ContactInsertParams{
		ID: newID(t), AccountID: f.account.ID, PhoneNumber: "+31612345600", FullName: new("Jan"),
	})
	require.NoError(t, err)
	f.deps = &Services{
		DB: tx, Dialer: f.dialer, Hook: hook.New(hook.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}),
		Logger: slog.New(slog.DiscardHandler), Models: noModel{}, Now: time.Now, PublicURL: "https://calls.example.com", Seal: unsealed{},
	}
	f.readPDFs(nil)
	return f
}

func (f *fixture) sender() *Sender {
	return &Sender{DB: f.deps.DB, Hook: f.deps.Hook, Seal: f.deps.Seal, Now: f.deps.Now}
}

func (f *fixture) reporter() *Reporter {
	return &Reporter{PublicURL: f.deps.PublicURL, Seal: f.deps.Seal, Now: f.deps.Now}
}

// readPDFs has websites' PDFs read by pdfs.
func (f *fixture) readPDFs(pdfs website.PDFReader) {
	f.deps.Websites = website.New(website.Config{HTTP: f.deps.Hook.HTTP(), UserAgent: f.deps.Hook.UserAgent(), PDFs: pdfs})
}

func newID(t *testing.T) uuid.UUID {
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

// fakeDialer notes which calls it was asked to dial.
type fakeDialer struct {
	dialed   []uuid.UUID
	at       time.Time // of the last dial
	full     bool
	stopping chan struct{}
	booked   int
	expected map[uuid.UUID]bool
}

func (d *fakeDialer) Reserve(context.Context, time.Duration) (Place, bool) {
	if d.full {
		return nil, false
	}
	d.booked++
	return &fakePlace{dialer: d}, true
}

func (d *fakeDialer) Stopping() <-chan struct{} { return d.stopping }

type fakePlace struct {
	dialer   *fakeDialer
	held     uuid.UUID
	released bool
}

func (p *fakePlace) Hold(callID uuid.UUID) func() {
	p.held = callID
	p.dialer.expected[callID] = true
	return func() { delete(p.dialer.expected, callID) }
}

func (p *fakePlace) Dial(_ context.Context, call *dbsqlc.Call, at time.Time) {
	p.dialer.at = at
	p.dialer.dialed = append(p.dialer.dialed, call.ID)
	p.Release()
}

func (p *fakePlace) Release() {
	if !p.released {
		p.released = true
		delete(p.dialer.expected, p.held)
		p.dialer.booked--
	}
}

// webhook has the account's events of these types go to url; nil: nowhere.
func (f *fixture) webhook(t *testing.T, url *string, types ...string) *dbsqlc.WebhookEndpoint {
	t.Helper()
	row, err := dbsqlc.New().WebhookEndpointPut(t.Context(), f.tx, &dbsqlc.WebhookEndpointPutParams{
		AccountID: f.account.ID, URL: url, Events: types, Enabled: true,
	})
	require.NoError(t, err)
	return row
}

// queuedCall is a call that waits to be placed.
func (f *fixture) queuedCall(t *testing.T) *dbsqlc.Call {
	t.Helper()
	call, err := dbsqlc.New().CallInsertDirect(t.Context(), f.tx, &dbsqlc.CallInsertDirectParams{
		ID: newID(t), AccountID: f.account.ID, AssistantID: f.assistant.ID, ContactID: &f.contact.ID, CustomData: json.RawMessage(`{}`),
	})
	require.NoError(t, err)
	require.NoError(t, CallQueued(t.Context(), f.tx, f.inserter, call))
	return call
}

func (f *fixture) ticket(callID uuid.UUID) PlaceCallArgs {
	return PlaceCallArgs{AccountID: f.account.ID, CallID: callID}
}

func (f *fixture) claim(t *testing.T, callID uuid.UUID, processID string) []*dbsqlc.Call {
	t.Helper()
	calls, err := ClaimCalls(t.Context(), f.tx, f.inserter, []*PlaceCallArgs{new(f.ticket(callID))}, processID)
	require.NoError(t, err)
	return slices.Collect(maps.Values(calls))
}

func (f *fixture) call(t *testing.T, id uuid.UUID) *dbsqlc.Call {
	t.Helper()
	call, err := dbsqlc.New().CallGet(t.Context(), f.tx, &dbsqlc.CallGetParams{AccountID: f.account.ID, ID: id})
	require.NoError(t, err)
	return call
}

// limit sets how many calls the account runs at once.
func (f *fixture) limit(t *testing.T, most, inbound int32) {
	t.Helper()
	_, err := SetLimits(t.Context(), f.tx, f.inserter, &dbsqlc.AccountSetLimitsParams{ID: f.account.ID, MaxConcurrentCalls: most, ReservedInboundCalls: inbound})
	require.NoError(t, err)
}

// inboundCall is a live call that came in.
func (f *fixture) inboundCall(t *testing.T) {
	t.Helper()
	_, err := f.tx.Exec(t.Context(), "UPDATE call SET direction = 'inbound', status = 'ringing', worker_id = 'process' WHERE id = $1", f.queuedCall(t).ID)
	require.NoError(t, err)
}

// tickets are the calls that the account's place_call jobs name, in the order of their writing.
func (f *fixture) tickets(t *testing.T) []uuid.UUID {
	t.Helper()
	rows, err := f.tx.Query(t.Context(), "SELECT (args->>'call_id')::uuid FROM river_job WHERE kind = 'place_call' AND args->>'account_id' = $1 ORDER BY id", f.account.ID)
	require.NoError(t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	require.NoError(t, err)
	return ids
}

// endedCall is a call that was answered and is over.
func (f *fixture) endedCall(t *testing.T) *dbsqlc.Call {
	t.Helper()
	call := f.queuedCall(t)
	require.Len(t, f.claim(t, call.ID, "process"), 1)
	_, err := CallsProgressed(t.Context(), f.tx, f.inserter, "process", &Progress{CallID: call.ID, Status: "in-progress"})
	require.NoError(t, err)
	return f.end(t, call.ID, "process")[0]
}

func (f *fixture) end(t *testing.T, callID uuid.UUID, processID string) []*dbsqlc.Call {
	t.Helper()
	calls, err := CallsEnded(t.Context(), f.tx, f.inserter, processID, map[uuid.UUID]Ending{
		callID: {Status: "completed", Reason: "customer-ended-call", Fault: "customer"},
	})
	require.NoError(t, err)
	return calls
}

func (f *fixture) scheduledCall(t *testing.T, at time.Time, change func(*dbsqlc.ScheduledCallInsertParams)) *dbsqlc.ScheduledCall {
	t.Helper()
	params := &dbsqlc.ScheduledCallInsertParams{
		ID: newID(t), AccountID: f.account.ID, AssistantID: f.assistant.ID, ContactID: f.contact.ID, ScheduledTime: at,
		Variables: jsonb.Strings{"day": "Monday"}, Instruction: new("Be brief."),
	}
	if change != nil {
		change(params)
	}
	scheduled, err := dbsqlc.New().ScheduledCallInsert(t.Context(), f.tx, params)
	require.NoError(t, err)
	return scheduled
}

// events are the account's events of a call, oldest first, as "type:callStatus".
func (f *fixture) events(t *testing.T, callID uuid.UUID) []string {
	t.Helper()
	rows, err := f.tx.Query(t.Context(), "SELECT type, payload FROM event WHERE account_id = $1 AND call_id = $2 ORDER BY position", f.account.ID, callID)
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

func (f *fixture) jobKinds(t *testing.T) []string {
	t.Helper()
	rows, err := f.tx.Query(t.Context(), "SELECT kind FROM river_job ORDER BY id")
	require.NoError(t, err)
	kinds, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return kinds
}

// work runs a job once, as River would, in the fixture's transaction, and requires that it did not fail. It answers how
// long the job sleeps on, 0 when it is done.
func work[T river.JobArgs](t *testing.T, f *fixture, worker river.Worker[T], args T) time.Duration {
	t.Helper()
	result, err := rivertest.NewWorker(t, riverpgxv5.New(nil), &river.Config{}, worker).Work(t.Context(), t, f.tx, args, nil)
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
