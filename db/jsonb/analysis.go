package jsonb

import (
	"strings"
	"time"
	"unicode"
)

// AnalysisPlan is what is asked about a call after its end, read from an assistant's analysis_plan: flat or nested, in
// camelCase or snake_case. What is left out has the defaults of this field.
type AnalysisPlan struct {
	MinMessages       int // a conversation of fewer turns is not analyzed
	Summary           AnalysisPart
	SuccessEvaluation AnalysisPart
	Rubric            string // scale of the success evaluation
	StructuredData    AnalysisPart
	MultiData         []AnalysisPart // further structured data, each under its Key
}

// AnalysisPart is one question of an AnalysisPlan.
type AnalysisPart struct {
	Key      string // of MultiData
	Enabled  bool
	Messages []PromptMessage // empty: the usual ones
	Timeout  time.Duration   // of one request
	Schema   Object          // of structured data; empty: any object
}

// PromptMessage is a message to a language model.
type PromptMessage struct{ Role, Content string }

const (
	defaultMinMessages     = 2
	defaultAnalysisTimeout = 5 * time.Second
	defaultRubric          = "PassFail"
)

// Analysis reads the analysis plan, which was validated when it was stored.
func (a *Assistant) Analysis() AnalysisPlan {
	plan := map[string]any(a.AnalysisPlan)
	read := AnalysisPlan{MinMessages: defaultMinMessages, Rubric: defaultRubric}
	if least, ok := Float(planValue(plan, "minMessagesThreshold")); ok {
		read.MinMessages = int(least)
	}
	read.Summary = flatPart(plan, "summary", true)
	read.Summary.nested(planObject(plan, "summaryPlan"))
	evaluation := planObject(plan, "successEvaluationPlan")
	read.SuccessEvaluation = flatPart(plan, "successEvaluation", true)
	read.SuccessEvaluation.nested(evaluation)
	for _, rubric := range []any{planValue(plan, "successEvaluationRubric"), planValue(evaluation, "rubric")} {
		if name, ok := rubric.(string); ok {
			read.Rubric = name
		}
	}
	schema := planObject(plan, "structuredDataSchema")
	read.StructuredData = flatPart(plan, "structuredData", len(schema) > 0)
	read.StructuredData.Schema = schema
	read.StructuredData.nested(planObject(plan, "structuredDataPlan"))
	multi, _ := planValue(plan, "structuredDataMultiPlan").([]any)
	for _, item := range multi {
		fields, _ := item.(map[string]any)
		part := AnalysisPart{Timeout: defaultAnalysisTimeout}
		part.Key, _ = planValue(fields, "key").(string)
		part.nested(planObject(fields, "plan"))
		read.MultiData = append(read.MultiData, part)
	}
	return read
}

// flatPart reads the older form, where the prompt is one text; an empty one switches the part off.
func flatPart(plan map[string]any, name string, enabled bool) AnalysisPart {
	part := AnalysisPart{Enabled: enabled, Timeout: defaultAnalysisTimeout}
	if prompt, ok := planValue(plan, name+"Prompt").(string); ok {
		part.Enabled = prompt != ""
		part.Messages = []PromptMessage{{Role: "system", Content: prompt}}
	}
	if seconds, ok := Float(planValue(plan, name+"RequestTimeoutSeconds")); ok {
		part.Timeout = time.Duration(seconds * float64(time.Second))
	}
	return part
}

// nested reads the newer form, which wins over the older.
func (p *AnalysisPart) nested(plan map[string]any) {
	if enabled, ok := planValue(plan, "enabled").(bool); ok {
		p.Enabled = enabled
	}
	if seconds, ok := Float(planValue(plan, "timeoutSeconds")); ok {
		p.Timeout = time.Duration(seconds * float64(time.Second))
	}
	if schema := planObject(plan, "schema"); schema != nil {
		p.Schema = schema
	}
	list, ok := planValue(plan, "messages").([]any)
	if !ok {
		return
	}
	p.Messages = nil
	for _, item := range list {
		fields, _ := item.(map[string]any)
		role, _ := fields["role"].(string)
		content, _ := fields["content"].(string)
		p.Messages = append(p.Messages, PromptMessage{Role: role, Content: content})
	}
}

// planValue is the value of a key that is given in camelCase or in snake_case.
func planValue(from map[string]any, name string) any {
	if value, ok := from[name]; ok {
		return value
	}
	return from[snakeCase(name)]
}

func snakeCase(name string) string {
	var snake strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			snake.WriteByte('_')
		}
		snake.WriteRune(unicode.ToLower(r))
	}
	return snake.String()
}

func planObject(from map[string]any, name string) map[string]any {
	object, _ := planValue(from, name).(map[string]any)
	return object
}
