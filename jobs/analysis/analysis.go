// Package analysis asks a language model what became of a conversation: a summary, an evaluation by one of eight scales,
// and data that follow a schema. What people said is data to it, never an instruction.
//
// It knows prompts, scales, schemas and how to mend an answer; analyze_call.go alone knows rows and jobs. It must not know how
// a call is reported.
package analysis

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/llm/scripted"
	"github.com/callwright/callwright/providers/usage"
)

// Turn is what one side said.
type Turn struct{ Role, Text string }

// Conversation is what is analyzed.
type Conversation struct {
	Turns        []Turn
	SystemPrompt string // of the assistant
	EndedReason  string
}

// Model is who is asked.
type Model struct {
	llm.Provider
	Name string // empty: the provider's default
}

// Result is what came out. What was not asked, or failed, is nil.
type Result struct {
	Summary             *string
	SuccessEvaluation   *string
	StructuredData      json.RawMessage
	StructuredDataMulti json.RawMessage // a list of {key: data}

	Usage jsonb.Usage // what it took to ask
}

// Failure is a part of the plan that has no result.
type Failure struct {
	Part string
	Err  error
}

// Temporary reports whether asking again may help.
func (f Failure) Temporary() bool {
	kind, _ := fault.Of(f.Err)
	return kind == fault.Unavailable || kind == fault.Timeout
}

// Worthwhile reports whether there is something to ask, and somebody who could answer: both sides spoke, long enough for
// the plan, and the model understands words. The scripted one does not; what it would fill in would be made up.
func Worthwhile(plan *jsonb.AnalysisPlan, turns []Turn, model llm.Provider) bool {
	if scripted.Answers(model) || len(parts(plan)) == 0 {
		return false
	}
	spoken, heard := 0, false
	for _, turn := range turns {
		if turn.Role == llm.RoleUser || turn.Role == llm.RoleAssistant {
			spoken++
		}
		heard = heard || turn.Role == llm.RoleUser
	}
	return heard && spoken >= plan.MinMessages
}

// part is one question and where its answer goes.
type part struct {
	name string
	cost string // what servers of this field call it among the costs
	ask  func(ctx context.Context, a *asker) (func(*Result), error)
	have func(*Result) bool
}

func parts(plan *jsonb.AnalysisPlan) []part {
	var asked []part
	if plan.Summary.Enabled {
		asked = append(asked, part{"summary", "summary", func(ctx context.Context, a *asker) (func(*Result), error) {
			text, err := a.summary(ctx, &plan.Summary)
			return func(r *Result) { r.Summary = &text }, err
		}, func(r *Result) bool { return r.Summary != nil }})
	}
	if plan.SuccessEvaluation.Enabled {
		asked = append(asked, part{"success evaluation", "successEvaluation",
			func(ctx context.Context, a *asker) (func(*Result), error) {
				text, err := a.evaluation(ctx, &plan.SuccessEvaluation, plan.Rubric)
				return func(r *Result) { r.SuccessEvaluation = &text }, err
			}, func(r *Result) bool { return r.SuccessEvaluation != nil }})
	}
	if plan.StructuredData.Enabled {
		asked = append(asked, part{"structured data", "structuredData", func(ctx context.Context, a *asker) (func(*Result), error) {
			data, err := a.data(ctx, &plan.StructuredData)
			return func(r *Result) { r.StructuredData = data }, err
		}, func(r *Result) bool { return r.StructuredData != nil }})
	}
	for _, further := range plan.MultiData {
		if further.Enabled {
			asked = append(asked, part{"further structured data", "structuredOutput",
				func(ctx context.Context, a *asker) (func(*Result), error) {
					return a.multi(ctx, plan)
				}, func(r *Result) bool { return r.StructuredDataMulti != nil }})
			break
		}
	}
	return asked
}

// Run asks for the parts of the plan that are not in have yet, at the same time, and returns have with what came out.
func Run(ctx context.Context, model Model, plan *jsonb.AnalysisPlan, talk *Conversation, have Result) (Result, []Failure) {
	a := &asker{model: model, values: newValues(talk)}
	var mu sync.Mutex
	var wg sync.WaitGroup
	var failures []Failure
	result := have
	for _, part := range parts(plan) {
		if part.have(&have) {
			continue
		}
		metered := usage.Meter(ctx, func(use usage.Use) {
			mu.Lock()
			defer mu.Unlock()
			result.Usage = addUse(result.Usage, part.cost, use)
		})
		wg.Go(func() {
			set, err := part.ask(metered, a)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failures = append(failures, Failure{part.name, err})
				return
			}
			set(&result)
		})
	}
	wg.Wait()
	return result, failures
}

// addUse adds what it took to ask for a part.
func addUse(used jsonb.Usage, part string, use usage.Use) jsonb.Usage {
	item := jsonb.UsageItem{Type: jsonb.CostAnalysis, Part: part, Provider: use.Vendor, Model: use.Model, Estimated: use.Estimated}
	add := func(kind string, tokens int) {
		item.Kind, item.Quantity = kind, int64(tokens)
		used = used.Add(item)
	}
	add(jsonb.KindPrompt, use.Prompt)
	add(jsonb.KindCached, use.Cached)
	add(jsonb.KindCompletion, use.Completion)
	return used
}

const (
	maxAnswer          = 32 << 10 // bytes
	summaryTokens      = 500
	evaluationTokens   = 1500
	structuredTokens   = 4000
	maxSummary         = 5000 // bytes
	maxMultiStructured = 10   // further schemas of one plan
)

// asker asks one model about one conversation.
type asker struct {
	model  Model
	values values
}

func (a *asker) summary(ctx context.Context, p *jsonb.AnalysisPart) (string, error) {
	text, err := a.ask(ctx, p, llm.Request{Messages: a.values.compose(p, summaryPrompt, ""), MaxTokens: summaryTokens})
	if err != nil {
		return "", err
	}
	text = strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD"))
	if text == "" {
		return "", errors.New("the model answered nothing")
	}
	return shortened(text, maxSummary), nil
}

func (a *asker) evaluation(ctx context.Context, p *jsonb.AnalysisPart, name string) (string, error) {
	scale, err := rubricNamed(name)
	if err != nil {
		return "", err
	}
	values := a.values.with("rubric", scale.says)
	value, err := a.json(ctx, p, scale.schema, values.compose(p, evaluationPrompt, "Judge by this scale: "+scale.says),
		evaluationTokens)
	if err != nil {
		return "", err
	}
	object, _ := value.(map[string]any)
	return scale.text(object["evaluation"])
}

func (a *asker) data(ctx context.Context, p *jsonb.AnalysisPart) (json.RawMessage, error) {
	document := map[string]any(p.Schema)
	if len(document) == 0 {
		document = map[string]any{"type": "object"}
	}
	schema, err := CompileSchema(document)
	if err != nil {
		return nil, err
	}
	value, err := a.json(ctx, p, schema, a.values.with("schema", string(schema.text)).compose(p, structuredPrompt, ""),
		structuredTokens)
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// multi asks for further data one after the other, so that one plan does not flood a model.
func (a *asker) multi(ctx context.Context, plan *jsonb.AnalysisPlan) (func(*Result), error) {
	results := []map[string]json.RawMessage{}
	for _, p := range plan.MultiData[:min(len(plan.MultiData), maxMultiStructured)] {
		if !p.Enabled {
			continue
		}
		data, err := a.data(ctx, &p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Key, err)
		}
		results = append(results, map[string]json.RawMessage{p.Key: data})
	}
	text, err := json.Marshal(results)
	return func(r *Result) { r.StructuredDataMulti = text }, err
}

// json asks for a value that follows the schema, and once more when the answer does not: with what is wrong with it, or,
// when the server does not take the schema itself, without giving it one.
func (a *asker) json(ctx context.Context, p *jsonb.AnalysisPart, schema *Schema, messages []llm.Message,
	tokens int) (any, error) {
	messages[0].Content += "\n\nAnswer with one JSON value that follows this JSON Schema, and with nothing else:\n" + string(schema.text)
	request := llm.Request{Messages: messages, MaxTokens: tokens, Schema: schema.text}
	answer, err := a.ask(ctx, p, request)
	if kind, _ := fault.Of(err); kind == fault.Refused {
		request.Schema = nil
		if answer, err = a.ask(ctx, p, request); err != nil {
			return nil, err
		}
		return schema.read(answer)
	}
	if err != nil {
		return nil, err
	}
	value, problem := schema.read(answer)
	if problem == nil {
		return value, nil
	}
	request.Messages = append(slices.Clip(messages),
		llm.Message{Role: llm.RoleAssistant, Content: shortened(answer, maxAnswer/2)},
		llm.Message{Role: llm.RoleUser, Content: "That cannot be used: " + problem.Error() +
			" Answer again, with the mended JSON value and nothing else."})
	if answer, err = a.ask(ctx, p, request); err != nil {
		return nil, err
	}
	return schema.read(answer)
}

// ask makes one request within the part's time and returns the whole reply.
func (a *asker) ask(ctx context.Context, p *jsonb.AnalysisPart, request llm.Request) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	request.Model = a.model.Name
	var answer strings.Builder
	for delta, err := range a.model.Stream(ctx, request) {
		if err != nil {
			return "", err
		}
		if answer.WriteString(delta.Text); answer.Len() > maxAnswer {
			return "", errors.New("the model's answer is too long")
		}
		if delta.Finish == llm.FinishFilter {
			return "", errors.New("the model declined to answer")
		}
	}
	return answer.String(), nil
}
