// Package jobstest is what the tests of the subjects of package jobs share: an account with an assistant on a number, a
// contact, and everything that jobs work with.
package jobstest

import (
	"context"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertest"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs"
	"github.com/callwright/callwright/jobs/analysis"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/providers/website"
	"github.com/callwright/callwright/providers/website/websitetest"
)

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

// New returns a fixture in a transaction of its own, which is rolled back.
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

// Begin begins a transaction that is rolled back when the test is over, unless it is committed.
func Begin(t *testing.T, pool *pgxpool.Pool) pgx.Tx {
	t.Helper()
	tx, err := pool.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }) // after a commit this does nothing
	return tx
}

// NewIn returns a fixture in tx.
func NewIn(t *testing.T, tx pgx.Tx) *Fixture {
	t.Helper()

	ctx, queries := t.Context(), dbsqlc.New()
	inserter, err := river.NewClient(riverpgxv5.New(nil), &river.Config{})
	require.NoError(t, err)
	f := &Fixture{Tx: tx, Inserter: inserter, Dialer: &FakeDialer{Stop: make(chan struct{}), expected: map[uuid.UUID]bool{}}}
	f.Account, err = queries.AccountInsert(ctx, tx, &dbsqlc.AccountInsertParams{ID: dbfactory.ID(t),
		Email: dbfactory.ID(t).String() + "@example.com", Name: "Account"})
	require.NoError(t, err)
	_, err = queries.WebhookEndpointInsert(ctx, tx, &dbsqlc.WebhookEndpointInsertParams{ID: dbfactory.ID(t), AccountID: f.Account.ID,
		Secret: new(dbfactory.WebhookSecret)})
	require.NoError(t, err)
	f.Assistant, err = queries.AssistantInsert(ctx, tx, &dbsqlc.AssistantInsertParams{
		ID: dbfactory.ID(t), AccountID: f.Account.ID, Name: "Ava", Config: jsonb.Assistant{FirstMessage: "Hello."},
	})
	require.NoError(t, err)
	number, err := queries.PhoneNumberInsert(ctx, tx, &dbsqlc.PhoneNumberInsertParams{
		ID: dbfactory.ID(t), AccountID: &f.Account.ID, Number: "+31" + dbfactory.ID(t).String(), Origin: "custom",
	})
	require.NoError(t, err)
	require.NoError(t, queries.PhoneNumberLinkInsert(ctx, tx, &dbsqlc.PhoneNumberLinkInsertParams{
		AccountID: f.Account.ID, AssistantID: f.Assistant.ID, PhoneNumberID: number.ID, Origin: number.Origin,
	}))
	f.Contact = dbfactory.Contact(t, tx, f.Account.ID,
		func(c *dbsqlc.Contact) { c.PhoneNumber, c.FullName = "+31612345600", new("Jan") })
	f.Services = &jobs.Services{
		DB: tx, Dialer: f.Dialer, Hook: hook.New(hook.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}),
		Logger: slog.New(slog.DiscardHandler), Models: noModel{}, Now: time.Now, PublicURL: "https://calls.example.com",
		Seal: Unsealed{},
	}
	f.ReadPDFs(nil)
	return f
}

// Sender sends events to the servers of the fixture.
func (f *Fixture) Sender() *events.Sender {
	return &events.Sender{DB: f.Services.DB, Hook: f.Services.Hook, Seal: f.Services.Seal, Now: f.Services.Now}
}

// Reporter reports calls of the fixture.
func (f *Fixture) Reporter() *calls.Reporter {
	return &calls.Reporter{PublicURL: f.Services.PublicURL, Seal: f.Services.Seal, Now: f.Services.Now}
}

// FinishCallWorker finishes the fixture's calls.
func (f *Fixture) FinishCallWorker() *calls.FinishCallWorker {
	return calls.NewFinishCallWorker(f.Services.DB, f.Reporter(), analysis.Starter{Models: f.Services.Models}.Start)
}

// ReadPDFs has websites' PDFs read by pdfs.
func (f *Fixture) ReadPDFs(pdfs website.PDFReader) {
	f.Services.Websites = website.New(website.Config{HTTP: f.Services.Hook.HTTP(), UserAgent: f.Services.Hook.UserAgent(),
		Pages: websitetest.Pages{}, PDFs: pdfs})
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

// JobKinds returns the kinds of all jobs, oldest first.
func (f *Fixture) JobKinds(t *testing.T) []string {
	t.Helper()
	rows, err := f.Tx.Query(t.Context(), "SELECT kind FROM river_job ORDER BY id")
	require.NoError(t, err)
	kinds, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return kinds
}

// Work runs a job once, as River would, in the fixture's transaction, and requires that it did not fail. It returns how
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
