package events

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/metrics"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/traces"
)

const (
	deliveryLogAnswer = 2 << 10 // bytes of an answer that the log keeps
	// A receiver may ask for patience, but not for so much that its event outlives the backoff.
	maxRetryAfter = 24 * time.Hour
)

// attempt is one try at delivering and what follows from it.
type attempt struct {
	*delivery
	status  int // 0: no answer
	latency time.Duration
	answer  string        // its head
	failure string        // in place of an answer
	verdict string        // pending, delivered, dead, or early: a failure before the event's time, which is no attempt
	patient time.Duration // how long the receiver wants to be left alone
	gone    bool          // the receiver wants no more events, ever

	unavailable bool // the receiver is away or has too much to do: it is not this event that it refuses
}

// unavailableStatuses say that a server, or the proxy before it, cannot take anything now.
var unavailableStatuses = []int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable,
	http.StatusGatewayTimeout}

func newAttempt(delivery *delivery, answer *hook.Response, postErr error, took time.Duration, now time.Time) *attempt {
	made := &attempt{delivery: delivery, latency: took}
	switch {
	case postErr != nil:
		made.failure = postErr.Error()
	case answer.Status >= 200 && answer.Status <= 299:
		made.verdict = "delivered"
	case answer.Status == http.StatusGone:
		made.verdict, made.gone = "dead", true
	default:
		made.patient = min(answer.RetryAfter, maxRetryAfter)
	}
	if answer != nil {
		made.status, made.answer = answer.Status, loggable(answer.Body)
	}
	made.unavailable = postErr != nil || slices.Contains(unavailableStatuses, made.status)
	failed := int(delivery.event.FailedAttempts)
	switch {
	case made.verdict != "":
	case delivery.early:
		made.verdict, made.wait = "early", max(made.patient, delivery.event.DueAt.Sub(now))
	case failed >= len(deliveryBackoff):
		made.verdict = "dead"
	default:
		made.verdict = "pending"
		made.wait = max(made.patient, time.Duration(float64(deliveryBackoff[failed])*(0.9+0.2*rand.Float64())))
	}
	return made
}

// count counts the attempt for the operator.
func (a *attempt) count() {
	outcome := map[string]string{"pending": "failed", "early": "probe_failed"}[a.verdict]
	metrics.Deliveries.WithLabelValues(cmp.Or(outcome, a.verdict)).Inc()
	if a.status != 0 {
		metrics.DeliveryDuration.Observe(a.latency.Seconds())
	}
}

// end ends the span of the attempt.
func (a *attempt) end(span traces.Span) {
	span.Set("http.response.status_code", strconv.Itoa(a.status))
	if a.verdict == "delivered" {
		span.End("")
	} else {
		span.End(a.verdict)
	}
}

// waits reports whether the event is to be woken when its endpoint is well again.
func (a *attempt) waits() bool {
	failing := a.unavailable || a.endpoint.RetryAt != nil || a.endpoint.Failures+1 >= failuresToHold
	return failing && (a.verdict == "pending" || a.verdict == "early")
}

// wakes reports whether the attempt may let others go on: those that waited for the endpoint, or behind this event.
func (a *attempt) wakes() bool {
	settled := a.verdict == "delivered" || a.verdict == "dead"
	return settled && (a.endpoint.RetryAt != nil || a.event.WaitsFor != nil)
}

// attemptLog records how attempts went, and what that means for their events and endpoints.
type attemptLog struct {
	db     db.Beginner
	logger *slog.Logger
	now    func() time.Time
}

// record logs attempts that ended together and moves their events. Endpoints are written only when something about them
// changed: one that is well is not.
func (l *attemptLog) record(ctx context.Context, attempts []*attempt) (map[*attempt]struct{}, error) {
	counts, wakes := endpointCounts{}, map[uuid.UUID]bool{}
	var later []*delivery
	for _, made := range attempts {
		counts.add(made)
		if made.wakes() {
			wakes[made.endpoint.ID] = true
		}
		if made.queued != nil && made.verdict == "pending" {
			later = append(later, made.delivery)
		}
	}
	statements := logStatements(attempts)
	if len(counts)+len(wakes)+len(later) == 0 && len(statements) == 1 {
		return nil, db.Uncertain(dbsqlc.New().EventRecordAttempts(ctx, l.db, statements[0]))
	}
	return nil, db.InTx(ctx, l.db, func(tx pgx.Tx) error {
		if len(later) > 0 {
			if err := leaveToJobs(ctx, tx, later, l.now()); err != nil {
				return err
			}
			statements = logStatements(attempts) // with their jobs
		}
		for _, params := range statements {
			if err := dbsqlc.New().EventRecordAttempts(ctx, tx, params); err != nil {
				return err
			}
		}
		if err := l.count(ctx, tx, attempts[0].jobs, counts); err != nil {
			return err
		}
		return wake(ctx, tx, slices.Collect(maps.Keys(wakes)))
	})
}

// leaveToJobs enqueues jobs for events that were queued and are still to be delivered.
func leaveToJobs(ctx context.Context, tx pgx.Tx, later []*delivery, now time.Time) error {
	if len(later) == 0 {
		return nil
	}
	params := make([]river.InsertManyParams, len(later))
	for i, delivery := range later {
		params[i] = river.InsertManyParams{
			Args: DeliverEventArgs{EventID: delivery.event.ID, AccountID: delivery.event.AccountID,
				Redelivery: delivery.event.Redelivery},
			InsertOpts: &river.InsertOpts{ScheduledAt: now.Add(delivery.wait)},
		}
	}
	inserted, err := later[0].jobs.InsertManyTx(ctx, tx, params)
	if err != nil {
		return fmt.Errorf("enqueue deliveries: %w", err)
	}
	for i, job := range inserted {
		later[i].jobID = job.Job.ID
	}
	return nil
}

// logStatements returns what logs the attempts: one statement, or more when an event was redelivered while it was on its way and
// has several attempts. An UPDATE joins a row once, and would ignore all attempts of it but one.
func logStatements(attempts []*attempt) []*dbsqlc.EventRecordAttemptsParams {
	var statements []*dbsqlc.EventRecordAttemptsParams
	logged := map[uuid.UUID]int{}
	for _, made := range attempts {
		at := logged[made.event.ID]
		logged[made.event.ID]++
		if at == len(statements) {
			statements = append(statements, &dbsqlc.EventRecordAttemptsParams{})
		}
		made.addTo(statements[at])
	}
	return statements
}

// addTo adds the attempt to a statement.
func (a *attempt) addTo(params *dbsqlc.EventRecordAttemptsParams) {
	params.EventIds = append(params.EventIds, a.event.ID)
	params.Redeliveries = append(params.Redeliveries, a.event.Redelivery)
	params.Verdicts = append(params.Verdicts, a.verdict)
	params.Urls = append(params.Urls, *a.endpoint.URL)
	params.StatusCodes = append(params.StatusCodes, int32(a.status))
	params.LatenciesMS = append(params.LatenciesMS, int32(a.latency.Milliseconds()))
	params.Answers = append(params.Answers, a.answer)
	params.Errors = append(params.Errors, a.failure)
	a.addWait(params)
}

// addWait adds what the event waits for.
func (a *attempt) addWait(params *dbsqlc.EventRecordAttemptsParams) {
	var endpoint uuid.UUID
	var job int64
	var due, soonest time.Duration
	if a.waits() {
		endpoint, job, soonest = a.endpoint.ID, a.jobID, max(a.patient, wakeCooldown-a.latency, time.Second)
		if !a.unavailable { // it refuses this event: another is to probe it
			soonest = a.wait
		}
	}
	if a.verdict == "pending" {
		due = a.wait
	}
	params.WaitsFor, params.JobIds = append(params.WaitsFor, endpoint), append(params.JobIds, job)
	params.DueIn, params.WakeIn = append(params.DueIn, due.Seconds()), append(params.WakeIn, soonest.Seconds())
	at := dbsqlc.DeliveryQueueTakeRow{}
	if a.queued != nil {
		at = *a.queued
	}
	params.QueueIds, params.Positions = append(params.QueueIds, at.EndpointID), append(params.Positions, at.Position)
}

// hold has events wait for their endpoints.
func (l *attemptLog) hold(ctx context.Context, held []*delivery) (map[*delivery]struct{}, error) {
	var later []*delivery
	var queued []*dbsqlc.DeliveryQueueTakeRow
	for _, delivery := range held {
		if delivery.queued != nil {
			later, queued = append(later, delivery), append(queued, delivery.queued)
		}
	}
	return nil, db.InTx(ctx, l.db, func(tx pgx.Tx) error {
		if err := leaveToJobs(ctx, tx, later, l.now()); err != nil {
			return err
		}
		params := &dbsqlc.EventHoldManyParams{}
		for _, delivery := range held {
			params.Ids, params.Redeliveries = append(params.Ids, delivery.event.ID), append(params.Redeliveries, delivery.event.Redelivery)
			params.EndpointIds, params.JobIds = append(params.EndpointIds, delivery.endpoint.ID), append(params.JobIds, delivery.jobID)
		}
		if err := dbsqlc.New().EventHoldMany(ctx, tx, params); err != nil {
			return err
		}
		return unqueue(ctx, tx, queued)
	})
}

// discard forgets what is queued.
func (l *attemptLog) discard(ctx context.Context,
	queued []*dbsqlc.DeliveryQueueTakeRow) (map[*dbsqlc.DeliveryQueueTakeRow]struct{}, error) {
	return nil, unqueue(ctx, l.db, queued)
}

func unqueue(ctx context.Context, tx dbsqlc.DBTX, queued []*dbsqlc.DeliveryQueueTakeRow) error {
	if len(queued) == 0 {
		return nil
	}
	params := &dbsqlc.DeliveryQueueDeleteManyParams{}
	for _, row := range queued {
		params.EndpointIds, params.Positions = append(params.EndpointIds, row.EndpointID), append(params.Positions, row.Position)
	}
	if err := dbsqlc.New().DeliveryQueueDeleteMany(ctx, tx, params); err != nil {
		return fmt.Errorf("delete from delivery queue: %w", err)
	}
	return nil
}

// giveUp marks an event dead that cannot be sent any more: its endpoint is gone or disabled, or was in its cooldown for too long.
func (l *attemptLog) giveUp(ctx context.Context, delivery *delivery) error {
	return db.InTx(ctx, l.db, func(tx pgx.Tx) error {
		if delivery.queued != nil {
			if err := unqueue(ctx, tx, []*dbsqlc.DeliveryQueueTakeRow{delivery.queued}); err != nil {
				return err
			}
		}
		given, err := dbsqlc.New().EventGiveUp(ctx, tx, &dbsqlc.EventGiveUpParams{ID: delivery.event.ID,
			Redelivery: delivery.event.Redelivery})
		if err != nil {
			return fmt.Errorf("give up event: %w", err)
		}
		if given == 0 || delivery.endpoint == nil {
			return nil
		}
		return l.count(ctx, tx, delivery.jobs, endpointCounts{delivery.endpoint.ID: {dead: 1}})
	})
}

// endpointCounts say how the deliveries to endpoints went that are not simply well.
type endpointCounts map[uuid.UUID]endpointCount

type endpointCount struct {
	succeeded, gone        bool
	unavailable            bool
	failures, dead, probes int32
}

func (c endpointCounts) add(made *attempt) {
	count := c[made.endpoint.ID]
	if made.verdict == "delivered" {
		count.succeeded = true
		well := made.endpoint.Failures == 0 && made.endpoint.DeadInRow == 0 && made.endpoint.RetryAt == nil
		if _, counted := c[made.endpoint.ID]; well && !counted {
			return
		}
	} else {
		count.failures++
		count.gone, count.unavailable = count.gone || made.gone, count.unavailable || made.unavailable
		if made.verdict == "dead" {
			count.dead++
		}
		if made.probes {
			count.probes++
		}
	}
	c[made.endpoint.ID] = count
}

// count writes how deliveries to endpoints went.
func (l *attemptLog) count(ctx context.Context, tx pgx.Tx, in queue.Inserter, counts endpointCounts) error {
	if len(counts) == 0 {
		return nil
	}
	params := &dbsqlc.WebhookEndpointCountParams{}
	for id, count := range counts {
		params.Ids = append(params.Ids, id)
		params.Succeeded = append(params.Succeeded, count.succeeded)
		params.Gone = append(params.Gone, count.gone)
		params.Unavailable = append(params.Unavailable, count.unavailable)
		params.Failures = append(params.Failures, count.failures)
		params.Dead = append(params.Dead, count.dead)
		params.Probes = append(params.Probes, count.probes)
	}
	endpoints, err := dbsqlc.New().WebhookEndpointCount(ctx, tx, params)
	if err != nil {
		return fmt.Errorf("count deliveries of endpoints: %w", err)
	}
	for _, endpoint := range endpoints {
		if !endpoint.Disabled {
			continue
		}
		l.logger.WarnContext(ctx, "webhook endpoint disabled", "endpoint_id", endpoint.ID, "account_id", endpoint.AccountID, "reason",
			endpoint.Reason)
		if err := webhookDisabled(ctx, tx, in, endpoint); err != nil {
			return fmt.Errorf("mail about disabled webhook: %w", err)
		}
	}
	return nil
}

// loggable returns the head of a response as text that Postgres stores.
func loggable(body []byte) string {
	text := strings.ReplaceAll(strings.ToValidUTF8(string(body[:min(len(body), deliveryLogAnswer)]), "\uFFFD"), "\x00", "\uFFFD")
	for len(text) > deliveryLogAnswer {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}
