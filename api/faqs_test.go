package api_test

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/website"
	"github.com/callwright/callwright/providers/website/websitetest"
)

const faqsPath = "/v1/faqs/generate"

// model is a language model that returns what a test says, or fails, and counts its requests.
type model struct {
	reply string
	err   error
	asked int
	heard string
}

func (*model) Name() string { return "model" }

func (m *model) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	m.asked++
	m.heard = req.Messages[len(req.Messages)-1].Content
	return func(yield func(llm.Delta, error) bool) {
		if m.err != nil {
			yield(llm.Delta{}, m.err)
			return
		}
		if yield(llm.Delta{Text: m.reply}, nil) {
			yield(llm.Delta{Finish: llm.FinishStop}, nil)
		}
	}
}

func faqServer(t *testing.T, responses llm.Provider) *apitest.Server {
	t.Helper()
	return apitest.New(t, func(a *api.API) {
		client := hook.New(hook.Config{UserAgent: "Callwright/test", Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
		t.Cleanup(client.Close)
		a.Websites = website.New(website.Config{HTTP: client.HTTP(), UserAgent: client.UserAgent(), Pages: websitetest.Pages{}})
		a.Model = responses
	})
}

func company(t *testing.T, body string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

const companyPage = `<title>Bakery</title><h2>Do you bake cakes?</h2><p>Yes, on order.</p><h2>Are you open on Sunday?</h2><p>No.</p>`

func TestFAQsOfAWebsite(t *testing.T) {
	t.Parallel()

	response := apitest.Want[object](t, faqServer(t, nil), http.StatusOK, http.MethodPost, faqsPath,
		object{"website_url": company(t, companyPage)})
	require.Equal(t, []any{
		object{"question": "Do you bake cakes?", "answer": "Yes, on order."},
		object{"question": "Are you open on Sunday?", "answer": "No."},
	}, response["faqs"], "without a model they are those of the website")

	responses := &model{reply: `{"faqs": [{"question": "Cakes?", "answer": "On\u0000 order."}, {"question": "", "answer": "x"}, {"question": "A?", "answer": "b"}, {"question": "C?", "answer": "d"}]}`}
	response = apitest.Want[object](t, faqServer(t, responses), http.StatusOK, http.MethodPost, faqsPath,
		object{"website_url": company(t, companyPage), "count": 2})
	require.Equal(t, []any{object{"question": "Cakes?", "answer": "On order."}, object{"question": "A?", "answer": "b"}},
		response["faqs"])
	require.Contains(t, responses.heard, "Yes, on order.")
}

func TestFAQsOfAText(t *testing.T) {
	t.Parallel()

	responses := &model{reply: `{"faqs": [{"question": "Cakes?", "answer": "On order."}]}`}
	server := faqServer(t, responses)
	body := object{"text": "We bake cakes on order. " + strings.Repeat("é", 60_000)}
	first := apitest.Want[object](t, server, http.StatusOK, http.MethodPost, faqsPath, body, "Idempotency-Key", "faq-1")
	require.Less(t, len([]rune(responses.heard)), 50_000)
	again := server.Do(t, http.MethodPost, faqsPath, body, "Idempotency-Key", "faq-1")
	require.Equal(t, first, apitest.Decode[object](t, again))
	require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
	require.Equal(t, 1, responses.asked, "a repetition costs nothing")
	server.WantError(t, http.StatusConflict, "idempotency_conflict", http.MethodPost, faqsPath, object{"text": "Other."},
		"Idempotency-Key", "faq-1")
}

func TestFAQsThatFail(t *testing.T) {
	t.Parallel()

	text := object{"text": "We bake cakes."}
	for name, test := range map[string]struct {
		model  llm.Provider
		body   object
		status int
		code   string
	}{
		"NoModel":          {nil, text, http.StatusBadGateway, "upstream_error"},
		"NoQuestionsThere": {nil, object{"website_url": company(t, "<p>Hello</p>")}, http.StatusBadGateway, "upstream_error"},
		"NoQuestionsMade":  {&model{reply: `{"faqs": []}`}, text, http.StatusBadGateway, "upstream_error"},
		"NoJSON":           {&model{reply: "Sure! Here they are:"}, text, http.StatusBadGateway, "upstream_error"},
		"ModelDown":        {&model{err: fault.New(fault.Unavailable, "model", "down")}, text, http.StatusBadGateway, "upstream_error"},
		"ModelRefuses":     {&model{err: fault.New(fault.Refused, "model", "too long")}, text, http.StatusBadGateway, "upstream_error"},
		"ModelSlow": {&model{err: fault.New(fault.Timeout, "model", "slow")}, text, http.StatusGatewayTimeout,
			"upstream_timeout"},
		"ModelWithoutKey": {&model{err: fault.New(fault.Denied, "model", "secret-of-the-account")}, text,
			http.StatusInternalServerError, "internal_error"},
		"EndlessModel":   {&model{reply: strings.Repeat("a", 300<<10)}, text, http.StatusBadGateway, "upstream_error"},
		"WebsiteDown":    {nil, object{"website_url": "http://127.0.0.1:1/"}, http.StatusBadGateway, "upstream_error"},
		"WebsiteWithout": {nil, object{"website_url": company(t, "") + "/nothing"}, http.StatusBadRequest, "invalid_request"},
		"PrivateWebsite": {nil, object{"website_url": "http://10.0.0.1/"}, http.StatusBadRequest, "invalid_request"},
		"NoWebsite":      {nil, object{"website_url": "bakery"}, http.StatusBadRequest, "invalid_request"},
		"Both":           {nil, object{"website_url": "https://example.com", "text": "a"}, http.StatusBadRequest, "invalid_request"},
		"Neither":        {nil, object{"text": " "}, http.StatusBadRequest, "invalid_request"},
		"TooMany":        {nil, object{"text": "a", "count": 31}, http.StatusBadRequest, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := faqServer(t, test.model).Do(t, http.MethodPost, faqsPath, test.body)
			response.WantError(t, test.status, test.code)
			require.NotContains(t, string(response.Body), "secret-of")
		})
	}
}
