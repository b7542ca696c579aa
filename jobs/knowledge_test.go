package jobs

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
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

	f := setup(t)
	names := map[string]string{}
	for name, text := range set.Documents {
		document, err := Learner{Jobs: f.inserter}.Add(t.Context(), f.tx, &Knowledge{ID: newID(t), AccountID: f.account.ID, Title: "Document", Text: text})
		require.NoError(t, err)
		names[document.ID.String()] = name
	}
	first, third := 0, 0
	for _, question := range set.Questions {
		require.Contains(t, set.Documents, question.Want)
		var found []string
		hits, err := SearchKnowledge(t.Context(), f.tx, KnowledgeQuery{AccountID: f.account.ID, Question: question.Ask, Limit: 3})
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

func TestPassages(t *testing.T) {
	t.Parallel()

	sentence := strings.Repeat("woord ", 20) + "einde."
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"Nothing":    {" \n\t\n", nil},
		"Short":      {"One.  Two!\n\nThree", []string{"One. Two!\nThree"}},
		"NoText":     {"a\x00b\xffc", []string{"a bc"}},
		"AtSentence": {strings.Repeat(sentence+" ", 8), []string{strings.Repeat(sentence+" ", 5) + sentence, sentence + " " + sentence}},
		"Heading": {
			strings.TrimSpace(strings.Repeat(sentence+" ", 6)) + "\nPrices\n" + sentence,
			[]string{strings.Repeat(sentence+" ", 5) + sentence, "Prices\n" + sentence},
		},
		"NoBoundary": {strings.Repeat("a", 2000), []string{strings.Repeat("a", 800), strings.Repeat("a", 800), strings.Repeat("a", 400)}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, passages(test.text)) })
	}
}

func FuzzPassages(f *testing.F) {
	f.Add("One. Two!\nThree? " + strings.Repeat("é", 900))
	f.Fuzz(func(t *testing.T, text string) {
		words := wordsOf(tidy(text))
		var kept []string
		for _, passage := range passages(text) {
			require.LessOrEqual(t, utf8.RuneCountInString(passage), maxPassage)
			require.True(t, utf8.ValidString(passage))
			require.NotContains(t, passage, "\x00")
			kept = append(kept, wordsOf(passage)...)
		}
		if len(text) < maxPassage { // where no word had to be cut
			require.Equal(t, words, kept)
		}
	})
}

func TestWords(t *testing.T) {
	t.Parallel()

	for text, want := range map[string][]string{
		"":                             nil,
		"De auto's, 9.30 én CAFÉ!":     {"de", "autos", "9", "30", "en", "cafe"},
		"röntgenfoto’s e-mail":         {"rontgenfotos", "e", "mail"},
		"日本 \x00 \xff":                 {"日本"},
		strings.Repeat("x", 50) + " y": {strings.Repeat("x", 40), "y"},
	} {
		require.Equal(t, want, wordsOf(text), text)
	}
}

func TestLikeness(t *testing.T) {
	t.Parallel()

	for words, want := range map[[2]string]float64{
		{"refnud", "refund"}: likenessOfSlip, {"warrenty", "warranty"}: likenessOfSlip, {"afpsraak", "afspraak"}: likenessOfSlip,
		{"betaalen", "betalen"}: likenessOfSlip, {"zaterdagochtend", "zaterdag"}: likenessOfPart, {"praktijk", "tandartspraktijk"}: likenessOfPart,
		{"parkeerplek", "parkeren"}: likenessOfOrigin, {"maan", "maand"}: likenessOfSlip,
		{"huis", "muur"}: 0, {"kat", "kas"}: 0, {"open", "openbaar"}: 0, {"station", "stelling"}: 0,
	} {
		require.Equal(t, want, likeness(words[0], words[1]), words)
		require.Equal(t, want, likeness(words[1], words[0]), words)
	}
}
