// Package agents makes assistants of what is known of a company: its website, what the customer wrote, and a number. It knows
// numbers and knowledge; it must not know calls.
package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/knowledge"
	"github.com/callwright/callwright/jobs/numbers"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/website"
)

// Why an instant agent failed.
const (
	FailureWebsiteRefused = "website_refused" // the address leads to no page that may be read
	FailureWebsiteFailed  = "website_failed"
	FailureWebsiteSlow    = "website_slow"
	FailureNumberGone     = "number_gone"
	FailureNumberInUse    = "number_in_use"
	FailureKnowledgeFull  = "knowledge_full"
)

const (
	instantSiteTime  = 15 * time.Second
	instantModelTime = 8 * time.Second
	instantReserve   = 2 * time.Second // of the time left, for the records
)

// Models returns the language model of a vendor, else, as for "", the deployment's first choice. *all.Providers is one.
type Models interface {
	LLM(vendor string) (model llm.Provider, known bool)
}

// SetUpInstantAgentArgs asks for the assistant of an instant agent.
type SetUpInstantAgentArgs struct {
	InstantAgentID uuid.UUID `json:"instant_agent_id"`
}

// Kind implements river.JobArgs.
func (SetUpInstantAgentArgs) Kind() string { return "set_up_instant_agent" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (SetUpInstantAgentArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: queue.MaxAttempts}
}

// SetUpInstantAgentWorker reads the company's website and then makes the assistant, its knowledge and its link in the one
// transaction that makes the record ready. Whatever ends before that leaves nothing. A job that comes twice, or after
// whoever waits has given up, does nothing.
type SetUpInstantAgentWorker struct {
	river.WorkerDefaults[SetUpInstantAgentArgs]
	DB        db.Beginner
	Websites  *website.Reader
	Models    Models
	Embeds    bool // whether the deployment has an embedding model
	Logger    *slog.Logger
	SiteTime  time.Duration // to read the website in; 0: 15 s
	ModelTime time.Duration // for the summary of it; 0: 8 s
}

// Work implements river.Worker.
func (w *SetUpInstantAgentWorker) Work(ctx context.Context, job *river.Job[SetUpInstantAgentArgs]) error {
	row, err := dbsqlc.New().InstantAgentGetPending(ctx, w.DB, &dbsqlc.InstantAgentGetPendingParams{ID: job.Args.InstantAgentID})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("get instant agent: %w", err)
	}
	agent, left := &row.InstantAgent, time.Duration(row.SecondsLeft*float64(time.Second))
	if left <= 0 {
		return Expire(ctx, w.DB, agent.ID)
	}
	until := time.Now().Add(left - instantReserve)
	pages, err := w.read(ctx, agent.Request.WebsiteURL, min(cmp.Or(w.SiteTime, instantSiteTime), left-instantReserve))
	if kind, isFault := fault.Of(err); isFault {
		return w.fail(ctx, agent.ID, websiteFailure(kind), knowledge.ExplainSource(err))
	}
	if err != nil {
		return fmt.Errorf("read website: %w", err)
	}
	maker := newAgentMaker(agent, row.PhoneNumber, pages)
	maker.summary = w.summary(ctx, agent.CompanyName, pages, until)
	return w.conclude(ctx, agent.ID, w.finish(ctx, agent, maker))
}

// conclude records why an agent was not made.
func (w *SetUpInstantAgentWorker) conclude(ctx context.Context, id uuid.UUID, err error) error {
	full, isFull := errors.AsType[*knowledge.FullError](err)
	switch {
	case isFull:
		return w.fail(ctx, id, FailureKnowledgeFull, full.Explain())
	case errors.Is(err, errNotPending):
		return Expire(ctx, w.DB, id)
	case errors.Is(err, numbers.ErrInUse), errors.Is(err, numbers.ErrTest):
		return w.fail(ctx, id, FailureNumberInUse, "This phone number is linked to another assistant.")
	case errors.Is(err, numbers.ErrGone), errors.Is(err, numbers.ErrForeign):
		return w.fail(ctx, id, FailureNumberGone, "Phone number not found.")
	}
	return err
}

// read reads the website, if there is one, in at most limit, which no page of it outlasts.
func (w *SetUpInstantAgentWorker) read(ctx context.Context, url string, limit time.Duration) ([]website.Page, error) {
	if url == "" {
		return nil, nil
	}
	return w.Websites.Site(ctx, url, limit)
}

// summary returns what a model makes of the website before the time is over, empty when it makes nothing: the agent is as
// complete without it.
func (w *SetUpInstantAgentWorker) summary(ctx context.Context, company string, pages []website.Page, until time.Time) string {
	model, _ := w.Models.LLM("")
	if !knowledge.WorthSummarizing(model, pages) {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, min(cmp.Or(w.ModelTime, instantModelTime), time.Until(until)))
	defer cancel()
	text, err := knowledge.Summarize(ctx, model, company, pages)
	if err != nil {
		w.Logger.WarnContext(ctx, "an instant agent is made without a summary of its website", "error", err)
	}
	return text
}

func websiteFailure(kind fault.Kind) string {
	switch kind {
	case fault.Refused:
		return FailureWebsiteRefused
	case fault.Timeout:
		return FailureWebsiteSlow
	}
	return FailureWebsiteFailed
}

// errNotPending means that a record is not pending any more, or its time is over.
var errNotPending = errors.New("the instant agent is not pending")

// finish makes the assistant. It fails with errNotPending when the record is not pending any more.
func (w *SetUpInstantAgentWorker) finish(ctx context.Context, agent *dbsqlc.InstantAgent, maker *agentMaker) error {
	return db.InTx(ctx, w.DB, func(tx pgx.Tx) error {
		queries := dbsqlc.New()
		_, err := queries.InstantAgentLock(ctx, tx, &dbsqlc.InstantAgentLockParams{ID: agent.ID})
		if errors.Is(err, pgx.ErrNoRows) {
			return errNotPending
		}
		if err != nil {
			return fmt.Errorf("lock instant agent: %w", err)
		}
		assistantID, err := uuid.NewV7()
		if err != nil {
			return fmt.Errorf("make assistant id: %w", err)
		}
		_, err = queries.AssistantInsert(ctx, tx, &dbsqlc.AssistantInsertParams{
			ID: assistantID, AccountID: agent.AccountID, Test: agent.Test, Name: agent.AgentName, Config: maker.config(),
		})
		if err != nil {
			return fmt.Errorf("insert assistant: %w", err)
		}
		if _, err := numbers.Link(ctx, tx, agent.AccountID, assistantID, agent.PhoneNumberID); err != nil {
			return err
		}
		if err := w.learn(ctx, tx, agent.AccountID, assistantID, maker.known); err != nil {
			return err
		}
		ready, err := queries.InstantAgentSetReady(ctx, tx, &dbsqlc.InstantAgentSetReadyParams{ID: agent.ID, AssistantID: assistantID})
		if err != nil {
			return fmt.Errorf("set instant agent ready: %w", err)
		}
		if ready == 0 {
			return errNotPending
		}
		return nil
	})
}

// learn adds what one assistant alone is to know. All of it is text, so nothing has to be fetched.
func (w *SetUpInstantAgentWorker) learn(ctx context.Context, tx pgx.Tx, accountID, assistantID uuid.UUID,
	documents []*knowledge.Document) error {
	writer := knowledge.JobWriter(ctx, w.Embeds)
	for _, k := range documents {
		id, err := uuid.NewV7()
		if err != nil {
			return fmt.Errorf("make knowledge document id: %w", err)
		}
		k.ID, k.AccountID, k.AssistantID = id, accountID, &assistantID
		if _, err := writer.Add(ctx, tx, k); err != nil {
			return err
		}
	}
	return nil
}

func (w *SetUpInstantAgentWorker) fail(ctx context.Context, id uuid.UUID, failure, reason string) error {
	failed, err := dbsqlc.New().InstantAgentSetFailed(ctx, w.DB,
		&dbsqlc.InstantAgentSetFailedParams{ID: id, Failure: failure, Error: reason})
	if err != nil {
		return fmt.Errorf("set instant agent failed: %w", err)
	}
	if failed == 0 {
		return Expire(ctx, w.DB, id)
	}
	return nil
}

// Expire ends a record whose time is over, if nobody else has ended it: from then on no assistant is made.
func Expire(ctx context.Context, tx dbsqlc.DBTX, id uuid.UUID) error {
	if _, err := dbsqlc.New().InstantAgentExpire(ctx, tx, &dbsqlc.InstantAgentExpireParams{ID: id}); err != nil {
		return fmt.Errorf("expire instant agent: %w", err)
	}
	return nil
}
