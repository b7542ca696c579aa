// Package knowledge keeps what assistants can look up: documents from texts, websites and questions with answers, their
// passages, the search by words and by meaning, and the jobs that read pages and embed passages. It must not know calls.
package knowledge

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
)

// The kinds of sources that a knowledge document comes from.
const (
	SourceText = "text"
	SourceURL  = "url"
	SourceFAQ  = "faq"
)

// Document is a document to be added: a Text, a page to be fetched from URL, or a Question with its Answer.
type Document struct {
	ID          uuid.UUID
	AccountID   uuid.UUID
	AssistantID *uuid.UUID // nil: every assistant of the account knows it
	Title       string
	Text        string
	URL         string
	Question    string
	Answer      string
}

func (k *Document) sourceType() string {
	switch {
	case k.URL != "":
		return SourceURL
	case k.Question != "":
		return SourceFAQ
	}
	return SourceText
}

// FullError is that an account has as many documents as it may.
type FullError struct{ Most int32 }

// Error implements error.
func (e *FullError) Error() string {
	return fmt.Sprintf("the knowledge base has as many documents as it may: %d", e.Most)
}

// Explain says it to the customer.
func (e *FullError) Explain() string {
	documents := "documents"
	if e.Most == 1 {
		documents = "document"
	}
	return fmt.Sprintf("Your knowledge base has room for %d %s: delete one first, or ask for more room.", e.Most, documents)
}

// Add adds a document. What is given as text can be found once tx commits, by its meaning once a job has embedded it; a URL
// is fetched by a job. The error is *FullError when the account has as many as it may, and ErrNoWords.
func (w Writer) Add(ctx context.Context, tx pgx.Tx, k *Document) (*dbsqlc.KnowledgeDocument, error) {
	if err := checkLimit(ctx, tx, k.AccountID); err != nil {
		return nil, err
	}
	params := &dbsqlc.KnowledgeDocumentInsertParams{
		ID: k.ID, AccountID: k.AccountID, AssistantID: k.AssistantID, Title: Tidy(k.Title), SourceType: k.sourceType(),
		Status: "processing",
	}
	if k.URL != "" {
		params.URL = &k.URL
	}
	document, err := dbsqlc.New().KnowledgeDocumentInsert(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("insert knowledge document: %w", err)
	}
	switch document.SourceType {
	case SourceURL:
		return document, w.ingest(ctx, tx, document)
	case SourceFAQ:
		return w.store(ctx, tx, document, k.Question+"\n"+k.Answer)
	}
	return w.store(ctx, tx, document, k.Text)
}

// Refresh has the page of a document fetched anew. What is known of it stays until then.
func (w Writer) Refresh(ctx context.Context, tx pgx.Tx, accountID, id uuid.UUID) (*dbsqlc.KnowledgeDocument, error) {
	document, err := dbsqlc.New().KnowledgeDocumentRefresh(ctx, tx,
		&dbsqlc.KnowledgeDocumentRefreshParams{AccountID: accountID, ID: id})
	if err != nil {
		return nil, fmt.Errorf("refresh knowledge document: %w", err)
	}
	return document, w.ingest(ctx, tx, document)
}

func (w Writer) ingest(ctx context.Context, tx pgx.Tx, document *dbsqlc.KnowledgeDocument) error {
	if _, err := w.Jobs.InsertTx(ctx, tx, IngestKnowledgeArgs{DocumentID: document.ID, Generation: document.Generation},
		nil); err != nil {
		return fmt.Errorf("enqueue ingestion: %w", err)
	}
	return nil
}

// checkLimit takes the account's lock, so that nobody else adds a document meanwhile. It returns a FullError when the account
// may have no more of them.
func checkLimit(ctx context.Context, tx pgx.Tx, accountID uuid.UUID) error {
	if err := lockKnowledge(ctx, tx, accountID); err != nil {
		return err
	}
	row, err := dbsqlc.New().KnowledgeDocumentCountFree(ctx, tx, &dbsqlc.KnowledgeDocumentCountFreeParams{AccountID: accountID})
	if err != nil {
		return fmt.Errorf("count knowledge documents: %w", err)
	}
	if row.Free <= 0 {
		return &FullError{Most: row.Most}
	}
	return nil
}

// Remove deletes a document and forgets its words. The error wraps pgx.ErrNoRows when it is not there.
func Remove(ctx context.Context, tx pgx.Tx, accountID, id uuid.UUID) error {
	queries := dbsqlc.New()
	if err := lockKnowledge(ctx, tx, accountID); err != nil {
		return err
	}
	removed, err := queries.KnowledgeChunkDelete(ctx, tx, &dbsqlc.KnowledgeChunkDeleteParams{AccountID: accountID, DocumentID: id})
	if err != nil {
		return fmt.Errorf("delete chunks: %w", err)
	}
	title, err := queries.KnowledgeDocumentDelete(ctx, tx, &dbsqlc.KnowledgeDocumentDeleteParams{AccountID: accountID, ID: id})
	if err != nil {
		return fmt.Errorf("delete knowledge document: %w", err)
	}
	return forgetWords(ctx, tx, accountID, append(removed, title))
}

// RemoveOfAssistant deletes the documents that one assistant alone knows.
func RemoveOfAssistant(ctx context.Context, tx pgx.Tx, accountID, assistantID uuid.UUID) error {
	if err := lockKnowledge(ctx, tx, accountID); err != nil { // under it no document goes or becomes ready
		return err
	}
	ids, err := dbsqlc.New().KnowledgeDocumentListIDsOfAssistant(ctx, tx, &dbsqlc.KnowledgeDocumentListIDsOfAssistantParams{
		AccountID: accountID, AssistantID: &assistantID,
	})
	if err != nil {
		return fmt.Errorf("list knowledge of assistant: %w", err)
	}
	for _, id := range ids {
		if err := Remove(ctx, tx, accountID, id); err != nil {
			return err
		}
	}
	return nil
}
