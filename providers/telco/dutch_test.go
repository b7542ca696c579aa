package telco_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/telco"
)

func TestDutchAreaCodes(t *testing.T) {
	t.Parallel()
	dutch := telco.NewDutch()
	for town, code := range map[string]string{
		"Amsterdam": "20", "amsterdam": "20", " Den  Haag ": "70", "'s-Gravenhage": "70", "Den Bosch": "73", "Rotterdam": "10",
		"Zierikzee": "111", "Goes": "113", "Utrecht": "30", "Nieuwegein": "30", "Meppel": "522", "Raalte": "572", "Deventer": "570",
		"Den Burg": "222", "Amstelveen": "20", "Ede": "318", "Nowhere": "", "": "",
	} {
		require.Equal(t, code, dutch.AreaCode(town), town)
	}
}

func TestDutchTypes(t *testing.T) {
	t.Parallel()
	dutch := telco.NewDutch()
	for number, want := range map[string][2]string{
		"+31612345678": {telco.Mobile, ""}, "+31850123456": {telco.National, ""}, "+31880123456": {telco.National, ""},
		"+31201234567": {telco.Local, "Amsterdam"}, "+31111234567": {telco.Local, "Zierikzee"},
		"+31200000001": {telco.Local, "Amsterdam"},
	} {
		numberType, locality, ok := dutch.Type(number)
		require.True(t, ok, number)
		require.Equal(t, want, [2]string{numberType, locality}, number)
	}
	for _, number := range []string{"", "+31", "+3120123456", "+312012345678", "+32201234567", "+31900123456", "+31800123456",
		"+31x01234567", "31201234567"} {
		_, _, ok := dutch.Type(number)
		require.False(t, ok, number)
	}
}
