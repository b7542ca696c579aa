package spending

import (
	"net/url"
	"slices"
	"strings"

	"github.com/nyaruka/phonenumbers"
)

// Countries returns the countries that every account may call unless an operator decides otherwise, beside those of its
// numbers: the European Union and the European Economic Area.
func Countries() []string {
	return []string{
		"AT", "AX", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IS", "IT", "LI", "LT", "LU", "LV", "MT",
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
	808: TypeShared, 870: TypeSatellite, 878: TypePersonal, 881: TypeSatellite, 882: TypeSatellite, 883: TypeSatellite, 888: TypeSatellite, 979: TypePremium,
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

// country returns the country of a number; empty: it cannot be told, as of numbers of North America, whose calling code the islands
// share that are dear to call.
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

// readings returns the numbers that a telephone network may take a target for, a number or a SIP URI, when it is called from
// a number; none: the target is no number.
func readings(target, from string) []*phonenumbers.PhoneNumber {
	text, sip := user(target)
	local := "ZZ"
	if own, err := phonenumbers.Parse(from, ""); err == nil {
		local = phonenumbers.GetRegionCodeForNumber(own)
	}
	var found []*phonenumbers.PhoneNumber
	read := func(text, region string, certain bool) {
		number, err := phonenumbers.Parse(text, region)
		if err != nil || !phonenumbers.IsPossibleNumber(number) || !certain && !phonenumbers.IsValidNumber(number) {
			return
		}
		same := func(other *phonenumbers.PhoneNumber) bool { return e164(other) == e164(number) }
		if !slices.ContainsFunc(found, same) {
			found = append(found, number)
		}
	}
	if strings.HasPrefix(text, "+") || !sip {
		read(text, local, true)
		return found
	}
	digits, abroad := strings.CutPrefix(text, "00")
	read("+"+digits, "ZZ", abroad)
	read(text, local, true)
	return found
}

// user returns the part of a target that names who is called, and whether it is the user of a URI.
func user(target string) (string, bool) {
	scheme, rest, is := strings.Cut(target, ":")
	if !is {
		return strings.TrimSpace(target), false
	}
	if i := strings.IndexAny(rest, "@;?>"); i >= 0 {
		rest = rest[:i]
	} else if !strings.EqualFold(scheme, "tel") {
		rest = "" // a host alone
	}
	if plain, err := url.PathUnescape(rest); err == nil {
		rest = plain
	}
	return strings.TrimSpace(rest), true
}
