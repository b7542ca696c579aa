package messages_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/messages"
	"github.com/callwright/callwright/providers/mail"
)

func TestPostCallMail(t *testing.T) {
	t.Parallel()

	// configured is an account whose assistant is configured so.
	configured := func(t *testing.T, config string) *jobstest.Fixture {
		t.Helper()
		f := jobstest.New(t)
		_, err := f.Tx.Exec(t.Context(), "UPDATE assistant SET config = config || $2::text::jsonb WHERE id = $1", f.Assistant.ID,
			config)
		require.NoError(t, err)
		return f
	}
	// written are the mails, by recipient.
	written := func(t *testing.T, f *jobstest.Fixture) map[string]mail.Message {
		t.Helper()
		rows, err := f.Tx.Query(t.Context(), "SELECT recipient, content FROM mail WHERE account_id = $1", f.Account.ID)
		require.NoError(t, err)
		defer rows.Close()
		mails := map[string]mail.Message{}
		for rows.Next() {
			var recipient string
			var content json.RawMessage
			var message mail.Message
			require.NoError(t, rows.Scan(&recipient, &content))
			require.NoError(t, json.Unmarshal(content, &message))
			mails[recipient] = message
		}
		require.NoError(t, rows.Err())
		return mails
	}

	t.Run("OnceToEachAddress", func(t *testing.T) {
		t.Parallel()
		f := configured(t,
			`{"post_call_email_enabled": true, "notifications_email": "office@example.com", "post_call_emails": ["a@example.com", " Office@Example.com", ""],
			"transcriber": {"language": "nl"}}`)
		call := f.AddTalk(t)
		_, err := f.Tx.Exec(t.Context(), "UPDATE call SET recording_key = 'recordings/a.wav', summary = 'They talked.' WHERE id = $1",
			call.ID)
		require.NoError(t, err)
		for range 2 {
			require.Zero(t, f.FinishCall(t, call.ID))
		}
		mails := written(t, f)
		require.Len(t, mails, 2)
		require.Equal(t, 2, strings.Count(strings.Join(f.JobKinds(t), " "), "send_mail"))
		message := mails["office@example.com"]
		require.Equal(t, "Gesprek met Jan (Ava)", message.Subject)
		for _, said := range []string{"They talked.", "Ava: Hello.", "Jan: Who is this?"} {
			require.Contains(t, message.Text, said)
			require.Contains(t, mails["a@example.com"].Text, said)
		}
		_, token, found := strings.Cut(message.Text, f.Services.PublicURL+"/v1/recordings/")
		require.True(t, found)
		token, _, _ = strings.Cut(token, "\n")
		account, id, ok := messages.OpenRecordingLink(f.Services.Seal, token, time.Now())
		require.True(t, ok)
		require.Equal(t, call.ID, id)
		require.Equal(t, f.Account.ID, account)
		_, _, ok = messages.OpenRecordingLink(f.Services.Seal, token, time.Now().Add(8*24*time.Hour))
		require.False(t, ok, "links expire")
	})

	for name, config := range map[string]string{
		"NotWhenItIsOff":      `{"notifications_email": "office@example.com", "post_call_emails": ["a@example.com"]}`,
		"NotWithoutAnAddress": `{"post_call_email_enabled": true}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := configured(t, config)
			require.Zero(t, f.FinishCall(t, f.AddTalk(t).ID))
			require.Empty(t, written(t, f))
		})
	}

	t.Run("NotWhenNobodyAnswered", func(t *testing.T) {
		t.Parallel()
		f := configured(t, `{"post_call_email_enabled": true, "notifications_email": "office@example.com"}`)
		call := f.QueuedCall(t)
		require.Len(t, f.Claim(t, call.ID, "process"), 1)
		f.End(t, call.ID, "process")
		require.Zero(t, f.FinishCall(t, call.ID))
		require.Empty(t, written(t, f))
	})
}
