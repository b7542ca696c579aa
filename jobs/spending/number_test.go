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
		read, err := readings(number, "")
		require.NoError(t, err)
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
		"+31201234567":                    {"+31201234567"},
		"sip:+31201234567@example.com":    {"+31201234567"},
		"sips:%2B31900123456@example.com": {"+31900123456"},
		"sip:%2b%33%31900123456@[::1]":    {"+31900123456"},
		"SIP:+31900123456@EXAMPLE.com.":   {"+31900123456"},
		"sip:0031900123456@example.com":   {"+31900123456"},
		"sip:(0)0.31-900-123456@a.b:5080": {"+31900123456"},
		"sip:01131900123456@example.com":  {"+31900123456"},
		"sip:81031900123456@example.com":  {"+31900123456"},
		"sip:0900123456@example.com":      {"+31900123456"},
		"sip:0900123456@a;user=phone":     {"+31900123456"},
		"sip:31900123456@example.com":     {"+31900123456"},
		"sip:0900FLOWER@example.com":      {"+31900356937"},
		"sip:desk@example.com":            nil,
		"sip:desk.2@example.com":          nil,
		"sip:example.com":                 nil,
		"sip:2001@example.com":            nil,
		"sip:*21@example.com":             nil,
	} {
		var got []string
		read, err := readings(target, "+31850000000")
		require.NoError(t, err, target)
		for _, number := range read {
			got = append(got, phonenumbers.Format(number, phonenumbers.E164))
		}
		require.Subset(t, got, want, target)
		require.Equal(t, len(want) == 0, len(got) == 0, "%s is read as %v", target, got)
	}
}

// TestTargetsThatNobodyReads holds what one program on the way may take for one number and another for none.
func TestTargetsThatNobodyReads(t *testing.T) {
	t.Parallel()
	for _, target := range []string{
		"", "desk", "sip:", "sip:@example.com", "tel:+31900123456", "SIP:+31900123456;phone-context=x@y",
		"sip:123456;phone-context=+31900@trunk",
		"sip:+31900123456:secret@trunk", "sip:?+31900123456@trunk", "sip:desk@trunk?To=%2B31900123456",
		"sip:desk@trunk;maddr=192.0.2.1",
		"sip:desk@trunk;method=BYE", "sip:desk@trunk;tgrp=dear", "sip:%252B31900123456@trunk", "sip:+31900123456%zz@trunk",
		"sip:+31900123456%00@trunk",
		"sip:+31900123456%0d%0a@trunk", "sip:[::1]@+31900123456@trunk", "sip://+31900123456@trunk", "sip:desk@trunk@other",
		"sip:desk@tr\u00fcnk",
		"sip:desk@trunk:0", "sip:desk@trunk:99999", "sip:desk@[::1", "sip:desk@[fe80::1%25eth0]",
		"sip:9931900123456@trunk", "sip:931900123456*1@trunk", "sip:*31*0031900123456@trunk", "sip:+31900123456,1@trunk",
		"sip:0900123456789012345;user=phone@trunk",
	} {
		read, err := readings(target, "+31850000000")
		require.Error(t, err, "%s is read as %v", target, read)
	}
}
