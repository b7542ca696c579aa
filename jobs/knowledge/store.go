package knowledge

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
)

// ErrNoWords: there is nothing in a text that could be found.
var ErrNoWords = errors.New("the text has no words")

// Writer adds documents to knowledge bases.
type Writer struct {
	Jobs   queue.Inserter
	Embeds bool // whether the deployment has an embedding model
}

// JobWriter returns a writer of texts in a job; embeds says whether the deployment has an embedding model.
func JobWriter(ctx context.Context, embeds bool) Writer {
	if !embeds { // it enqueues nothing
		return Writer{}
	}
	return Writer{Jobs: river.ClientFromContext[pgx.Tx](ctx), Embeds: true}
}

// store makes text what a document knows, in place of what it knew. The error wraps pgx.ErrNoRows when the document is of
// another generation by now, or gone.
func (w Writer) store(ctx context.Context, tx pgx.Tx, document *dbsqlc.KnowledgeDocument,
	text string) (*dbsqlc.KnowledgeDocument, error) {
	queries, chunks := dbsqlc.New(), chunksOf(document, text)
	if len(chunks.Contents) == 0 {
		return nil, ErrNoWords
	}
	if err := lockKnowledge(ctx, tx, document.AccountID); err != nil {
		return nil, err
	}
	ready, err := queries.KnowledgeDocumentSetReady(ctx, tx, &dbsqlc.KnowledgeDocumentSetReadyParams{
		ID: document.ID, Generation: document.Generation, ChunkCount: int32(len(chunks.Contents)),
	})
	if err != nil {
		return nil, fmt.Errorf("set knowledge document ready: %w", err)
	}
	removed, err := queries.KnowledgeChunkDelete(ctx, tx,
		&dbsqlc.KnowledgeChunkDeleteParams{AccountID: document.AccountID, DocumentID: document.ID})
	if err != nil {
		return nil, fmt.Errorf("delete earlier chunks: %w", err)
	}
	if err := queries.KnowledgeChunkInsertMany(ctx, tx, chunks); err != nil {
		return nil, fmt.Errorf("insert chunks: %w", err)
	}
	if err := learnWords(ctx, tx, document.AccountID, append(chunks.Contents, document.Title)); err != nil {
		return nil, err
	}
	if err := forgetWords(ctx, tx, document.AccountID, removed); err != nil {
		return nil, err
	}
	return ready, w.embed(ctx, tx, ready)
}

func (w Writer) embed(ctx context.Context, tx pgx.Tx, document *dbsqlc.KnowledgeDocument) error {
	if !w.Embeds {
		return nil
	}
	if _, err := w.Jobs.InsertTx(ctx, tx, EmbedKnowledgeArgs{DocumentID: document.ID, Generation: document.Generation},
		nil); err != nil {
		return fmt.Errorf("enqueue embedding: %w", err)
	}
	return nil
}

func chunksOf(document *dbsqlc.KnowledgeDocument, text string) *dbsqlc.KnowledgeChunkInsertManyParams {
	params := &dbsqlc.KnowledgeChunkInsertManyParams{AccountID: document.AccountID, DocumentID: document.ID,
		Scope: document.AccountID}
	if document.AssistantID != nil {
		params.Scope = *document.AssistantID
	}
	title := Words(document.Title)
	for _, passage := range passages(text) {
		words := Words(passage)
		if len(words) == 0 {
			continue
		}
		params.Positions = append(params.Positions, int32(len(params.Positions)))
		params.Contents = append(params.Contents, passage)
		params.Words = append(params.Words, strings.Join(distinct(append(words, title...)), " "))
	}
	return params
}

func learnWords(ctx context.Context, tx pgx.Tx, accountID uuid.UUID, texts []string) error {
	params := &dbsqlc.KnowledgeTermInsertManyParams{AccountID: accountID, Terms: vocabulary(texts...)}
	for _, term := range params.Terms {
		params.Trigrams = append(params.Trigrams, strings.Join(trigramsOf(term), " "))
	}
	if err := dbsqlc.New().KnowledgeTermInsertMany(ctx, tx, params); err != nil {
		return fmt.Errorf("insert terms: %w", err)
	}
	return nil
}

// forgetWords takes the words of removed texts out of the vocabulary, but for those that another text has.
func forgetWords(ctx context.Context, tx pgx.Tx, accountID uuid.UUID, removed []string) error {
	words := distinct(Words(strings.Join(removed, " ")))
	err := dbsqlc.New().KnowledgeTermDeleteUnused(ctx, tx,
		&dbsqlc.KnowledgeTermDeleteUnusedParams{AccountID: accountID, Words: words})
	if err != nil {
		return fmt.Errorf("delete unused terms: %w", err)
	}
	return nil
}

// lockKnowledge takes the account's lock, under which its vocabulary changes and its documents are counted. It comes before
// the locks of rows, here as everywhere.
func lockKnowledge(ctx context.Context, tx pgx.Tx, accountID uuid.UUID) error {
	if err := dbsqlc.New().KnowledgeTermLock(ctx, tx, &dbsqlc.KnowledgeTermLockParams{AccountID: accountID}); err != nil {
		return fmt.Errorf("lock knowledge base: %w", err)
	}
	return nil
}
