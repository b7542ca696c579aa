package jsonb

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

// TransferPlan is how a caller is put through to a destination, read from its transferPlan.
type TransferPlan struct {
	Mode      string        // one of TransferModes
	Message   string        // told to the colleague
	Verb      string        // of a blind transfer: refer, dial, or empty: as the SIP connection is set
	RingFor   time.Duration // 0: not said
	WaitFor   time.Duration // for the colleague to speak first; 0: not said
	HoldAudio string        // URL of a WAV

	SummaryPrompt  string
	SummaryTimeout time.Duration

	Greeting     string // of the assistant that asks the colleague
	Instructions string
	TalkFor      time.Duration

	Fallback    string // to the caller when nobody took the call
	EndFallback bool
}

const (
	blindTransfer        = "blind-transfer"
	experimentalTransfer = "warm-transfer-experimental"
)

// TransferModes returns the modes of transfer plans.
func TransferModes() []string {
	return []string{
		blindTransfer, "blind-transfer-add-summary-to-sip-header", "warm-transfer-say-message", "warm-transfer-say-summary",
		"warm-transfer-wait-for-operator-to-speak-first-and-then-say-message",
		"warm-transfer-wait-for-operator-to-speak-first-and-then-say-summary",
		experimentalTransfer,
	}
}

// The keys of a transfer plan and of its parts, in camelCase; each is known in snake_case too.
var (
	transferPlanKeys = []string{
		"mode", "message", "sipVerb", "dialTimeout", "timeout", "holdAudioUrl", "summaryPlan", "transferAssistant", "fallbackPlan",
	}
	summaryPlanKeys       = []string{"enabled", "messages", "timeoutSeconds"}
	transferAssistantKeys = []string{"firstMessage", "model", "maxDurationSeconds"}
	fallbackPlanKeys      = []string{"message", "endCallEnabled"}
)

const maxTransferSeconds = 600

// transferPlan reads a plan; nil: there is none.
func (r *toolReader) transferPlan(path string, value any) *TransferPlan {
	fields := r.part(path, value, transferPlanKeys)
	if fields == nil {
		return nil
	}
	plan := &TransferPlan{
		Mode: r.text(path, fields, "mode", 100), Message: r.text(path, fields, "message", maxToolMessage),
		Verb:      r.text(path, fields, "sipVerb", 10),
		RingFor:   r.seconds(path, fields, "dialTimeout", maxTransferSeconds),
		WaitFor:   r.seconds(path, fields, "timeout", maxTransferSeconds),
		HoldAudio: r.text(path, fields, "holdAudioUrl", 2048),
	}
	if plan.Mode == "" {
		plan.Mode = blindTransfer
	}
	if !slices.Contains(TransferModes(), plan.Mode) {
		r.refuse(path+".mode", fmt.Sprintf("is not one of %q", TransferModes()))
	}
	switch plan.Verb {
	case "", "refer", "dial":
	default:
		r.refuse(path+".sipVerb", "is not refer or dial")
	}
	if plan.HoldAudio != "" && !isURL(plan.HoldAudio) {
		r.refuse(path+".holdAudioUrl", "is not an absolute http or https URL")
	}
	r.summaryPlan(path, planValue(fields, "summaryPlan"), plan)
	r.transferAssistant(path, planValue(fields, "transferAssistant"), plan)
	r.fallbackPlan(path, planValue(fields, "fallbackPlan"), plan)
	return plan
}

func isURL(text string) bool {
	target, err := url.Parse(text)
	return err == nil && (target.Scheme == "https" || target.Scheme == "http") && target.Host != "" && target.User == nil
}

// part returns an object, nil where there is none, of which it refuses unknown keys: what nobody reads would be thought to work.
func (r *toolReader) part(path string, value any, keys []string) map[string]any {
	if value == nil {
		return nil
	}
	fields, ok := value.(map[string]any)
	if !ok {
		r.refuse(path, "is not an object")
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.ContainsFunc(keys, func(key string) bool { return name == key || name == snakeCase(key) }) {
			r.refuse(path+"."+name, "is not known; there are "+strings.Join(keys, ", "))
		}
	}
	return fields
}

func (r *toolReader) summaryPlan(path string, value any, plan *TransferPlan) {
	path += ".summaryPlan"
	fields := r.part(path, value, summaryPlanKeys)
	r.flag(path, fields, "enabled") // a mode wants a summary, or does not
	plan.SummaryTimeout = r.seconds(path, fields, "timeoutSeconds", 60)
	plan.SummaryPrompt = r.systemText(path, planValue(fields, "messages"))
}

func (r *toolReader) transferAssistant(path string, value any, plan *TransferPlan) {
	path += ".transferAssistant"
	fields := r.part(path, value, transferAssistantKeys)
	if fields != nil && plan.Mode != experimentalTransfer {
		r.refuse(path, "belongs to the mode "+experimentalTransfer)
	}
	plan.Greeting = r.text(path, fields, "firstMessage", maxToolMessage)
	plan.TalkFor = r.seconds(path, fields, "maxDurationSeconds", maxTransferSeconds)
	if model := r.part(path+".model", planValue(fields, "model"), []string{"messages", "provider", "model"}); model != nil {
		plan.Instructions = r.systemText(path+".model", model["messages"])
	}
}

func (r *toolReader) fallbackPlan(path string, value any, plan *TransferPlan) {
	path += ".fallbackPlan"
	fields := r.part(path, value, fallbackPlanKeys)
	if fields == nil {
		return
	}
	plan.Fallback = r.text(path, fields, "message", maxToolMessage)
	plan.EndFallback = planValue(fields, "endCallEnabled") == nil || r.flag(path, fields, "endCallEnabled")
}

// systemText returns the texts of the system messages in a list.
func (r *toolReader) systemText(path string, value any) string {
	path += ".messages"
	list, ok := value.([]any)
	if value != nil && !ok {
		r.refuse(path, "is not an array")
	}
	var texts []string
	for i, item := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		fields := r.part(at, item, []string{"role", "content"})
		if r.text(at, fields, "role", 20) == "system" {
			texts = append(texts, r.text(at, fields, "content", maxToolDescription))
		}
	}
	return strings.Join(texts, "\n\n")
}

func (r *toolReader) seconds(path string, fields map[string]any, name string, most float64) time.Duration {
	value := planValue(fields, name)
	number, ok := Float(value)
	if value != nil && (!ok || number < 1 || number > most) {
		r.refuse(path+"."+name, fmt.Sprintf("is not a number from 1 to %g", most))
		return 0
	}
	return time.Duration(number * float64(time.Second))
}

// ReadTransferPlan reads a plan that stands alone, under that name; nil: there is none. It tells wrong what cannot be used.
func ReadTransferPlan(name string, object Object, wrong func(path, why string)) *TransferPlan {
	if object == nil {
		return nil
	}
	reader := &toolReader{wrong: wrong}
	return reader.transferPlan(name, map[string]any(object))
}
