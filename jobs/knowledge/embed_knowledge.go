package knowledge

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/embed"
	"github.com/callwright/callwright/providers/fault"
)

const (
	embedBatch   = 32 // texts per request: what the smallest servers take by default
	embedBatches = 8  // per turn of a job; then another document's may have one
	embedTime    = 30 * time.Second
)

// EmbedKnowledgeArgs asks for the passages of a document to be embedded.
type EmbedKnowledgeArgs struct {
	DocumentID uuid.UUID `json:"document_id"`
	Generation int32     `json:"generation"`
}

// Kind implements river.JobArgs.
func (EmbedKnowledgeArgs) Kind() string { return "embed_knowledge" }

// InsertOpts implements river.JobArgsWithInsertOpts. One job per text of a document: whoever finds it again adds none.
func (EmbedKnowledgeArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queue.Knowledge, MaxAttempts: queue.MaxAttempts,
		UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning,
			rivertype.JobStateScheduled,
		}}}
}

// EmbedKnowledgeWorker embeds the passages of a document that the deployment's model has not embedded yet, each batch in a
// transaction of its own: a job that is interrupted, or comes twice, goes on with the rest. Until then the passages are
// found by their words.
type EmbedKnowledgeWorker struct {
	river.WorkerDefaults[EmbedKnowledgeArgs]
	DB    dbsqlc.DBTX
	Embed embed.Provider // nil: no embedding model is configured
}

// Timeout covers all batches of a turn.
func (w *EmbedKnowledgeWorker) Timeout(*river.Job[EmbedKnowledgeArgs]) time.Duration {
	return embedBatches*embedTime + 30*time.Second
}

// Work implements river.Worker.
func (w *EmbedKnowledgeWorker) Work(ctx context.Context, job *river.Job[EmbedKnowledgeArgs]) error {
	if w.Embed == nil { // another deployment's worker, or an earlier one's job
		return nil
	}
	for range embedBatches {
		missing, err := dbsqlc.New().KnowledgeEmbeddingListMissing(ctx, w.DB, &dbsqlc.KnowledgeEmbeddingListMissingParams{
			DocumentID: job.Args.DocumentID, Generation: job.Args.Generation, Model: w.Embed.Model(), Max: embedBatch,
		})
		if err != nil {
			return fmt.Errorf("list passages to embed: %w", err)
		}
		if len(missing) == 0 {
			return nil
		}
		err = w.embed(ctx, job.Args.DocumentID, missing)
		if kind, isFault := fault.Of(err); isFault && kind == fault.Refused { // asking again would not help, until catching up does
			return river.JobCancel(fmt.Errorf("embed knowledge: %w", err))
		}
		if err != nil {
			return fmt.Errorf("embed knowledge: %w", err)
		}
	}
	return river.JobSnooze(0)
}

// embed has the model embed passages, each with the title of its document, which often says what a passage is about.
func (w *EmbedKnowledgeWorker) embed(ctx context.Context, documentID uuid.UUID,
	missing []*dbsqlc.KnowledgeEmbeddingListMissingRow) error {
	texts := make([]string, len(missing))
	for i, passage := range missing {
		texts[i] = passage.Title + "\n" + passage.Content
	}
	limited, cancel := context.WithTimeout(ctx, embedTime)
	defer cancel()
	vectors, err := w.Embed.Embed(limited, texts)
	if err != nil {
		return err
	}
	made := &dbsqlc.KnowledgeEmbeddingUpsertManyParams{DocumentID: documentID, Model: w.Embed.Model()}
	for i, passage := range missing {
		made.Positions, made.Contents = append(made.Positions, passage.Position), append(made.Contents, passage.Content)
		made.Codes, made.Vectors = append(made.Codes, codeOf(vectors[i])), append(made.Vectors, quantized(vectors[i]))
	}
	if err := dbsqlc.New().KnowledgeEmbeddingUpsertMany(ctx, w.DB, made); err != nil {
		return fmt.Errorf("store embeddings: %w", err)
	}
	return nil
}
