package vapi

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// metadataID is the key in an assistant's metadata that says what it was at Vapi. It makes a second run find it.
const metadataID = "vapi_id"

// conversion makes the body of an assistant here of an assistant there.
type conversion struct {
	*report
	tools map[string]Document // that toolIds name
	used  map[string]bool     // of tools: some assistant has it
	from  Document
	body  map[string]any
}

// rule moves one field of an assistant.
type rule func(c *conversion, name string, value any)

// assistantRules are the fields of an assistant that are moved.
var assistantRules = map[string]rule{
	"firstMessage": keepAs("first_message"), "firstMessageMode": keepAs("first_message_mode"),
	"firstMessageInterruptionsEnabled": keepAs("first_message_interruptions_enabled"),
	"endCallMessage":                   keepAs("end_call_message"), "endCallPhrases": keepAs("end_call_phrases"),
	"voicemailMessage": keepAs("voicemail_message"), "voicemailDetection": keepAs("voicemail_detection"),
	"maxDurationSeconds": keepAs("max_duration_seconds"), "backgroundSound": keepAs("background_sound"),
	"analysisPlan": keepAs("analysis_plan"), "messagePlan": keepAs("message_plan"), "compliancePlan": keepAs("compliance_plan"),
	"startSpeakingPlan": keepAs("start_speaking_plan"), "stopSpeakingPlan": keepAs("stop_speaking_plan"),
	"keypadInputPlan": keepAs("keypad_input_plan"), "transcriber": keepAs("transcriber"), "voice": keepAs("voice"),
	"endCallFunctionEnabled":    keepAs("end_call_function_enabled"),
	"dialKeypadFunctionEnabled": keepAs("dial_keypad_function_enabled"),
	"metadata":                  keepAs("metadata"), "model": moveModel, "server": moveServer, "hooks": moveHooks,
	"name": func(c *conversion, name string, _ any) { c.say(name, Kept, "") },
}

// lateRules are fields that change what others made; they come in this order.
var lateRules = []struct {
	name string
	rule rule
}{
	{"serverUrl", moveServerURL}, {"serverUrlSecret", moveServerSecret}, {"serverMessages", moveServerMessages},
	{"hipaaEnabled", moveHIPAA}, {"artifactPlan", moveArtifactPlan}, {"forwardingPhoneNumber", moveForwarding},
}

// silent are fields that configure nothing.
var silent = []string{"id", "orgId", "createdAt", "updatedAt", "isServerUrlSecretSet", "latestVersion"}

// reasons are why fields are dropped; others are not known here.
var reasons = map[string]string{
	"silenceTimeoutSeconds":         "how long a silence ends a call is fixed here; message_plan says what is spoken before",
	"clientMessages":                "there are no clients beside the telephone; subscribe your server to events",
	"transportConfigurations":       "settings of a carrier; yours are those of the SIP connection",
	"observabilityPlan":             "read calls and events through the API",
	"credentials":                   "keys of vendors belong to the deployment",
	"credentialIds":                 "keys of vendors belong to the deployment",
	"backgroundSpeechDenoisingPlan": "speech is told from background always",
	"backgroundDenoisingEnabled":    "speech is told from background always",
	"modelOutputInMessagesEnabled":  "transcripts hold what was really spoken",
	"monitorPlan":                   "live calls are followed by events and controlled by POST /v1/calls/{call_id}/messages, with your key",
	"backchannelingEnabled":         "is not done here",
}

func keepAs(field string) rule {
	return func(c *conversion, name string, value any) {
		c.body[field] = value
		c.say(name, Kept, "")
	}
}

// convert returns the body that makes the assistant here.
func convert(from Document, tools map[string]Document, used map[string]bool, said *report) map[string]any {
	c := &conversion{report: said, tools: tools, used: used, from: from, body: map[string]any{"assistant_name": said.name}}
	late := map[string]bool{}
	for _, last := range lateRules {
		late[last.name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(from)) {
		value := from[name]
		move, known := assistantRules[name]
		switch {
		case value == nil || late[name] || slices.Contains(silent, name):
		case known:
			move(c, name, value)
		default:
			c.say(name, Dropped, cmp.Or(reasons[name], "is not known here"))
		}
	}
	for _, last := range lateRules {
		if value := from[last.name]; value != nil {
			last.rule(c, last.name, value)
		}
	}
	if c.body["background_sound"] == nil {
		c.body["background_sound"] = "office"
		c.say("backgroundSound", Changed, "is office, as it is there by default on telephones")
	}
	metadata := maps.Clone(object(c.body["metadata"]))
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata[metadataID] = said.id
	c.body["metadata"] = metadata
	return c.body
}

// plan returns an object of the body that may be changed, which it makes where it is missing.
func (c *conversion) plan(field string) map[string]any {
	plan := maps.Clone(object(c.body[field]))
	if plan == nil {
		plan = map[string]any{}
	}
	c.body[field] = plan
	return plan
}

func moveHIPAA(c *conversion, name string, value any) {
	if value == true {
		c.plan("compliance_plan")["hipaaEnabled"] = true
		c.say(name, Changed, "is compliance_plan.hipaaEnabled")
	}
}

// moveArtifactPlan keeps calls unrecorded whose customers must not be.
func moveArtifactPlan(c *conversion, name string, value any) {
	plan := object(value)
	for _, field := range slices.Sorted(maps.Keys(plan)) {
		switch {
		case field != "recordingEnabled":
			c.say(name+"."+field, Dropped, "every call has its transcript, and its recording as WAV")
		case plan[field] == false:
			c.plan("compliance_plan")["pciEnabled"] = true
			c.say(name+"."+field, Changed, "is compliance_plan.pciEnabled: calls are not recorded")
		default:
			c.say(name+"."+field, Kept, "")
		}
	}
}

func moveForwarding(c *conversion, name string, value any) {
	c.body["call_transfers"] = []any{map[string]any{"name": "Forwarding", "phone_number": value}}
	c.say(name, Changed, "is one of call_transfers")
}

// moveHooks makes idle messages of what is said when the caller is silent.
func moveHooks(c *conversion, name string, value any) {
	hooks, _ := value.([]any)
	for i, item := range hooks {
		hook, at := object(item), fmt.Sprintf("%s[%d]", name, i)
		on, _ := hook["on"].(string)
		messages := spokenBy(hook)
		if on != "customer.speech.timeout" || len(messages) == 0 || c.from["messagePlan"] != nil {
			c.say(at, Dropped, fmt.Sprintf("hooks on %q are not run here", on))
			continue
		}
		plan, options := c.plan("message_plan"), object(hook["options"])
		plan["idleMessages"] = messages
		if seconds, ok := options["timeoutSeconds"].(float64); ok {
			plan["idleTimeoutSeconds"] = min(max(seconds, 5), 60)
		}
		if most, ok := options["triggerMaxCount"].(float64); ok {
			plan["idleMessageMaxSpokenCount"] = most
		}
		plan["idleMessageResetCountOnUserSpeechEnabled"] = options["triggerResetMode"] == "onUserSpeech"
		c.say(at, Changed, "are the idle messages of message_plan, 5 to 60 seconds apart")
	}
}

// spokenBy returns the fixed texts that a hook says; none where it does anything else besides.
func spokenBy(hook map[string]any) []any {
	actions, _ := hook["do"].([]any)
	var texts []any
	for _, item := range actions {
		action := object(item)
		if action["type"] != "say" {
			return nil
		}
		switch exact := action["exact"].(type) {
		case string:
			texts = append(texts, exact)
		case []any:
			texts = append(texts, exact...)
		default:
			return nil
		}
	}
	return texts
}

func object(value any) map[string]any {
	fields, _ := value.(map[string]any)
	return fields
}
