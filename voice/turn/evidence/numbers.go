package evidence

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What was asked for, where that is written with digits or letters.
const (
	phoneDigits     = 10 // fewer are seldom a telephone number
	dictationBegins = 3  // digits in a row that nobody asked for: a number is being dictated
)

// dictated judges a number, a date, a name or an address of mail that is being dictated; found is false where said is none of
// these.
func (v *vocabulary) dictated(asked string, said []string) (judged verdict, found bool) {
	question := lastQuestion(asked)
	numbers, digits, letters := v.trailing(said)
	switch {
	case v.askMail.within(question):
		return v.mailed(said)
	case v.askDate.within(question):
		return v.dated(said)
	case v.askPhone.within(question) && digits > 0:
		return verdict{reading: Dictated, p: counted(digits, phoneDigits)}, true
	case v.askNumber.within(question) && digits > 0:
		return ofUnknownLength(digits + letters), true
	case (v.askSpelling.within(question) || letters > 2) && letters > 0:
		return spelled(letters), true
	case digits >= dictationBegins && numbers >= dictationBegins:
		if digits >= phoneDigits {
			return verdict{reading: Dictated, p: probablyOver}, true
		}
		return ofUnknownLength(digits), true
	}
	return verdict{}, false
}

// mailed judges an address of mail: it ends with a dot and what belongs behind that, behind an at sign.
func (v *vocabulary) mailed(said []string) (judged verdict, found bool) {
	at, dot := -1, -1
	for n, word := range said {
		if v.mailAt.has(word) {
			at = n
		}
		if v.mailDot.has(word) {
			dot = n
		}
	}
	switch {
	case at < 0 && dot < 0:
		return verdict{}, false
	case at >= 0 && dot > at && dot < len(said)-1:
		return verdict{reading: Dictated, p: probablyOver, listed: true}, true
	default:
		return verdict{reading: Dictated, p: certainlyMore}, true
	}
}

// counted judges by how many digits are missing.
func counted(digits, want int) float64 {
	switch {
	case digits >= want:
		return certainlyOver
	case digits == want-1:
		return maybeMore
	default:
		return certainlyMore
	}
}

// ofUnknownLength judges a number of which nobody knows how long it is: customers' numbers have more than four digits.
func ofUnknownLength(digits int) verdict {
	switch {
	case digits < 5:
		return verdict{reading: Dictated, p: certainlyMore}
	case digits == 5:
		return verdict{reading: Dictated, p: maybeMore, listed: true}
	default:
		return verdict{reading: Dictated, p: 0.15, listed: true}
	}
}

// spelled judges a name that is being spelled: few have less than four letters, most more than five.
func spelled(letters int) verdict {
	switch {
	case letters < 4:
		return verdict{reading: Dictated, p: commaMore, listed: true}
	case letters < 5:
		return verdict{reading: Dictated, p: 0.65, listed: true}
	case letters < 6:
		return verdict{reading: Dictated, p: 0.33, listed: true}
	case letters < 7:
		return verdict{reading: Dictated, p: 0.25, listed: true}
	default:
		return verdict{reading: Dictated, p: 0.15, listed: true}
	}
}

// trailing returns how many words at the end are of a number or a spelled name, how many digits these stand for, and how many are
// single letters.
func (v *vocabulary) trailing(said []string) (numbers, digits, letters int) {
	for _, word := range slices.Backward(said) {
		switch n := v.digitsOf(word); {
		case n > 0:
			digits += n
		case utf8.RuneCountInString(word) == 1 && strings.IndexFunc(word, unicode.IsLetter) == 0:
			letters++
		case v.numberGlue.has(word):
			continue
		default:
			return numbers, digits, letters
		}
		numbers++
	}
	return numbers, digits, letters
}

// digitsOf returns how many digits a word stands for; 0: it is no number.
func (v *vocabulary) digitsOf(word string) int {
	if strings.Trim(word, "0123456789") == "" {
		return len(word)
	}
	if n := v.digits[word]; n > 0 {
		return n
	}
	for _, ten := range v.tens { // tweeënveertig
		if strings.HasSuffix(word, ten) {
			return 2
		}
	}
	return 0
}

// dated judges a date of birth: it has a day, a month and a year.
func (v *vocabulary) dated(said []string) (judged verdict, found bool) {
	var numbers, years int
	month := false
	for _, word := range said {
		n := v.digitsOf(word)
		switch {
		case v.months.has(word):
			month = true
		case n >= 4, v.digits[word] == 0 && v.year(word):
			years++
			numbers++
		case n > 0 || strings.HasSuffix(word, "th") || strings.HasSuffix(word, "st") || strings.HasSuffix(word, "rd"):
			numbers++
		}
	}
	switch {
	case numbers == 0 && !month:
		return verdict{}, false
	case years > 0 && (month || numbers > 2), month && numbers >= 3, numbers >= 4:
		return verdict{reading: Dictated, p: certainlyOver}, true
	default:
		return verdict{reading: Dictated, p: certainlyMore}, true
	}
}

// year reports whether a word is a year, written as one.
func (v *vocabulary) year(word string) bool {
	return slices.ContainsFunc(v.centuries, func(first string) bool { return strings.HasPrefix(word, first) })
}
