package worker

import (
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/voice/turn"
)

// TestJournalOfAProcessTakenForDead has another process end a call, and its customer ask for every kind of event, while the
// process that talks does not know yet: nothing of what it still writes is kept, whichever it writes first, and it hears
// that the call is no longer its own.
func TestJournalOfAProcessTakenForDead(t *testing.T) {
	t.Parallel()

	pool := dbtest.Pool(t)
	inserter, err := river.NewClient(riverpgxv5.New(pool), &river.Config{})
	require.NoError(t, err)
	phone := &Phone{processID: "late", pool: pool, jobs: inserter}
	phone.keepRecords()
	account := dbfactory.Account(t, pool)
	_, err = dbsqlc.New().WebhookEndpointPut(t.Context(), pool, &dbsqlc.WebhookEndpointPutParams{
		AccountID: account.ID, URL: new("https://example.com"), Events: callstate.EventTypes(), Enabled: true,
	})
	require.NoError(t, err)
	assistant := dbfactory.LinkedAssistant(t, pool, account.ID)

	for name, write := range map[string]func(l *journal, command uuid.UUID){
		"Turn":    func(l *journal, _ uuid.UUID) { l.Turn(voice.Turn{Role: voice.RoleUser, Text: "Hello?"}) },
		"Answer":  func(l *journal, _ uuid.UUID) { l.answered(sip.Dialog{}) },
		"Moment":  func(l *journal, _ uuid.UUID) { l.Note(voice.Note{Kind: voice.SpeechStarted, Role: voice.RoleUser}) },
		"Command": func(l *journal, id uuid.UUID) { l.Note(voice.Note{Kind: voice.CommandDone, Command: id.String()}) },
		"Forward": func(l *journal, _ uuid.UUID) { l.forwarding("+31201234567") },
		"Tool": func(l *journal, _ uuid.UUID) {
			l.Note(voice.Note{Kind: voice.ToolCalled, Tool: &voice.ToolUse{Call: llm.ToolCall{Name: "weather"}}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			call, command := callOf(t, phone, account.ID, assistant.ID)
			require.NoError(t, db.InTx(t.Context(), pool, func(tx pgx.Tx) error {
				ended, err := calls.End(t.Context(), tx, inserter, "late", map[uuid.UUID]calls.Ending{call.ID: lostEnding()})
				require.Len(t, ended, 1)
				return err
			}))
			count := func() (written int) {
				require.NoError(t, pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM event WHERE call_id = $1)
					+ (SELECT count(*) FROM call_turn WHERE call_id = $1) + (SELECT count(*) FROM call_tool_call WHERE call_id = $1)`,
					call.ID).Scan(&written))
				return written
			}
			before, disowned := count(), make(chan struct{})
			journal := newJournal(t.Context(), phone, call, slog.New(slog.DiscardHandler), func() { close(disowned) })
			write(journal, command.ID)
			select {
			case <-disowned:
			case <-time.After(10 * time.Second):
				require.FailNow(t, "the process was not told")
			}
			journal.end(calls.Ending{Status: "completed", Reason: string(turn.CustomerEndedCall)})
			require.Equal(t, before, count())
			row, err := dbsqlc.New().CallGet(t.Context(), pool, &dbsqlc.CallGetParams{AccountID: account.ID, ID: call.ID})
			require.NoError(t, err)
			require.Equal(t, "worker-lost", *row.EndedReason)
		})
	}
}

// callOf is a call that the phone's process talks on, and something that was asked of it.
func callOf(t *testing.T, phone *Phone, accountID, assistantID uuid.UUID) (call *dbsqlc.Call, command *dbsqlc.CallCommand) {
	t.Helper()
	require.NoError(t, db.InTx(t.Context(), phone.pool, func(tx pgx.Tx) error {
		queued, err := calls.InsertDirect(t.Context(), tx, &calls.DirectCall{
			ID: dbfactory.ID(t), AccountID: accountID, AssistantID: assistantID, PhoneNumber: "+31612345678", CustomData: []byte(`{}`),
		})
		require.NoError(t, err)
		ticket := &calls.PlaceCallArgs{AccountID: accountID, CallID: queued.ID}
		claimed, err := calls.Claim(t.Context(), tx, phone.jobs, []*calls.PlaceCallArgs{ticket}, phone.processID)
		require.NoError(t, err)
		answered, err := calls.Advance(t.Context(), tx, phone.processID,
			&calls.Progress{CallID: claimed[ticket].ID, Status: "in-progress"})
		require.NoError(t, err)
		call = answered[0]
		command, err = calls.Command(t.Context(), tx, accountID, call.ID, calls.CommandSay, jsonb.CallCommand{Content: "Hi."})
		return err
	}))
	return call, command
}

// TestJournalWaits has everything that may be left out come while nothing can be written: so much of it is kept, live events are
// left out first, and the end is kept whatever waits.
func TestJournalWaits(t *testing.T) {
	t.Parallel()

	l := newJournal(t.Context(), &Phone{}, &dbsqlc.Call{}, slog.New(slog.DiscardHandler), func() {})
	l.writing = true // by somebody who waits
	for range mostLiveEventsWaiting + 10 {
		l.Note(voice.Note{Kind: voice.SpeechStarted, Role: voice.RoleUser})
	}
	require.Len(t, l.entries, mostLiveEventsWaiting)
	for range mostEntriesWaiting {
		l.Turn(voice.Turn{Role: voice.RoleUser, Text: "Hello?"})
	}
	require.Len(t, l.entries, mostEntriesWaiting)
	l.answered(sip.Dialog{})
	l.add(entry{end: &calls.Ending{}})
	require.Len(t, l.entries, mostEntriesWaiting+2)
	require.Equal(t, 10+mostLiveEventsWaiting, l.dropped)
}
