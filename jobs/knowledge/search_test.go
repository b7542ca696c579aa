package knowledge_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
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
		document, err := knowledge.Writer{Jobs: f.Inserter}.Add(t.Context(), f.Tx,
			&knowledge.Document{ID: dbfactory.ID(t), AccountID: f.Account.ID, Title: "Document", Text: text})
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

// TestCommonWords asks for words of which each is in more passages than are looked at: the passage that has all of them is found,
// though it was added last.
func TestCommonWords(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	words := []string{"lamp", "tafel", "stoel", "kast", "deur", "raam"}
	add := func(passages ...string) uuid.UUID {
		document, err := knowledge.Writer{Jobs: f.Inserter}.Add(t.Context(), f.Tx,
			&knowledge.Document{ID: dbfactory.ID(t), AccountID: f.Account.ID, Title: "Document", Text: "Spiegel."})
		require.NoError(t, err)
		params := &dbsqlc.KnowledgeChunkInsertManyParams{AccountID: f.Account.ID, DocumentID: document.ID, Scope: f.Account.ID,
			Contents: passages, Words: passages}
		for i := range passages {
			params.Positions = append(params.Positions, int32(i+1))
		}
		require.NoError(t, dbsqlc.New().KnowledgeChunkInsertMany(t.Context(), f.Tx, params))
		return document.ID
	}
	var most []string
	for i := range 3000 {
		most = append(most, strings.Join(slices.Delete(slices.Clone(words), i%6, i%6+1), " "))
	}
	add(most...)
	all := add(strings.Join(words, " "))

	search := func(question ...string) []knowledge.Hit {
		hits, err := knowledge.Search(t.Context(), f.Tx, knowledge.Query{AccountID: f.Account.ID, Question: strings.Join(question, " "),
			Limit: 3})
		require.NoError(t, err)
		require.NotEmpty(t, hits)
		return hits
	}
	for range 2 { // the second time their counts are known
		require.Equal(t, all, search(words...)[0].DocumentID)
	}
	two := search(words[1], words[4])[0]
	require.Contains(t, two.Content, words[1]+" ")
	require.Contains(t, two.Content, words[4]+" ")
	require.InDelta(t, 1, two.Score, 0.2)
	require.Contains(t, search(words[2])[0].Content, words[2])
}
