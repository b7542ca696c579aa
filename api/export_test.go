package api

import (
	"log/slog"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
)

// Document is the OpenAPI document as Huma has it, for tests that compare responses with it.
func Document() *huma.OpenAPI {
	a := &API{Logger: slog.New(slog.DiscardHandler), Now: time.Now}
	document := newHuma(chi.NewRouter(), "1")
	a.register(document)
	return document.OpenAPI()
}

// SetInstantAgentTime sets how long an instant agent may take; 0: as long as usual.
func (a *API) SetInstantAgentTime(limit time.Duration) { a.instantAgentTime = limit }
