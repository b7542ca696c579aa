package events

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/traces"
)

// Question asks a server something while a call runs. It stands in an event like those that are delivered, and its one attempt
// in the same log; nothing sends it again.
type Question struct {
	Event   DeliverEventArgs
	Server  *jsonb.ToolServer // nil: where the call's events go
	Timeout time.Duration     // 0: that of the server
}

// BadAnswer says, in words for the model, that a server was not asked or gave no answer that counts.
type BadAnswer string

// Error implements error.
func (b BadAnswer) Error() string { return string(b) }

// ErrNoServer: neither the tool nor the account has a server.
const ErrNoServer BadAnswer = "there is no server that could be asked"

// AssistantRequest asks which assistant takes a call that rings.
func AssistantRequest(call *dbsqlc.Call) Event {
	return Event{
		eventType: callstate.EventAssistantRequest, call: call, body: newMessage(callstate.EventAssistantRequest, call), optional: true,
	}
}

// RecordQuestion writes a question and returns its id. The id is zero when the question is optional and nobody wants to be asked.
func RecordQuestion(ctx context.Context, tx pgx.Tx, asked Event) (uuid.UUID, error) {
	ids, err := RecordQuestions(ctx, tx, asked)
	if err != nil {
		return uuid.Nil, err
	}
	return ids[0], nil
}

// RecordQuestions writes questions and returns their ids, zero for those that are optional and that nobody wants to be asked. A
// process that dies before the answer leaves its question unanswered, which is what the row says from the start.
func RecordQuestions(ctx context.Context, tx pgx.Tx, asked ...Event) ([]uuid.UUID, error) {
	ids := make([]uuid.UUID, len(asked))
	for i := range asked {
		id, err := uuid.NewV7()
		if err != nil {
			return nil, fmt.Errorf("make event id: %w", err)
		}
		ids[i], asked[i].id = id, id
	}
	wanted, err := write(ctx, tx, true, asked)
	if err != nil {
		return nil, err
	}
	if len(wanted) > 0 {
		if err := dbsqlc.New().EventWithdrawMany(ctx, tx, &dbsqlc.EventWithdrawManyParams{Ids: wanted}); err != nil {
			return nil, fmt.Errorf("record questions: %w", err)
		}
	}
	for i := range asked {
		if asked[i].optional && !slices.Contains(wanted, ids[i]) {
			ids[i] = uuid.Nil
		}
	}
	return ids, nil
}

// Ask posts a question, logs how that went and returns the body of a 2xx response.
func (s *Sender) Ask(ctx context.Context, asked Question) ([]byte, error) {
	loaded, err := s.load(ctx, []DeliverEventArgs{asked.Event})
	if err != nil {
		return nil, err
	}
	delivery := loaded[asked.Event]
	if delivery != nil && asked.Server != nil {
		delivery.redirect(asked.Server)
	}
	if delivery == nil || delivery.endpoint == nil {
		return nil, ErrNoServer
	}
	post, err := s.compose(delivery)
	if err != nil {
		return nil, err
	}
	post.Timeout = asked.Timeout
	if post.Timeout == 0 {
		post.Timeout = time.Duration(delivery.endpoint.TimeoutSeconds) * time.Second
	}
	started := s.Now()
	posting, span := traces.Within(ctx, "question")
	answer, postErr := s.Hook.Post(posting, post)
	made := newAttempt(delivery, answer, postErr, s.Now().Sub(started), s.Now())
	made.end(span)
	return s.logged(ctx, made, answer, postErr)
}

// logged logs the attempt of a question.
func (s *Sender) logged(ctx context.Context, made *attempt, answer *hook.Response, postErr error) ([]byte, error) {
	verdict := "delivered"
	if made.verdict != verdict {
		verdict = "dead"
	}
	err := dbsqlc.New().QuestionLog(context.WithoutCancel(ctx), s.DB, &dbsqlc.QuestionLogParams{
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
