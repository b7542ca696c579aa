package api

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/analysis"
)

// The free-form objects of an assistant accept the keys and limits that are common in this field, each key in camelCase
// or snake_case. Known keys are checked here; unknown ones are stored as they are, for servers and providers that read
// them.

// rule is what a value may be.
type rule struct {
	check  func(wrong *apierror.Error, path string, value any) // adds what is wrong with the value at path
	schema *huma.Schema                                        // the same in the document
}

const (
	maxPlanText   = 32 << 10
	maxSpokenText = 1000
)

var (
	flag         = rule{checkFlag, &huma.Schema{Type: huma.TypeBoolean}}
	regex        = rule{checkRegex, &huma.Schema{Type: huma.TypeString, MaxLength: new(maxSpokenText)}}
	jsonSchema   = rule{checkJSONSchema, openObject()}
	waitFunction = rule{checkWaitFunction, &huma.Schema{Type: huma.TypeString}}
	smart        = rule{checkSmartEndpointing, &huma.Schema{AnyOf: []*huma.Schema{{Type: huma.TypeBoolean},
		{Type: huma.TypeString, Enum: []any{"livekit"}}}}}
	anyText  = textUpTo(maxPlanText)
	spoken   = textUpTo(maxSpokenText)
	anyMap   = mapOf(nil)
	texts    = listOf(anyText)
	dialogue = listOf(mapOf(map[string]rule{"role": oneOf("system", "user", "assistant", "tool", "function").as("Who says it."),
		"content": textUpTo(50_000).as("What is said.")}))
	service = textUpTo(200)
	rubric  = oneOf("NumericScale", "DescriptiveScale", "Checklist", "Matrix", "PercentageScale", "LikertScale",
		"AutomaticRubric", "PassFail")
	speaker = oneOf("assistant-speaks-first", "assistant-speaks-first-with-model-generated-message", "assistant-waits-for-user")

	chunkPlan = mapOf(map[string]rule{
		"enabled": flag, "minCharacters": wholeBetween(1, 80), "punctuationBoundaries": texts,
		"formatPlan": mapOf(map[string]rule{
			"enabled": flag, "numberToDigitsCutoff": wholeBetween(0, math.MaxInt32), "formattersEnabled": listOf(oneOf(formatters...)),
			"replacements": listOf(mapOf(map[string]rule{
				"type": oneOf("exact", "regex"), "key": spoken, "value": spoken, "replaceAllEnabled": flag, "regex": regex,
				"options": listOf(anyMap),
			})).expressions("options", "regex"),
		}),
	})
	formatters = []string{
		"markdown", "asterisk", "stripAsterisk", "quote", "dash", "newline", "colon", "acronym", "dollarAmount", "email", "date",
		"time",
		"distance", "unit", "percentage", "phoneNumber", "number",
	}

	structuredDataPlan = mapOf(map[string]rule{"messages": dialogue, "enabled": flag, "schema": jsonSchema,
		"timeoutSeconds": between(1, 60)})
)

// detectionPlan is voicemail_detection where that is not one of detectionModes.
var (
	detectionModes = []string{"off", "detect", "leave-message"}
	detectionPlan  = mapOf(map[string]rule{
		"mode": oneOf(detectionModes[1:]...), "menu": oneOf("press-keys", "hang-up"), "enabled": flag, "provider": service,
		"type": oneOf("audio", "transcript"), "beepMaxAwaitSeconds": between(0, 30),
		"backoffPlan": mapOf(map[string]rule{
			"startAtSeconds": between(0, math.MaxInt32), "frequencySeconds": between(2.5, math.MaxInt32),
			"maxRetries": wholeBetween(1, 10),
		}),
		"voicemailDetectionTypes": texts, "machineDetectionTimeout": between(3, 59),
		"machineDetectionSpeechThreshold":    between(1000, 6000),
		"machineDetectionSpeechEndThreshold": between(500, 5000), "machineDetectionSilenceTimeout": between(2000, 10_000),
	})
)

func checkDetection(wrong *apierror.Error, value any) {
	switch value.(type) {
	case nil:
	case map[string]any:
		detectionPlan.check(wrong, "voicemail_detection", value)
	default:
		oneOf(detectionModes...).check(wrong, "voicemail_detection", value)
	}
}

// planRules are the rules by field of the assistant and, below it, by key in camelCase.
var planRules = map[string]rule{
	"analysis_plan": mapOf(map[string]rule{
		"minMessagesThreshold":    wholeBetween(0, math.MaxInt32),
		"summaryPlan":             mapOf(map[string]rule{"messages": dialogue, "enabled": flag, "timeoutSeconds": between(1, 60)}),
		"structuredDataPlan":      structuredDataPlan,
		"structuredDataMultiPlan": listOf(mapOf(map[string]rule{"key": textUpTo(200), "plan": structuredDataPlan})),
		"successEvaluationPlan": mapOf(map[string]rule{"rubric": rubric, "messages": dialogue, "enabled": flag,
			"timeoutSeconds": between(1, 60)}),
		"outcomeIds": texts,

		"summaryPrompt": anyText, "summaryRequestTimeoutSeconds": between(1, 60),
		"structuredDataPrompt": anyText, "structuredDataSchema": jsonSchema, "structuredDataRequestTimeoutSeconds": between(1, 60),
		"successEvaluationPrompt": anyText, "successEvaluationRubric": rubric, "successEvaluationRequestTimeoutSeconds": between(1, 60),
	}),
	"message_plan": mapOf(map[string]rule{
		"idleMessages": listOf(spoken), "idleMessageMaxSpokenCount": wholeBetween(1, 10),
		"idleMessageResetCountOnUserSpeechEnabled": flag,
		"idleTimeoutSeconds":                       between(5, 60), "silenceTimeoutMessage": spoken,
	}),
	"start_speaking_plan": mapOf(map[string]rule{
		"waitSeconds": between(0, 5), "smartEndpointingEnabled": smart, "thinkAheadEnabled": flag,
		"smartEndpointingPlan": mapOf(map[string]rule{"provider": service, "waitFunction": waitFunction, "server": anyMap}),
		"transcriptionEndpointingPlan": mapOf(map[string]rule{
			"onPunctuationSeconds": between(0, 3), "onNoPunctuationSeconds": between(0, 3), "onNumberSeconds": between(0, 3),
		}),
		"customEndpointingRules": listOf(mapOf(map[string]rule{
			"type": oneOf("assistant", "customer", "both"), "regex": regex, "assistantRegex": regex, "customerRegex": regex,
			"timeoutSeconds": between(0, 15),
			"regexOptions":   listOf(anyMap),
		})).expressions("regexOptions", "regex", "assistantRegex", "customerRegex"),
	}),
	"stop_speaking_plan": mapOf(map[string]rule{
		"numWords": wholeBetween(0, 10), "voiceSeconds": between(0, 0.5), "backoffSeconds": between(0, 10),
		"acknowledgementPhrases": texts, "interruptionPhrases": texts,
	}),
	"keypad_input_plan": mapOf(map[string]rule{"enabled": flag, "timeoutSeconds": between(0, 10),
		"delimiters": oneOf("#", "*", "")}),
	"compliance_plan": mapOf(map[string]rule{
		"hipaaEnabled": flag, "pciEnabled": flag,
		"securityFilterPlan": mapOf(map[string]rule{
			"enabled": flag, "mode": oneOf("sanitize", "reject", "replace"), "replacementText": anyText, "filters": listOf(anyMap),
		}),
		"recordingConsentPlan": mapOf(map[string]rule{
			"type": oneOf("stay-on-line", "verbal"), "message": spoken, "voice": anyMap, "waitSeconds": between(1, 6),
			"firstMessageMode": speaker,
		}),
	}),
	"transcriber": mapOf(map[string]rule{"provider": service, "model": service, "language": service, "fallbackPlan": anyMap}),
	"model": mapOf(map[string]rule{
		"provider": service, "model": service, "messages": dialogue, "temperature": between(0, 2),
		"maxTokens": wholeBetween(50, 10_000),
		"timeout":   between(1, 60), "timeoutSeconds": between(1, 60), "tools": listOf(anyMap), "toolIds": texts,
		"knowledgeBase":  anyMap,
		"fallbackModels": listOf(anyMap),
	}),
	"voice": mapOf(map[string]rule{"provider": service, "voiceId": service, "model": service, "cachingEnabled": flag,
		"chunkPlan": chunkPlan, "fallbackPlan": anyMap}),
}

// checkPlans adds what is wrong with the free-form objects.
func checkPlans(wrong *apierror.Error, config *jsonb.Assistant) {
	for field, object := range map[string]jsonb.Object{
		"analysis_plan": config.AnalysisPlan, "message_plan": config.MessagePlan, "compliance_plan": config.CompliancePlan,
		"start_speaking_plan": config.StartSpeakingPlan, "stop_speaking_plan": config.StopSpeakingPlan,
		"keypad_input_plan": config.KeypadInputPlan,
		"transcriber":       config.Transcriber, "model": config.Model, "voice": config.Voice,
	} {
		planRules[field].check(wrong, field, map[string]any(object))
	}
	checkDetection(wrong, config.VoicemailDetection)
	jsonb.EndpointingServer(config.StartSpeakingPlan, func(path, why string) { wrong.With(path, why) })
}

// as returns the rule with a text for the document.
func (r rule) as(text string) rule {
	schema := *r.schema
	schema.Description = text
	return rule{r.check, &schema}
}

// mapOf returns the rule that checks the values of an object by their keys in camelCase. A nil value counts as absent.
func mapOf(rules map[string]rule) rule {
	schema := openObject()
	for name, value := range rules {
		schema.Properties[name] = value.schema
	}
	return rule{schema: schema, check: func(wrong *apierror.Error, path string, value any) {
		object, ok := value.(map[string]any)
		if !ok {
			wrong.With(path, "is not an object")
			return
		}
		spelled := make(map[string]string, len(object))
		for key, value := range object {
			name := camelCase(key)
			inner, known := rules[name]
			if !known {
				continue
			}
			if other, twice := spelled[name]; twice {
				wrong.With(path+"."+name, fmt.Sprintf("is given twice, as %s and %s", min(key, other), max(key, other)))
				continue
			}
			spelled[name] = key
			if value != nil {
				inner.check(wrong, path+"."+key, value)
			}
		}
	}}
}

func openObject() *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Properties: map[string]*huma.Schema{}}
}

func listOf(item rule) rule {
	return rule{schema: &huma.Schema{Type: huma.TypeArray, Items: item.schema},
		check: func(wrong *apierror.Error, path string, value any) {
			list, ok := value.([]any)
			if !ok {
				wrong.With(path, "is not an array")
				return
			}
			for i, value := range list {
				item.check(wrong, fmt.Sprintf("%s[%d]", path, i), value)
			}
		}}
}

func textUpTo(length int) rule {
	return rule{schema: &huma.Schema{Type: huma.TypeString, MaxLength: &length},
		check: func(wrong *apierror.Error, path string, value any) {
			text, ok := value.(string)
			switch {
			case !ok:
				wrong.With(path, "is not a string")
			case len(text) > length && len([]rune(text)) > length:
				wrong.With(path, fmt.Sprintf("is longer than %d characters", length))
			}
		}}
}

func oneOf(words ...string) rule {
	schema := &huma.Schema{Type: huma.TypeString}
	for _, word := range words {
		schema.Enum = append(schema.Enum, word)
	}
	return rule{schema: schema, check: func(wrong *apierror.Error, path string, value any) {
		if text, ok := value.(string); !ok || !slices.Contains(words, text) {
			wrong.With(path, fmt.Sprintf("is not one of %q", words))
		}
	}}
}

func between(least, most float64) rule {
	return rule{schema: numberSchema(huma.TypeNumber, least, most), check: func(wrong *apierror.Error, path string, value any) {
		if number, ok := jsonb.Float(value); !ok || number < least || number > most {
			wrong.With(path, fmt.Sprintf("is not a number from %v to %v", least, most))
		}
	}}
}

func wholeBetween(least, most float64) rule {
	return rule{schema: numberSchema(huma.TypeInteger, least, most), check: func(wrong *apierror.Error, path string, value any) {
		if number, ok := jsonb.Float(value); !ok || number < least || number > most || number != math.Trunc(number) {
			wrong.With(path, fmt.Sprintf("is not a whole number from %.0f to %.0f", least, most))
		}
	}}
}

// numberSchema takes a limit of 32 bits for none.
func numberSchema(kind string, least, most float64) *huma.Schema {
	schema := &huma.Schema{Type: kind, Minimum: &least}
	if most != math.MaxInt32 {
		schema.Maximum = &most
	}
	return schema
}

func checkFlag(wrong *apierror.Error, path string, value any) {
	if _, ok := value.(bool); !ok {
		wrong.With(path, "is not true or false")
	}
}

// checkRegex leaves the syntax to expressions.
func checkRegex(wrong *apierror.Error, path string, value any) {
	if text, ok := value.(string); !ok || len(text) > maxSpokenText {
		wrong.With(path, fmt.Sprintf("is not a text of at most %d bytes", maxSpokenText))
	}
}

// expressions returns the rule of a list of objects whose fields are regular expressions, with their options: of RE2, which
// matches in linear time, and together of bounded size.
func (r rule) expressions(options string, fields ...string) rule {
	return rule{schema: r.schema, check: func(wrong *apierror.Error, path string, value any) {
		r.check(wrong, path, value)
		var all jsonb.Regexes
		list, _ := value.([]any)
		for i, item := range list {
			given, _ := item.(map[string]any)
			object := byCamelCase(given)
			for _, field := range fields {
				pattern, _ := object[field].value.(string)
				if pattern == "" || len(pattern) > maxSpokenText {
					continue
				}
				_, err := all.Compile(pattern, object[options].value)
				at := fmt.Sprintf("%s[%d].%s", path, i, object[field].key)
				switch {
				case errors.Is(err, jsonb.ErrLargeRegex):
					wrong.With(at, err.Error())
				case err != nil:
					wrong.With(at, "is not a regular expression of RE2")
				}
			}
		}
	}}
}

// spelledField is a field by the key that it was given with.
type spelledField struct {
	key   string
	value any
}

func byCamelCase(object map[string]any) map[string]spelledField {
	fields := make(map[string]spelledField, len(object))
	for key, value := range object {
		fields[camelCase(key)] = spelledField{key, value}
	}
	return fields
}

func checkJSONSchema(wrong *apierror.Error, path string, value any) {
	schema, ok := value.(map[string]any)
	if !ok {
		wrong.With(path, "is not an object")
		return
	}
	if _, err := analysis.CompileSchema(schema); err != nil {
		wrong.With(path, err.Error())
	}
}

func checkWaitFunction(wrong *apierror.Error, path string, value any) {
	function, isText := value.(string)
	if _, err := jsonb.ParseWaitFunction(function); !isText || err != nil {
		wrong.With(path, "is not an expression over x, such as 20 + 500 * sqrt(x) + 2500 * x^3")
	}
}

// checkSmartEndpointing accepts a boolean and, from older clients, the name of a service.
func checkSmartEndpointing(wrong *apierror.Error, path string, value any) {
	if value != "livekit" {
		checkFlag(wrong, path, value)
	}
}

// camelCase returns voiceSeconds for voice_seconds, and for itself.
func camelCase(key string) string {
	first, rest, found := strings.Cut(key, "_")
	if !found {
		return key
	}
	for part := range strings.SplitSeq(rest, "_") {
		if part != "" {
			part = strings.ToUpper(part[:1]) + part[1:]
		}
		first += part
	}
	return first
}
