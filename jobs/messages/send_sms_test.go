package messages_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/costs"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/messages"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/sms"
)

// pager is a carrier of text messages: it keeps what it takes, and fails with fail.
type pager struct {
	fail  error
	taken []sms.Message
}

func (*pager) Name() string { return "pager" }

func (p *pager) Send(_ context.Context, message *sms.Message) (string, error) {
	if p.fail != nil {
		return "", p.fail
	}
	p.taken = append(p.taken, *message)
	return "x1", nil
}

// texting is an account whose assistant sends this text, with a carrier for live calls and one for test calls.
func texting(t *testing.T, text string) (f *jobstest.Fixture, live, simulated *pager) {
	t.Helper()
	f, live, simulated = jobstest.New(t), &pager{}, &pager{}
	f.Services.SMS = sms.Senders{Live: live, Simulated: simulated}
	_, err := f.Tx.Exec(t.Context(),
		"UPDATE assistant SET config = config || jsonb_build_object('sms_message', $2::text) WHERE id = $1", f.Assistant.ID, text)
	require.NoError(t, err)
	return f, live, simulated
}

// getText is the message of a call; nil: there is none.
func getText(t *testing.T, f *jobstest.Fixture, callID uuid.UUID) *dbsqlc.SMS {
	t.Helper()
	var id uuid.UUID
	err := f.Tx.QueryRow(t.Context(), "SELECT id FROM sms WHERE call_id = $1", callID).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	require.NoError(t, err)
	row, err := dbsqlc.New().SMSGet(t.Context(), f.Tx, &dbsqlc.SMSGetParams{ID: id})
	require.NoError(t, err)
	return row
}

func sendText(t *testing.T, f *jobstest.Fixture, id uuid.UUID) time.Duration {
	t.Helper()
	return jobstest.Work(t, f, &messages.SendSMSWorker{DB: f.Services.DB, SMS: f.Services.SMS, Sent: costs.AddLater,
		Logger: f.Services.Logger, Now: f.Services.Now}, messages.SendSMSArgs{SMSID: id})
}

func TestTextCallers(t *testing.T) {
	t.Parallel()

	t.Run("OnceAfterATalk", func(t *testing.T) {
		t.Parallel()
		f, live, simulated := texting(t, " Thank you for calling {company_name}.\n")
		_, err := f.Tx.Exec(t.Context(), "UPDATE account SET company_name = 'Linden & Co' WHERE id = $1", f.Account.ID)
		require.NoError(t, err)
		call := f.AddTalk(t)
		for range 2 {
			f.FinishCall(t, call.ID)
		}
		count := 0
		for _, kind := range f.JobKinds(t) {
			if kind == "send_sms" {
				count++
			}
		}
		require.Equal(t, 1, count)
		id := getText(t, f, call.ID).ID
		for range 2 {
			require.Zero(t, sendText(t, f, id))
		}
		require.Equal(t, []sms.Message{{To: "+31612345600", Text: "Thank you for calling Linden & Co."}},
			append(live.taken, simulated.taken...))
		row := getText(t, f, call.ID)
		require.Equal(t, "sent", row.Status)
		require.Equal(t, "pager", *row.Provider)
		require.Equal(t, "x1", *row.ProviderID)
		require.Nil(t, row.Content)
		f.FinishCall(t, call.ID)
		require.Equal(t, "sent", getText(t, f, call.ID).Status)
	})
	t.Run("TestCallsStayInside", func(t *testing.T) {
		t.Parallel()
		f, live, simulated := texting(t, "Thank you.")
		call := f.AddTalk(t)
		_, err := f.Tx.Exec(t.Context(), "UPDATE call SET simulated = true WHERE id = $1", call.ID)
		require.NoError(t, err)
		f.FinishCall(t, call.ID)
		require.Zero(t, sendText(t, f, getText(t, f, call.ID).ID))
		require.Empty(t, live.taken)
		require.Len(t, simulated.taken, 1)
	})
	for name, change := range map[string]string{
		"NobodyAnswered": "status = 'no-answer', started_at = NULL", "Voicemail": "status = 'voicemail'", "ALandline": "contact_phone_number = '+31201234567'",
		"Anonymous": "contact_phone_number = 'anonymous'", "Erased": "erased_at = now(), contact_phone_number = ''",
		"NoMessage": "assistant_config = '{}'", "EmptyMessage": `assistant_config = '{"sms_message": " "}'`,
	} {
		t.Run("NotWhen"+name, func(t *testing.T) {
			t.Parallel()
			f, _, _ := texting(t, "Thank you.")
			call := f.AddTalk(t)
			_, err := f.Tx.Exec(t.Context(), "UPDATE call SET "+change+" WHERE id = $1", call.ID)
			require.NoError(t, err)
			f.FinishCall(t, call.ID)
			require.Nil(t, getText(t, f, call.ID))
		})
	}
}

func TestSendSMS(t *testing.T) {
	t.Parallel()

	queued := func(t *testing.T) (*jobstest.Fixture, *pager, uuid.UUID, func() *dbsqlc.SMS) {
		t.Helper()
		f, live, _ := texting(t, "Thank you.")
		call := f.AddTalk(t)
		_, err := f.Tx.Exec(t.Context(), "UPDATE call SET simulated = false WHERE id = $1", call.ID)
		require.NoError(t, err)
		f.FinishCall(t, call.ID)
		return f, live, getText(t, f, call.ID).ID, func() *dbsqlc.SMS { return getText(t, f, call.ID) }
	}

	t.Run("AgainWhileItIsCertainlyNotTaken", func(t *testing.T) {
		t.Parallel()
		f, live, id, read := queued(t)
		live.fail = &fault.Error{Kind: fault.Unavailable, Provider: "pager", StatusCode: http.StatusTooManyRequests, Message: "busy"}
		for attempt, wait := range messages.SMSBackoff {
			require.InDelta(t, wait, sendText(t, f, id), float64(2*time.Second))
			require.Equal(t, "queued", read().Status)
			require.EqualValues(t, attempt+1, read().Attempts)
		}
		require.Zero(t, sendText(t, f, id))
		require.Equal(t, "failed", read().Status)
		require.Contains(t, *read().Error, "busy")
		require.Nil(t, read().Content)
		live.fail = nil
		require.Zero(t, sendText(t, f, id))
		require.Empty(t, live.taken)
	})
	for name, err := range map[string]error{
		"NoAnswer": fault.New(fault.Timeout, "pager", "slow"), "BrokenOff": fault.New(fault.Unavailable, "pager", "reset"),
		"Refused": fault.New(fault.Refused, "pager", "no mobile"),
	} {
		t.Run("NotAgainAfter"+name, func(t *testing.T) {
			t.Parallel()
			f, live, id, read := queued(t)
			live.fail = err
			require.Zero(t, sendText(t, f, id))
			require.Equal(t, "failed", read().Status)
			live.fail = nil
			require.Zero(t, sendText(t, f, id))
			require.Empty(t, live.taken)
		})
	}
	t.Run("NotAgainAfterItsProcessDied", func(t *testing.T) {
		t.Parallel()
		f, live, id, read := queued(t)
		_, err := dbsqlc.New().SMSClaim(t.Context(), f.Tx, &dbsqlc.SMSClaimParams{ID: id})
		require.NoError(t, err)
		require.InDelta(t, messages.SMSClaim, sendText(t, f, id), float64(5*time.Second), "another process may be sending it")
		_, err = f.Tx.Exec(t.Context(), "UPDATE sms SET updated_at = now() - interval '2 minutes' WHERE id = $1", id)
		require.NoError(t, err)
		require.Zero(t, sendText(t, f, id))
		require.Equal(t, "failed", read().Status)
		require.Contains(t, *read().Error, "nobody knows")
		require.Empty(t, live.taken)
	})
	t.Run("AShutdownWaitsForTheAnswer", func(t *testing.T) {
		t.Parallel()
		f, live, id, read := queued(t)
		ctx, cancel := context.WithCancel(t.Context())
		sender := &leaving{pager: live, cancel: cancel}
		f.Services.SMS.Live = sender
		job := &river.Job[messages.SendSMSArgs]{JobRow: &rivertype.JobRow{}, Args: messages.SendSMSArgs{SMSID: id}}
		require.NoError(t, (&messages.SendSMSWorker{DB: f.Services.DB, SMS: f.Services.SMS, Sent: costs.AddLater,
			Logger: f.Services.Logger, Now: f.Services.Now}).Work(ctx, job))
		require.NoError(t, sender.seen)
		require.Equal(t, "sent", read().Status)
	})
	t.Run("GoneWithItsCall", func(t *testing.T) {
		t.Parallel()
		f, _, id, _ := queued(t)
		_, err := f.Tx.Exec(t.Context(), "DELETE FROM sms WHERE id = $1", id)
		require.NoError(t, err)
		require.Zero(t, sendText(t, f, id))
	})
}

// leaving is a carrier during whose answer the process is told to stop.
type leaving struct {
	*pager
	cancel context.CancelFunc
	seen   error
}

func (l *leaving) Send(ctx context.Context, message *sms.Message) (string, error) {
	l.cancel()
	l.seen = ctx.Err()
	return l.pager.Send(ctx, message)
}
