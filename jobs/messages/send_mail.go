// Package messages writes mail and text messages and sends them: the rows that wait to be sent, the jobs that send them, and
// the templates of mail in English and Dutch. It stands below the other subjects, all of which may write to somebody, so it
// knows rows alone and none of the packages beside it.
package messages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/mail"
)

// mailBackoff is how long after a failed attempt the next one follows, ±10 %. After the last the mail has failed.
var mailBackoff = []time.Duration{
	10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
}

const (
	mailTimeout = time.Minute      // of one attempt
	mailClaim   = 90 * time.Second // how long an attempt keeps others out; longer than it can last
)

// Mail is a message to one person, and its occasion.
type Mail struct {
	AccountID uuid.UUID
	CallID    *uuid.UUID // the call that it is about, if any: it goes when the call is deleted
	// Key names the occasion and the recipient among the account's mail. A second mail with the same key is not sent.
	Key     string
	Message mail.Message // ID is given here
}

// EnqueueMail writes mail and asks for it to be sent, in the transaction of what it is about.
func EnqueueMail(ctx context.Context, tx pgx.Tx, in queue.Inserter, mails ...Mail) error {
	var params []river.InsertManyParams
	for _, m := range mails {
		id, err := uuid.NewV7()
		if err != nil {
			return fmt.Errorf("make mail id: %w", err)
		}
		m.Message.Subject, m.Message.Text, m.Message.HTML = db.Storable(m.Message.Subject), db.Storable(m.Message.Text),
			db.Storable(m.Message.HTML)
		content, err := json.Marshal(m.Message)
		if err != nil {
			return fmt.Errorf("encode mail: %w", err)
		}
		inserted, err := dbsqlc.New().MailInsert(ctx, tx, &dbsqlc.MailInsertParams{
			ID: id, AccountID: m.AccountID, CallID: m.CallID, Key: m.Key, Recipient: db.Storable(m.Message.To), Content: content,
		})
		if err != nil {
			return fmt.Errorf("insert mail: %w", err)
		}
		if inserted > 0 {
			params = append(params, river.InsertManyParams{Args: SendMailArgs{MailID: id}})
		}
	}
	return queue.Insert(ctx, tx, in, params)
}

// SendMailArgs asks for a mail to be sent.
type SendMailArgs struct {
	MailID uuid.UUID `json:"mail_id"`
}

// Kind implements river.JobArgs.
func (SendMailArgs) Kind() string { return "send_mail" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (SendMailArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: queue.MaxAttempts}
}

// SendMailWorker hands a mail to the mail server, until it is taken or refused or the backoff ends. queries/mail.sql says
// what a crash can double.
type SendMailWorker struct {
	river.WorkerDefaults[SendMailArgs]
	DB     db.Beginner
	Mail   mail.Sender
	Sent   Sent
	Logger *slog.Logger
	Now    func() time.Time
}

// Timeout covers one attempt and its records.
func (w *SendMailWorker) Timeout(*river.Job[SendMailArgs]) time.Duration {
	return mailTimeout + 20*time.Second
}

// Work implements river.Worker.
func (w *SendMailWorker) Work(ctx context.Context, job *river.Job[SendMailArgs]) error {
	row, err := dbsqlc.New().MailClaim(ctx, w.DB, &dbsqlc.MailClaimParams{ID: job.Args.MailID, Seconds: mailClaim.Seconds()})
	if errors.Is(err, pgx.ErrNoRows) {
		return w.wait(ctx, job.Args.MailID)
	}
	if err != nil {
		return fmt.Errorf("claim mail: %w", err)
	}
	message := &mail.Message{}
	if err := json.Unmarshal(row.Content, message); err != nil {
		return fmt.Errorf("decode mail: %w", err)
	}
	message.ID, message.To = row.ID.String(), row.Recipient
	sending, cancel := context.WithTimeout(ctx, mailTimeout)
	defer cancel()
	sendErr := w.Mail.Send(sending, message)
	if sendErr != nil && ctx.Err() != nil {
		return fmt.Errorf("send mail: %w", sendErr) // our own shutdown; the claim passes by itself
	}
	wait, err := w.record(ctx, row, sendErr)
	if err != nil {
		return fmt.Errorf("record mail: %w", err)
	}
	if wait > 0 {
		return river.JobSnooze(wait)
	}
	return nil
}

// wait lets another attempt's claim pass. A mail that is finished, or gone with its call, needs nothing.
func (w *SendMailWorker) wait(ctx context.Context, id uuid.UUID) error {
	row, err := dbsqlc.New().MailGet(ctx, w.DB, &dbsqlc.MailGetParams{ID: id})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("read mail: %w", err)
	case row.Status != "queued":
		return nil
	case row.ClaimedUntil == nil:
		return river.JobSnooze(time.Second)
	}
	return river.JobSnooze(max(time.Second, row.ClaimedUntil.Sub(w.Now())))
}

// record writes how an attempt went and returns when the next one follows; 0: none.
func (w *SendMailWorker) record(ctx context.Context, row *dbsqlc.Mail, sendErr error) (time.Duration, error) {
	queries := dbsqlc.New()
	if sendErr == nil {
		return 0, db.InTx(ctx, w.DB, func(tx pgx.Tx) error {
			if row.CallID != nil {
				used := jsonb.UsageItem{Type: jsonb.CostMail, Provider: "smtp", Kind: jsonb.KindMail, Quantity: 1}
				if err := w.Sent(ctx, tx, *row.CallID, jsonb.Usage{used}); err != nil {
					return err
				}
			}
			return queries.MailFinish(ctx, tx, &dbsqlc.MailFinishParams{ID: row.ID, Attempts: row.Attempts, Status: "sent"})
		})
	}
	reason := new(db.Storable(sendErr.Error()))
	kind, _ := fault.Of(sendErr)
	if kind == fault.Refused || int(row.Attempts) > len(mailBackoff) {
		w.Logger.WarnContext(ctx, "mail failed", "mail_id", row.ID, "account_id", row.AccountID, "attempts", row.Attempts, "pii.error",
			sendErr)
		return 0, queries.MailFinish(ctx, w.DB, &dbsqlc.MailFinishParams{ID: row.ID, Attempts: row.Attempts, Status: "failed",
			Error: reason})
	}
	if kind == fault.Denied {
		w.Logger.ErrorContext(ctx, "the mail server does not accept our account", "error", sendErr)
	}
	wait := time.Duration(float64(mailBackoff[row.Attempts-1]) * (0.9 + 0.2*rand.Float64()))
	return wait, queries.MailReturn(ctx, w.DB, &dbsqlc.MailReturnParams{ID: row.ID, Attempts: row.Attempts, Error: reason})
}
