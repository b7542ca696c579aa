package spending

import (
	"testing"

	"github.com/nyaruka/phonenumbers"
	"github.com/stretchr/testify/require"
)

func TestNumberTypes(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]struct{ refused, country string }{
		"+31612345678":     {"", "NL"},
		"+31201234567":     {"", "NL"},
		"+31601000001":     {"", "NL"}, // assigned to nobody, as far as libphonenumber knows
		"+31850000000":     {"", "NL"},
		"+31882345678":     {"", "NL"}, // of a company
		"+318001234567":    {"", "NL"}, // free
		"+31900123456":     {TypePremium, "NL"},
		"+3190012345678":   {TypePremium, "NL"}, // with digits behind it that a network ignores
		"+31909123456":     {TypePremium, "NL"},
		"+499001234567":    {TypePremium, "DE"},
		"+4918051234567":   {TypeShared, "DE"},
		"+447012345678":    {TypePersonal, "GB"},
		"+448431234567":    {TypePremium, "GB"},
		"+19002345678":     {TypePremium, ""},
		"+12025550123":     {"", "US"},
		"+18765551234":     {"", "JM"},
		"+12685551234":     {"", ""}, // Antigua, or nobody's
		"+870773123456":    {TypeSatellite, ""},
		"+881612345678":    {TypeSatellite, ""},
		"+8821612345678":   {TypeSatellite, ""},
		"+883510012345678": {TypeSatellite, ""},
		"+979123456789":    {TypePremium, ""},
		"+80012345678":     {"", ""},
		"+74951234567":     {"", "RU"},
		"+77271234567":     {"", "KZ"},
		"+252612345678":    {"", "SO"},
	} {
		read := readings(number, "")
		require.Len(t, read, 1, number)
		require.Equal(t, want.refused, refusedType(read[0]), "%s %v", number, country(read[0]))
		if want.country != "" || want.refused == "" && number != "+12685551234" {
			require.Equal(t, want.country, country(read[0]), number)
		}
	}
	for _, code := range Countries() {
		require.True(t, IsCountry(code), code)
	}
	require.False(t, IsCountry("nl"))
	require.False(t, IsCountry("EU"))
}

func TestReadings(t *testing.T) {
	t.Parallel()
	for target, want := range map[string][]string{
		"+31201234567":                       {"+31201234567"},
		"sip:+31201234567@example.com":       {"+31201234567"},
		"sips:%2B31900123456@example.com":    {"+31900123456"},
		"sip:0031900123456@example.com":      {"+31900123456"},
		"sip:0900123456@example.com":         {"+31900123456"},
		"sip:31900123456@example.com;x=y":    {"+31900123456"},
		"SIP:+31900123456;phone-context=x@y": {"+31900123456"},
		"tel:+31900123456":                   {"+31900123456"},
		"sip:desk@example.com":               nil,
		"sip:example.com":                    nil,
		"sip:2001@example.com":               nil,
		"sip:":                               nil,
		"":                                   nil,
	} {
		var got []string
		for _, number := range readings(target, "+31850000000") {
			got = append(got, phonenumbers.Format(number, phonenumbers.E164))
		}
		require.Subset(t, got, want, target)
		require.Equal(t, len(want) == 0, len(got) == 0, "%s is read as %v", target, got)
	}
}
