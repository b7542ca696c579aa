// Package assistant makes of the configuration that a call has pinned what the assistant is in that call: its script, its tools
// (the customer's functions, the knowledge base, appointments) and the sound in its background.
//
// It knows calls' rows, jobs' functions and package voice. It must not know how a call is carried, nor when it is claimed.
package assistant

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"time"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/turn"
)

// NewScript makes of an assistant's configuration, as the call pinned it, what the assistant is in this call.
func NewScript(call *dbsqlc.Call, now time.Time) voice.Script {
	config := call.AssistantConfig
	fill := filler(templateValues(call, now))
	script := voice.DefaultScript()
	script.SystemPrompt = fill(config.SystemPrompt(call.Instruction))
	script.FirstMessage = fill(firstMessage(config, call.Direction))
	script.FirstMessageMode = turn.FirstMessageMode(config.FirstMessageMode)
	script.FirstMessageInterruptions = config.FirstMessageInterruptionsEnabled
	script.EndCallMessage = fill(config.EndCallMessage)
	script.EndCallPhrases = config.EndCallPhrases
	script.VoicemailMessage = fill(config.VoicemailMessage)
	if call.Direction == "outbound" {
		answeringPlan(config.VoicemailDetection, &script)
	}
	script.Model.Name = text(config.Model, "model")
	if temperature, ok := number(config.Model, "temperature"); ok {
		script.Model.Temperature = &temperature
	}
	seconds(config.Model, &script.Model.Timeout, "timeoutSeconds", "timeout_seconds", "timeout")
	if most, ok := number(config.Model, "maxTokens", "max_tokens"); ok {
		script.Model.MaxTokens = int(most)
	}
	script.Voice.Name = cmp.Or(text(config.Voice, "voiceId", "voice_id"), config.VoiceID)
	script.Voice.Model = text(config.Voice, "model")
	script.Voice.Reading = readingPlan(object(config.Voice, "chunkPlan", "chunk_plan"))
	script.Transcriber.Model = text(config.Transcriber, "model")
	script.Transcriber.Language = text(config.Transcriber, "language")
	script.Language = cmp.Or(script.Transcriber.Language, "en")
	if config.MaxDurationSeconds > 0 {
		script.MaxDuration = time.Duration(config.MaxDurationSeconds) * time.Second
	}
	if call.ReservedSeconds != nil { // of the account's minutes
		script.MaxDuration = min(script.MaxDuration, time.Duration(*call.ReservedSeconds)*time.Second)
	}
	speakingPlans(config, &script)
	idlePlan(config.MessagePlan, &script.Idle, fill)
	keypadPlan(config.KeypadInputPlan, &script.Keypad)
	script.Abilities = abilities(config, fill)
	return script
}

// Vendors are the names by which an assistant asks for its services; empty: the deployment's choice.
type Vendors struct{ Model, Transcriber, Voice string }

// VendorsOf returns the vendors that an assistant names.
func VendorsOf(config *jsonb.Assistant) Vendors {
	return Vendors{
		Model: text(config.Model, "provider"), Transcriber: text(config.Transcriber, "provider"), Voice: text(config.Voice, "provider"),
	}
}

func speakingPlans(config *jsonb.Assistant, script *voice.Script) {
	start, stop := config.StartSpeakingPlan, config.StopSpeakingPlan
	endpointing := object(start, "transcriptionEndpointingPlan", "transcription_endpointing_plan")
	smartEndpointing(start, endpointing != nil, &script.StartSpeaking)
	seconds(start, &script.StartSpeaking.Wait, "waitSeconds", "wait_seconds")
	seconds(endpointing, &script.StartSpeaking.OnPunctuation, "onPunctuationSeconds", "on_punctuation_seconds")
	seconds(endpointing, &script.StartSpeaking.OnNoPunctuation, "onNoPunctuationSeconds", "on_no_punctuation_seconds")
	seconds(endpointing, &script.StartSpeaking.OnNumber, "onNumberSeconds", "on_number_seconds")
	script.StartSpeaking.Rules = endpointingRules(start)
	for _, name := range []string{"thinkAheadEnabled", "think_ahead_enabled"} {
		if enabled, ok := start[name].(bool); ok {
			script.StartSpeaking.ThinkAhead = enabled
		}
	}
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

// waitOfTranscription is how long behind speech nothing is answered where the times are those of the transcription plan.
const waitOfTranscription = 400 * time.Millisecond

// smartEndpointing has the end of a turn found by evidence, whoever is named as the provider of that but the customer's own
// server, unless the assistant has times of its own and does not want it.
func smartEndpointing(start map[string]any, timed bool, plan *turn.StartSpeakingPlan) {
	smart := object(start, "smartEndpointingPlan", "smart_endpointing_plan")
	wanted, refused := smart != nil, false
	for _, name := range []string{"smartEndpointingEnabled", "smart_endpointing_enabled"} {
		switch start[name] {
		case nil:
		case false:
			refused = true
		default: // true, or a name
			wanted = true
		}
	}
	if (timed || refused) && !wanted {
		plan.Endpointing, plan.Wait = turn.ByPunctuation, waitOfTranscription
		return
	}
	if _, wanted := jsonb.EndpointingServer(start, ignore); wanted {
		plan.Endpointing = turn.ByServer
	}
	if function, err := jsonb.ParseWaitFunction(text(smart, "waitFunction", "wait_function")); err == nil {
		plan.WaitFunction = function.Wait
	}
}

// endpointingRules leaves out those whose expressions cannot be read or are too large, which only a server's answer, or the
// version before, can bring.
func endpointingRules(plan map[string]any) []turn.EndpointingRule {
	var rules []turn.EndpointingRule
	var expressions jsonb.Regexes
	for _, fields := range objects(plan, "customEndpointingRules", "custom_endpointing_rules") {
		rule, fine := turn.EndpointingRule{}, true
		expression := func(into **regexp.Regexp, names ...string) {
			if pattern := text(fields, names...); pattern != "" {
				compiled, err := expressions.Compile(pattern, fields["regexOptions"])
				*into, fine = compiled, fine && err == nil
			}
		}
		switch text(fields, "type") {
		case "assistant":
			expression(&rule.Assistant, "regex")
		case "customer":
			expression(&rule.Customer, "regex")
		case "both":
			expression(&rule.Assistant, "assistantRegex", "assistant_regex")
			expression(&rule.Customer, "customerRegex", "customer_regex")
		}
		seconds(fields, &rule.Wait, "timeoutSeconds", "timeout_seconds")
		if fine && (rule.Assistant != nil || rule.Customer != nil) {
			rules = append(rules, rule)
		}
	}
	return rules
}

func idlePlan(plan map[string]any, idle *turn.IdlePlan, fill func(string) string) {
	for _, message := range texts(plan, "idleMessages", "idle_messages") {
		idle.Messages = append(idle.Messages, fill(message))
	}
	seconds(plan, &idle.After, "idleTimeoutSeconds", "idle_timeout_seconds")
	if most, ok := number(plan, "idleMessageMaxSpokenCount", "idle_message_max_spoken_count"); ok {
		idle.Max = int(most)
	}
	idle.ResetOnSpeech = flag(plan, "idleMessageResetCountOnUserSpeechEnabled", "idle_message_reset_count_on_user_speech_enabled")
	idle.SilenceMessage = fill(text(plan, "silenceTimeoutMessage", "silence_timeout_message"))
}

func keypadPlan(plan map[string]any, keypad *turn.KeypadPlan) {
	keypad.Enabled = flag(plan, "enabled")
	keypad.Delimiters = text(plan, "delimiters")
	seconds(plan, &keypad.Timeout, "timeoutSeconds", "timeout_seconds")
	if keypad.Timeout == 0 && keypad.Delimiters == "" { // nothing would ever complete an entry
		keypad.Timeout = voice.DefaultScript().Keypad.Timeout
	}
}

// abilities are what the assistant can do by itself.
func abilities(config *jsonb.Assistant, fill func(string) string) voice.Abilities {
	able := voice.Abilities{EndCall: config.EndCallFunctionEnabled, SendDigits: config.DialKeypadFunctionEnabled}
	for _, to := range config.CallTransfers {
		able.Transfers = append(able.Transfers, voice.Destination{Name: to.Name, Description: to.Description, Target: to.PhoneNumber})
	}
	for _, tool := range config.Tools(ignore) {
		switch tool.Kind {
		case jsonb.ToolEndCall:
			able.EndCall = true
		case jsonb.ToolDigits:
			able.SendDigits = true
		case jsonb.ToolTransfer:
			for _, to := range tool.Destinations {
				able.Transfers = append(able.Transfers, voice.Destination{
					Name: to.Name, Description: to.Description, Target: to.Target, Announcement: fill(to.Message),
					Plan: TransferPlan(to.Plan, fill),
				})
			}
		}
	}
	return able
}

// ignore is for configurations that were checked when they were stored: what a server's answer brought besides is left out.
func ignore(string, string) {}

func firstMessage(config *jsonb.Assistant, direction string) string {
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
	var custom jsonb.Object
	if err := json.Unmarshal(call.CustomData, &custom); err == nil {
		for name, value := range custom {
			switch value := value.(type) {
			case string:
				values[name] = value
			case float64, json.Number, bool:
				values[name] = fmt.Sprint(value)
			}
		}
	}
	maps.Copy(values, call.Variables)
	return values
}

var placeholder = regexp.MustCompile(`\{\{\s*([A-Za-z_][A-Za-z0-9_.-]*)\s*\}\}`)

// mostFilled is how many bytes values take in all the texts of a script. A few bytes of a template name a value of many, again
// and again: texts would be of any size.
const mostFilled = 256 << 10

// filler replaces {{name}}; a name that nobody gave a value disappears rather than being read out, and so does a value that is
// too long for what is left of mostFilled.
func filler(values map[string]string) func(string) string {
	left := mostFilled
	return func(template string) string {
		return placeholder.ReplaceAllStringFunc(template, func(found string) string {
			value := values[placeholder.FindStringSubmatch(found)[1]]
			if len(value) > left {
				return ""
			}
			left -= len(value)
			return value
		})
	}
}

// eachFilled is filler of texts that are no script: each has all of mostFilled.
func eachFilled(values map[string]string) func(string) string {
	return func(template string) string { return filler(values)(template) }
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
		if value, ok := jsonb.Float(from[name]); ok {
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

func flag(from map[string]any, names ...string) bool {
	for _, name := range names {
		if value, ok := from[name].(bool); ok {
			return value
		}
	}
	return false
}

// objects returns the objects in a list.
func objects(from map[string]any, names ...string) []map[string]any {
	var found []map[string]any
	for _, name := range names {
		list, _ := from[name].([]any)
		for _, item := range list {
			if value, ok := item.(map[string]any); ok {
				found = append(found, value)
			}
		}
	}
	return found
}

func object(from map[string]any, names ...string) map[string]any {
	for _, name := range names {
		if value, ok := from[name].(map[string]any); ok {
			return value
		}
	}
	return nil
}

// texts returns nil when the value is not there, which differs from an empty list.
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
