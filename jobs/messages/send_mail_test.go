package messages_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/costs"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/maintenance"
	"github.com/callwright/callwright/jobs/messages"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/mail"
)

// mailbox is a mail server: it keeps what it takes, and fails with fail.
type mailbox struct {
	fail  error
	taken []*mail.Message
}

func (*mailbox) Name() string { return "mailbox" }

func (m *mailbox) Send(_ context.Context, message *mail.Message) error {
	if m.fail != nil {
		return m.fail
	}
	m.taken = append(m.taken, message)
	return nil
}

func TestSendMail(t *testing.T) {
	t.Parallel()

	// queued is a mail that waits, and its mailbox.
	queued := func(t *testing.T) (*jobstest.Fixture, *mailbox, uuid.UUID) {
		t.Helper()
		f, box := jobstest.New(t), &mailbox{}
		f.Services.Mail = box
		m := messages.Mail{AccountID: f.Account.ID, Key: "welcome",
			Message: mail.Message{To: "jan@example.com", Subject: "Welcome", Text: "Hello\x00 \xff."}}
		for range 2 {
			require.NoError(t, messages.EnqueueMail(t.Context(), f.Tx, f.Inserter, m))
		}
		require.Equal(t, []string{"send_mail"}, f.JobKinds(t), "one mail for one occasion")
		var id uuid.UUID
		require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT id FROM mail").Scan(&id))
		return f, box, id
	}
	send := func(t *testing.T, f *jobstest.Fixture, id uuid.UUID) time.Duration {
		t.Helper()
		return jobstest.Work(t, f, &messages.SendMailWorker{DB: f.Services.DB, Mail: f.Services.Mail, Sent: costs.AddLater,
			Logger: f.Services.Logger, Now: f.Services.Now}, messages.SendMailArgs{MailID: id})
	}
	read := func(t *testing.T, f *jobstest.Fixture, id uuid.UUID) *dbsqlc.Mail {
		t.Helper()
		row, err := dbsqlc.New().MailGet(t.Context(), f.Tx, &dbsqlc.MailGetParams{ID: id})
		require.NoError(t, err)
		return row
	}

	t.Run("OnceAndForgetsTheContent", func(t *testing.T) {
		t.Parallel()
		f, box, id := queued(t)
		for range 2 {
			require.Zero(t, send(t, f, id))
		}
		require.Len(t, box.taken, 1)
		require.Equal(t, &mail.Message{ID: id.String(), To: "jan@example.com", Subject: "Welcome", Text: "Hello� �."}, box.taken[0])
		row := read(t, f, id)
		require.Equal(t, "sent", row.Status)
		require.Nil(t, row.Content)
	})

	t.Run("AgainWhenTheServerIsAway", func(t *testing.T) {
		t.Parallel()
		f, box, id := queued(t)
		box.fail = fault.New(fault.Unavailable, "mailbox", "away")
		require.InDelta(t, 10*time.Second, send(t, f, id), float64(2*time.Second))
		row := read(t, f, id)
		require.Equal(t, "queued", row.Status)
		require.Contains(t, *row.Error, "away")

		box.fail = nil
		require.Zero(t, send(t, f, id))
		require.Equal(t, "sent", read(t, f, id).Status)
	})

	t.Run("NotAgainWhenItIsRefused", func(t *testing.T) {
		t.Parallel()
		f, box, id := queued(t)
		box.fail = fault.New(fault.Refused, "mailbox", "no such recipient")
		require.Zero(t, send(t, f, id))
		row := read(t, f, id)
		require.Equal(t, "failed", row.Status)
		require.Nil(t, row.Content)
		require.Contains(t, *row.Error, "no such recipient")
	})

	t.Run("GivesUpAtTheEndOfTheLadder", func(t *testing.T) {
		t.Parallel()
		f, box, id := queued(t)
		box.fail = fault.New(fault.Denied, "mailbox", "wrong password")
		for range messages.MailBackoff {
			require.Positive(t, send(t, f, id))
		}
		require.Zero(t, send(t, f, id))
		require.Equal(t, "failed", read(t, f, id).Status)
	})

	t.Run("NotWhileAnotherAttemptMayStillRun", func(t *testing.T) {
		t.Parallel()
		f, box, id := queued(t)
		claimed, err := dbsqlc.New().MailClaim(t.Context(), f.Tx, &dbsqlc.MailClaimParams{ID: id, Seconds: 90}) // its process dies here
		require.NoError(t, err)
		require.Positive(t, send(t, f, id))
		require.Empty(t, box.taken)

		_, err = f.Tx.Exec(t.Context(), "UPDATE mail SET claimed_until = now() WHERE id = $1", id)
		require.NoError(t, err)
		require.Zero(t, send(t, f, id))
		require.Len(t, box.taken, 1)

		// What the first attempt has to say comes too late.
		require.NoError(t, dbsqlc.New().MailFinish(t.Context(), f.Tx,
			&dbsqlc.MailFinishParams{ID: id, Attempts: claimed.Attempts, Status: "failed"}))
		require.Equal(t, "sent", read(t, f, id).Status)
	})

	t.Run("NotWhenTheRowIsGone", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		require.Zero(t, send(t, f, dbfactory.ID(t)))
	})

	t.Run("PrunesAfterAMonth", func(t *testing.T) {
		t.Parallel()
		f, _, id := queued(t)
		require.Zero(t, send(t, f, id))
		_, err := f.Tx.Exec(t.Context(), "UPDATE mail SET updated_at = now() - interval '31 days'")
		require.NoError(t, err)
		require.Zero(t, jobstest.Work(t, f, &maintenance.PruneExpiredWorker{DB: f.Services.DB}, maintenance.PruneExpiredArgs{}))
		_, err = dbsqlc.New().MailGet(t.Context(), f.Tx, &dbsqlc.MailGetParams{ID: id})
		require.Error(t, err)
	})
}
