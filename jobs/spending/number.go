package spending

import (
	"slices"
	"strings"

	"github.com/nyaruka/phonenumbers"

	"github.com/callwright/callwright/db/jsonb"
)

// Countries returns the countries that every account may call unless an operator decides otherwise, beside those of its
// numbers: the European Union and the European Economic Area.
func Countries() []string {
	return []string{
		"AT", "AX", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IS", "IT", "LI", "LT", "LU",
		"LV", "MT",
		"NL", "NO", "PL", "PT", "RO", "SE", "SI", "SK",
	}
}

// IsCountry reports whether a text is a country's code (ISO 3166), in capitals, that has phone numbers.
func IsCountry(code string) bool { return phonenumbers.GetSupportedRegions()[code] }

// The types of numbers that no call goes to. Their calls cost what who runs them likes.
const (
	TypePremium   = "premium"
	TypeShared    = "shared-cost"
	TypeSatellite = "satellite" // and other networks that belong to no country
	TypePersonal  = "personal"  // follow-me numbers and pagers, at the price of premium ones
)

// RefusedTypes returns the types of numbers that no call goes to.
func RefusedTypes() []string { return []string{TypePremium, TypeShared, TypeSatellite, TypePersonal} }

// worldwide are the types of the calling codes that belong to no country. Calls to 800 cost nothing.
var worldwide = map[int32]string{
	808: TypeShared, 870: TypeSatellite, 878: TypePersonal, 881: TypeSatellite, 882: TypeSatellite, 883: TypeSatellite,
	888: TypeSatellite, 979: TypePremium,
}

const freephone = 800

// types are the types that libphonenumber knows and no call goes to.
var types = map[phonenumbers.PhoneNumberType]string{
	phonenumbers.PREMIUM_RATE: TypePremium, phonenumbers.SHARED_COST: TypeShared,
	phonenumbers.PERSONAL_NUMBER: TypePersonal, phonenumbers.PAGER: TypePersonal,
}

// refusedType returns the type for which a number is not called; empty: none.
func refusedType(number *phonenumbers.PhoneNumber) string {
	if refused := worldwide[number.GetCountryCode()]; refused != "" {
		return refused
	}
	if refused := types[phonenumbers.GetNumberType(number)]; refused != "" {
		return refused
	}
	return types[phonenumbers.GetNumberType(dialed(number))]
}

// dialed returns the number that a telephone network understands: the digits that are too many are dialed for nothing.
func dialed(number *phonenumbers.PhoneNumber) *phonenumbers.PhoneNumber {
	if phonenumbers.IsValidNumber(number) {
		return number
	}
	shorter, err := phonenumbers.Parse(e164(number), "")
	if err != nil || !phonenumbers.TruncateTooLongNumber(shorter) {
		return number
	}
	return shorter
}

const northAmerica = 1

// country returns the country of a number; empty: it cannot be told, as of numbers of North America, whose calling code the
// islands share that are dear to call.
func country(number *phonenumbers.PhoneNumber) string {
	region := phonenumbers.GetRegionCodeForNumber(dialed(number))
	if region == "" && number.GetCountryCode() != northAmerica {
		region = phonenumbers.GetRegionCodeForCountryCode(int(number.GetCountryCode()))
	}
	if !IsCountry(region) {
		return ""
	}
	return region
}

func e164(number *phonenumbers.PhoneNumber) string {
	return phonenumbers.Format(number, phonenumbers.E164)
}

// abroad are the digits before an international number in some country or at some carrier.
var abroad = []string{"00", "011", "0011", "810", "010", "001", "119"}

// unreadable is why a target is called by nobody of whom nobody can tell whom it reaches.
type unreadable string

func (u unreadable) Error() string { return string(u) }

const (
	leastDigits = 7 // of what is dialed to reach a number outside of a company
	notTold     = unreadable("is dialed as digits that are no number whose country can be told: write it in E.164, such as +31612345678")
)

// readings returns the numbers that a telephone network may take a target for, a number or a SIP URI, when it is called from
// a number; none: the target is no number. It is an error if nobody can tell.
func readings(target, from string) ([]*phonenumbers.PhoneNumber, error) {
	if !strings.Contains(target, ":") {
		found := reader{local: regionOf(from)}
		if found.read(target, found.local, true); len(found.numbers) == 0 {
			return nil, notTold
		}
		return found.numbers, nil
	}
	uri, err := jsonb.ReadSIPURI(target)
	if err != nil {
		return nil, unreadable("is no SIP URI that is called: it " + err.Error())
	}
	found := reader{local: regionOf(from)}
	user := strings.Map(withoutSeparators, uri.User)
	found.user(user)
	// that a network obeys, such as *31*
	codes := strings.ContainsFunc(strings.TrimPrefix(user, "+"), func(c rune) bool { return !isDigit(c) })
	if (len(found.numbers) == 0 || codes) && uri.IsDialString() && digitsOf(user) >= leastDigits {
		return nil, notTold
	}
	return found.numbers, nil
}

// reader collects readings, each number once.
type reader struct {
	local   string // the region that is called from
	numbers []*phonenumbers.PhoneNumber
}

// user reads the user of a URI: in E.164, with the digits for abroad before it, without anything before it, or as it is dialed at
// home.
func (r *reader) user(text string) {
	if strings.HasPrefix(text, "+") {
		r.read(text, r.local, true)
		return
	}
	for _, prefix := range abroad {
		if digits, is := strings.CutPrefix(text, prefix); is {
			r.read("+"+digits, "ZZ", prefix == "00")
		}
	}
	r.read("+"+text, "ZZ", false)
	r.read(text, r.local, true)
}

// read adds a number, if it can be one; unless that is certain, only one that is valid.
func (r *reader) read(text, region string, certain bool) {
	number, err := phonenumbers.Parse(text, region)
	if err != nil || !phonenumbers.IsPossibleNumber(number) || !certain && !phonenumbers.IsValidNumber(number) {
		return
	}
	same := func(other *phonenumbers.PhoneNumber) bool { return e164(other) == e164(number) }
	if !slices.ContainsFunc(r.numbers, same) {
		r.numbers = append(r.numbers, number)
	}
}

func regionOf(number string) string {
	if own, err := phonenumbers.Parse(number, ""); err == nil {
		return phonenumbers.GetRegionCodeForNumber(own)
	}
	return "ZZ"
}

// withoutSeparators leaves out what is written in numbers for people to read (RFC 3966).
func withoutSeparators(c rune) rune {
	if strings.ContainsRune("-.()", c) {
		return -1
	}
	return c
}

func digitsOf(text string) (n int) {
	for _, c := range text {
		if isDigit(c) {
			n++
		}
	}
	return n
}

func isDigit(c rune) bool { return c >= '0' && c <= '9' }
