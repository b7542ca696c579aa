// Package spoken makes of a written sentence what a person reads aloud: "$1,234.50" becomes one thousand two hundred thirty-four
// dollars and fifty cents, "1012 AB" tien twaalf A B. Synthesisers guess at such writing, each in its own way and often wrongly
// over a telephone.
//
// It knows writing in Dutch, English and German, a table each; a sentence in another language stays as it is. It must not know
// who speaks, nor how: what it returns is for a voice alone, and whoever keeps a record keeps what was written.
package spoken

import (
	"regexp"
	"slices"
	"strings"
)

// Plan says what is read how. The zero value reads everything, with the defaults of the field.
type Plan struct {
	Off          bool          // sentences go to the voice as they were written
	DigitsAbove  *int          // whole numbers above are read digit by digit; nil: 2025
	Replacements []Replacement // made first
	Formatters   []Formatter   // those that are used; nil: all
}

// DefaultDigitsAbove is the largest number that is read as one unless the plan says otherwise.
const DefaultDigitsAbove = 2025

// Replacement is a customer's own reading of some words.
type Replacement struct {
	Pattern *regexp.Regexp
	Value   string
	Regex   bool // Value names groups of Pattern, as $1
	Once    bool // of several, the first one alone
}

// Formatter names a kind of writing.
type Formatter string

// The formatters, by the names that the field has for them.
const (
	Abbreviations Formatter = "acronym"
	Money         Formatter = "dollarAmount"
	Addresses     Formatter = "email" // and of web sites
	Dates         Formatter = "date"
	Times         Formatter = "time"
	Distances     Formatter = "distance"
	Units         Formatter = "unit"
	Percentages   Formatter = "percentage"
	Telephones    Formatter = "phoneNumber"
	Numbers       Formatter = "number" // ordinals, fractions, years, postal codes and bank accounts, too
)

// longest is what replacements may make of a sentence, in bytes: an expression that matches everywhere would make it endless.
const longest = 4000

// Reader reads the sentences of one assistant. It never changes.
type Reader struct {
	plan        Plan
	language    *language // nil: none that is known
	digitsAbove int
}

// New returns the reader of a language, a BCP 47 tag such as "nl" or "en-GB".
func New(plan Plan, tag string) *Reader {
	r := &Reader{plan: plan, language: languageOf(tag), digitsAbove: DefaultDigitsAbove}
	if plan.DigitsAbove != nil {
		r.digitsAbove = *plan.DigitsAbove
	}
	return r
}

// Read returns a sentence as it is to be read aloud.
func (r *Reader) Read(sentence string) string {
	if r.plan.Off {
		return sentence
	}
	text := sentence
	for _, replacement := range r.plan.Replacements {
		text = replacement.in(text)
	}
	if r.language == nil {
		return text
	}
	if r.uses(Numbers) {
		text = r.language.joinThousands(text)
	}
	return r.scan(r.rewritten(alike.Replace(text)))
}

// in returns the text as it is where it would become longer than longest. It does not get there first: a value of some thousand
// bytes, or one that names the match again and again, in place of each character is hundreds of megabytes.
func (r Replacement) in(text string) string {
	value, most := r.Value, -1
	if !r.Regex {
		value = strings.ReplaceAll(value, "$", "$$")
	}
	if r.Once {
		most = 1
	}
	if len(value) > longest || len(text) > longest {
		return text
	}
	var built []byte
	from := 0
	for _, found := range r.Pattern.FindAllStringSubmatchIndex(text, most) {
		built = append(built, text[from:found[0]]...)
		if built = r.Pattern.ExpandString(built, value, text, found); len(built) > longest {
			return text
		}
		from = found[1]
	}
	if len(built)+len(text)-from > longest {
		return text
	}
	return string(append(built, text[from:]...))
}

func (r *Reader) uses(f Formatter) bool {
	return r.plan.Formatters == nil || slices.Contains(r.plan.Formatters, f)
}
