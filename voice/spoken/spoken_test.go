package spoken

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

//nolint:dupword // digits repeat
func TestDutch(t *testing.T) {
	t.Parallel()
	reads(t, "nl-NL", map[string]string{
		"€ 12,50":                               "twaalf euro vijftig",
		"Dat kost €1.234,50 per jaar.":          "Dat kost duizend tweehonderdvierendertig euro vijftig per jaar.",
		"€12.50, € 5,- of € 0,99":               "twaalf euro vijftig, vijf euro of negenennegentig cent",
		"$1,234.50":                             "duizend tweehonderdvierendertig dollar vijftig",
		"12,50 euro, 12 euro, € 1":              "twaalf euro vijftig, twaalf euro, één euro",
		"€ 1,5 miljoen en € 2 mln.":             "één komma vijf miljoen euro en twee miljoen euro.",
		"-€ 5 en € -5,25":                       "min vijf euro en min vijf euro vijfentwintig",
		"€ 25/maand":                            "vijfentwintig euro per maand",
		"€ 10-15":                               "tien tot vijftien euro",
		"€ 1.500":                               "vijftienhonderd euro",
		"03/04/2026":                            "drie april tweeduizend zesentwintig",
		"Op 3-4-2026.":                          "Op drie april tweeduizend zesentwintig.",
		"2026-04-03":                            "drie april tweeduizend zesentwintig",
		"3 april 2026 om 9.30":                  "drie april tweeduizend zesentwintig om negen uur dertig",
		"op 3/4 komt 3/4 liter":                 "op drie april komt driekwart liter",
		"21 mrt. 1984":                          "eenentwintig maart negentienhonderdvierentachtig",
		"info@linden-dental.nl":                 "info apenstaartje linden streepje dental punt N L",
		"Mail naar jan_de.wit2@example.com.":    "Mail naar jan underscore de punt wit twee apenstaartje example punt com.",
		"Kijk op www.linden.nl/contact.":        "Kijk op W W W punt linden punt N L slash contact.",
		"020-1234567":                           "nul twee nul, één twee drie, vier vijf, zes zeven",
		"06-12345678":                           "nul zes, één twee, drie vier, vijf zes, zeven acht",
		"0612345678":                            "nul zes, één twee, drie vier, vijf zes, zeven acht",
		"+31 20 123 45 67":                      "plus drie één, twee nul, één twee drie, vier vijf, zes zeven",
		"0800-1234 is gratis":                   "nul acht nul nul, één twee drie vier is gratis",
		"1012 AB":                               "tien twaalf A B",
		"Damrak 1, 1005AB Amsterdam":            "Damrak één, tien nul vijf A B Amsterdam",
		"14:30":                                 "veertien uur dertig",
		"Om 14:30 uur of 14.30 uur, om 9:00.":   "Om veertien uur dertig of veertien uur dertig, om negen uur.",
		"9:00-17:00":                            "negen uur tot zeventien uur",
		"van 9-17 uur":                          "van negen tot zeventien uur",
		"Open van 9.00 tot 17.30 uur":           "Open van negen uur tot zeventien uur dertig",
		"100.000,- euro":                        "honderdduizend euro",
		"14u30":                                 "veertien uur dertig",
		"3e":                                    "derde",
		"de 1ste, 8e, 21e en 100e":              "de eerste, achtste, eenentwintigste en honderdste",
		"12 km/h":                               "twaalf kilometer per uur",
		"1,5 m², 21°C, -5 °C":                   "één komma vijf vierkante meter, eenentwintig graden Celsius, min vijf graden Celsius",
		"dr. Jansen en mw. de Vries, o.a.":      "dokter Jansen en mevrouw de Vries, onder andere.",
		"Dr. Bakker, bijv. om 3 uur":            "Dokter Bakker, bijvoorbeeld om drie uur",
		"2x":                                    "twee keer",
		"2x per dag, 3x4":                       "twee keer per dag, drie bij vier",
		"NL91 ABNA 0417 1643 00":                "N L negen één, A B N A, nul vier één zeven, één zes vier drie, nul nul",
		"12,5% of 50 %":                         "twaalf komma vijf procent of vijftig procent",
		"1/2, 1 1/2 en 2½":                      "een half, anderhalf en twee en een half",
		"in 1999 en 2026":                       "in negentienhonderdnegenennegentig en tweeduizend zesentwintig",
		"12345 mensen, 12.345 mensen":           "één twee drie vier vijf mensen, twaalfduizend driehonderdvijfenveertig mensen",
		"t/m vrijdag a.u.b.":                    "tot en met vrijdag alstublieft.",
		"incl. BTW & KVK":                       "inclusief B T W en K V K",
		"nr. 12b":                               "nummer twaalf B",
		"007":                                   "nul nul zeven",
		"3,14":                                  "drie komma veertien",
		"Goedemiddag, waarmee kan ik u helpen?": "Goedemiddag, waarmee kan ik u helpen?",
		"Toets # of * en dan #5":                "Toets # of * en dan nummer vijf",
	})
}

//nolint:dupword // digits repeat
func TestEnglish(t *testing.T) {
	t.Parallel()
	reads(t, "en", map[string]string{
		"$1,234.50":                       "one thousand two hundred thirty-four dollars and fifty cents",
		"It is $5, £1 or €0.05.":          "It is five dollars, one pound or five cents.",
		"€ 12,50":                         "twelve euros and fifty cents",
		"$1.5 million and $3k":            "one point five million dollars and three thousand dollars",
		"-$20":                            "minus twenty dollars",
		"$10/month":                       "ten dollars per month",
		"03/04/2026":                      "March fourth, twenty twenty-six",
		"25/04/2026":                      "April twenty-fifth, twenty twenty-six",
		"2026-04-03":                      "April third, twenty twenty-six",
		"April 3, 2026":                   "April third, twenty twenty-six",
		"on 3 April 2026":                 "on April third, twenty twenty-six",
		"The 3rd of April and Jan. 21st.": "The third of April and January twenty-first.",
		"You may 3 times":                 "You may three times",
		"info@linden-dental.nl":           "info at linden dash dental dot N L",
		"See example.com/a-b.":            "See example dot com slash a dash b.",
		"(212) 555-0123":                  "two one two, five five five, zero one two three",
		"+31 20 1234567":                  "plus three one, two zero, one two three, four five six seven",
		"1-800-555-0199":                  "one, eight zero zero, five five five, zero one nine nine",
		"020-1234567":                     "zero two zero, one two three, four five six seven",
		"1012 AB":                         "one zero one two, A B",
		"SW1A 1AA":                        "S W one A, one A A",
		"14:30":                           "two thirty P M",
		"9:00, 9:05 a.m. and 2:30 p.m.":   "nine o'clock, nine oh five A M and two thirty P M.",
		"9:00-17:00":                      "nine o'clock to five P M",
		"at 2pm":                          "at two P M",
		"0:00":                            "midnight",
		"3rd, 21st, 12th, 20th":           "third, twenty-first, twelfth, twentieth",
		"12 km/h":                         "twelve kilometers per hour",
		"1 kg, 2 lbs, 70°F":               "one kilogram, two pounds, seventy degrees Fahrenheit",
		"Dr. Smith lives on Main St.":     "Doctor Smith lives on Main Street.",
		"at St. Mary's, e.g. today, etc.": "at Saint Mary's, for example today, et cetera.",
		"2x":                              "two times",
		"GB29 NWBK 6016 1331 9268 19":     "G B two nine, N W B K, six zero one six, one three three one, nine two six eight, one nine",
		"12.5%":                           "twelve point five percent",
		"1/2, 3/4 and 1 1/2":              "one half, three quarters and one and a half",
		"in 1984, 1990s, the '90s, 2005":  "in nineteen eighty-four, nineteen nineties, the nineties, two thousand five",
		"1200 people, 12345, 12,345":      "one thousand two hundred people, one two three four five, twelve thousand three hundred forty-five",
		"5-10 people":                     "five to ten people",
		"No. 5 & A4, COVID-19":            "Number five and A four, COVID-nineteen",
		"version 1.2.3":                   "version one dot two dot three",
		"-7 and minus 7":                  "minus seven and minus seven",
		"ships 12/25, order #12345-678":   "ships December twenty-fifth, order number one two three four five, six hundred seventy-eight",
		"3 + 4, call 555-0123":            "three plus four, call five five five, zero one two three",
		"24/7":                            "twenty-four seven",
		"order AB-12345":                  "order A B, one two three four five",
		"It's fine: don't worry, Jane.":   "It's fine: don't worry, Jane.",
		"999999999999999999999":           strings.TrimSpace(strings.Repeat("nine ", 21)),
	})
	reads(t, "en-GB", map[string]string{
		"03/04/2026":       "the third of April, twenty twenty-six",
		"the 3rd of April": "the third of April",
	})
}

//nolint:dupword // digits repeat
func TestGerman(t *testing.T) {
	t.Parallel()
	reads(t, "de-DE", map[string]string{
		"$1,234.50":                   "eintausendzweihundertvierunddreißig Dollar fünfzig",
		"€ 12,50 und 1 €":             "zwölf Euro fünfzig und ein Euro",
		"03/04/2026":                  "dritter April zweitausendsechsundzwanzig",
		"am 03.04.2026":               "am dritten April zweitausendsechsundzwanzig",
		"Am 3. April um 14.30 Uhr":    "Am dritten April um vierzehn Uhr dreißig",
		"am 3.4. oder":                "am dritten April oder",
		"info@linden-dental.nl":       "info at linden Bindestrich dental Punkt N L",
		"030 1234567":                 "null drei null, eins zwei drei, vier fünf, sechs sieben",
		"14:30 Uhr, 9-17 Uhr":         "vierzehn Uhr dreißig, neun bis siebzehn Uhr",
		"12 km/h":                     "zwölf Kilometer pro Stunde",
		"Dr. Weber, z.B. heute, usw.": "Doktor Weber, zum Beispiel heute, und so weiter.",
		"Hauptstr. 5 bzw. Nr. 7":      "Hauptstraße fünf beziehungsweise Nummer sieben",
		"2x und 1x":                   "zwei mal und ein mal",
		"DE89 3704 0044 0532 0130 00": "D E acht neun, drei sieben null vier, null null vier vier, null fünf drei zwei, null eins drei null, null null",
		"12,5 %":                      "zwölf Komma fünf Prozent",
		"1/2":                         "ein halb",
		"im Jahr 1989 und 2026":       "im Jahr neunzehnhundertneunundachtzig und zweitausendsechsundzwanzig",
		"10115 Berlin":                "eins null eins eins fünf Berlin",
		"101, 1.000.000":              "einhunderteins, eine Million",
	})
}

func reads(t *testing.T, tag string, table map[string]string) {
	t.Helper()
	r := New(Plan{}, tag)
	for written, want := range table {
		assert.Equal(t, want, r.Read(written), written)
	}
}

// TestForms reads the written forms of testdata, a file per language, each with what a person makes of it.
func TestForms(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{"nl", "en-US", "en-GB", "de"} {
		table, err := os.ReadFile("testdata/" + tag + ".txt")
		require.NoError(t, err)
		for line := range strings.Lines(string(table)) {
			written, want, found := strings.Cut(strings.TrimSuffix(line, "\n"), " | ")
			require.True(t, found, line)
			assert.Equal(t, want, New(Plan{}, tag).Read(written), written)
			assert.Equal(t, written, New(Plan{Off: true}, tag).Read(written))
		}
	}
}

// TestAlike reads marks that look like others: spaces that do not break, dashes, hyphens and marks of no width.
func TestAlike(t *testing.T) {
	t.Parallel()
	reads(t, "nl", map[string]string{
		"€\u00a012,50":                  "twaalf euro vijftig",
		"ma\u2013vr 9\u201317\u202fuur": "maandag tot en met vrijdag negen tot zeventien uur",
		"020\u2011123\u00a045\u00a067":  "nul twee nul, één twee drie, vier vijf, zes zeven",
		"10\u202f%":                     "tien procent",
		"12\u00adkm":                    "twaalf kilometer",
		"jaren \u201980":                "jaren tachtig",
		"\ufeff14:30":                   "veertien uur dertig",
		"1\u2009250 of 1\u202f000,50":   "duizend tweehonderdvijftig of duizend komma vijf nul",
		"kamer 1 250 mensen":            "kamer één tweehonderdvijftig mensen",
	})
	reads(t, "en", map[string]string{
		"Mon\u2013Fri 9\u202fam\u20135\u202fpm": "Monday to Friday nine A M to five P M",
		"6\u20192\u201d":                        "six foot two",
		"1\u20442 cup":                          "one half cup",
		"\u221220 \u2103":                       "minus twenty degrees Celsius",
	})
	reads(t, "de", map[string]string{"z.\u202fB. 10\u00a0\u20ac": "zum Beispiel zehn Euro", "im 3.\u00a0Stock": "im dritten Stock"})
}

func TestPlan(t *testing.T) {
	t.Parallel()
	written := "Pay $5 by 14:30 for 12345."
	require.Equal(t, written, New(Plan{Off: true}, "en").Read(written))
	require.Equal(t, written, New(Plan{}, "fr").Read(written), "no table")
	require.Equal(t, written, New(Plan{Formatters: []Formatter{}}, "en").Read(written))
	require.Equal(t, "Pay five dollars by 14:30 for 12345.", New(Plan{Formatters: []Formatter{Money}}, "en").Read(written))
	above, none := 20_000, 0
	require.Contains(t, New(Plan{DigitsAbove: &above}, "en").Read(written), "twelve thousand three hundred forty-five")
	require.Equal(t, "one two", New(Plan{DigitsAbove: &none}, "en").Read("12"))

	replaced := New(Plan{Replacements: []Replacement{
		{Pattern: regexp.MustCompile("Vapi"), Value: "$1 way"},
		{Pattern: regexp.MustCompile(`(?i)\bmr (\w)`), Value: "mister $1", Regex: true, Once: true},
		{Pattern: regexp.MustCompile(``), Value: strings.Repeat("long ", 200), Regex: true},
	}}, "fr")
	require.Equal(t, "$1 way mister B, Mr C", replaced.Read("Vapi Mr B, Mr C"), "and what grows without end is left out")
}

// FuzzRead holds that whatever is written, nothing fails, plain words stay in their order and the outcome is bounded.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"$1,234.50 op 03/04/2026 om 14:30", "info@x.nl +31 20 1234567 1012 AB", "½ 3e 12 km/h €-5,- '90s NL91 ABNA 0417 1643 00",
		"-−€ 1..2,,3//",
		"1 000 000,5 Willem III +3% .5% X5J9Q2 MMMM",
		"1/2/3 2x3x4 9:00–17:00 #5 & z. B. 3. April No. ", "\xff€\xf0 0000000000000000 १२", "5 2 1½½ 1.1.1.1. 99.99.9999",
	} {
		f.Add(seed)
	}
	readers := []*Reader{New(Plan{}, "nl"), New(Plan{}, "en"), New(Plan{}, "en-GB"), New(Plan{}, "de"), New(Plan{}, "xx")}
	f.Fuzz(func(t *testing.T, written string) {
		if len(written) > 2000 {
			t.Skip()
		}
		for _, r := range readers {
			read := r.Read(written)
			if len(read) > 30*len(written)+100 {
				t.Fatalf("%q became %d bytes", written, len(read))
			}
			rest := strings.Fields(read)
			for word := range strings.FieldsSeq(written) {
				if !plainWord(word) {
					continue
				}
				at := 0
				for at < len(rest) && rest[at] != word {
					at++
				}
				if at == len(rest) {
					t.Fatalf("%q lost %q: %q", written, word, read)
				}
				rest = rest[at+1:]
			}
		}
	})
}

// plainWord reports whether a word is in none of the tables by its shape: lower case, long, no marks.
func plainWord(word string) bool {
	return len(word) > 9 && !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLower(r) || r > 127 })
}

// TestReplacementsThatGrow are made as the standard library makes them, as long as the sentence stays one, and cost no more than
// that.
//
//nolint:paralleltest // it measures what is allocated
func TestReplacementsThatGrow(t *testing.T) {
	for _, pattern := range []string{`a*`, `b`, ``, `(a)(b)?`, `^`, `$`, `\b`, `x`} {
		for _, text := range []string{"", "aabab", "é ab", "baaac"} {
			for _, value := range []string{"", "-", "[$0]", "$1$2", "$$"} {
				replacement := Replacement{Pattern: regexp.MustCompile(pattern), Value: value, Regex: true}
				require.Equal(t, replacement.Pattern.ReplaceAllString(text, value), replacement.in(text), "%s in %s by %s", pattern, text,
					value)
			}
		}
	}
	sentence := strings.Repeat("a", 3000)
	for name, one := range map[string]Replacement{
		"Long value":   {Pattern: regexp.MustCompile(`.`), Value: strings.Repeat("b", 30_000)},
		"Every letter": {Pattern: regexp.MustCompile(`.`), Value: strings.Repeat("b", 3000)},
		"Itself":       {Pattern: regexp.MustCompile(`a+`), Value: strings.Repeat("$0", 1500), Regex: true, Once: true},
	} {
		used := testing.Benchmark(func(b *testing.B) {
			for b.Loop() {
				require.Equal(b, sentence, one.in(sentence), name)
			}
		}).AllocedBytesPerOp()
		require.Less(t, used, int64(64<<20), "%s: a match of the whole sentence is written before it is known to be too long", name)
	}
}
