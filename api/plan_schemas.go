package api

import (
	"cmp"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/callwright/callwright/db/jsonb"
)

// The document has the free-form objects of an assistant as full schemas: what the rules check, with what this file says of each
// key. Huma, which knows no keys in snake_case, does not see them: the rules alone check bodies.

// planComponents are the names of the objects' schemas by field of the assistant.
var planComponents = map[string]string{
	"analysis_plan": "AnalysisPlan", "message_plan": "MessagePlan", "start_speaking_plan": "StartSpeakingPlan",
	"stop_speaking_plan": "StopSpeakingPlan",
	"keypad_input_plan":  "KeypadInputPlan", "compliance_plan": "CompliancePlan", "transcriber": "Transcriber", "model": "Model",
	"voice":               "Voice",
	"voicemail_detection": "VoicemailDetectionPlan",
}

// planKey is what the document says of a key besides its rule.
type planKey struct {
	text    string
	usual   any          // the default; nil: none, or the text says it
	instead *huma.Schema // in place of the rule's schema
}

// planSchemas returns the schemas of the free-form objects by their names.
func planSchemas() map[string]*huma.Schema {
	schemas := toolSchemas()
	for field, name := range planComponents {
		rule, there := planRules[field]
		if !there {
			rule = detectionPlan
		}
		schemas[name] = planSchema(field, rule.schema)
	}
	return schemas
}

// planSchema returns a schema with what is said of its path and of those below.
func planSchema(path string, from *huma.Schema) *huma.Schema {
	said := planKeys[path]
	if said.instead != nil {
		from = said.instead
	}
	schema := *from
	schema.Description, schema.Default = cmp.Or(said.text, from.Description), cmp.Or(said.usual, from.Default)
	if from.Properties != nil {
		schema.Properties = make(map[string]*huma.Schema, len(from.Properties))
		for name, property := range from.Properties {
			schema.Properties[name] = orNull(planSchema(path+"."+name, property))
		}
	}
	if from.Items != nil && from.Items.Ref == "" {
		schema.Items = planSchema(path+"[]", from.Items)
	}
	return &schema
}

// orNull returns the schema of a field that may be null, which is as if it were left out.
func orNull(schema *huma.Schema) *huma.Schema {
	null := &huma.Schema{Type: "null"}
	switch {
	case schema.Ref != "":
		return &huma.Schema{Description: schema.Description, AnyOf: []*huma.Schema{{Ref: schema.Ref}, null}}
	case len(schema.AnyOf) > 0:
		schema.AnyOf = append(slices.Clip(schema.AnyOf), null)
		return schema
	}
	schema.Nullable = true
	if len(schema.Enum) > 0 {
		schema.Enum = append(slices.Clip(schema.Enum), nil)
	}
	return schema
}

func refTo(name string) *huma.Schema { return &huma.Schema{Ref: componentSchema + name} }

func listOfRefs(name string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeArray, Items: refTo(name)}
}

// described is a schema with a text.
func described(schema *huma.Schema, text string) *huma.Schema {
	schema.Description = text
	return schema
}

func modesOfTransfers() (modes []any) {
	for _, mode := range jsonb.TransferModes() {
		modes = append(modes, mode)
	}
	return modes
}

// toolSchemas are the schemas of the tools of a model, whose rules are in db/jsonb.
func toolSchemas() map[string]*huma.Schema {
	text := func(most int, says string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeString, MaxLength: &most, Description: says}
	}
	open := func(says string, properties map[string]*huma.Schema, required ...string) *huma.Schema {
		for name, property := range properties {
			if !slices.Contains(required, name) {
				properties[name] = orNull(property)
			}
		}
		return &huma.Schema{Type: huma.TypeObject, Description: says, Properties: properties, Required: required,
			AdditionalProperties: true}
	}
	closed := func(says string, properties map[string]*huma.Schema) *huma.Schema {
		schema := open(says, properties)
		schema.AdditionalProperties = false
		return schema
	}
	number := func(least, most float64, usual any, says string) *huma.Schema {
		schema := numberSchema(huma.TypeNumber, least, most)
		schema.Default, schema.Description = usual, says
		return schema
	}
	truth := func(says string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeBoolean, Default: false, Description: says}
	}
	name := text(64, "What the model calls it, unique in the assistant.")
	name.Pattern = "^[A-Za-z0-9_-]{1,64}$"
	return map[string]*huma.Schema{
		"Tool": open("Something that the assistant may do in a call. A tool of another type than these is kept and not used.",
			map[string]*huma.Schema{
				"type": {Type: huma.TypeString, Default: "function", Examples: []any{"function"},
					Description: "function asks your server, transferCall hands the caller over, endCall hangs up, dtmf presses keys, " +
						"query searches the knowledge base."},
				"function":     refTo("ToolFunction"),
				"server":       refTo("ToolServer"),
				"async":        truth("The assistant goes on without the response."),
				"messages":     described(listOfRefs("ToolMessage"), "What the assistant says about the tool at work."),
				"destinations": described(listOfRefs("TransferDestination"), "Of transferCall: where the caller may be handed over to."),
			}),
		"ToolFunction": open("Of a tool of type function.", map[string]*huma.Schema{
			"name": name, "description": text(10_000, "Tells the model what it does and when to call it."),
			"parameters": described(openObject(), "The JSON Schema of the arguments, which are an object; any object by default."),
		}, "name"),
		"ToolServer": open("The server that is asked, in place of the assistant's server or your webhook. The secret of these signs its messages too.", map[string]*huma.Schema{
			"url":            text(2048, "An http or https URL."),
			"timeoutSeconds": number(1, 20, 20, "How long the response may take, in seconds."),
			"headers": described(&huma.Schema{Type: huma.TypeObject, AdditionalProperties: text(4<<10, "")},
				"Sent with every message."),
		}, "url"),
		"ToolMessage": open("What the assistant says about a tool at work.", map[string]*huma.Schema{
			"type": {Type: huma.TypeString, Enum: []any{"request-start", "request-response-delayed", "request-complete", "request-failed"},
				Description: "When: as the server is asked, when it takes long, in place of a reply of the model, in place of one when it failed."},
			"content":            text(1000, "The words."),
			"timingMilliseconds": number(100, 120_000, 10_000, "Of request-response-delayed: after how many milliseconds."),
			"role": {Type: huma.TypeString, Enum: []any{"assistant", "system"}, Default: "assistant",
				Description: "system: for the model to read, not to be spoken; of request-complete and request-failed."},
			"endCallAfterSpokenEnabled": truth("The assistant hangs up afterwards; of request-complete and request-failed."),
		}, "type"),
		"TransferDestination": open("A telephone that the caller may be handed over to.", map[string]*huma.Schema{
			"type": {Type: huma.TypeString, Enum: []any{"number", "sip"},
				Description: "Follows from which of number and sipUri there is."},
			"number": {Type: huma.TypeString, MaxLength: new(64), Description: "E.164. Give this or sipUri.",
				Examples: []any{"+31201234567"}},
			"sipUri": {Type: huma.TypeString, MaxLength: new(255),
				Description: "A SIP URI: sip or sips, a user, a host and at most the parameters transport and user. One whose user is a number is a call to that number by the rules on destinations; one that leads to the carrier is called as that number, or not at all.", Examples: []any{"sip:desk@example.com"}},
			"name":    text(100, "What the assistant calls it."),
			"message": text(1000, "Spoken before."), "description": text(1000, "When to choose it."),
			"transferPlan": refTo("TransferPlan"),
		}),
		"TransferPlan": closed("How a caller is put through. Of the warm modes the assistant rings the colleague and speaks to them while the caller waits with music, then joins both; "+
			"it comes back to the caller where the colleague is busy, does not answer or is an answering machine. Unknown keys are refused.", map[string]*huma.Schema{
			"mode": {Type: huma.TypeString, Enum: modesOfTransfers(), Default: "blind-transfer",
				Description: "blind-transfer: nobody is spoken to. say-message and say-summary: the colleague is told message, or a summary of the call by the model, and then gets the caller; " +
					"wait-for-operator-to-speak-first: once they have spoken. experimental: the assistant talks with the colleague, who takes the caller or declines. blind-transfer-add-summary-to-sip-header: the summary is in the X-Transfer-Summary header of our INVITE."},
			"message": text(1000, "Told to the colleague in the modes that say a message, and where no summary could be made."),
			"sipVerb": {Type: huma.TypeString, Enum: []any{"refer", "dial"},
				Description: "Of blind-transfer: refer asks the carrier, dial has us ring and join both. By default as the SIP connection is set, else the trunk."},
			"dialTimeout": number(1, 600, nil, "Seconds that the colleague's telephone may ring; by default as long as any call."),
			"timeout": number(1, 600, 60,
				"Of the modes that wait for the colleague to speak first: seconds until then, with the message."),
			"holdAudioUrl": text(2048,
				"What the caller hears meanwhile: the http or https URL of a WAV, at most 5 MiB. Music by default, and ringback for a blind transfer."),
			"summaryPlan": closed("How the summary is made.", map[string]*huma.Schema{
				"enabled":        truth("Kept and not used: the mode decides."),
				"timeoutSeconds": number(1, 60, 5, "How long the model may take; it works while the telephone rings."),
				"messages":       described(listOfRefs("TransferMessage"), "Those of the role system are the model's prompt."),
			}),
			"transferAssistant": closed("Of warm-transfer-experimental: who talks with the colleague.", map[string]*huma.Schema{
				"firstMessage":       text(1000, "Spoken first; by default the summary, and whether to put the caller through."),
				"maxDurationSeconds": number(1, 600, 120, "How long the talk may last."),
				"model": closed("What the model is told besides.", map[string]*huma.Schema{
					"messages": described(listOfRefs("TransferMessage"), "Those of the role system."),
					"provider": text(100, "Kept and not used."), "model": text(100, "Kept and not used."),
				}),
			}),
			"fallbackPlan": closed("What the caller is told whom nobody took.", map[string]*huma.Schema{
				"message": text(1000, "The words; a fixed sentence by default."),
				"endCallEnabled": {Type: huma.TypeBoolean, Default: true,
					Description: "The call ends afterwards. Without a fallbackPlan the assistant goes on."},
			}),
		}),
		"TransferMessage": closed("A message to a model.", map[string]*huma.Schema{"role": text(20, "system; others are not used."),
			"content": text(10_000, "The words.")}),
	}
}

// regexOptions say how an expression is matched.
var regexOptions = &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{
	Type: huma.TypeObject, AdditionalProperties: true, Properties: map[string]*huma.Schema{
		"type": {Type: huma.TypeString, Enum: []any{"ignore-case", "multi-line", "whole-word", "strict"},
			Description: "strict: the whole text."},
		"enabled": {Type: huma.TypeBoolean, Default: false, Description: "Whether it counts."},
	},
}}

var planKeys = map[string]planKey{
	"analysis_plan": {text: "What a language model makes of a conversation after its end. The nested form and the flat one (summaryPrompt and so on) may be mixed; keys are in camelCase or snake_case. " +
		"Prompts may name {{transcript}}, {{messages}}, {{systemPrompt}}, {{schema}}, {{rubric}} and {{endedReason}}."},
	"analysis_plan.minMessagesThreshold": {text: "A conversation of fewer turns is not analyzed.",
		usual: 2},
	"analysis_plan.summaryPlan":                                   {text: "The summary."},
	"analysis_plan.summaryPlan.enabled":                           {text: "Whether there is one.", usual: true},
	"analysis_plan.summaryPlan.messages":                          {text: "The prompt, in place of the usual one."},
	"analysis_plan.summaryPlan.timeoutSeconds":                    {text: "How long the model may take, in seconds.", usual: 5},
	"analysis_plan.structuredDataPlan":                            {text: "Data that the conversation contained."},
	"analysis_plan.structuredDataPlan.enabled":                    {text: "Whether they are asked for; with a schema in the flat form they are.", usual: false},
	"analysis_plan.structuredDataPlan.schema":                     {text: "The JSON Schema of the data; what the model returns is held against it."},
	"analysis_plan.structuredDataPlan.messages":                   {text: "The prompt, in place of the usual one."},
	"analysis_plan.structuredDataPlan.timeoutSeconds":             {text: "How long the model may take, in seconds.", usual: 5},
	"analysis_plan.structuredDataMultiPlan":                       {text: "Further data, each under a key."},
	"analysis_plan.structuredDataMultiPlan[].key":                 {text: "The name of the data in structuredDataMulti."},
	"analysis_plan.structuredDataMultiPlan[].plan":                {text: "As structuredDataPlan."},
	"analysis_plan.structuredDataMultiPlan[].plan.enabled":        {text: "Whether they are asked for.", usual: false},
	"analysis_plan.structuredDataMultiPlan[].plan.schema":         {text: "The JSON Schema of the data."},
	"analysis_plan.structuredDataMultiPlan[].plan.messages":       {text: "The prompt, in place of the usual one."},
	"analysis_plan.structuredDataMultiPlan[].plan.timeoutSeconds": {text: "How long the model may take, in seconds.", usual: 5},
	"analysis_plan.successEvaluationPlan":                         {text: "Whether the call was a success."},
	"analysis_plan.successEvaluationPlan.enabled":                 {text: "Whether it is judged.", usual: true},
	"analysis_plan.successEvaluationPlan.rubric":                  {text: "The scale of the judgement.", usual: "PassFail"},
	"analysis_plan.successEvaluationPlan.messages":                {text: "The prompt, in place of the usual one."},
	"analysis_plan.successEvaluationPlan.timeoutSeconds":          {text: "How long the model may take, in seconds.", usual: 5},
	"analysis_plan.outcomeIds":                                    {text: "Kept and not used."},
	"analysis_plan.summaryPrompt":                                 {text: "Flat form of summaryPlan: the prompt; empty: no summary."},
	"analysis_plan.summaryRequestTimeoutSeconds":                  {text: "How long the model may take, in seconds.", usual: 5},
	"analysis_plan.structuredDataPrompt":                          {text: "Flat form of structuredDataPlan: the prompt."},
	"analysis_plan.structuredDataSchema":                          {text: "Flat form: the JSON Schema of the data."},
	"analysis_plan.structuredDataRequestTimeoutSeconds":           {text: "How long the model may take, in seconds.", usual: 5},
	"analysis_plan.successEvaluationPrompt":                       {text: "Flat form of successEvaluationPlan: the prompt; empty: no judgement."},
	"analysis_plan.successEvaluationRubric": {text: "Flat form: the scale of the judgement.",
		usual: "PassFail"},
	"analysis_plan.successEvaluationRequestTimeoutSeconds": {text: "How long the model may take, in seconds.", usual: 5},
	"message_plan":              {text: "What the assistant says when nobody speaks. After 30 seconds of silence, its own reminders apart, the call ends."},
	"message_plan.idleMessages": {text: "Reminders, of which one is chosen at random; none by default."},
	"message_plan.idleMessageMaxSpokenCount": {text: "How many reminders are spoken in a call.",
		usual: 3},
	"message_plan.idleMessageResetCountOnUserSpeechEnabled": {text: "The caller's words make that count start anew.", usual: false},
	"message_plan.idleTimeoutSeconds": {text: "Seconds of silence before each reminder.",
		usual: 10},
	"message_plan.silenceTimeoutMessage":                                      {text: "Spoken when silence ends the call; end_call_message by default."},
	"start_speaking_plan":                                                     {text: "How long the caller must have been silent before the assistant answers. By default words and melody say how likely the caller goes on; transcriptionEndpointingPlan alone has its times in their place."},
	"start_speaking_plan.waitSeconds":                                         {text: "Seconds behind the end of speech that are waited at least; 0.3 by default, 0.4 with the times of transcriptionEndpointingPlan."},
	"start_speaking_plan.smartEndpointingEnabled":                             {text: "Whether the end of a turn is judged by words and melody; true unless there is a transcriptionEndpointingPlan. The name of a service counts as true."},
	"start_speaking_plan.thinkAheadEnabled":                                   {text: "Whether the reply is begun in the caller's first pause, and thrown away unheard where the caller goes on. At most two replies in a turn are begun in vain; what they cost stands in the call.", usual: true},
	"start_speaking_plan.smartEndpointingPlan":                                {text: "How the end of a turn is judged."},
	"start_speaking_plan.smartEndpointingPlan.provider":                       {text: "custom-endpointing-model asks your server; any other name is kept, and ours judges."},
	"start_speaking_plan.smartEndpointingPlan.server":                         {text: "The server that is asked, with the fields of the assistant's server in camelCase; that of the assistant by default.", instead: openObject()},
	"start_speaking_plan.smartEndpointingPlan.waitFunction":                   {text: "Milliseconds to wait as an expression over x, the probability that the caller goes on, such as 20 + 500 * sqrt(x) + 2500 * x^3."},
	"start_speaking_plan.transcriptionEndpointingPlan":                        {text: "Times behind what the transcriber wrote, in seconds from the arrival of the words. A pause is noticed after 0.4 seconds."},
	"start_speaking_plan.transcriptionEndpointingPlan.onPunctuationSeconds":   {text: "Behind a full stop or the like.", usual: 0.1},
	"start_speaking_plan.transcriptionEndpointingPlan.onNoPunctuationSeconds": {text: "Behind anything else.", usual: 1.5},
	"start_speaking_plan.transcriptionEndpointingPlan.onNumberSeconds":        {text: "Behind a number.", usual: 0.5},
	"start_speaking_plan.customEndpointingRules":                              {text: "In place of all that, by what was said; the first that matches counts."},
	"start_speaking_plan.customEndpointingRules[].type":                       {text: "Whose words are looked at."},
	"start_speaking_plan.customEndpointingRules[].regex":                      {text: "Of assistant and customer: a regular expression of RE2."},
	"start_speaking_plan.customEndpointingRules[].assistantRegex":             {text: "Of both: what the assistant said last."},
	"start_speaking_plan.customEndpointingRules[].customerRegex":              {text: "Of both: the caller's words so far."},
	"start_speaking_plan.customEndpointingRules[].regexOptions": {text: "How the expressions are matched.",
		instead: regexOptions},
	"start_speaking_plan.customEndpointingRules[].timeoutSeconds": {text: "Seconds to wait from the arrival of the words."},
	"stop_speaking_plan":                        {text: "What makes the assistant stop when the caller talks into its speech."},
	"stop_speaking_plan.numWords":               {text: "Words that it takes; 0: voiceSeconds decides.", usual: 0},
	"stop_speaking_plan.voiceSeconds":           {text: "Seconds of speech that it takes where numWords is 0 and no words are understood yet; 0.6 by default."},
	"stop_speaking_plan.backoffSeconds":         {text: "Seconds of silence that the assistant keeps afterwards.", usual: 1},
	"stop_speaking_plan.acknowledgementPhrases": {text: "Words that never interrupt, such as yes and I see, in place of the usual ones."},
	"stop_speaking_plan.interruptionPhrases":    {text: "Words that interrupt at once, such as stop and wait, in place of the usual ones."},
	"keypad_input_plan":                         {text: "What becomes of the keys that the caller presses. They reach the model together, as words of the caller."},
	"keypad_input_plan.enabled":                 {text: "Whether keys are read.", usual: false},
	"keypad_input_plan.timeoutSeconds":          {text: "Seconds behind the last key after which an entry is complete; 0: only a delimiter completes it.", usual: 2},
	"keypad_input_plan.delimiters":              {text: "The key that completes an entry; empty: none.", usual: ""},
	"compliance_plan": {text: "With hipaaEnabled or pciEnabled calls are not recorded. With hipaaEnabled nothing of what is said is kept either: once the report of a call was delivered, or given up, its transcript, tool calls " +
		"and analysis are removed, also from its events. The rest is kept and not used."},
	"compliance_plan.hipaaEnabled": {text: "Calls are not recorded, and what is said is not kept.",
		usual: false},
	"compliance_plan.pciEnabled":                            {text: "Calls are not recorded.", usual: false},
	"compliance_plan.securityFilterPlan":                    {text: "Kept and not used."},
	"compliance_plan.securityFilterPlan.enabled":            {text: "Kept and not used."},
	"compliance_plan.securityFilterPlan.mode":               {text: "Kept and not used."},
	"compliance_plan.securityFilterPlan.replacementText":    {text: "Kept and not used."},
	"compliance_plan.securityFilterPlan.filters":            {text: "Kept and not used."},
	"compliance_plan.recordingConsentPlan":                  {text: "Kept and not used."},
	"compliance_plan.recordingConsentPlan.type":             {text: "Kept and not used."},
	"compliance_plan.recordingConsentPlan.message":          {text: "Kept and not used."},
	"compliance_plan.recordingConsentPlan.voice":            {text: "Kept and not used."},
	"compliance_plan.recordingConsentPlan.waitSeconds":      {text: "Kept and not used."},
	"compliance_plan.recordingConsentPlan.firstMessageMode": {text: "Kept and not used."},
	"transcriber":                           {text: "Who recognises speech. Keys of the service's own are kept."},
	"transcriber.provider":                  {text: "The service; the deployment's first choice by default."},
	"transcriber.model":                     {text: "The service's model."},
	"transcriber.language":                  {text: "BCP 47, such as nl or en-GB; also the language in which numbers are read out and of the assistant's fixed sentences.", usual: "en"},
	"transcriber.fallbackPlan":              {text: "Kept and not used: the deployment's other services stand in."},
	"model":                                 {text: "The language model. Keys of the service's own are kept."},
	"model.provider":                        {text: "The service; the deployment's first choice by default."},
	"model.model":                           {text: "The service's model."},
	"model.messages":                        {text: "What the model reads before the conversation. The system message is the assistant's behaviour, in place of llm_content."},
	"model.temperature":                     {text: "How varied replies are; the service's own by default."},
	"model.maxTokens":                       {text: "The longest reply, in tokens; the service's own limit by default."},
	"model.timeout":                         {text: "Seconds until the first word of a reply.", usual: 20},
	"model.timeoutSeconds":                  {text: "The same as timeout.", usual: 20},
	"model.tools":                           {text: "What the assistant may do in a call; at most 64.", instead: listOfRefs("Tool")},
	"model.toolIds":                         {text: "Kept and not used: give tools themselves."},
	"model.knowledgeBase":                   {text: "Kept and not used: set knowledge_base_enabled."},
	"model.fallbackModels":                  {text: "Kept and not used: the deployment's other services stand in."},
	"voice":                                 {text: "Who speaks. Keys of the service's own are kept. Markdown is never read out."},
	"voice.provider":                        {text: "The service; the deployment's first choice by default."},
	"voice.voiceId":                         {text: "The service's voice."},
	"voice.cachingEnabled":                  {text: "Kept and not used: what is said again is always kept for a while."},
	"voice.fallbackPlan":                    {text: "Kept and not used: the deployment's other services stand in."},
	"voice.model":                           {text: "The service's model."},
	"voice.chunkPlan":                       {text: "How replies are read aloud."},
	"voice.chunkPlan.enabled":               {text: "false: nothing is formatted.", usual: true},
	"voice.chunkPlan.minCharacters":         {text: "Kept and not used: replies are spoken by sentences.", usual: 30},
	"voice.chunkPlan.punctuationBoundaries": {text: "Kept and not used."},
	"voice.chunkPlan.formatPlan":            {text: "Amounts, dates, times, telephone numbers, codes, addresses, units and abbreviations are read out in Dutch, English or German. The transcript keeps what was written."},
	"voice.chunkPlan.formatPlan.enabled":    {text: "Whether they are.", usual: true},
	"voice.chunkPlan.formatPlan.numberToDigitsCutoff": {text: "Whole numbers above are read digit by digit.",
		usual: 2025},
	"voice.chunkPlan.formatPlan.formattersEnabled":                {text: "What is formatted; all by default."},
	"voice.chunkPlan.formatPlan.replacements":                     {text: "Words that are read in your own way."},
	"voice.chunkPlan.formatPlan.replacements[].type":              {text: "exact looks for key, regex for regex."},
	"voice.chunkPlan.formatPlan.replacements[].key":               {text: "Of exact: the text."},
	"voice.chunkPlan.formatPlan.replacements[].value":             {text: "What is read in its place."},
	"voice.chunkPlan.formatPlan.replacements[].replaceAllEnabled": {text: "Of exact: every time, not only the first.", usual: false},
	"voice.chunkPlan.formatPlan.replacements[].regex":             {text: "Of regex: a regular expression of RE2."},
	"voice.chunkPlan.formatPlan.replacements[].options":           {text: "Of regex: how it is matched.", instead: regexOptions},
	"voicemail_detection":                                         {text: "What happens when no person takes an outgoing call. Persons, answering machines, menus, call screeners and faxes are told apart by words, timing, tones and, where these leave it open, by the language model."},
	"voicemail_detection.mode":                                    {text: "detect hangs up; leave-message, the default where there is a voicemail_message, speaks it behind the beep."},
	"voicemail_detection.menu":                                    {text: "What happens in a menu: the assistant presses keys where it may (dial_keypad_function_enabled), or hangs up.", usual: "press-keys"},
	"voicemail_detection.enabled":                                 {text: "false: the call goes on as with a person.", usual: true},
	"voicemail_detection.provider":                                {text: "Kept and not used."},
	"voicemail_detection.type":                                    {text: "Kept and not used."},
	"voicemail_detection.beepMaxAwaitSeconds":                     {text: "Seconds after the answer that the message waits for the beep.", usual: 30},
	"voicemail_detection.backoffPlan":                             {text: "Until when a machine is looked for, in place of machineDetectionTimeout: startAtSeconds + frequencySeconds × maxRetries. Between the looks is listened, too."},
	"voicemail_detection.backoffPlan.startAtSeconds":              {text: "Seconds after the answer.", usual: 5},
	"voicemail_detection.backoffPlan.frequencySeconds":            {text: "Seconds.", usual: 5},
	"voicemail_detection.backoffPlan.maxRetries":                  {text: "How often is looked.", usual: 6},
	"voicemail_detection.voicemailDetectionTypes":                 {text: "What is looked for; a list without one that begins with machine turns detection off."},
	"voicemail_detection.machineDetectionTimeout":                 {text: "Seconds after the answer from which on speech that begins proves nothing; 10 by default."},
	"voicemail_detection.machineDetectionSpeechThreshold":         {text: "Kept and not used; milliseconds."},
	"voicemail_detection.machineDetectionSpeechEndThreshold":      {text: "Milliseconds behind a greeting that is no person's for certain, after which it is decided; 1500 by default."},
	"voicemail_detection.machineDetectionSilenceTimeout":          {text: "Milliseconds of nobody speaking after which the assistant greets; 1500 by default."},
}
