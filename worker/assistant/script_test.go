package assistant

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/spoken"
	"github.com/callwright/callwright/voice/turn"
)

// scriptOf makes the script of a call with an assistant of this configuration.
func scriptOf(t *testing.T, direction, config string) voice.Script {
	t.Helper()
	assistant := &jsonb.Assistant{}
	require.NoError(t, json.Unmarshal([]byte(config), assistant))
	assistant.SetDefaults()
	name := "Kim"
	call := &dbsqlc.Call{Direction: direction, AssistantName: "Ava", ContactName: &name, AssistantConfig: assistant}
	return NewScript(call, time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
}

func TestReadingPlan(t *testing.T) {
	t.Parallel()

	read := func(config, written string) string {
		script := scriptOf(t, "inbound", config)
		return spoken.New(script.Voice.Reading, script.Language).Read(written)
	}
	require.Equal(t, "Pay five dollars.", read(`{}`, "Pay $5."))
	require.Equal(t, "Dat is vijf dollar.", read(`{"transcriber": {"language": "nl-NL"}}`, "Dat is $5."))
	for _, off := range []string{
		`{"voice": {"chunkPlan": {"formatPlan": {"enabled": false}}}}`, `{"voice": {"chunk_plan": {"enabled": false}}}`,
		`{"voice": {"chunkPlan": {"formatPlan": {"formattersEnabled": ["email"]}}}}`,
	} {
		require.Equal(t, "Pay $5.", read(off, "Pay $5."), off)
	}
	require.Equal(t, "eight hundred, one two three four",
		read(`{"voice": {"chunkPlan": {"formatPlan": {"numberToDigitsCutoff": 1000}}}}`, "800, 1234"))
	require.Equal(t, "a way one dollar, P C, five ways", read(`{"voice": {"chunk_plan": {"format_plan": {"replacements": [
		{"type": "exact", "key": "hello", "value": "a way $1"}, {"type": "regex", "regex": "pc(\\d)", "value": "PC, $1 ways", "options": [{"type": "ignore-case", "enabled": true}]},
		{"type": "regex", "regex": "("}
	]}}}}`, "hello, Pc5"))
}

func TestVoicemailDetection(t *testing.T) {
	t.Parallel()

	with := func(detection string) voice.Script {
		return scriptOf(t, "outbound", `{"voicemail_message": "Call us.", "voicemail_detection": `+detection+`}`)
	}
	standard := voice.DefaultScript().Answering
	for _, leaves := range []string{`null`, `"leave-message"`, `{}`, `{"provider": "google", "type": "audio"}`,
		`{"voicemailDetectionTypes": ["machine_start"]}`} {
		script := with(leaves)
		require.True(t, script.DetectVoicemail, leaves)
		require.Equal(t, "Call us.", script.VoicemailMessage, leaves)
		require.Equal(t, standard, script.Answering, leaves)
	}
	for _, off := range []string{`"off"`, `{"enabled": false}`, `{"voicemailDetectionTypes": ["fax"]}`} {
		require.False(t, with(off).DetectVoicemail, off)
	}
	for _, detect := range []string{`"detect"`, `{"mode": "detect"}`} {
		require.True(t, with(detect).DetectVoicemail, detect)
		require.Empty(t, with(detect).VoicemailMessage, detect)
	}
	plan := with(`{"beep_max_await_seconds": 12, "machineDetectionSilenceTimeout": 3000, "machineDetectionSpeechEndThreshold": 1200, "machineDetectionTimeout": 20, "menu": "hang-up"}`)
	require.Equal(t, turn.AnsweringPlan{
		GreetAfter: 3 * time.Second, Pause: 1200 * time.Millisecond, BeepWait: 12 * time.Second, Until: 20 * time.Second,
		LeaveMenus: true,
	}, plan.Answering)
	require.Equal(t, 14*time.Second,
		with(`{"backoffPlan": {"startAtSeconds": 2, "frequencySeconds": 3, "maxRetries": 4}}`).Answering.Until)
	require.Equal(t, 35*time.Second, with(`{"backoff_plan": {}}`).Answering.Until)
}

func TestScriptDefaults(t *testing.T) {
	t.Parallel()

	script := scriptOf(t, "inbound", `{}`)
	standard := voice.DefaultScript()
	require.Equal(t, standard.Idle, script.Idle)
	require.Equal(t, standard.Keypad, script.Keypad)
	require.Equal(t, standard.StartSpeaking, script.StartSpeaking)
	require.Equal(t, standard.StopSpeaking, script.StopSpeaking)
	require.Equal(t, turn.AssistantSpeaksFirst, script.FirstMessageMode)
	require.Equal(t, 30*time.Second, script.SilenceTimeout)
	require.Empty(t, script.Abilities)
	require.Empty(t, script.Background.Sound)
	require.False(t, script.DetectVoicemail)
}

// A call lasts no longer than what is kept for it of its account's minutes.
func TestScriptWithinReservedSeconds(t *testing.T) {
	t.Parallel()
	for reserved, want := range map[int32]time.Duration{90: 90 * time.Second, 9000: 10 * time.Minute} {
		script := NewScript(&dbsqlc.Call{Direction: "outbound", AssistantConfig: &jsonb.Assistant{}, ReservedSeconds: &reserved},
			time.Now())
		require.Equal(t, want, script.MaxDuration)
	}
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
			"start_speaking_plan": {"waitSeconds": 1, "thinkAheadEnabled": false, "transcriptionEndpointingPlan": {"onPunctuationSeconds": 0.2, "onNoPunctuationSeconds": 2, "onNumberSeconds": 0.7}},
			"stop_speaking_plan": {"numWords": 2, "voiceSeconds": 0.3, "backoffSeconds": 2, "acknowledgementPhrases": ["ja"], "interruptionPhrases": []}
		}`,
		"snake_case": `{
			"message_plan": {
				"idle_messages": ["Hello {{contact_name}}?", "Still there?"], "idle_message_max_spoken_count": 5, "idle_timeout_seconds": 7.5,
				"idle_message_reset_count_on_user_speech_enabled": true, "silence_timeout_message": "Bye {{contact_name}}."
			},
			"keypad_input_plan": {"enabled": true, "timeout_seconds": 4, "delimiters": "#"},
			"start_speaking_plan": {"wait_seconds": 1, "think_ahead_enabled": false, "transcription_endpointing_plan": {"on_punctuation_seconds": 0.2, "on_no_punctuation_seconds": 2, "on_number_seconds": 0.7}},
			"stop_speaking_plan": {"num_words": 2, "voice_seconds": 0.3, "backoff_seconds": 2, "acknowledgement_phrases": ["ja"], "interruption_phrases": []}
		}`,
	} {
		t.Run(style, func(t *testing.T) {
			t.Parallel()
			script := scriptOf(t, "inbound", config)
			require.Equal(t, turn.IdlePlan{
				Messages: []string{"Hello Kim?", "Still there?"}, After: 7500 * time.Millisecond, Max: 5, ResetOnSpeech: true,
				SilenceMessage: "Bye Kim.",
			}, script.Idle)
			require.Equal(t, turn.KeypadPlan{Enabled: true, Timeout: 4 * time.Second, Delimiters: "#"}, script.Keypad)
			require.Equal(t, turn.StartSpeakingPlan{
				Wait: time.Second, Endpointing: turn.ByPunctuation, OnPunctuation: 200 * time.Millisecond, OnNoPunctuation: 2 * time.Second,
				OnNumber: 700 * time.Millisecond,
			}, script.StartSpeaking)
			require.Equal(t, turn.StopSpeakingPlan{
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
		`{"model": {"model": "m", "temperature": 0, "maxTokens": 250}}`,
		`{"model": {"model": "m", "temperature": 0, "max_tokens": 250}}`,
	} {
		require.Equal(t, voice.Model{Name: "m", Temperature: new(0.0), MaxTokens: 250}, scriptOf(t, "inbound", config).Model)
	}
}

// Every field of the plans of a conversation changes what the assistant is in a call.
func TestEveryPlanFieldCounts(t *testing.T) {
	t.Parallel()

	standard := scriptOf(t, "inbound", `{}`)
	for _, field := range []string{
		`"start_speaking_plan": {"waitSeconds": 2}`,
		`"start_speaking_plan": {"transcriptionEndpointingPlan": {"onPunctuationSeconds": 2}}`,
		`"start_speaking_plan": {"transcriptionEndpointingPlan": {"onNoPunctuationSeconds": 2}}`,
		`"start_speaking_plan": {"transcriptionEndpointingPlan": {"onNumberSeconds": 2}}`,
		`"start_speaking_plan": {"customEndpointingRules": [{"type": "customer", "regex": "um$", "timeoutSeconds": 3}]}`,
		`"stop_speaking_plan": {"numWords": 2}`, `"stop_speaking_plan": {"voiceSeconds": 0.4}`,
		`"stop_speaking_plan": {"backoffSeconds": 3}`,
		`"stop_speaking_plan": {"acknowledgementPhrases": ["ja"]}`, `"stop_speaking_plan": {"interruptionPhrases": ["ho"]}`,
		`"message_plan": {"idleMessages": ["Hello?"]}`, `"message_plan": {"idleTimeoutSeconds": 20}`,
		`"message_plan": {"idleMessageMaxSpokenCount": 7}`,
		`"message_plan": {"idleMessageResetCountOnUserSpeechEnabled": true}`, `"message_plan": {"silenceTimeoutMessage": "Bye."}`,
		`"keypad_input_plan": {"enabled": true}`, `"keypad_input_plan": {"timeoutSeconds": 5}`,
		`"keypad_input_plan": {"delimiters": "#"}`,
		`"voicemail_message": "Call us."`, `"end_call_message": "Bye."`, `"end_call_phrases": ["bye"]`, `"first_message": "Hello."`,
		`"first_message_mode": "assistant-waits-for-user"`, `"first_message_interruptions_enabled": true`, `"max_duration_seconds": 60`,
		`"llm_content": "Be kind."`, `"voice_id": "x"`, `"voice": {"voiceId": "x"}`, `"voice": {"model": "x"}`,
		`"transcriber": {"language": "nl"}`, `"transcriber": {"model": "x"}`,
		`"model": {"temperature": 1}`, `"model": {"maxTokens": 100}`,
		`"model": {"messages": [{"role": "system", "content": "Be kind."}]}`, `"model": {"model": "x"}`,
		`"end_call_function_enabled": true`, `"dial_keypad_function_enabled": true`,
		`"call_transfers": [{"name": "Jan", "phone_number": "+31201234567"}]`,
	} {
		require.NotEqual(t, standard, scriptOf(t, "inbound", "{"+field+"}"), field)
	}
}

// The end of a turn is found by evidence, unless an assistant has times of its own and does not ask for that.
func TestScriptSmartEndpointing(t *testing.T) {
	t.Parallel()

	times := `"transcriptionEndpointingPlan": {"onNumberSeconds": 2}`
	for plan, want := range map[string]turn.Endpointing{
		`{}`:                                 turn.ByEvidence,
		`{` + times + `}`:                    turn.ByPunctuation,
		`{"smartEndpointingEnabled": false}`: turn.ByPunctuation,
		`{"smartEndpointingEnabled": "livekit", ` + times + `}`:              turn.ByEvidence,
		`{"smart_endpointing_enabled": true, ` + times + `}`:                 turn.ByEvidence,
		`{"smartEndpointingPlan": {"provider": "vapi"}, ` + times + `}`:      turn.ByEvidence,
		`{"smart_endpointing_plan": {"provider": "livekit"}, ` + times + `}`: turn.ByEvidence,
		`{"smartEndpointingPlan": {"provider": "custom-endpointing-model"}}`: turn.ByServer,
	} {
		script := scriptOf(t, "inbound", `{"start_speaking_plan": `+plan+`}`)
		require.Equal(t, want, script.StartSpeaking.Endpointing, plan)
		require.Nil(t, script.StartSpeaking.WaitFunction, plan)
	}
	function := scriptOf(t, "inbound",
		`{"start_speaking_plan": {"smartEndpointingPlan": {"provider": "livekit", "waitFunction": "100 + 1000 * x"}}}`)
	require.Equal(t, 600*time.Millisecond, function.StartSpeaking.WaitFunction(0.5))
}

func TestScriptEndpointingRules(t *testing.T) {
	t.Parallel()

	rules := scriptOf(t, "inbound", `{"start_speaking_plan": {"custom_endpointing_rules": [
		{"type": "assistant", "regex": "phone number", "regexOptions": [{"type": "ignore-case", "enabled": true}, {"type": "strict", "enabled": false}], "timeoutSeconds": 4},
		{"type": "both", "assistant_regex": "spell", "customer_regex": "^[a-z]$", "timeout_seconds": 2},
		{"type": "customer", "regex": "(", "timeoutSeconds": 1}, {"type": "customer", "timeoutSeconds": 1},
		{"type": "customer", "regex": "(.{0,999}){1}.{0,999}.{0,999}", "timeoutSeconds": 1}
	]}}`).StartSpeaking.Rules
	require.Len(t, rules, 2)
	require.Equal(t, 4*time.Second, rules[0].Wait)
	require.True(t, rules[0].Assistant.MatchString("Your Phone Number?"))
	require.Nil(t, rules[0].Customer)
	require.Equal(t, "^[a-z]$", rules[1].Customer.String())
	require.Equal(t, 2*time.Second, rules[1].Wait)
}

// TestTemplatesThatNameOneValueAgainAndAgain would be 800 MB of one prompt, for each call.
func TestTemplatesThatNameOneValueAgainAndAgain(t *testing.T) {
	t.Parallel()
	again := strings.Repeat("{{a}}", 10_000)
	assistant := &jsonb.Assistant{
		LLMContent: again, FirstMessage: again, EndCallMessage: "Bye, {{contact_name}}.",
		MessagePlan: jsonb.Object{"idleMessages": []any{again, again}},
	}
	assistant.SetDefaults()
	value := strings.Repeat("x", 32<<10)
	script := NewScript(&dbsqlc.Call{Direction: "inbound", AssistantConfig: assistant, ContactName: new("Kim"),
		Variables: jsonb.Strings{"a": value}}, time.Now())
	size := len(script.SystemPrompt) + len(script.FirstMessage)
	for _, message := range script.Idle.Messages {
		size += len(message)
	}
	require.Contains(t, script.SystemPrompt, value)
	require.Less(t, size, mostFilled+10_000)

	each := eachFilled(map[string]string{"a": value})
	first := each("{{a}}" + again)
	require.Equal(t, first, each("{{a}}"+again), "texts that are spoken later have their own share")
}
