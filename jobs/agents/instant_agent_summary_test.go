package agents_test

import (
	"context"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/agents"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/llm"
)

// summarist is a model that answers what a test says, fails, or never answers.
type summarist struct {
	reply   string
	err     error
	silent  bool
	request llm.Request
}

func (s *summarist) Name() string { return "summarist" }

func (s *summarist) LLM(string) (llm.Provider, bool) { return s, true }

func (s *summarist) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	s.request = req
	return func(yield func(llm.Delta, error) bool) {
		if s.silent {
			<-ctx.Done()
			yield(llm.Delta{}, ctx.Err())
			return
		}
		if s.err != nil {
			yield(llm.Delta{}, s.err)
			return
		}
		yield(llm.Delta{Text: s.reply, Finish: llm.FinishStop}, nil)
	}
}

func TestInstantAgentWithAModel(t *testing.T) {
	t.Parallel()

	long := "<p>" + strings.Repeat("We bake bread for all of you, and that is what you will want. ", 40) + "</p>"
	const beginning = "We bake bread for all of you"
	for name, test := range map[string]struct {
		model *summarist
		page  string
		told  string
		asked bool
	}{
		"Summary": {&summarist{reply: `{"summary": "A bakery: bread, {{contact_name}},\n daily."}`}, long,
			"> A bakery: bread, {contact_name},\n> daily.", true},
		"ShortSite":   {&summarist{reply: `{"summary": "No."}`}, "<p>We bake bread for all of you.</p>", beginning, false},
		"Unavailable": {&summarist{err: fault.New(fault.Unavailable, "summarist", "down")}, long, beginning, true},
		"WithoutKey":  {&summarist{err: fault.New(fault.Denied, "summarist", "no key")}, long, beginning, true},
		"NoJSON":      {&summarist{reply: "Sure! A bakery."}, long, beginning, true},
		"Nothing":     {&summarist{reply: `{"summary": " "}`}, long, beginning, true},
		"Endless":     {&summarist{reply: strings.Repeat("a", 256<<10+1)}, long, beginning, true},
		"Silent":      {&summarist{silent: true}, long, beginning, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := jobstest.New(t)
			f.Services.Models = test.model
			agent := addInstant(t, f, jsonb.InstantAgent{WebsiteURL: site(t, map[string]string{"/": test.page}, nil),
				AdditionalContext: "We have a car park."})
			worker := newWorker(f)
			worker.ModelTime = 50 * time.Millisecond
			jobstest.Work(t, f, worker, agents.SetUpInstantAgentArgs{InstantAgentID: agent.ID})
			content := madeAssistant(t, f, instantRow(t, f.Tx, f.Account.ID, agent.ID)).Assistant.Config.LLMContent
			require.Contains(t, content, test.told)
			require.Contains(t, content, "We have a car park.")
			require.Equal(t, test.told == beginning, strings.Contains(content, beginning), "the summary is told in place of the pages")
			require.Equal(t, test.asked, len(test.model.request.Messages) > 0)
			if test.asked {
				require.Contains(t, test.model.request.Messages[1].Content, beginning)
				require.NotContains(t, test.model.request.Messages[1].Content, "car park", "which the assistant is told anyway")
			}
		})
	}
}
