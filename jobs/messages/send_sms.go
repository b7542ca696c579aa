package messages

import (
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
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/sms"
)

// smsBackoff is how long after an attempt that was not taken the next one follows. After the last the message has failed:
// one that comes hours after the call helps nobody.
var smsBackoff = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute}

const (
	smsTimeout = 30 * time.Second // of one attempt
	smsClaim   = 90 * time.Second // longer than an attempt can last
)

// SendSMSArgs asks for a text message to be sent.
type SendSMSArgs struct {
	SMSID uuid.UUID `json:"sms_id"`
}

// Kind implements river.JobArgs.
func (SendSMSArgs) Kind() string { return "send_sms" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (SendSMSArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: queue.MaxAttempts}
}

// Sent adds what it took to send a message to what its call used, in the transaction that records it. It comes from above: what
// calls cost knows events, and these know messages.
type Sent func(ctx context.Context, tx pgx.Tx, callID uuid.UUID, used jsonb.Usage) error

// SendSMSWorker hands a text message to its carrier, at most once: queries/sms.sql says what a crash loses.
type SendSMSWorker struct {
	river.WorkerDefaults[SendSMSArgs]
	DB     db.Beginner
	SMS    sms.Senders
	Sent   Sent
	Logger *slog.Logger
	Now    func() time.Time
}

// Timeout covers one attempt and its records.
func (w *SendSMSWorker) Timeout(*river.Job[SendSMSArgs]) time.Duration {
	return smsTimeout + 20*time.Second
}

// Work implements river.Worker.
func (w *SendSMSWorker) Work(ctx context.Context, job *river.Job[SendSMSArgs]) error {
	row, err := dbsqlc.New().SMSClaim(ctx, w.DB, &dbsqlc.SMSClaimParams{ID: job.Args.SMSID})
	if errors.Is(err, pgx.ErrNoRows) {
		return w.giveUp(ctx, job.Args.SMSID)
	}
	if err != nil {
		return fmt.Errorf("claim text message: %w", err)
	}
	sender := w.SMS.Of(row.Simulated)
	// A shutdown waits for the answer: without it nobody would know whether the message was sent.
	sending, cancel := context.WithTimeout(context.WithoutCancel(ctx), smsTimeout)
	defer cancel()
	id, sendErr := sender.Send(sending, &sms.Message{To: row.Recipient, Text: db.TextOf(row.Content)})
	wait, err := w.record(context.WithoutCancel(ctx), row, sender.Name(), id, sendErr)
	if err != nil {
		return fmt.Errorf("record text message: %w", err)
	}
	if wait > 0 {
		return river.JobSnooze(wait)
	}
	return nil
}

// giveUp ends a message whose sending was broken off. One that is being sent is waited for; one that is over, or gone with
// its call, needs nothing.
func (w *SendSMSWorker) giveUp(ctx context.Context, id uuid.UUID) error {
	queries := dbsqlc.New()
	_, err := queries.SMSGiveUp(ctx, w.DB, &dbsqlc.SMSGiveUpParams{
		ID: id, Seconds: smsClaim.Seconds(), Error: new("the process that sent it was broken off; nobody knows whether it was sent"),
	})
	if err != nil {
		return fmt.Errorf("give text message up: %w", err)
	}
	row, err := queries.SMSGet(ctx, w.DB, &dbsqlc.SMSGetParams{ID: id})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("read text message: %w", err)
	case row.Status == "sending":
		return river.JobSnooze(max(time.Second, row.UpdatedAt.Add(smsClaim).Sub(w.Now())))
	case row.Status == "queued": // handed back just now
		return river.JobSnooze(time.Second)
	}
	return nil
}

// record writes how an attempt went and returns when the next one follows; 0: none.
func (w *SendSMSWorker) record(ctx context.Context, row *dbsqlc.SMS, provider, id string, sendErr error) (time.Duration, error) {
	queries := dbsqlc.New()
	if sendErr == nil {
		return 0, db.InTx(ctx, w.DB, func(tx pgx.Tx) error {
			used := jsonb.UsageItem{Type: jsonb.CostSMS, Provider: provider, Kind: jsonb.KindSMS,
				Quantity: int64(sms.Parts(db.TextOf(row.Content)))}
			if err := w.Sent(ctx, tx, row.CallID, jsonb.Usage{used}); err != nil {
				return err
			}
			return queries.SMSFinish(ctx, tx, &dbsqlc.SMSFinishParams{ID: row.ID, Attempts: row.Attempts, Status: "sent",
				Provider: &provider, ProviderID: db.NonEmpty(id)})
		})
	}
	reason := new(db.Storable(sendErr.Error()))
	if kind, _ := fault.Of(sendErr); kind == fault.Denied {
		w.Logger.ErrorContext(ctx, "the carrier of text messages does not accept our account", "provider", provider, "error", sendErr)
	}
	if sms.NotTaken(sendErr) && int(row.Attempts) <= len(smsBackoff) {
		return smsBackoff[row.Attempts-1], queries.SMSReturn(ctx, w.DB,
			&dbsqlc.SMSReturnParams{ID: row.ID, Attempts: row.Attempts, Error: reason})
	}
	w.Logger.WarnContext(ctx, "text message failed", "sms_id", row.ID, "account_id", row.AccountID, "attempts", row.Attempts,
		"pii.error", sendErr)
	return 0, queries.SMSFinish(ctx, w.DB, &dbsqlc.SMSFinishParams{ID: row.ID, Attempts: row.Attempts, Status: "failed",
		Provider: &provider, Error: reason})
}

// CompanyName returns what an account is called towards callers.
func CompanyName(account *dbsqlc.Account) string {
	if name := db.TextOf(account.CompanyName); name != "" {
		return name
	}
	return account.Name
}
