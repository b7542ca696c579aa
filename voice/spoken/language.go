package spoken

import "strings"

// language is how one is read aloud.
type language struct {
	decimal    byte // in front of the fraction of a number; the other one of . and , groups its digits
	cardinal   func(n int64) string
	ordinal    func(n int64) string
	year       func(n int64) string
	fraction   func(digits string) string // behind point
	counted    func(n int64) string       // before a noun: "ein Euro"
	digit      [10]string
	groups     func(run string) []int // how the digits of a long telephone number are grouped
	codeInTens bool                   // a postal code is read as two numbers
	suffixes   []string               // of ordinals in digits

	point, minus, plus, to, per, and, times, percent, number, by, against string
	equals                                                                string
	at, dot, dash, underscore, slash                                      string
	question, equalsMark, hash, tilde                                     string
	signs                                                                 map[rune]string   // in front of a number
	streets                                                               map[string]string // last parts of the names of streets
	// before a number that is read digit by digit; before a service's
	codeWords, callWords []string

	monthNames map[string]int // lower case, abbreviations too, without full stop
	months     [12]string
	monthFirst bool // 03/04 is in March
	date       func(t token, day, month, year int64) string
	dateWords  []string // before a fraction that is a date: "op 3/4"
	clock      func(hour, minute int64, half string) string
	oclock     string // behind a time in digits

	currencies map[string]currency
	cents      func(whole, rest string) string // joins the two parts of an amount
	scales     map[string]string

	units     map[string]unit
	fractions map[string]string // 1/2
	halves    map[string]string // 1/2 before a word
	mixed     string            // between a number and its fraction

	weekdays      weekdays
	exact         map[string]string // abbreviations in this case
	abbreviations map[string]string // in any case
}

// currency is a kind of money: the names of its parts.
type currency struct{ one, many, cent, cents string }

// unit is how a unit is called. Distances are a kind of their own.
type unit struct {
	one, many string
	distance  bool
}

func languageOf(tag string) *language {
	code, region, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(tag, "_", "-")), "-")
	switch {
	case code == "nl":
		return &dutch
	case code == "de":
		return &german
	case code == "en" && (region == "" || region == "us" || region == "ca" || region == "ph"):
		return &american
	case code == "en":
		return &english
	default:
		return nil
	}
}

// spell reads digits and letters one by one.
func (l *language) spell(code string) string {
	words := make([]string, 0, len(code))
	for _, r := range code {
		switch {
		case r >= '0' && r <= '9':
			words = append(words, l.digit[r-'0'])
		case r != ' ':
			words = append(words, strings.ToUpper(string(r)))
		}
	}
	return strings.Join(words, " ")
}
