package worker

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/document"
	"github.com/callwright/callwright/voice"
)

// scriptOf makes the script of a call with an assistant of this configuration.
func scriptOf(t *testing.T, direction, config string) voice.Script {
	t.Helper()
	assistant := &document.Assistant{}
	require.NoError(t, json.Unmarshal([]byte(config), assistant))
	assistant.SetDefaults()
	name := "Kim"
	call := &dbsqlc.Call{Direction: direction, AssistantName: "Ava", ContactName: &name, AssistantConfig: assistant}
	return newScript(call, time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
}

func TestScriptDefaults(t *testing.T) {
	t.Parallel()

	script := scriptOf(t, "inbound", `{}`)
	standard := voice.DefaultScript()
	require.Equal(t, standard.Idle, script.Idle)
	require.Equal(t, standard.Keypad, script.Keypad)
	require.Equal(t, standard.StartSpeaking, script.StartSpeaking)
	require.Equal(t, standard.StopSpeaking, script.StopSpeaking)
	require.Equal(t, voice.AssistantSpeaksFirst, script.FirstMessageMode)
	require.Equal(t, 30*time.Second, script.SilenceTimeout)
	require.Empty(t, script.Abilities)
	require.Empty(t, script.Background.Sound)
	require.False(t, script.DetectVoicemail)
}

// The plans of an assistant may be written either way.
func TestScriptPlans(t *testing.T) {
	t.Parallel()

	for style, config := range map[string]string{
		"camelCase": `{
			"message_plan": {
				"idleMessages": ["Hello {{contact_name}}?", "Still there?"], "idleMessageMaxSpokenCount": 5, "idleTimeoutSeconds": 7.5,
				"idleMessageResetCountOnUserSpeechEnabled": true, "silenceTimeoutMessage": "Bye {{contact_name}}."
			},
			"keypad_input_plan": {"enabled": true, "timeoutSeconds": 4, "delimiters": "#"},
			"start_speaking_plan": {"waitSeconds": 1, "transcriptionEndpointingPlan": {"onPunctuationSeconds": 0.2, "onNoPunctuationSeconds": 2, "onNumberSeconds": 0.7}},
			"stop_speaking_plan": {"numWords": 2, "voiceSeconds": 0.3, "backoffSeconds": 2, "acknowledgementPhrases": ["ja"], "interruptionPhrases": []}
		}`,
		"snake_case": `{
			"message_plan": {
				"idle_messages": ["Hello {{contact_name}}?", "Still there?"], "idle_message_max_spoken_count": 5, "idle_timeout_seconds": 7.5,
				"idle_message_reset_count_on_user_speech_enabled": true, "silence_timeout_message": "Bye {{contact_name}}."
			},
			"keypad_input_plan": {"enabled": true, "timeout_seconds": 4, "delimiters": "#"},
			"start_speaking_plan": {"wait_seconds": 1, "transcription_endpointing_plan": {"on_punctuation_seconds": 0.2, "on_no_punctuation_seconds": 2, "on_number_seconds": 0.7}},
			"stop_speaking_plan": {"num_words": 2, "voice_seconds": 0.3, "backoff_seconds": 2, "acknowledgement_phrases": ["ja"], "interruption_phrases": []}
		}`,
	} {
		t.Run(style, func(t *testing.T) {
			t.Parallel()
			script := scriptOf(t, "inbound", config)
			require.Equal(t, voice.IdlePlan{
				Messages: []string{"Hello Kim?", "Still there?"}, After: 7500 * time.Millisecond, Max: 5, ResetOnSpeech: true, SilenceMessage: "Bye Kim.",
			}, script.Idle)
			require.Equal(t, voice.KeypadPlan{Enabled: true, Timeout: 4 * time.Second, Delimiters: "#"}, script.Keypad)
			require.Equal(t, voice.StartSpeakingPlan{
				Wait: time.Second, OnPunctuation: 200 * time.Millisecond, OnNoPunctuation: 2 * time.Second, OnNumber: 700 * time.Millisecond,
			}, script.StartSpeaking)
			require.Equal(t, voice.StopSpeakingPlan{
				NumWords: 2, Voice: 300 * time.Millisecond, Backoff: 2 * time.Second,
				AcknowledgementPhrases: []string{"ja"}, InterruptionPhrases: []string{},
			}, script.StopSpeaking)
		})
	}
}

func TestScriptKeypadTimeout(t *testing.T) {
	t.Parallel()

	for plan, want := range map[string]time.Duration{
		`{"enabled": true}`: 2 * time.Second,
		`{"enabled": true, "timeoutSeconds": 0, "delimiters": "#"}`:   0,
		`{"enabled": true, "timeout_seconds": 0, "delimiters": "#*"}`: 0,
		`{"enabled": true, "timeoutSeconds": 0, "delimiters": ""}`:    2 * time.Second,
	} {
		require.Equal(t, want, scriptOf(t, "inbound", `{"keypad_input_plan": `+plan+`}`).Keypad.Timeout, plan)
	}
}

func TestScriptAbilities(t *testing.T) {
	t.Parallel()

	for style, config := range map[string]string{
		"camelCase": `{"model": {"tools": [{"type": "endCall"}, {"type": "dtmf"}, {"type": "function"}, {"type": "transferCall", "destinations": [
			{"type": "number", "number": "+31201234567", "message": "I connect you, {{contact_name}}.", "description": "bills"},
			{"type": "sip", "sipUri": "sip:jansen@example.com", "name": "Dr. Jansen"}]}]}}`,
		"snake_case": `{"model": {"tools": [{"type": "end_call"}, {"type": "send_digits"}, {"type": "transfer_call", "destinations": [
			{"phone_number": "+31201234567", "message": "I connect you, {{contact_name}}.", "description": "bills"},
			{"sip_uri": "sip:jansen@example.com", "name": "Dr. Jansen"}]}]}}`,
	} {
		t.Run(style, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, voice.Abilities{EndCall: true, SendDigits: true, Transfers: []voice.Destination{
				{Name: "+31201234567", Description: "bills", Target: "+31201234567", Announcement: "I connect you, Kim."},
				{Name: "Dr. Jansen", Target: "sip:jansen@example.com"},
			}}, scriptOf(t, "inbound", config).Abilities)
		})
	}
}

func TestScriptVoicemail(t *testing.T) {
	t.Parallel()

	script := scriptOf(t, "outbound", `{"voicemail_message": "Call us, {{contact_name}}."}`)
	require.True(t, script.DetectVoicemail)
	require.Equal(t, "Call us, Kim.", script.VoicemailMessage)
}

func TestScriptModel(t *testing.T) {
	t.Parallel()

	for _, config := range []string{
		`{"model": {"model": "m", "temperature": 0, "maxTokens": 250}}`, `{"model": {"model": "m", "temperature": 0, "max_tokens": 250}}`,
	} {
		require.Equal(t, voice.Model{Name: "m", Temperature: new(0.0), MaxTokens: 250}, scriptOf(t, "inbound", config).Model)
	}
}
