package knowledge

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/website"
)

const (
	ingestTime  = time.Minute
	ingestTries = 4 // of a website that does not answer

	// A slow website keeps a job for a minute. Those of one account leave room in the queue for the jobs of others, such as
	// reports of calls.
	ingestAtOnce = 10              // pages of an account in a process
	ingestLater  = 5 * time.Second // the others try again
)

// IngestKnowledgeArgs asks for the page of a knowledge document to be read.
type IngestKnowledgeArgs struct {
	DocumentID uuid.UUID `json:"document_id"`
	Generation int32     `json:"generation"`
}

// Kind implements river.JobArgs.
func (IngestKnowledgeArgs) Kind() string { return "ingest_knowledge" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (IngestKnowledgeArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: queue.MaxAttempts}
}

// IngestKnowledgeWorker reads the page of a document and makes it what the document knows. A job of an earlier generation
// does nothing, and so does one that runs twice.
type IngestKnowledgeWorker struct {
	river.WorkerDefaults[IngestKnowledgeArgs]
	DB       db.Beginner
	Websites *website.Reader
	Embeds   bool // whether the deployment has an embedding model

	busy accountPlaces
}

// accountPlaces counts what is done for each account at the moment.
type accountPlaces struct {
	mu    sync.Mutex
	taken map[uuid.UUID]int
}

// take takes one of an account's places, if fewer than most are taken; leave gives it back.
func (p *accountPlaces) take(accountID uuid.UUID, most int) (leave func(), free bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken[accountID] >= most {
		return nil, false
	}
	if p.taken == nil {
		p.taken = map[uuid.UUID]int{}
	}
	p.taken[accountID]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.taken[accountID]--; p.taken[accountID] == 0 {
			delete(p.taken, accountID)
		}
	}, true
}

// Timeout covers the page, its text and the records.
func (w *IngestKnowledgeWorker) Timeout(*river.Job[IngestKnowledgeArgs]) time.Duration {
	return ingestTime + 30*time.Second
}

// Work implements river.Worker.
func (w *IngestKnowledgeWorker) Work(ctx context.Context, job *river.Job[IngestKnowledgeArgs]) error {
	document, err := dbsqlc.New().KnowledgeDocumentGetByID(ctx, w.DB,
		&dbsqlc.KnowledgeDocumentGetByIDParams{ID: job.Args.DocumentID})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("get knowledge document: %w", err)
	}
	if document.Generation != job.Args.Generation || document.Status != "processing" || document.URL == nil {
		return nil
	}
	leave, free := w.busy.take(document.AccountID, ingestAtOnce)
	if !free {
		return river.JobSnooze(ingestLater)
	}
	defer leave()
	text, err := w.read(ctx, *document.URL)
	if err == nil {
		err = w.store(ctx, document, text)
	}
	kind, isFault := fault.Of(err)
	switch {
	case err == nil, errors.Is(err, pgx.ErrNoRows): // done, or overtaken meanwhile
		return nil
	case errors.Is(err, ErrNoWords):
		return w.fail(ctx, document, "There is no text to read.")
	case isFault && (kind == fault.Refused || job.Attempt >= ingestTries):
		return w.fail(ctx, document, ExplainSource(err))
	}
	return fmt.Errorf("ingest knowledge: %w", err)
}

// read returns the text of a page, followed by the answers that only machines see.
func (w *IngestKnowledgeWorker) read(ctx context.Context, url string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, ingestTime)
	defer cancel()
	page, err := w.Websites.Page(ctx, url)
	if err != nil {
		return "", err
	}
	return PageText(page), nil
}

func (w *IngestKnowledgeWorker) store(ctx context.Context, document *dbsqlc.KnowledgeDocument, text string) error {
	return db.InTx(ctx, w.DB, func(tx pgx.Tx) error {
		_, err := JobWriter(ctx, w.Embeds).store(ctx, tx, document, text)
		return err
	})
}

func (w *IngestKnowledgeWorker) fail(ctx context.Context, document *dbsqlc.KnowledgeDocument, reason string) error {
	_, err := dbsqlc.New().KnowledgeDocumentSetFailed(ctx, w.DB, &dbsqlc.KnowledgeDocumentSetFailedParams{
		ID: document.ID, Generation: document.Generation, Error: &reason,
	})
	if err != nil {
		return fmt.Errorf("set knowledge document failed: %w", err)
	}
	return nil
}
