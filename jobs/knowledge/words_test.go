package knowledge

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestPassages(t *testing.T) {
	t.Parallel()

	sentence := strings.Repeat("woord ", 20) + "einde."
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"Nothing": {" \n\t\n", nil},
		"Short":   {"One.  Two!\n\nThree", []string{"One. Two!\nThree"}},
		"NoText":  {"a\x00b\xffc", []string{"a bc"}},
		"AtSentence": {strings.Repeat(sentence+" ", 8), []string{strings.Repeat(sentence+" ", 5) + sentence, sentence +
			" " + sentence}},
		"Heading": {
			strings.TrimSpace(strings.Repeat(sentence+" ", 6)) + "\nPrices\n" + sentence,
			[]string{strings.Repeat(sentence+" ", 5) + sentence, "Prices\n" + sentence},
		},
		"NoBoundary": {strings.Repeat("a", 2000), []string{strings.Repeat("a", 800), strings.Repeat("a", 800),
			strings.Repeat("a", 400)}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, passages(test.text)) })
	}
}

func FuzzPassages(f *testing.F) {
	f.Add("One. Two!\nThree? " + strings.Repeat("é", 900))
	f.Fuzz(func(t *testing.T, text string) {
		words := Words(Tidy(text))
		var kept []string
		for _, passage := range passages(text) {
			require.LessOrEqual(t, utf8.RuneCountInString(passage), maxPassage)
			require.True(t, utf8.ValidString(passage))
			require.NotContains(t, passage, "\x00")
			kept = append(kept, Words(passage)...)
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
		require.Equal(t, want, Words(text), text)
	}
}

func TestLikeness(t *testing.T) {
	t.Parallel()

	for words, want := range map[[2]string]float64{
		{"refnud", "refund"}: likenessOfSlip, {"warrenty", "warranty"}: likenessOfSlip, {"afpsraak", "afspraak"}: likenessOfSlip,
		{"betaalen", "betalen"}: likenessOfSlip, {"zaterdagochtend", "zaterdag"}: likenessOfPart,
		{"praktijk", "tandartspraktijk"}: likenessOfPart,
		{"parkeerplek", "parkeren"}:      likenessOfOrigin, {"maan", "maand"}: likenessOfSlip,
		{"huis", "muur"}: 0, {"kat", "kas"}: 0, {"open", "openbaar"}: 0, {"station", "stelling"}: 0,
	} {
		require.Equal(t, want, likeness(words[0], words[1]), words)
		require.Equal(t, want, likeness(words[1], words[0]), words)
	}
}
