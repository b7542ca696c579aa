package jobstest

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/analysis"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/knowledge"
)

// AddTalk returns a call that was answered, with a conversation, and is over.
func AddTalk(t *testing.T, f *Fixture) *dbsqlc.Call {
	t.Helper()
	call := f.EndedCall(t)
	for position, turn := range []struct{ role, text string }{{"assistant", "Hello."}, {"user", "Who is this?"}} {
		require.NoError(t, calls.AddTurns(t.Context(), f.Tx, f.Inserter, &calls.Turn{
			Call: call, Position: int32(position), Role: turn.role, Text: turn.text, SecondsFromStart: float64(position),
		}))
	}
	return call
}

func FinishCall(t *testing.T, f *Fixture, callID uuid.UUID) time.Duration {
	t.Helper()
	return Work(t, f, calls.NewFinishCallWorker(f.Services.DB, f.Reporter(), analysis.Starter{Models: f.Services.Models}.Start), calls.FinishCallArgs{CallID: callID})
}

type sentReport struct {
	Transcript  string
	EndedReason string
	Messages    []struct{ Role, Message string }
	Analysis    struct {
		Summary, SuccessEvaluation string
		StructuredData             map[string]any
	}
}

// SentReports returns the end-of-call-reports of a call.
func SentReports(t *testing.T, f *Fixture, callID uuid.UUID) []sentReport {
	t.Helper()
	rows, err := f.Tx.Query(t.Context(), "SELECT payload FROM event WHERE call_id = $1 AND type = 'end-of-call-report'", callID)
	require.NoError(t, err)
	defer rows.Close()
	var reports []sentReport
	for rows.Next() {
		var payload json.RawMessage
		var report sentReport
		require.NoError(t, rows.Scan(&payload))
		require.NoError(t, json.Unmarshal(payload, &report))
		reports = append(reports, report)
	}
	require.NoError(t, rows.Err())
	return reports
}

func GetContact(t *testing.T, f *Fixture) *dbsqlc.Contact {
	t.Helper()
	contact, err := dbsqlc.New().ContactGet(t.Context(), f.Tx, &dbsqlc.ContactGetParams{AccountID: f.Account.ID, ID: f.Contact.ID})
	require.NoError(t, err)
	return contact
}

// FakePDFs reads every file as its own bytes.
type FakePDFs struct{ Err error }

func (f FakePDFs) Text(_ context.Context, file []byte) (string, error) { return string(file), f.Err }

func SearchFor(t *testing.T, f *Fixture, question string) []knowledge.Hit {
	t.Helper()
	hits, err := knowledge.Search(t.Context(), f.Tx, knowledge.Query{AccountID: f.Account.ID, Question: question, Limit: 5})
	require.NoError(t, err)
	return hits
}

func SetKnowledgeLimit(t *testing.T, f *Fixture, conn dbsqlc.DBTX, most int32) {
	t.Helper()
	_, err := dbsqlc.New().AccountSetLimits(t.Context(), conn, &dbsqlc.AccountSetLimitsParams{ID: f.Account.ID, MaxConcurrentCalls: 10, MaxKnowledgeDocuments: &most})
	require.NoError(t, err)
}
