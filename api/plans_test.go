package api

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/db/jsonb"
)

func TestCheckPlans(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		config string
		wrong  map[string]string
	}{
		"Nothing": {`{}`, nil},
		"CamelCase": {`{"stop_speaking_plan": {"numWords": 2, "voiceSeconds": 0.2, "backoffSeconds": 1, "acknowledgementPhrases": ["ja"]},
			"start_speaking_plan": {"waitSeconds": 0.4, "thinkAheadEnabled": false, "transcriptionEndpointingPlan": {"onPunctuationSeconds": 0.1}}}`, nil},
		"SnakeCase": {`{"stop_speaking_plan": {"num_words": 2, "voice_seconds": 0.2}, "message_plan": {"idle_messages": ["Are you there?"]}}`, nil},
		"FlatAnalysis": {`{"analysis_plan": {"structuredDataPrompt": "p", "structuredDataSchema": {"type": "object"},
			"successEvaluationPrompt": "p", "successEvaluationRubric": "PassFail"}}`, nil},
		"NestedAnalysis": {`{"analysis_plan": {"summaryPlan": {"enabled": true, "timeoutSeconds": 5, "messages": [{"role": "system", "content": "Sum up."}]},
			"structuredDataMultiPlan": [{"key": "order", "plan": {"schema": {}}}], "successEvaluationPlan": {"rubric": "Checklist"}}}`,
			nil},
		"UnknownKeys":      {`{"stop_speaking_plan": {"novelty": {"a": [1]}}, "voice": {"provider": "espeak", "stability": 0.5}}`, nil},
		"Null":             {`{"stop_speaking_plan": {"numWords": null}}`, nil},
		"SmartEndpointing": {`{"start_speaking_plan": {"smartEndpointingEnabled": "livekit"}}`, nil},
		"WaitFunction":     {`{"start_speaking_plan": {"smartEndpointingPlan": {"provider": "livekit", "waitFunction": "20 + 500 * sqrt(x) + 2500 * x^3"}}}`, nil},
		"NoWaitFunction": {`{"start_speaking_plan": {"smart_endpointing_plan": {"waitFunction": "process.exit()"}}}`, map[string]string{
			"start_speaking_plan.smart_endpointing_plan.waitFunction": "is not an expression over x, such as 20 + 500 * sqrt(x) + 2500 * x^3",
		}},
		"EndpointingServer": {`{"start_speaking_plan": {"smartEndpointingPlan": {"provider": "custom-endpointing-model", "server": {"url": "https://example.com/turns"}}}}`, nil},
		"NoEndpointingServer": {`{"start_speaking_plan": {"smartEndpointingPlan": {"provider": "custom-endpointing-model", "server": {"url": "turns"}}}}`, map[string]string{
			"start_speaking_plan.smartEndpointingPlan.server.url": "is not an absolute http or https URL",
		}},

		"Detection":     {`{"voicemail_detection": "leave-message"}`, nil},
		"DetectionPlan": {`{"voicemail_detection": {"provider": "vapi", "beep_max_await_seconds": 25, "backoffPlan": {"startAtSeconds": 2, "frequencySeconds": 2.5, "maxRetries": 6}}}`, nil},
		"NoDetection": {`{"voicemail_detection": "perhaps"}`,
			map[string]string{"voicemail_detection": `is not one of ["off" "detect" "leave-message"]`}},
		"NoPlan": {`{"voicemail_detection": 5}`,
			map[string]string{"voicemail_detection": `is not one of ["off" "detect" "leave-message"]`}},
		"LongBeep": {`{"voicemail_detection": {"beepMaxAwaitSeconds": 31}}`,
			map[string]string{"voicemail_detection.beepMaxAwaitSeconds": "is not a number from 0 to 30"}},
		"Reading": {`{"voice": {"chunkPlan": {"formatPlan": {"numberToDigitsCutoff": 0, "formattersEnabled": ["date", "email"], "replacements": [{"type": "exact", "key": "a", "value": "b"}]}}}}`, nil},
		"NoReading": {`{"voice": {"chunk_plan": {"format_plan": {"enabled": 1, "replacements": [{"type": "regex", "regex": "("}]}}}}`,
			map[string]string{
				"voice.chunk_plan.format_plan.enabled":               "is not true or false",
				"voice.chunk_plan.format_plan.replacements[0].regex": "is not a regular expression of RE2",
			}},

		"LargeExpressions": {`{"start_speaking_plan": {"customEndpointingRules": [{"type": "customer", "regex": "um$"}, {"type": "both", "assistant_regex": "` + strings.Repeat(".{0,999}", 120) + `", "customerRegex": "("}]},
			"voice": {"chunkPlan": {"formatPlan": {"replacements": [{"regex": ".{0,999}"}, {"regex": ".{0,999}"}, {"regex": ".{0,999}", "options": []}]}}}}`, map[string]string{
			"start_speaking_plan.customEndpointingRules[1].assistant_regex": "is, with those before it, too large once its repetitions are written out",
			"start_speaking_plan.customEndpointingRules[1].customerRegex":   "is not a regular expression of RE2",
			"voice.chunkPlan.formatPlan.replacements[2].regex":              "is, with those before it, too large once its repetitions are written out",
		}},

		"EveryWrongOne": {`{"stop_speaking_plan": {"num_words": 11, "voiceSeconds": 0.6, "backoff_seconds": "1"}, "keypad_input_plan": {"enabled": 1}}`, map[string]string{
			"stop_speaking_plan.num_words":       "is not a whole number from 0 to 10",
			"stop_speaking_plan.voiceSeconds":    "is not a number from 0 to 0.5",
			"stop_speaking_plan.backoff_seconds": "is not a number from 0 to 10",
			"keypad_input_plan.enabled":          "is not true or false",
		}},
		"NoSchema": {`{"analysis_plan": {"structuredDataSchema": {"$ref": "http://127.0.0.1/"}, "structured_data_plan": {"schema": {"$ref": "#/none"}}}}`, map[string]string{
			"analysis_plan.structuredDataSchema":        `schema refers to "http://127.0.0.1/", which is not in it`,
			"analysis_plan.structured_data_plan.schema": `schema refers to "#/none", which is not in it`,
		}},
		"HalfAWord": {`{"stop_speaking_plan": {"numWords": 1.5}}`,
			map[string]string{"stop_speaking_plan.numWords": "is not a whole number from 0 to 10"}},
		"TwoSpellings": {`{"stop_speaking_plan": {"numWords": 1, "num_words": 2}}`,
			map[string]string{"stop_speaking_plan.numWords": "is given twice, as numWords and num_words"}},
		"InAList": {`{"model": {"messages": [{"role": "system", "content": "x"}, {"role": "boss", "content": 1}]}}`, map[string]string{
			"model.messages[1].role":    `is not one of ["system" "user" "assistant" "tool" "function"]`,
			"model.messages[1].content": "is not a string",
		}},
		"NoList": {`{"message_plan": {"idleMessages": "hello"}}`,
			map[string]string{"message_plan.idleMessages": "is not an array"}},
		"NoObject": {`{"analysis_plan": {"summary_plan": []}}`,
			map[string]string{"analysis_plan.summary_plan": "is not an object"}},
		"TooLong": {`{"message_plan": {"silenceTimeoutMessage": "` + strings.Repeat("ä", 1001) + `"}}`,
			map[string]string{"message_plan.silenceTimeoutMessage": "is longer than 1000 characters"}},
		"LongEnough": {`{"message_plan": {"silenceTimeoutMessage": "` + strings.Repeat("ä", 1000) + `"}}`, nil},
		"Rubric": {`{"analysis_plan": {"successEvaluationRubric": "Gut"}}`,
			map[string]string{"analysis_plan.successEvaluationRubric": `is not one of ["NumericScale" "DescriptiveScale" "Checklist" "Matrix" "PercentageScale" "LikertScale" "AutomaticRubric" "PassFail"]`}},
		"NamelessService": {`{"voice": {"provider": 7}}`, map[string]string{"voice.provider": "is not a string"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var config jsonb.Assistant
			require.NoError(t, json.Unmarshal([]byte(test.config), &config))
			wrong := apierror.Invalid()
			checkPlans(wrong, &config)
			if test.wrong == nil {
				test.wrong = map[string]string{}
			}
			require.Equal(t, test.wrong, wrong.Body.Details)
		})
	}
}
