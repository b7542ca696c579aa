package knowledge_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/knowledge"
	"github.com/callwright/callwright/providers/fault"
)

func ingestKnowledge(f *jobstest.Fixture) *knowledge.IngestKnowledgeWorker {
	return &knowledge.IngestKnowledgeWorker{DB: f.Services.DB, Websites: f.Services.Websites, Embeds: f.Services.Embed != nil}
}

// page is a website of one page whose answer a test chooses.
type page struct {
	*httptest.Server
	status int
	body   string
	asked  int
}

func newPage(t *testing.T) *page {
	t.Helper()
	p := &page{status: http.StatusOK}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		p.asked++
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if strings.HasSuffix(r.URL.Path, ".pdf") {
			w.Header().Set("Content-Type", "application/pdf")
		}
		w.WriteHeader(p.status)
		fmt.Fprint(w, p.body)
	}))
	t.Cleanup(p.Close)
	return p
}

func addPage(t *testing.T, f *jobstest.Fixture, url string) *dbsqlc.KnowledgeDocument {
	t.Helper()
	document, err := knowledge.Writer{Jobs: f.Inserter}.Add(t.Context(), f.Tx,
		&knowledge.Document{ID: dbfactory.ID(t), AccountID: f.Account.ID, Title: "Page", URL: url})
	require.NoError(t, err)
	require.Equal(t, "processing", document.Status)
	return document
}

func getDocument(t *testing.T, f *jobstest.Fixture, document *dbsqlc.KnowledgeDocument) *dbsqlc.KnowledgeDocument {
	t.Helper()
	row, err := dbsqlc.New().KnowledgeDocumentGetByID(t.Context(), f.Tx, &dbsqlc.KnowledgeDocumentGetByIDParams{ID: document.ID})
	require.NoError(t, err)
	return row
}

func TestIngestKnowledge(t *testing.T) {
	t.Parallel()

	f, site := jobstest.New(t), newPage(t)
	worker := ingestKnowledge(f)
	document := addPage(t, f, site.URL)
	require.Equal(t, []string{"ingest_knowledge"}, f.JobKinds(t))
	site.body = "<title>Menu</title><p>Today there is haddock.</p>"
	jobstest.Work(t, f, worker, knowledge.IngestKnowledgeArgs{DocumentID: document.ID, Generation: 1})
	row := getDocument(t, f, document)
	require.Equal(t, "ready", row.Status)
	require.EqualValues(t, 1, row.ChunkCount)
	require.Len(t, f.SearchFor(t, "haddock"), 1)

	jobstest.Work(t, f, worker, knowledge.IngestKnowledgeArgs{DocumentID: document.ID, Generation: 1})
	require.Equal(t, 1, site.asked, "a job that comes twice does nothing")

	_, err := knowledge.Writer{Jobs: f.Inserter}.Refresh(t.Context(), f.Tx, f.Account.ID, document.ID)
	require.NoError(t, err)
	require.Len(t, f.SearchFor(t, "haddock"), 1, "what was known stays until the new text is there")
	site.body = "<title>Menu</title><p>Today there is sturgeon.</p>"
	jobstest.Work(t, f, worker, knowledge.IngestKnowledgeArgs{DocumentID: document.ID, Generation: 1})
	require.Len(t, f.SearchFor(t, "haddock"), 1, "the job of an earlier generation does nothing")
	jobstest.Work(t, f, worker, knowledge.IngestKnowledgeArgs{DocumentID: document.ID, Generation: 2})
	require.Empty(t, f.SearchFor(t, "haddock"))
	require.Len(t, f.SearchFor(t, "sturgeon"), 1)
	require.Empty(t, f.SearchFor(t, "hadock"), "the words of before are forgotten")

	require.NoError(t, knowledge.Remove(t.Context(), f.Tx, f.Account.ID, document.ID))
	jobstest.Work(t, f, worker, knowledge.IngestKnowledgeArgs{DocumentID: document.ID, Generation: 2})
	require.Empty(t, f.SearchFor(t, "sturgeon"))
}

func TestIngestKnowledgeThatFails(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		status     int
		body, path string
		pdf        error
		reason     string
	}{
		"Gone":      {http.StatusNotFound, "", "/", nil, "The website answered 404."},
		"Denied":    {http.StatusForbidden, "", "/", nil, "The website answered 403."},
		"Empty":     {http.StatusOK, "<html><body>!</body></html>", "/", nil, "There is no text to read."},
		"BrokenPDF": {http.StatusOK, "x", "/a.pdf", fault.New(fault.Refused, "pdf", "the PDF is damaged"), "The PDF is damaged."},
		"EmptyPDF":  {http.StatusOK, "", "/a.pdf", nil, "There is no text to read."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, site := jobstest.New(t), newPage(t)
			f.ReadPDFs(jobstest.FakePDFs{Err: test.pdf})
			site.status, site.body = test.status, test.body
			document := addPage(t, f, site.URL+test.path)
			jobstest.Work(t, f, ingestKnowledge(f), knowledge.IngestKnowledgeArgs{DocumentID: document.ID, Generation: 1})
			row := getDocument(t, f, document)
			require.Equal(t, "failed", row.Status)
			require.Equal(t, test.reason, *row.Error)
		})
	}
	f := jobstest.New(t)
	document := addPage(t, f, "http://10.1.2.3/")
	jobstest.Work(t, f, ingestKnowledge(f), knowledge.IngestKnowledgeArgs{DocumentID: document.ID, Generation: 1})
	require.Equal(t, "The address may not be read.", *getDocument(t, f, document).Error)
}

func TestIngestPDF(t *testing.T) {
	t.Parallel()

	f, site := jobstest.New(t), newPage(t)
	f.ReadPDFs(jobstest.FakePDFs{})
	site.body = "Our brochure is about tulips.\x00\xff"
	document := addPage(t, f, site.URL+"/brochure.pdf")
	jobstest.Work(t, f, ingestKnowledge(f), knowledge.IngestKnowledgeArgs{DocumentID: document.ID, Generation: 1})
	require.Equal(t, "ready", getDocument(t, f, document).Status)
	require.Len(t, f.SearchFor(t, "tulip"), 1)
}

// Many documents come and go at once; afterwards the vocabulary is that of the one that stays.
func TestKnowledgeAtOnce(t *testing.T) {
	t.Parallel()

	f, pool := jobstest.NewCommitted(t)
	require.NoError(t, f.Tx.Commit(t.Context()))
	done := make(chan error)
	const writers = 6
	for i := range writers {
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			done <- func() error {
				for range 5 {
					added := &knowledge.Document{ID: dbfactory.ID(t), AccountID: f.Account.ID, Title: "Passing",
						Text: fmt.Sprintf("shared words passing%c", 'a'+i)}
					if err := db.InTx(ctx, pool, func(tx pgx.Tx) error {
						_, err := knowledge.Writer{Jobs: f.Inserter}.Add(ctx, tx, added)
						return err
					}); err != nil {
						return err
					}
					if err := db.InTx(ctx, pool, func(tx pgx.Tx) error {
						return knowledge.Remove(ctx, tx, f.Account.ID,
							added.ID)
					}); err != nil {
						return err
					}
				}
				return nil
			}()
		}()
	}
	require.NoError(t, db.InTx(t.Context(), pool, func(tx pgx.Tx) error {
		_, err := knowledge.Writer{Jobs: f.Inserter}.Add(t.Context(), tx,
			&knowledge.Document{ID: dbfactory.ID(t), AccountID: f.Account.ID, Title: "Lasting", Text: "shared words lasting"})
		return err
	}))
	for range writers {
		require.NoError(t, <-done)
	}
	rows, err := pool.Query(t.Context(), "SELECT term FROM knowledge_term ORDER BY term")
	require.NoError(t, err)
	terms, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, []string{"lasting", "shared", "words"}, terms)
}

// However many come at once, there are no more documents than the account may have.
func TestKnowledgeLimit(t *testing.T) {
	t.Parallel()

	f, pool := jobstest.NewCommitted(t)
	require.NoError(t, f.Tx.Commit(t.Context()))
	f.SetKnowledgeLimit(t, pool, 3)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	add := func(added *knowledge.Document) error {
		return db.InTx(ctx, pool, func(tx pgx.Tx) error {
			_, err := knowledge.Writer{Jobs: f.Inserter}.Add(ctx, tx, added)
			return err
		})
	}
	var adding sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		added := &knowledge.Document{ID: dbfactory.ID(t), AccountID: f.Account.ID, Title: "One of many", Text: "words"}
		if i%2 == 1 {
			added.Text, added.URL = "", "https://example.com/"
		}
		adding.Go(func() { errs[i] = add(added) })
	}
	adding.Wait()
	added := 0
	for _, err := range errs {
		if err == nil {
			added++
			continue
		}
		full, ok := errors.AsType[*knowledge.FullError](err)
		require.True(t, ok, err)
		require.EqualValues(t, 3, full.Most)
	}
	require.Equal(t, 3, added)

	other := dbfactory.Account(t, pool)
	require.NoError(t, add(&knowledge.Document{ID: dbfactory.ID(t), AccountID: other.ID, Title: "Elsewhere", Text: "words"}))
	var removed uuid.UUID
	require.NoError(t, pool.QueryRow(ctx, "SELECT id FROM knowledge_document WHERE account_id = $1 LIMIT 1",
		f.Account.ID).Scan(&removed))
	require.NoError(t, db.InTx(ctx, pool, func(tx pgx.Tx) error { return knowledge.Remove(ctx, tx, f.Account.ID, removed) }))
	require.NoError(t, add(&knowledge.Document{ID: dbfactory.ID(t), AccountID: f.Account.ID, Title: "In its place", Text: "words"}))
	require.Error(t, add(&knowledge.Document{ID: dbfactory.ID(t), AccountID: f.Account.ID, Title: "One more", Text: "words"}))
}
