package agents

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
)

// The largest request that is taken makes an assistant that is taken too.
func TestInstantAgentOfTheLargestRequest(t *testing.T) {
	t.Parallel()

	long := strings.Repeat("é a ", 5000)
	request := jsonb.InstantAgent{
		AgentName: long[:100], AdditionalContext: long, CustomInstructions: clip(long, 10_000), CanBookAppointments: true,
		FAQs:             slices.Repeat([]jsonb.InstantFAQ{{Question: clip(long, 300), Answer: clip(long, 5000)}}, 50),
		CallTransfers:    slices.Repeat([]jsonb.CallTransfer{{Name: clip(long, 100), Description: clip(long, 1000)}}, 50),
		AppointmentTypes: slices.Repeat([]jsonb.AppointmentType{{Name: clip(long, 200), Duration: 20}}, 20),
	}
	maker := newAgentMaker(&dbsqlc.InstantAgent{CompanyName: clip(long, 150), Request: request}, "+12025550123", nil)
	config := maker.config()
	require.LessOrEqual(t, len([]rune(config.LLMContent)), 50_000)
	require.True(t, strings.HasSuffix(config.LLMContent, request.CustomInstructions), "the customer's own words are not what is cut")
	require.NotEmpty(t, maker.known)
	for _, k := range maker.known {
		require.LessOrEqual(t, len([]rune(k.Title)), 300)
	}
}

func TestLanguageOf(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{
		"": "", "Linden Dental": "", "open": "",
		"Wij zijn de tandarts van Amsterdam en omgeving. Bel ons voor een afspraak.":                           "nl",
		"We are the dentists of Amsterdam. Call us for an appointment, or visit the practice.":                 "en",
		"Onze e-mail nieuwsbrief: design, service en support voor het MKB, met de beste cloud software van NL": "nl",
	} {
		require.Equal(t, want, languageOf(text), text)
	}
	for language, words := range commonWords {
		for _, word := range words {
			for other := range maps.Keys(commonWords) {
				require.False(t, other != language && slices.Contains(commonWords[other], word), "%s is common in both", word)
			}
		}
	}
	for number, want := range map[string]string{"+31201234567": "nl", "+3225551234": "nl", "+442079460000": "en", "": "en"} {
		require.Equal(t, want, languageOfNumber(number), number)
	}
}
