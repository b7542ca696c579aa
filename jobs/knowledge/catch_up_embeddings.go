package knowledge

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/embed"
)

const catchUpBatch = 500 // documents

// CatchUpEmbeddingsArgs asks for all that the model has not embedded to be embedded.
type CatchUpEmbeddingsArgs struct{}

// Kind implements river.JobArgs.
func (CatchUpEmbeddingsArgs) Kind() string { return "catch_up_embeddings" }

// CatchUpEmbeddingsWorker enqueues the documents that were there before the model was, or whose job was refused, behind
// those that are new. It runs periodically.
type CatchUpEmbeddingsWorker struct {
	river.WorkerDefaults[CatchUpEmbeddingsArgs]
	DB    db.Beginner
	Embed embed.Provider // nil: no embedding model is configured
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
				Args:       EmbedKnowledgeArgs{DocumentID: document.ID, Generation: document.Generation},
				InsertOpts: &river.InsertOpts{Priority: queue.LowestPriority},
			})
		}
		err = db.InTx(ctx, w.DB, func(tx pgx.Tx) error { return queue.Insert(ctx, tx, river.ClientFromContext[pgx.Tx](ctx), params) })
		if err != nil {
			return err
		}
		after = documents[len(documents)-1].ID
	}
}
