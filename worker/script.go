package worker

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/document"
	"github.com/callwright/callwright/voice"
)

// newScript makes of an assistant's configuration, as the call pinned it, what the assistant is in this call.
func newScript(call *dbsqlc.Call, now time.Time) voice.Script {
	config := call.AssistantConfig
	fill := filler(templateValues(call, now))
	script := voice.DefaultScript()
	script.SystemPrompt = fill(systemPrompt(config, call.Instruction))
	script.FirstMessage = fill(firstMessage(config, call.Direction))
	script.FirstMessageMode = voice.FirstMessageMode(config.FirstMessageMode)
	script.FirstMessageInterruptions = config.FirstMessageInterruptionsEnabled
	script.EndCallMessage = fill(config.EndCallMessage)
	script.EndCallPhrases = config.EndCallPhrases
	script.VoicemailMessage = fill(config.VoicemailMessage)
	script.Model.Name = text(config.Model, "model")
	script.Voice.Name = cmp.Or(text(config.Voice, "voiceId", "voice_id"), config.VoiceID)
	script.Voice.Model = text(config.Voice, "model")
	script.Transcriber.Model = text(config.Transcriber, "model")
	script.Transcriber.Language = text(config.Transcriber, "language")
	script.Language = cmp.Or(script.Transcriber.Language, "en")
	if config.MaxDurationSeconds > 0 {
		script.MaxDuration = time.Duration(config.MaxDurationSeconds) * time.Second
	}
	speakingPlans(config, &script)
	return script
}

func speakingPlans(config *document.Assistant, script *voice.Script) {
	start, stop := config.StartSpeakingPlan, config.StopSpeakingPlan
	seconds(start, &script.StartSpeaking.Wait, "waitSeconds", "wait_seconds")
	endpointing := object(start, "transcriptionEndpointingPlan", "transcription_endpointing_plan")
	seconds(endpointing, &script.StartSpeaking.OnPunctuation, "onPunctuationSeconds", "on_punctuation_seconds")
	seconds(endpointing, &script.StartSpeaking.OnNoPunctuation, "onNoPunctuationSeconds", "on_no_punctuation_seconds")
	seconds(endpointing, &script.StartSpeaking.OnNumber, "onNumberSeconds", "on_number_seconds")
	seconds(stop, &script.StopSpeaking.Voice, "voiceSeconds", "voice_seconds")
	seconds(stop, &script.StopSpeaking.Backoff, "backoffSeconds", "backoff_seconds")
	if words, ok := number(stop, "numWords", "num_words"); ok {
		script.StopSpeaking.NumWords = int(words)
	}
	if phrases := texts(stop, "acknowledgementPhrases", "acknowledgement_phrases"); phrases != nil {
		script.StopSpeaking.AcknowledgementPhrases = phrases
	}
	if phrases := texts(stop, "interruptionPhrases", "interruption_phrases"); phrases != nil {
		script.StopSpeaking.InterruptionPhrases = phrases
	}
}

// systemPrompt is the model's own system messages, else llm_content; the instruction of this one call follows.
func systemPrompt(config *document.Assistant, instruction *string) string {
	var parts []string
	messages, _ := config.Model["messages"].([]any)
	for _, message := range messages {
		fields, _ := message.(map[string]any)
		if role, _ := fields["role"].(string); role == "system" {
			parts = append(parts, text(fields, "content"))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, config.LLMContent)
	}
	if instruction != nil {
		parts = append(parts, *instruction)
	}
	return strings.TrimSpace(strings.Join(parts, "\n\n"))
}

func firstMessage(config *document.Assistant, direction string) string {
	if direction == "outbound" {
		return cmp.Or(config.FirstMessageOutbound, config.FirstMessage)
	}
	return config.FirstMessage
}

// templateValues are what {{name}} may name: the call's own variables before custom_data, before what is known anyway.
func templateValues(call *dbsqlc.Call, now time.Time) map[string]string {
	values := map[string]string{
		"assistant_name": call.AssistantName,
		"phone_number":   call.ContactPhoneNumber,
		"now":            now.UTC().Format(time.RFC3339),
		"date":           now.UTC().Format(time.DateOnly),
		"contact_name":   "",
	}
	if call.ContactName != nil {
		values["contact_name"] = *call.ContactName
	}
	var custom map[string]any
	if err := json.Unmarshal(call.CustomData, &custom); err == nil {
		for name, value := range custom {
			switch value := value.(type) {
			case string:
				values[name] = value
			case float64, bool:
				values[name] = fmt.Sprint(value)
			}
		}
	}
	maps.Copy(values, call.Variables)
	return values
}

var placeholder = regexp.MustCompile(`\{\{\s*([A-Za-z_][A-Za-z0-9_.-]*)\s*\}\}`)

// filler replaces {{name}}; a name that nobody gave a value disappears rather than being read out.
func filler(values map[string]string) func(string) string {
	return func(template string) string {
		return placeholder.ReplaceAllStringFunc(template, func(found string) string {
			return values[placeholder.FindStringSubmatch(found)[1]]
		})
	}
}

// The plans come in camelCase and in snake_case; each reader takes the names of one value, first found wins.

func text(from map[string]any, names ...string) string {
	for _, name := range names {
		if value, ok := from[name].(string); ok {
			return value
		}
	}
	return ""
}

func number(from map[string]any, names ...string) (float64, bool) {
	for _, name := range names {
		if value, ok := from[name].(float64); ok {
			return value, true
		}
	}
	return 0, false
}

func seconds(from map[string]any, into *time.Duration, names ...string) {
	if value, ok := number(from, names...); ok {
		*into = time.Duration(value * float64(time.Second))
	}
}

func object(from map[string]any, names ...string) map[string]any {
	for _, name := range names {
		if value, ok := from[name].(map[string]any); ok {
			return value
		}
	}
	return nil
}

// texts answers nil when the value is not there, which differs from an empty list.
func texts(from map[string]any, names ...string) []string {
	for _, name := range names {
		if list, ok := from[name].([]any); ok {
			found := []string{}
			for _, item := range list {
				if value, ok := item.(string); ok {
					found = append(found, value)
				}
			}
			return found
		}
	}
	return nil
}
