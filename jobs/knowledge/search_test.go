package knowledge_test

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/knowledge"
)

// Questions as callers ask them find the document that answers them.
func TestKnowledgeRecall(t *testing.T) {
	t.Parallel()

	text, err := os.ReadFile("testdata/knowledge.yaml")
	require.NoError(t, err)
	var set struct {
		Documents map[string]string
		Questions []struct{ Ask, Want string }
	}
	require.NoError(t, yaml.Unmarshal(text, &set))
	require.GreaterOrEqual(t, len(set.Documents), 40)
	require.GreaterOrEqual(t, len(set.Questions), 40)

	f := jobstest.New(t)
	names := map[string]string{}
	for name, text := range set.Documents {
		document, err := knowledge.Writer{Jobs: f.Inserter}.Add(t.Context(), f.Tx, &knowledge.Document{ID: dbfactory.ID(t), AccountID: f.Account.ID, Title: "Document", Text: text})
		require.NoError(t, err)
		names[document.ID.String()] = name
	}
	first, third := 0, 0
	for _, question := range set.Questions {
		require.Contains(t, set.Documents, question.Want)
		var found []string
		hits, err := knowledge.Search(t.Context(), f.Tx, knowledge.Query{AccountID: f.Account.ID, Question: question.Ask, Limit: 3})
		require.NoError(t, err)
		for _, hit := range hits {
			found = append(found, names[hit.DocumentID.String()])
		}
		switch slices.Index(found, question.Want) {
		case 0:
			first++
			third++
		case 1, 2:
			third++
		default:
			t.Logf("%q found %v, want %s", question.Ask, found, question.Want)
		}
	}
	recall1, recall3 := float64(first)/float64(len(set.Questions)), float64(third)/float64(len(set.Questions))
	t.Logf("%d questions: recall@1 %.2f, recall@3 %.2f", len(set.Questions), recall1, recall3)
	require.GreaterOrEqual(t, recall3, 0.85)
	require.GreaterOrEqual(t, recall1, 0.75)
}
