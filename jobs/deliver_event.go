package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/providers/hook"
)

// The ladder: how long after a failed attempt the next one follows, ±10 %. After the last the event is dead.
var deliveryLadder = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

const (
	deliveryTimeout   = 15 * time.Second
	deliveryLogAnswer = 2 << 10 // bytes of an answer that the log keeps
	// A receiver may ask for patience, but not for so much that its event outlives the ladder.
	maxRetryAfter = 24 * time.Hour
)

// DeliverEventArgs asks for an event to be sent to the customer's server.
type DeliverEventArgs struct {
	EventID uuid.UUID `json:"event_id"`
}

// Kind implements river.JobArgs.
func (DeliverEventArgs) Kind() string { return "deliver_event" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (DeliverEventArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueWebhooks, MaxAttempts: maxAttempts}
}

// SecretContext is what the sealed secret of a webhook endpoint is bound to.
func SecretContext(endpointID uuid.UUID) string {
	return "webhook_endpoint.secret:" + endpointID.String()
}

// DeliverEventWorker sends an event, signed by Standard Webhooks, until it is accepted or the ladder ends. Attempts are
// counted on the event row, and the job sleeps between them; River's own retries are for our troubles, not the receiver's.
// A process that dies between the answer and its record sends the event again, under the same webhook-id.
type DeliverEventWorker struct {
	river.WorkerDefaults[DeliverEventArgs]
	*Deps
}

// Timeout covers one attempt and its records.
func (w *DeliverEventWorker) Timeout(*river.Job[DeliverEventArgs]) time.Duration {
	return deliveryTimeout + 30*time.Second
}

// NextRetry follows an error of ours, such as a database that restarts.
func (w *DeliverEventWorker) NextRetry(job *river.Job[DeliverEventArgs]) time.Time {
	return retryAt(w.Now(), job.Attempt)
}

// Work implements river.Worker.
func (w *DeliverEventWorker) Work(ctx context.Context, job *river.Job[DeliverEventArgs]) error {
	event, err := w.load(ctx, job.Args.EventID)
	if err != nil {
		return fmt.Errorf("load event: %w", err)
	}
	if event == nil || event.Delivery != "pending" {
		return nil
	}
	post, endpoint, err := w.compose(ctx, event)
	if err != nil {
		return fmt.Errorf("compose delivery: %w", err)
	}
	if post == nil {
		return dbsqlc.New().EventDropDelivery(ctx, w.DB, &dbsqlc.EventDropDeliveryParams{ID: event.ID, Verdict: "dead"})
	}
	started := w.Now()
	answer, postErr := w.Hook.Post(ctx, *post)
	if postErr != nil && ctx.Err() != nil {
		return fmt.Errorf("post event: %w", postErr) // our own shutdown, which is no attempt of the receiver
	}
	attempt := newAttempt(event, post.URL, answer, postErr, w.Now().Sub(started))
	if err := w.record(ctx, attempt, endpoint); err != nil {
		return fmt.Errorf("record delivery attempt: %w", err)
	}
	if attempt.verdict == "pending" {
		return river.JobSnooze(attempt.wait)
	}
	return nil
}

// load reads the event and sees to it that it has its number. It answers nil when the event is gone.
func (w *DeliverEventWorker) load(ctx context.Context, id uuid.UUID) (*dbsqlc.EventGetForDeliveryRow, error) {
	for {
		event, err := dbsqlc.New().EventGetForDelivery(ctx, w.DB, &dbsqlc.EventGetForDeliveryParams{ID: id})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil, nil
		}
		if err != nil || event.Sequence != nil {
			return event, err
		}
		if err := NumberEvents(ctx, w.DB, event.AccountID); err != nil {
			return nil, err
		}
	}
}

// compose makes the request for the endpoint that receives the event now; none when there is none, or it is disabled.
func (w *DeliverEventWorker) compose(ctx context.Context, event *dbsqlc.EventGetForDeliveryRow) (*hook.Post, *dbsqlc.WebhookEndpoint, error) {
	endpoints, err := dbsqlc.New().WebhookEndpointListForEvent(ctx, w.DB, &dbsqlc.WebhookEndpointListForEventParams{
		AccountID: event.AccountID, AssistantID: event.AssistantID,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("list webhook endpoints: %w", err)
	}
	var endpoint, signer *dbsqlc.WebhookEndpoint
	for _, row := range endpoints {
		if endpoint == nil && row.URL != nil {
			endpoint = row
		}
		if signer == nil && row.Secret != nil && endpoint != nil {
			signer = row
		}
	}
	if endpoint == nil || !endpoint.Enabled || signer == nil {
		return nil, nil, nil
	}
	secrets, err := w.secrets(signer)
	if err != nil {
		return nil, nil, err
	}
	body, err := deliveryBody(event)
	if err != nil {
		return nil, nil, err
	}
	return &hook.Post{
		URL: *endpoint.URL, Headers: endpoint.Headers, ID: event.ID.String(), Secrets: secrets, Body: body, Timeout: deliveryTimeout,
	}, endpoint, nil
}

// secrets answers the secret that signs, and the one before it while its successor is being introduced.
func (w *DeliverEventWorker) secrets(signer *dbsqlc.WebhookEndpoint) ([]string, error) {
	sealed := []string{*signer.Secret}
	if signer.PreviousSecret != nil && signer.PreviousSecretExpiresAt != nil && w.Now().Before(*signer.PreviousSecretExpiresAt) {
		sealed = append(sealed, *signer.PreviousSecret)
	}
	secrets := make([]string, 0, len(sealed))
	for _, text := range sealed {
		secret, err := w.Seal.Open(text, SecretContext(signer.ID))
		if err != nil {
			return nil, fmt.Errorf("open webhook secret: %w", err)
		}
		secrets = append(secrets, secret)
	}
	return secrets, nil
}

// deliveryBody wraps the stored message, adding what it could not know when it was written.
func deliveryBody(event *dbsqlc.EventGetForDeliveryRow) ([]byte, error) {
	stored := bytes.TrimSpace(event.Payload)
	if len(stored) < 2 || stored[0] != '{' || !json.Valid(stored) {
		return nil, errors.New("stored event is no JSON object")
	}
	comma := ","
	if len(bytes.TrimSpace(stored[1:len(stored)-1])) == 0 { // erased
		comma = ""
	}
	return fmt.Appendf(nil, `{"message":{"eventId":%q,"sequence":%d%s%s}`, event.ID, *event.Sequence, comma, stored[1:]), nil
}

// attempt is one try at delivering and what follows from it.
type attempt struct {
	params  dbsqlc.EventRecordAttemptParams
	verdict string        // pending, delivered or dead
	wait    time.Duration // when pending
	gone    bool          // the receiver wants no more events, ever
}

func newAttempt(event *dbsqlc.EventGetForDeliveryRow, url string, answer *hook.Answer, postErr error, took time.Duration) attempt {
	made := attempt{params: dbsqlc.EventRecordAttemptParams{EventID: event.ID, URL: url, LatencyMS: int32(took.Milliseconds())}}
	tried := int(event.Attempts) + 1
	var retryAfter time.Duration
	switch {
	case postErr != nil:
		made.params.Error = new(postErr.Error())
	case answer.Status >= 200 && answer.Status <= 299:
		made.verdict = "delivered"
	case answer.Status == http.StatusGone:
		made.verdict, made.gone = "dead", true
	default:
		retryAfter = min(answer.RetryAfter, maxRetryAfter)
	}
	if answer != nil {
		made.params.StatusCode = new(int32(answer.Status))
		made.params.Answer = loggable(answer.Body)
	}
	switch {
	case made.verdict != "":
	case tried > len(deliveryLadder):
		made.verdict = "dead"
	default:
		made.verdict = "pending"
		step := deliveryLadder[tried-1]
		made.wait = max(retryAfter, time.Duration(float64(step)*(0.9+0.2*rand.Float64())))
	}
	made.params.Verdict = made.verdict
	return made
}

func (w *DeliverEventWorker) record(ctx context.Context, made attempt, endpoint *dbsqlc.WebhookEndpoint) error {
	if !made.gone {
		return dbsqlc.New().EventRecordAttempt(ctx, w.DB, &made.params)
	}
	return db.InTx(ctx, w.DB, func(tx pgx.Tx) error {
		if err := dbsqlc.New().EventRecordAttempt(ctx, tx, &made.params); err != nil {
			return err
		}
		return dbsqlc.New().WebhookEndpointDisable(ctx, tx, &dbsqlc.WebhookEndpointDisableParams{
			ID: endpoint.ID, Reason: new("The server answered 410 Gone."),
		})
	})
}

// loggable is the head of an answer as text that Postgres stores.
func loggable(body []byte) string {
	text := strings.ReplaceAll(strings.ToValidUTF8(string(body[:min(len(body), deliveryLogAnswer)]), "\uFFFD"), "\x00", "\uFFFD")
	for len(text) > deliveryLogAnswer {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}
