package api_test

import (
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/providers/all"
)

func TestVendorsThatTheDeploymentLacks(t *testing.T) {
	t.Parallel()

	server := apitest.New(t, func(a *api.API) {
		a.Vendors = all.Offer{LLM: []string{"openai", "groq"}, STT: []string{"deepgram"}, TTS: []string{"elevenlabs", "11labs"}}
	})
	lacking := object{
		"transcriber": object{"provider": "gladia", "fallback_plan": object{"transcribers": []any{object{"provider": "deepgram"},
			object{"provider": "azure"}}}},
		"model": object{"provider": "anthropic", "fallbackModels": []any{object{"provider": "xai"}}},
		"voice": object{"provider": "playht", "fallbackPlan": object{"voices": []any{object{"provider": "11labs"},
			object{"provider": "lmnt"}}}},
	}
	want := map[string]string{
		"transcriber.provider":                               `is "gladia", which this deployment does not have; it has deepgram`,
		"transcriber.fallback_plan.transcribers[1].provider": `is "azure", which this deployment does not have; it has deepgram`,
		"model.provider":                                     `is "anthropic", which this deployment does not have; it has openai, groq`,
		"model.fallbackModels[0].provider":                   `is "xai", which this deployment does not have; it has openai, groq`,
		"voice.provider":                                     `is "playht", which this deployment does not have; it has elevenlabs, 11labs`,
		"voice.fallbackPlan.voices[1].provider":              `is "lmnt", which this deployment does not have; it has elevenlabs, 11labs`,
	}
	whole := object{"assistant_name": "Ava"}
	maps.Copy(whole, lacking)
	require.Equal(t, want, server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, "/v1/assistants", whole))

	made := apitest.Want[api.Assistant](t, server, http.StatusCreated, http.MethodPost, "/v1/assistants", object{
		"assistant_name": "Ava", "model": object{"provider": "groq"}, "voice": object{"provider": "11labs"},
		"transcriber": object{"language": "nl"},
	})
	path := "/v1/assistants/" + made.AssistantID.String()
	require.Equal(t, want, server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPut, path, whole))
	require.Equal(t, want, server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPatch, path, lacking))
	require.Contains(t, server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPut, path,
		object{"llm_content": "x", "model": object{"provider": "xai"}}), "model.provider")
	apitest.Want[api.Assistant](t, server, http.StatusOK, http.MethodPatch, path, object{"assistant_name": "Bea"})
}
