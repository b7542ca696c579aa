package all_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/all"
)

func TestOffer(t *testing.T) {
	t.Parallel()

	local, err := all.OfferOf(all.Speech{})
	require.NoError(t, err)
	require.Equal(t, all.Offer{LLM: []string{"scripted"}, STT: []string{"captions"}, TTS: []string{"flite", "espeak"}}, local)
	offer, err := all.OfferOf(all.Speech{
		LLM: []all.Settings{{Provider: "openai"}, {Provider: "groq"}, {Provider: "openai"}}, TTS: []all.Settings{{Provider: "11labs"}},
	})
	require.NoError(t, err, "no key is needed")
	require.Equal(t, all.Offer{LLM: []string{"openai", "groq"}, STT: []string{"captions"}, TTS: []string{"elevenlabs", "11labs"}},
		offer)
	_, err = all.OfferOf(all.Speech{STT: []all.Settings{{Provider: "nobody"}}})
	require.ErrorContains(t, err, `STT provider "nobody" is not known`)

	require.Empty(t, all.Missing(offer.TTS, "11labs"))
	require.Equal(t, `is "vapi", which this deployment does not have; it has elevenlabs, 11labs`, all.Missing(offer.TTS, "vapi"))
	require.Empty(t, all.Missing(nil, "vapi"), "no restriction")
}
