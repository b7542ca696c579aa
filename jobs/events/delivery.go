package events

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/db/packed"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/hook"
)

// delivery is an event on its way, with the endpoint that receives it now and the one whose secret signs.
type delivery struct {
	origin
	event            *dbsqlc.EventListForDeliveryRow
	endpoint, signer *dbsqlc.WebhookEndpoint   // both nil: there is no endpoint, or it is disabled
	early            bool                      // sent before the time of its next attempt
	probes           bool                      // tries whether the endpoint is well again
	wait             time.Duration             // of an event that is pending still: until it is looked at again
	known            []*dbsqlc.WebhookEndpoint // the account's, best first
}

// origin is who asks for a delivery: a job, or the Deliverer for what is queued.
type origin struct {
	jobID  int64 // of what is queued: that of the job which it is left to
	jobs   queue.Inserter
	queued *dbsqlc.DeliveryQueueTakeRow // nil: a job asks
	permit func() error                 // of what is queued: whether the process may still send it
}

// permitted returns an error when others may be sending the event.
func (o *origin) permitted() error {
	if o.permit == nil {
		return nil
	}
	return o.permit()
}

// comeAgain returns in how long whoever asked for a delivery that is pending still is to come again; 0: a job does.
func (d *delivery) comeAgain() time.Duration {
	if d.queued != nil {
		return 0
	}
	return d.wait
}

// redirect sends the event to a server of its own, signed by the secret that signs the events of its call.
func (d *delivery) redirect(to *jsonb.ToolServer) {
	d.endpoint, d.signer = nil, nil
	for _, row := range d.known {
		if row.Secret != nil && concerns(row, d.event.AssistantID) {
			d.endpoint, d.signer = &dbsqlc.WebhookEndpoint{URL: &to.URL, Headers: to.Headers}, row
			return
		}
	}
}

// concerns reports whether an endpoint is for events of the assistant: it is the account's, or the assistant's own.
func concerns(endpoint *dbsqlc.WebhookEndpoint, assistantID *uuid.UUID) bool {
	return endpoint.AssistantID == nil || assistantID != nil && *endpoint.AssistantID == *assistantID
}

// dueIn returns how long it is until the time of the next attempt. An event that was never attempted, or whose endpoint was well
// when it was, has none.
func (d *delivery) dueIn(now time.Time) time.Duration {
	if d.event.WaitsFor == nil || d.event.DueAt == nil {
		return 0
	}
	return d.event.DueAt.Sub(now)
}

// probeOnly reports whether the endpoint fails and gets nothing but probes: before the time of its next attempt an event is
// sent as one, and from the tenth failure in a row on all are.
func (d *delivery) probeOnly() bool {
	return d.endpoint.RetryAt != nil && (d.early || d.endpoint.Failures >= failuresToHold)
}

// Sender sends events to customers' servers, signed by Standard Webhooks: those that are delivered, and the questions that are
// asked once.
type Sender struct {
	DB   db.Beginner
	Hook *hook.Client
	Seal seal.Opener
	Now  func() time.Time // by the clock of Postgres: receivers compare it with their own
}

// load reads events that are due together, and sees to it that they have their numbers. Those that are gone are missing.
func (s *Sender) load(ctx context.Context, asked []DeliverEventArgs) (map[DeliverEventArgs]*delivery, error) {
	events, err := s.numbered(ctx, asked)
	if err != nil {
		return nil, err
	}
	params := &dbsqlc.WebhookEndpointListForEventsParams{}
	for _, event := range events {
		params.AccountIds = append(params.AccountIds, event.AccountID)
		if event.AssistantID != nil {
			params.AssistantIds = append(params.AssistantIds, *event.AssistantID)
		}
	}
	endpoints, err := dbsqlc.New().WebhookEndpointListForEvents(ctx, db.NewPipeline(s.DB), params) // for its plan
	if err != nil {
		return nil, fmt.Errorf("list webhook endpoints: %w", err)
	}
	byAccount := map[uuid.UUID][]*dbsqlc.WebhookEndpoint{}
	for _, endpoint := range endpoints {
		byAccount[endpoint.AccountID] = append(byAccount[endpoint.AccountID], endpoint)
	}
	deliveries := make(map[DeliverEventArgs]*delivery, len(asked))
	for _, args := range asked {
		if event := events[args.EventID]; event != nil {
			made := &delivery{event: event, known: byAccount[event.AccountID]}
			made.endpoint, made.signer = destinationOf(event.AssistantID, made.known)
			deliveries[args] = made
		}
	}
	return deliveries, nil
}

// numbered reads events after it numbered those of their accounts. After an outage that takes more than one batch.
func (s *Sender) numbered(ctx context.Context, asked []DeliverEventArgs) (map[uuid.UUID]*dbsqlc.EventListForDeliveryRow, error) {
	accounts := map[uuid.UUID]bool{}
	var ids []uuid.UUID
	for _, args := range asked {
		ids, accounts[args.AccountID] = append(ids, args.EventID), true
	}
	numbered := map[uuid.UUID]*dbsqlc.EventListForDeliveryRow{}
	for len(ids) > 0 {
		together, queries := db.NewPipeline(s.DB), dbsqlc.New()
		if err := queries.EventNumber(ctx, together,
			&dbsqlc.EventNumberParams{AccountIds: slices.Collect(maps.Keys(accounts))}); err != nil {
			return nil, fmt.Errorf("number events: %w", err)
		}
		events, err := queries.EventListForDelivery(ctx, together, &dbsqlc.EventListForDeliveryParams{Ids: ids})
		if err != nil {
			return nil, fmt.Errorf("number and list events: %w", err)
		}
		ids = nil
		for _, event := range events {
			if event.Sequence == nil {
				ids = append(ids, event.ID)
				continue
			}
			numbered[event.ID] = event
		}
	}
	return numbered, nil
}

// destinationOf chooses among an account's endpoints, best first, the one that receives events of the assistant, and the
// one whose secret signs them.
func destinationOf(assistantID *uuid.UUID, endpoints []*dbsqlc.WebhookEndpoint) (endpoint, signer *dbsqlc.WebhookEndpoint) {
	for _, row := range endpoints {
		if !concerns(row, assistantID) {
			continue
		}
		if endpoint == nil && row.URL != nil {
			endpoint = row
		}
		if signer == nil && row.Secret != nil && endpoint != nil {
			signer = row
		}
	}
	if endpoint == nil || !endpoint.Enabled || signer == nil {
		return nil, nil
	}
	return endpoint, signer
}

// compose makes the request.
func (s *Sender) compose(delivery *delivery) (hook.Post, error) {
	secrets, err := s.secrets(delivery.signer)
	if err != nil {
		return hook.Post{}, err
	}
	message, err := packed.Read(delivery.event.Payload)
	if err != nil {
		return hook.Post{}, err
	}
	body, err := DeliveryBody(delivery.event.ID, *delivery.event.Sequence, message)
	if err != nil {
		return hook.Post{}, err
	}
	return hook.Post{
		URL: *delivery.endpoint.URL, Headers: delivery.endpoint.Headers, ID: delivery.event.ID.String(), At: s.Now(), Secrets: secrets,
		Body: body, Timeout: deliveryTimeout,
	}, nil
}

// SecretContext returns what the sealed secret of a webhook endpoint is bound to.
func SecretContext(endpointID uuid.UUID) string {
	return "webhook_endpoint.secret:" + endpointID.String()
}

// secrets returns the secret that signs, and the one before it while its successor is being introduced.
func (s *Sender) secrets(signer *dbsqlc.WebhookEndpoint) ([]string, error) {
	sealed := []string{*signer.Secret}
	if signer.PreviousSecret != nil && signer.PreviousSecretExpiresAt != nil && s.Now().Before(*signer.PreviousSecretExpiresAt) {
		sealed = append(sealed, *signer.PreviousSecret)
	}
	secrets := make([]string, 0, len(sealed))
	for _, text := range sealed {
		secret, err := s.Seal.Open(text, SecretContext(signer.ID))
		if err != nil {
			return nil, fmt.Errorf("open webhook secret: %w", err)
		}
		secrets = append(secrets, secret)
	}
	return secrets, nil
}

// Message returns what an event says, as it is stored.
func Message(event *dbsqlc.Event) json.RawMessage {
	if event.Packed != nil {
		return json.RawMessage(event.Packed)
	}
	return event.Payload
}

// DeliveryBody returns the body of an event's delivery: the stored message, with what it could not know when it was written.
func DeliveryBody(id uuid.UUID, sequence int64, payload []byte) ([]byte, error) {
	stored := bytes.TrimSpace(payload)
	if len(stored) < 2 || stored[0] != '{' || !json.Valid(stored) {
		return nil, errors.New("stored event is no JSON object")
	}
	comma := ","
	if len(bytes.TrimSpace(stored[1:len(stored)-1])) == 0 { // erased
		comma = ""
	}
	return fmt.Appendf(nil, `{"message":{"eventId":%q,"sequence":%d%s%s}`, id, sequence, comma, stored[1:]), nil
}
