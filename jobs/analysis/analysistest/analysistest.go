// Package analysistest simulates a language model's server, for tests of analyses.
//
// It knows the wire format of chat completions and the usual prompts by their first words. It must not know what makes a
// good answer: the test says what is answered.
package analysistest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/llm/openai"
	"github.com/callwright/callwright/providers/openaihttp"
)

// The questions that are told apart.
const (
	Summary    = "summary"
	Evaluation = "evaluation"
	Data       = "data"
	Other      = "other" // a prompt of the customer's own
)

// Answer is what the server does with a request.
type Answer struct {
	Text   string
	Finish string // empty: stop
	Status int    // 0: 200
	Hang   bool   // does not answer before the client leaves
}

// Request is what the server was asked.
type Request struct {
	Question string
	Model    string
	Messages []struct{ Role, Content string }
	Schema   json.RawMessage // of the response format, if one was asked for
}

// Server is the simulated server, and an analysis.Models that knows the vendor "openai" only.
type Server struct {
	model llm.Provider

	mu       sync.Mutex
	answers  map[string][]Answer
	requests []Request
}

// Start serves until the test ends. The answers to a question are given in their order, the last one again and again.
func Start(tb testing.TB, answers map[string][]Answer) *Server {
	tb.Helper()
	s := &Server{answers: answers}
	server := httptest.NewServer(s)
	client := openaihttp.NewClient()
	tb.Cleanup(func() {
		client.CloseIdleConnections()
		server.Close()
	})
	s.model = openai.New(openai.Config{BaseURL: server.URL, Model: "house-model", HTTP: client})
	return s
}

// LLM implements analysis.Models.
func (s *Server) LLM(vendor string) (model llm.Provider, known bool) {
	return s.model, vendor == "openai"
}

// Requests returns those so far.
func (s *Server) Requests(question string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var asked []Request
	for _, request := range s.requests {
		if request.Question == question {
			asked = append(asked, request)
		}
	}
	return asked
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Model          string
		Messages       []struct{ Role, Content string }
		ResponseFormat struct {
			JSONSchema struct{ Schema json.RawMessage } `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Messages) == 0 {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	answer := s.next(Request{
		Question: question(body.Messages[0].Content), Model: body.Model, Messages: body.Messages,
		Schema: body.ResponseFormat.JSONSchema.Schema,
	})
	switch {
	case answer.Hang:
		<-r.Context().Done()
	case answer.Status != 0:
		http.Error(w, `{"error": {"message": "simulated failure"}}`, answer.Status)
	default:
		writeAnswer(w, answer)
	}
}

func (s *Server) next(request Request) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, request)
	answers := s.answers[request.Question]
	if len(answers) == 0 {
		return Answer{Status: http.StatusInternalServerError}
	}
	if len(answers) > 1 {
		s.answers[request.Question] = answers[1:]
	}
	return answers[0]
}

func question(system string) string {
	for first, question := range map[string]string{"You summarize": Summary, "You judge": Evaluation, "You read data": Data} {
		if strings.HasPrefix(system, first) {
			return question
		}
	}
	return Other
}

func writeAnswer(w http.ResponseWriter, answer Answer) {
	finish := answer.Finish
	if finish == "" {
		finish = llm.FinishStop
	}
	w.Header().Set("Content-Type", "text/event-stream")
	text, err := json.Marshal(answer.Text)
	if err != nil {
		panic(err) // strings always marshal
	}
	_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s},\"finish_reason\":%q}]}\n\ndata: [DONE]\n\n",
		text, finish)
}
