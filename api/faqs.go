package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/jobs/knowledge"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/website"
)

const (
	faqTime     = 25 * time.Second
	faqSiteTime = 12 * time.Second // the part for the website; the model needs the rest
)

type faqGenerateInput struct {
	middleware.Idempotency
	Body struct {
		WebsiteURL string `json:"website_url,omitempty" maxLength:"2048" doc:"A website, read from this page on: up to 30 pages that its robots.txt allows."`
		Text       string `json:"text,omitempty" doc:"What is known about the company; bounded by the size of the body, 1 MiB. A model is shown the first 48,000 characters."`
		Count      int    `json:"count,omitempty" minimum:"1" maximum:"30" default:"10" doc:"Maximum number of questions."`
	}
}

type faqsGenerated struct {
	FAQs []knowledge.FAQ `json:"faqs" nullable:"false"`
}

func (a *API) registerFAQs(to huma.API) {
	generate := creates("/v1/faqs/generate", "generate-faqs", tagKnowledge, "Generate frequently asked questions",
		"Questions that callers are likely to ask, with answers, from a website or a text (one of the two). The deployment's language model writes them; "+
			"where none is configured, they are those that the website has already. Nothing is stored. 502 `upstream_error` when nothing could be found or the website or the model failed, 504 `upstream_timeout` after 25 seconds.",
		http.StatusBadGateway, http.StatusGatewayTimeout)
	generate.DefaultStatus = http.StatusOK
	handle(a, to, generate, a.faqGenerate)
}

// faqGenerate works outside of transactions: a repetition of a request that is still running does the work again, and
// the response of the first to finish is stored.
func (a *API) faqGenerate(ctx context.Context, in *faqGenerateInput) (*middleware.Response[faqsGenerated], error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	if answered, err := middleware.Replayed[faqsGenerated](ctx, a.responses, &in.Idempotency); answered != nil || err != nil {
		return answered, err
	}
	generating, cancel := context.WithTimeout(ctx, faqTime)
	defer cancel()
	faqs, err := a.generateFAQs(generating, in)
	if err != nil {
		return nil, err
	}
	return middleware.Once(ctx, a.responses, &in.Idempotency, func(pgx.Tx) (*middleware.Response[faqsGenerated], error) {
		return middleware.Respond(http.StatusOK, faqsGenerated{FAQs: faqs}), nil
	})
}

func (in *faqGenerateInput) check() error {
	wrong := apierror.Invalid()
	site, text := in.Body.WebsiteURL != "", strings.TrimSpace(in.Body.Text) != ""
	switch {
	case site && text:
		wrong.With("website_url", "only one of website_url and text can be given")
		wrong.With("text", "only one of website_url and text can be given")
	case !site && !text:
		wrong.With("website_url", "is required, or text")
	case site && !validServerURL(in.Body.WebsiteURL):
		wrong.With("website_url", "is not an absolute http or https URL")
	}
	if len(wrong.Body.Details) > 0 {
		return wrong
	}
	return nil
}

func (a *API) generateFAQs(ctx context.Context, in *faqGenerateInput) ([]knowledge.FAQ, error) {
	var pages []website.Page
	if in.Body.WebsiteURL != "" {
		var err error
		if pages, err = a.Websites.Site(ctx, in.Body.WebsiteURL, faqSiteTime); err != nil {
			return nil, websiteError(err)
		}
	}
	faqs, err := knowledge.GenerateFAQs(ctx, a.Model, pages, in.Body.Text, in.Body.Count)
	kind, isFault := fault.Of(err)
	switch {
	case errors.Is(err, knowledge.ErrNoFAQs):
		if a.Model == nil {
			return nil, upstreamError("No questions and answers were found, and no language model is configured to write some.")
		}
		return nil, upstreamError("No questions and answers were found.")
	case isFault && kind == fault.Refused: // our request was wrong, not the caller's
		return nil, upstreamError("The language model refused the request.")
	}
	return faqs, apierror.FromFault(err)
}

func websiteError(err error) error {
	kind, _ := fault.Of(err)
	switch kind {
	case fault.Refused:
		return apierror.Invalid().With("website_url", knowledge.ExplainSource(err))
	case fault.Unavailable:
		return upstreamError(knowledge.ExplainSource(err))
	}
	return apierror.FromFault(err)
}

func upstreamError(message string) error {
	return apierror.New(http.StatusBadGateway, "upstream_error", message)
}
