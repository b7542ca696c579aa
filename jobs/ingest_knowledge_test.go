package jobs

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
	"github.com/callwright/callwright/providers/fault"
)

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

// fakePDFs reads every file as its own bytes.
type fakePDFs struct{ err error }

func (f fakePDFs) Text(_ context.Context, file []byte) (string, error) { return string(file), f.err }

func addPage(t *testing.T, f *fixture, url string) *dbsqlc.KnowledgeDocument {
	t.Helper()
	document, err := Learner{Jobs: f.inserter}.Add(t.Context(), f.tx, &Knowledge{ID: newID(t), AccountID: f.account.ID, Title: "Page", URL: url})
	require.NoError(t, err)
	require.Equal(t, "processing", document.Status)
	return document
}

func getDocument(t *testing.T, f *fixture, document *dbsqlc.KnowledgeDocument) *dbsqlc.KnowledgeDocument {
	t.Helper()
	row, err := dbsqlc.New().KnowledgeDocumentGetByID(t.Context(), f.tx, &dbsqlc.KnowledgeDocumentGetByIDParams{ID: document.ID})
	require.NoError(t, err)
	return row
}

func searchFor(t *testing.T, f *fixture, question string) []KnowledgeHit {
	t.Helper()
	hits, err := SearchKnowledge(t.Context(), f.tx, KnowledgeQuery{AccountID: f.account.ID, Question: question, Limit: 5})
	require.NoError(t, err)
	return hits
}

func TestIngestKnowledge(t *testing.T) {
	t.Parallel()

	f, site := setup(t), newPage(t)
	worker := &IngestKnowledgeWorker{DB: f.deps.DB, Websites: f.deps.Websites, Embeds: f.deps.Embed != nil}
	document := addPage(t, f, site.URL)
	require.Equal(t, []string{"ingest_knowledge"}, f.jobKinds(t))
	site.body = "<title>Menu</title><p>Today there is haddock.</p>"
	work(t, f, worker, IngestKnowledgeArgs{DocumentID: document.ID, Generation: 1})
	row := getDocument(t, f, document)
	require.Equal(t, "ready", row.Status)
	require.EqualValues(t, 1, row.ChunkCount)
	require.Len(t, searchFor(t, f, "haddock"), 1)

	work(t, f, worker, IngestKnowledgeArgs{DocumentID: document.ID, Generation: 1})
	require.Equal(t, 1, site.asked, "a job that comes twice does nothing")

	_, err := Learner{Jobs: f.inserter}.Refresh(t.Context(), f.tx, f.account.ID, document.ID)
	require.NoError(t, err)
	require.Len(t, searchFor(t, f, "haddock"), 1, "what was known stays until the new text is there")
	site.body = "<title>Menu</title><p>Today there is sturgeon.</p>"
	work(t, f, worker, IngestKnowledgeArgs{DocumentID: document.ID, Generation: 1})
	require.Len(t, searchFor(t, f, "haddock"), 1, "the job of an earlier generation does nothing")
	work(t, f, worker, IngestKnowledgeArgs{DocumentID: document.ID, Generation: 2})
	require.Empty(t, searchFor(t, f, "haddock"))
	require.Len(t, searchFor(t, f, "sturgeon"), 1)
	require.Empty(t, searchFor(t, f, "hadock"), "the words of before are forgotten")

	require.NoError(t, RemoveKnowledge(t.Context(), f.tx, f.account.ID, document.ID))
	work(t, f, worker, IngestKnowledgeArgs{DocumentID: document.ID, Generation: 2})
	require.Empty(t, searchFor(t, f, "sturgeon"))
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
			f, site := setup(t), newPage(t)
			f.readPDFs(fakePDFs{test.pdf})
			site.status, site.body = test.status, test.body
			document := addPage(t, f, site.URL+test.path)
			work(t, f, &IngestKnowledgeWorker{DB: f.deps.DB, Websites: f.deps.Websites, Embeds: f.deps.Embed != nil}, IngestKnowledgeArgs{DocumentID: document.ID, Generation: 1})
			row := getDocument(t, f, document)
			require.Equal(t, "failed", row.Status)
			require.Equal(t, test.reason, *row.Error)
		})
	}
	f := setup(t)
	document := addPage(t, f, "http://10.1.2.3/")
	work(t, f, &IngestKnowledgeWorker{DB: f.deps.DB, Websites: f.deps.Websites, Embeds: f.deps.Embed != nil}, IngestKnowledgeArgs{DocumentID: document.ID, Generation: 1})
	require.Equal(t, "The address may not be read.", *getDocument(t, f, document).Error)
}

func TestIngestPDF(t *testing.T) {
	t.Parallel()

	f, site := setup(t), newPage(t)
	f.readPDFs(fakePDFs{})
	site.body = "Our brochure is about tulips.\x00\xff"
	document := addPage(t, f, site.URL+"/brochure.pdf")
	work(t, f, &IngestKnowledgeWorker{DB: f.deps.DB, Websites: f.deps.Websites, Embeds: f.deps.Embed != nil}, IngestKnowledgeArgs{DocumentID: document.ID, Generation: 1})
	require.Equal(t, "ready", getDocument(t, f, document).Status)
	require.Len(t, searchFor(t, f, "tulip"), 1)
}

// Many documents come and go at once; afterwards the vocabulary is that of the one that stays.
func TestKnowledgeAtOnce(t *testing.T) {
	t.Parallel()

	f, pool := setupCommitted(t)
	require.NoError(t, f.tx.Commit(t.Context()))
	done := make(chan error)
	const writers = 6
	for i := range writers {
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			done <- func() error {
				for range 5 {
					added := &Knowledge{ID: newID(t), AccountID: f.account.ID, Title: "Passing", Text: fmt.Sprintf("shared words passing%c", 'a'+i)}
					if err := db.InTx(ctx, pool, func(tx pgx.Tx) error {
						_, err := Learner{Jobs: f.inserter}.Add(ctx, tx, added)
						return err
					}); err != nil {
						return err
					}
					if err := db.InTx(ctx, pool, func(tx pgx.Tx) error { return RemoveKnowledge(ctx, tx, f.account.ID, added.ID) }); err != nil {
						return err
					}
				}
				return nil
			}()
		}()
	}
	require.NoError(t, db.InTx(t.Context(), pool, func(tx pgx.Tx) error {
		_, err := Learner{Jobs: f.inserter}.Add(t.Context(), tx, &Knowledge{ID: newID(t), AccountID: f.account.ID, Title: "Lasting", Text: "shared words lasting"})
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

	f, pool := setupCommitted(t)
	require.NoError(t, f.tx.Commit(t.Context()))
	setKnowledgeLimit(t, f, pool, 3)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	add := func(added *Knowledge) error {
		return db.InTx(ctx, pool, func(tx pgx.Tx) error {
			_, err := Learner{Jobs: f.inserter}.Add(ctx, tx, added)
			return err
		})
	}
	var adding sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		added := &Knowledge{ID: newID(t), AccountID: f.account.ID, Title: "One of many", Text: "words"}
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
		full, ok := errors.AsType[*KnowledgeFullError](err)
		require.True(t, ok, err)
		require.EqualValues(t, 3, full.Most)
	}
	require.Equal(t, 3, added)

	stranger := dbfactory.Account(t, pool)
	require.NoError(t, add(&Knowledge{ID: newID(t), AccountID: stranger.ID, Title: "Elsewhere", Text: "words"}))
	var removed uuid.UUID
	require.NoError(t, pool.QueryRow(ctx, "SELECT id FROM knowledge_document WHERE account_id = $1 LIMIT 1", f.account.ID).Scan(&removed))
	require.NoError(t, db.InTx(ctx, pool, func(tx pgx.Tx) error { return RemoveKnowledge(ctx, tx, f.account.ID, removed) }))
	require.NoError(t, add(&Knowledge{ID: newID(t), AccountID: f.account.ID, Title: "In its place", Text: "words"}))
	require.Error(t, add(&Knowledge{ID: newID(t), AccountID: f.account.ID, Title: "One more", Text: "words"}))
}

func setKnowledgeLimit(t *testing.T, f *fixture, conn dbsqlc.DBTX, most int32) {
	t.Helper()
	_, err := dbsqlc.New().AccountSetLimits(t.Context(), conn, &dbsqlc.AccountSetLimitsParams{ID: f.account.ID, MaxConcurrentCalls: 10, MaxKnowledgeDocuments: &most})
	require.NoError(t, err)
}
