package sentence

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSentences(t *testing.T) {
	t.Parallel()

	for text, want := range map[string][]string{
		"":                                     nil,
		" ... ":                                nil,
		"Hello":                                {"Hello"},
		"One. Two! Three? Four":                {"One.", "Two!", "Three?", "Four"},
		"We open at 9.30 and close at 17.00.":  {"We open at 9.30 and close at 17.00."},
		"Dr. Jansen is in. Mw. de Vries not.":  {"Dr. Jansen is in.", "Mw. de Vries not."},
		"Call mr. A. Smith. Now.":              {"Call mr. A. Smith.", "Now."},
		"**Bold** and `code`\n- item\n# Title": {"Bold and code", "item", "Title"},
		"Wait... what?":                        {"Wait...", "what?"},
		"こんにちは。元気ですか？":                         {"こんにちは。", "元気ですか？"},

		"Open until 9 p.m. every day, e.g. on Monday. Or I.v.m. Kerst niet.": {"Open until 9 p.m. every day, e.g. on Monday.",
			"Or I.v.m. Kerst niet."},
		"**Really!** He said \"yes.\" (Twice.) And left.": {"Really!", "He said \"yes.\"", "(Twice.)", "And left."},
		"Am 3. April um 19. Dann No. 15. No. I do. In Jan. 3 of 12. May I?": {
			"Am 3. April um 19.", "Dann No. 15.", "No.", "I do.", "In Jan. 3 of 12.", "May I?",
		},
		"Wir sind im 3. Stock, Hauptstr. 5, am 3.12. um 9 Uhr, Mo. - Fr. und 2,5 Mio. Euro. Und am 4. Nicht am 5. Also.": {
			"Wir sind im 3. Stock, Hauptstr. 5, am 3.12. um 9 Uhr, Mo. - Fr. und 2,5 Mio. Euro.", "Und am 4. Nicht am 5. Also.",
		},
		"Ma. t/m vr. 9 uur, 30 min. lopen, op 1 jan. dicht, ordernr. 12. Doe het zo. Tot vr. Dag.": {
			"Ma. t/m vr. 9 uur, 30 min. lopen, op 1 jan. dicht, ordernr. 12.", "Doe het zo.", "Tot vr.", "Dag.",
		},
		"Mon. to Thurs. 9 to 5, Sun. closed. I sat. We go.": {"Mon. to Thurs. 9 to 5, Sun. closed.", "I sat.", "We go."},
		"It is $1,234.50. Not 1.234,50. Mail info@x.nl. Bye.": {"It is $1,234.50.", "Not 1.234,50.", "Mail info@x.nl.",
			"Bye."},
		"10. Ten\n11. Eleven": {"10. Ten", "11. Eleven"},
		"Elisabeth II. und Mo.–Fr. 9 Uhr, Ste. 200. World War II. Then.": {
			"Elisabeth II. und Mo.–Fr. 9 Uhr, Ste. 200.", "World War II.", "Then.",
		},
		"Use:\n```go\nx := 1. y\n```\nDone.\n```\nHello there.\n```\nBye.": {"Use:", "Done.", "Hello there.", "Bye."},
		"| day | time |\n|---|---|\n| Mon | 9:00 |\n- [x] Milk":            {"day, time", "Mon, 9:00", "Milk"},
		"It is _very_ <b>good</b>: a_b_c [1], as said【4†s】. Fine 🎉!":       {"It is very good: a_b_c, as said.", "Fine!"},
		"In 2024. Or at 9.30. Or in room 12. See x.nl. Yes. No. I do.": {"In 2024.", "Or at 9.30.", "Or in room 12.", "See x.nl.",
			"Yes.", "No.", "I do."},
	} {
		require.Equal(t, want, Split(text), text)
		var streamed []string // the same one byte at a time
		var s Splitter
		for i := range len(text) {
			if text[i] < 0x80 {
				streamed = append(streamed, s.Push(text[i:i+1])...)
			} else {
				s.text += text[i : i+1]
			}
		}
		streamed = append(streamed, s.Push("")...)
		if last := s.Rest(); last != "" {
			streamed = append(streamed, last)
		}
		require.Equal(t, want, streamed, text)
	}

	many := strings.Repeat("word ", 46) + "€ 12 1012 AB " + strings.Repeat("word ", 20)
	require.True(t, strings.HasPrefix(Split(many)[1], "€ 12 1012 AB "), "not cut in an amount or a code")

	long := strings.Repeat("word ", 40) + "word, " + strings.Repeat("word ", 40)
	parts := Split(long)
	require.Len(t, parts, 2)
	require.True(t, strings.HasSuffix(parts[0], ","), "cut at the comma")
	require.Equal(t, Words(long), Words(strings.Join(parts, " ")))
}

func TestSpeakable(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{
		"Press # when done, or * to start again.": "Press # when done, or * to start again.",
		"Dial *21*0612345678# or **now**.":        "Dial *21*0612345678# or now.",
		"That is *really* fine*.":                 "That is really fine*.",
		"*Of course.":                             "Of course.",
		"Good.*":                                  "Good.",
		"* **Monday**: open":                      "Monday: open",
		"## Opening hours":                        "Opening hours",
		"> quoted ~~not~~":                        "quoted not",
		"See [our site](https://a.nl/x?y=1 \"A\") or ![a map](m.png).": "See our site or a map.",
		"Go to https://www.Example.nl/, or <http://b.nl/c>.":           "Go to Example.nl, or b.nl/c.",
		"Fine 👍🏽! It is 21°C, 50 m² and €5 ☎️ ➡ 1️⃣.":                  "Fine! It is 21°C, 50 m² and €5 1.",
		"👍":                     "",
		"👨‍👩‍👧 🇳🇱":              "",
		"---":                   "",
		"jan_de_wit@example.nl": "jan_de_wit@example.nl",
		"Één ﬁne naïve Zoë":     "Één ﬁne naïve Zoë",
	} {
		require.Equal(t, want, speakable(text), text)
	}
}
