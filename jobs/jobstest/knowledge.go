package jobstest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/knowledge"
)

// SearchFor returns what the knowledge of the account answers.
func (f *Fixture) SearchFor(t *testing.T, question string) []knowledge.Hit {
	t.Helper()
	hits, err := knowledge.Search(t.Context(), f.Tx, knowledge.Query{AccountID: f.Account.ID, Question: question, Limit: 5})
	require.NoError(t, err)
	return hits
}

// SetKnowledgeLimit sets how many documents the account may have.
func (f *Fixture) SetKnowledgeLimit(t *testing.T, conn dbsqlc.DBTX, most int32) {
	t.Helper()
	_, err := dbsqlc.New().AccountSetLimits(t.Context(), conn,
		&dbsqlc.AccountSetLimitsParams{ID: f.Account.ID, MaxKnowledgeDocuments: &most})
	require.NoError(t, err)
}
