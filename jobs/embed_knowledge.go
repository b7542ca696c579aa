package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/providers/fault"
)

const (
	embedBatch   = 32 // texts per request: what the smallest servers take by default
	embedBatches = 8  // per turn of a job; then another document's may have one
	embedTime    = 30 * time.Second
	catchUpBatch = 500 // documents
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
	return river.InsertOpts{Queue: QueueKnowledge, MaxAttempts: maxAttempts, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
	}}}
}

// EmbedKnowledgeWorker embeds the passages of a document that the deployment's model has not embedded yet, each batch in a
// transaction of its own: a job that is interrupted, or comes twice, goes on with the rest. Until then the passages are
// found by their words.
type EmbedKnowledgeWorker struct {
	river.WorkerDefaults[EmbedKnowledgeArgs]
	*Deps
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
func (w *EmbedKnowledgeWorker) embed(ctx context.Context, documentID uuid.UUID, missing []*dbsqlc.KnowledgeEmbeddingListMissingRow) error {
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

// CatchUpEmbeddingsArgs asks for all that the model has not embedded to be embedded.
type CatchUpEmbeddingsArgs struct{}

// Kind implements river.JobArgs.
func (CatchUpEmbeddingsArgs) Kind() string { return "catch_up_embeddings" }

// CatchUpEmbeddingsWorker enqueues the documents that were there before the model was, or whose job was refused, behind
// those that are new. It runs periodically.
type CatchUpEmbeddingsWorker struct {
	river.WorkerDefaults[CatchUpEmbeddingsArgs]
	*Deps
}

// Work implements river.Worker.
func (w *CatchUpEmbeddingsWorker) Work(ctx context.Context, _ *river.Job[CatchUpEmbeddingsArgs]) error {
	if w.Embed == nil {
		return nil
	}
	for after := uuid.Nil; ; {
		documents, err := dbsqlc.New().KnowledgeEmbeddingListUnembedded(ctx, w.DB, &dbsqlc.KnowledgeEmbeddingListUnembeddedParams{
			After: after, Model: w.Embed.Model(), Max: catchUpBatch,
		})
		if err != nil {
			return fmt.Errorf("list documents to embed: %w", err)
		}
		if len(documents) == 0 {
			return nil
		}
		var params []river.InsertManyParams
		for _, document := range documents {
			params = append(params, river.InsertManyParams{
				Args: EmbedKnowledgeArgs{DocumentID: document.ID, Generation: document.Generation}, InsertOpts: &river.InsertOpts{Priority: lowestPriority},
			})
		}
		err = db.InTx(ctx, w.DB, func(tx pgx.Tx) error { return enqueue(ctx, tx, river.ClientFromContext[pgx.Tx](ctx), params) })
		if err != nil {
			return err
		}
		after = documents[len(documents)-1].ID
	}
}
