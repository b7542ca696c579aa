package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/knowledge"
)

// KnowledgeDocument is something that assistants can look up.
type KnowledgeDocument struct {
	ID          uuid.UUID  `json:"id"`
	Title       string     `json:"title" example:"Opening hours"`
	SourceType  string     `json:"source_type" enum:"text,url,faq"`
	URL         *string    `json:"url" doc:"The page with its content."`
	AssistantID *uuid.UUID `json:"assistant_id" doc:"The only assistant that uses it; null: all of them do."`
	Status      string     `json:"status" enum:"processing,ready,failed"`
	Error       *string    `json:"error" doc:"Why it failed."`
	ChunkCount  int32      `json:"chunk_count" doc:"Number of passages."`
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
}

// KnowledgeAnswer is a document that matches a question.
type KnowledgeAnswer struct {
	ID      uuid.UUID `json:"id" doc:"Id of the document."`
	Title   string    `json:"title" example:"Opening hours"`
	Content string    `json:"content" doc:"Its passages that match best, up to three." example:"We are open from nine to five."`
	Score   float64   `json:"score" doc:"How well it matches, 0 to 1: how much of the question's words it covers or, where an embedding model is configured, how far ahead it is by words and meaning together." example:"0.82"`
}

type knowledgeCreateInput struct {
	middleware.Idempotency
	Body struct {
		Title       string     `json:"title" minLength:"1" maxLength:"300"`
		AssistantID *uuid.UUID `json:"assistant_id,omitempty" format:"uuid" doc:"Only this assistant uses it."`
		Text        string     `json:"text,omitempty" doc:"The document itself; bounded by the size of the body, 1 MiB."`
		URL         string     `json:"url,omitempty" maxLength:"2048" doc:"A page (HTML or plain text up to 2 MiB) or a PDF (up to 20 MiB, of which 500 pages are read)."`
		Question    string     `json:"question,omitempty" maxLength:"1000"`
		Answer      string     `json:"answer,omitempty" maxLength:"10000"`
	}
}

type KnowledgePath struct {
	ID uuid.UUID `path:"id" format:"uuid" doc:"Id of the document."`
}

type knowledgeRefreshInput struct {
	middleware.Idempotency
	KnowledgePath
}

type knowledgeListInput struct {
	middleware.Page
	AssistantID OptionalID `query:"assistant_id" doc:"Documents that only this assistant uses."`
}

type knowledgeQueryInput struct {
	middleware.Idempotency
	Body struct {
		Query       string     `json:"query" minLength:"1" maxLength:"2000" doc:"A question, or words."`
		AssistantID *uuid.UUID `json:"assistant_id,omitempty" format:"uuid" doc:"Search what this assistant uses: its own documents and those of all assistants."`
		Limit       int        `json:"limit,omitempty" minimum:"1" maximum:"20" default:"5" doc:"Maximum number of documents."`
	}
}

type knowledgeOutput struct{ Body KnowledgeDocument }

type knowledgeFound struct {
	Documents []KnowledgeAnswer `json:"documents" nullable:"false"`
}

func (a *API) registerKnowledge(to huma.API) {
	const path, one = "/v1/knowledge-base/documents", "/v1/knowledge-base/documents/{id}"
	handle(a, to, operation(http.MethodGet, path, "list-knowledge-documents", tagKnowledge, "List documents",
		"The documents of your knowledge base, newest first."), a.knowledgeList)
	handle(a, to, creates(path, "create-knowledge-document", tagKnowledge, "Add a document",
		"Exactly one of `text`, `url`, and `question` with `answer`. Text can be found at once; a page is fetched first (`processing`, then `ready` or `failed`). robots.txt is honoured. 409 `limit_reached` when the knowledge base has as many documents as it may (`GET /v1/user/limits`).",
		http.StatusNotFound), a.knowledgeCreate)
	handle(a, to, operation(http.MethodGet, one, "get-knowledge-document", tagKnowledge, "Get a document",
		"One document of your knowledge base.", http.StatusNotFound), a.knowledgeGet)
	remove := operation(http.MethodDelete, one, "delete-knowledge-document", tagKnowledge, "Delete a document",
		"It is no longer found.", http.StatusNotFound)
	remove.DefaultStatus = http.StatusNoContent
	handle(a, to, remove, a.knowledgeDelete)
	refresh := creates(one+"/refresh", "refresh-knowledge-document", tagKnowledge, "Read a document's page again",
		"Fetches the `url` of a document again. What was read before is found until then, and stays when it fails. 409 `conflict` when the document has no `url`.", http.StatusNotFound)
	refresh.DefaultStatus = http.StatusAccepted
	handle(a, to, refresh, a.knowledgeRefresh)
	query := creates("/v1/knowledge-base/query", "query-knowledge-base", tagKnowledge, "Query the knowledge base",
		"The documents that match a question best, as the tool `query_knowledge_base` of an assistant with `knowledge_base_enabled` finds them. Dutch and English, with their inflections; misspelled words and parts of compounds are found too; and where the deployment has an embedding model, what means the same in other words.",
		http.StatusNotFound)
	query.DefaultStatus = http.StatusOK
	handle(a, to, query, a.knowledgeQuery)
}

func (a *API) knowledgeList(ctx context.Context, in *knowledgeListInput) (*middleware.List[KnowledgeDocument], error) {
	accountID, queries := middleware.CallerOf(ctx).AccountID, dbsqlc.New()
	total, err := queries.KnowledgeDocumentCount(ctx, a.DB,
		&dbsqlc.KnowledgeDocumentCountParams{AccountID: accountID, AssistantID: in.AssistantID.ID})
	if err != nil {
		return nil, apierror.FromDB("document", err)
	}
	rows, err := queries.KnowledgeDocumentList(ctx, a.DB, &dbsqlc.KnowledgeDocumentListParams{
		AccountID: accountID, AssistantID: in.AssistantID.ID, Before: in.Before(), Max: middleware.QueryLimit(in.Limit),
		Skip: int32(in.Offset),
	})
	if err != nil {
		return nil, apierror.FromDB("document", err)
	}
	where := func(row *dbsqlc.KnowledgeDocument) middleware.Position { return middleware.Position{ID: row.ID} }
	return middleware.NewList(in.Limit, &in.Place, rows, total, renderKnowledge, where)
}

func (a *API) knowledgeCreate(ctx context.Context, in *knowledgeCreateInput) (*middleware.Response[KnowledgeDocument], error) {
	who := middleware.CallerOf(ctx)
	document, err := in.knowledge(who.AccountID)
	if err != nil {
		return nil, err
	}
	if who.Test && document.AssistantID == nil {
		return nil,
			middleware.TestKeyRefused("A test key adds documents to its own assistants only: all assistants would know this one. Give assistant_id.")
	}
	return middleware.Once(ctx, a.responses, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[KnowledgeDocument], error) {
		if document.AssistantID != nil {
			assistant, err := dbsqlc.New().AssistantLockShared(ctx, tx,
				&dbsqlc.AssistantLockSharedParams{AccountID: document.AccountID, ID: *document.AssistantID})
			switch {
			case err != nil:
				return nil, unknownAssistant(err)
			case who.Test && !assistant.Test:
				return nil, middleware.TestKeyRefused("A test key adds documents to its own assistants only.")
			}
		}
		row, err := a.learner().Add(ctx, tx, document)
		if full, ok := errors.AsType[*knowledge.FullError](err); ok {
			return nil, limitReached(full.Explain())
		}
		if errors.Is(err, knowledge.ErrNoWords) {
			return nil, apierror.Invalid().With("text", "has no words")
		}
		if err != nil {
			return nil, apierror.FromDB("document", err)
		}
		return middleware.Respond(http.StatusCreated, renderKnowledge(row)), nil
	})
}

// knowledge returns the document that the body describes. It must have exactly one source.
func (in *knowledgeCreateInput) knowledge(accountID uuid.UUID) (*knowledge.Document, error) {
	body, wrong := &in.Body, apierror.Invalid()
	var sources []string
	for field, given := range map[string]bool{"text": body.Text != "", "url": body.URL != "", "question": body.Question != "" ||
		body.Answer != ""} {
		if given {
			sources = append(sources, field)
		}
	}
	switch {
	case len(sources) == 0:
		wrong.With("text", "is required, or url, or question and answer")
	case len(sources) > 1:
		for _, field := range sources {
			wrong.With(field, "only one of text, url, and question with answer can be given")
		}
	case sources[0] == "question":
		for field, text := range map[string]string{"question": body.Question, "answer": body.Answer} {
			if strings.TrimSpace(text) == "" {
				wrong.With(field, "is required")
			}
		}
	case sources[0] == "url" && !validServerURL(body.URL):
		wrong.With("url", "is not an absolute http or https URL")
	}
	if len(wrong.Body.Details) > 0 {
		return nil, wrong
	}
	return &knowledge.Document{
		ID: newID(), AccountID: accountID, AssistantID: body.AssistantID, Title: body.Title,
		Text: body.Text, URL: body.URL, Question: body.Question, Answer: body.Answer,
	}, nil
}

func (a *API) knowledgeGet(ctx context.Context, in *KnowledgePath) (*knowledgeOutput, error) {
	row, err := dbsqlc.New().KnowledgeDocumentGet(ctx, a.DB,
		&dbsqlc.KnowledgeDocumentGetParams{AccountID: middleware.CallerOf(ctx).AccountID, ID: in.ID})
	if err != nil {
		return nil, apierror.FromDB("document", err)
	}
	return &knowledgeOutput{Body: renderKnowledge(row)}, nil
}

func (a *API) knowledgeDelete(ctx context.Context, in *KnowledgePath) (*struct{}, error) {
	return nil, middleware.InChange(ctx, a.DB, func(tx pgx.Tx) error {
		return apierror.FromDB("document", knowledge.Remove(ctx, tx, middleware.CallerOf(ctx).AccountID, in.ID))
	})
}

func (a *API) knowledgeRefresh(ctx context.Context, in *knowledgeRefreshInput) (*middleware.Response[KnowledgeDocument], error) {
	return middleware.Once(ctx, a.responses, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[KnowledgeDocument], error) {
		accountID := middleware.CallerOf(ctx).AccountID
		row, err := dbsqlc.New().KnowledgeDocumentGet(ctx, tx, &dbsqlc.KnowledgeDocumentGetParams{AccountID: accountID, ID: in.ID})
		if err != nil {
			return nil, apierror.FromDB("document", err)
		}
		if row.URL == nil {
			return nil, apierror.Conflict("This document has no url to read again.")
		}
		if row, err = a.learner().Refresh(ctx, tx, accountID, in.ID); err != nil {
			return nil, apierror.FromDB("document", err)
		}
		return middleware.Respond(http.StatusAccepted, renderKnowledge(row)), nil
	})
}

// knowledgeQuery searches outside of transactions: an embedding model may take a second.
func (a *API) knowledgeQuery(ctx context.Context, in *knowledgeQueryInput) (*middleware.Response[knowledgeFound], error) {
	if answered, err := middleware.Replayed[knowledgeFound](ctx, a.responses, &in.Idempotency); answered != nil || err != nil {
		return answered, err
	}
	query := knowledge.Query{
		AccountID: middleware.CallerOf(ctx).AccountID, AssistantID: in.Body.AssistantID, Question: in.Body.Query,
		Questions: a.Questions, Limit: in.Body.Limit,
	}
	if query.AssistantID != nil {
		_, err := dbsqlc.New().AssistantGet(ctx, a.DB, &dbsqlc.AssistantGetParams{AccountID: query.AccountID, ID: *query.AssistantID})
		if err != nil {
			return nil, unknownAssistant(err)
		}
	}
	hits, err := knowledge.Search(ctx, a.DB, query)
	if err != nil {
		return nil, err
	}
	found := knowledgeFound{Documents: []KnowledgeAnswer{}}
	for _, hit := range hits {
		found.Documents = append(found.Documents, KnowledgeAnswer{ID: hit.DocumentID, Title: hit.Title, Content: hit.Content,
			Score: hit.Score})
	}
	return middleware.Once(ctx, a.responses, &in.Idempotency, func(pgx.Tx) (*middleware.Response[knowledgeFound], error) {
		return middleware.Respond(http.StatusOK, found), nil
	})
}

func (a *API) learner() knowledge.Writer {
	return knowledge.Writer{Jobs: a.Jobs, Embeds: a.Questions != nil}
}

func limitReached(message string) error {
	return apierror.New(http.StatusConflict, "limit_reached", message)
}

func unknownAssistant(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return apierror.NotFound("assistant").With("assistant_id", "not found")
	}
	return err
}

func renderKnowledge(row *dbsqlc.KnowledgeDocument) KnowledgeDocument {
	return KnowledgeDocument{
		ID: row.ID, Title: row.Title, SourceType: row.SourceType, URL: row.URL, AssistantID: row.AssistantID, Status: row.Status,
		Error: row.Error, ChunkCount: row.ChunkCount, CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC(),
	}
}
