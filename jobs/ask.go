package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/providers/hook"
)

// question asks a server something while a call runs. It stands in an event like what is delivered, and its one attempt
// in the same log; nothing sends it again.
type question struct {
	event   DeliverEventArgs
	server  *jsonb.ToolServer // nil: where the call's events go
	timeout time.Duration     // 0: that of the server
}

// recordQuestion writes a question. A process that dies before the answer leaves it unanswered, which is what it says from
// the start. The zero id: it is optional, and nobody wants to be asked.
func recordQuestion(ctx context.Context, tx pgx.Tx, asked fact) (uuid.UUID, error) {
	var err error
	if asked.id, err = uuid.NewV7(); err != nil {
		return uuid.Nil, fmt.Errorf("make event id: %w", err)
	}
	written, err := recordEvents(ctx, tx, asked)
	if err != nil || asked.optional && len(written) == 0 {
		return uuid.Nil, err
	}
	if _, err := dbsqlc.New().EventGiveUp(ctx, tx, &dbsqlc.EventGiveUpParams{ID: asked.id}); err != nil {
		return uuid.Nil, fmt.Errorf("record %s: %w", asked.eventType, err)
	}
	return asked.id, nil
}

// ask posts a question, logs how that went and answers the body of a 2xx answer.
func ask(ctx context.Context, deps *Deps, asked question) ([]byte, error) {
	sender := &DeliverEventWorker{Deps: deps}
	loaded, err := sender.load(ctx, []DeliverEventArgs{asked.event})
	if err != nil {
		return nil, err
	}
	delivery := loaded[asked.event]
	if delivery != nil && asked.server != nil {
		delivery.redirect(asked.server)
	}
	if delivery == nil || delivery.endpoint == nil {
		return nil, errNoServer
	}
	post, err := sender.compose(delivery)
	if err != nil {
		return nil, err
	}
	post.Timeout = asked.timeout
	if post.Timeout == 0 {
		post.Timeout = time.Duration(delivery.endpoint.TimeoutSeconds) * time.Second
	}
	started := deps.Now()
	answer, postErr := deps.Hook.Post(ctx, post)
	return logged(ctx, deps, newAttempt(delivery, answer, postErr, deps.Now().Sub(started)), answer, postErr)
}

// logged writes the log of a question's attempt.
func logged(ctx context.Context, deps *Deps, made *attempt, answer *hook.Response, postErr error) ([]byte, error) {
	verdict := "delivered"
	if made.verdict != verdict {
		verdict = "dead"
	}
	err := dbsqlc.New().QuestionLog(context.WithoutCancel(ctx), deps.DB, &dbsqlc.QuestionLogParams{
		EventID: made.event.ID, Verdict: verdict, URL: *made.endpoint.URL, StatusCode: int32(made.status),
		LatencyMS: int32(made.latency.Milliseconds()), Answer: made.answer, Error: made.failure,
	})
	switch {
	case postErr != nil:
		return nil, postErr
	case err != nil:
		return nil, fmt.Errorf("log question: %w", err)
	case verdict == "dead":
		return nil, BadAnswer(fmt.Sprintf("the server answered %d", made.status))
	}
	return answer.Body, nil
}
