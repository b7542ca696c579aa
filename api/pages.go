package api

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"

	"github.com/callwright/callwright/api/apierror"
)

// readyTimeout bounds a look at whether this process can serve: whoever asks would give up soon after.
const readyTimeout = 3 * time.Second

// health is the answer of a process that is well.
type health struct {
	Status  string `json:"status"`
	Version string `json:"version"`
}

// registerPages adds what is no part of the contract and needs no key: the probes, the OpenAPI document and its page.
func (a *API) registerPages(router chi.Router, document huma.API) {
	router.Get("/healthz", a.healthz)
	router.Get("/readyz", a.readyz)
	router.Get("/openapi.json", a.openAPI("application/json", func() ([]byte, error) { return json.Marshal(document.OpenAPI()) }))
	router.Get("/openapi.yaml", a.openAPI("application/yaml", document.OpenAPI().YAML))
	router.Post("/carrier/telnyx/webhook", a.carrierWebhook)

	page := newDocsPage()
	router.Get("/", http.RedirectHandler(docsPath, http.StatusFound).ServeHTTP)
	router.Get(docsPath, page.serve)
	router.Get(docsPath+"/*", page.serve)
	router.Get(docsAssetsPath+"/*", page.serveAsset)
}

// healthz says that the process lives. It looks at nothing else: a restart mends no database.
func (a *API) healthz(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, http.StatusOK, health{Status: "ok", Version: a.Version})
}

// readyz says whether requests should be sent to this process. The reason against it is for the log alone.
func (a *API) readyz(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	if a.Ready != nil {
		if err := a.Ready(ctx); err != nil {
			a.Logger.WarnContext(r.Context(), "not ready", "error", err)
			writeJSON(w, http.StatusServiceUnavailable,
				apierror.New(http.StatusServiceUnavailable, "unavailable", "This process cannot serve requests now."))
			return
		}
	}
	writeJSON(w, http.StatusOK, health{Status: "ok", Version: a.Version})
}

// openAPI serves the OpenAPI document, which is rendered when it is first asked for.
func (a *API) openAPI(contentType string, render func() ([]byte, error)) http.HandlerFunc {
	rendered := sync.OnceValues(func() (*compressed, error) {
		text, err := render()
		if err != nil {
			return nil, err
		}
		return compress(contentType, text), nil
	})
	return func(w http.ResponseWriter, r *http.Request) {
		content, err := rendered()
		if err != nil {
			a.Logger.ErrorContext(r.Context(), "OpenAPI document not rendered", "error", err)
			writeJSON(w, http.StatusInternalServerError, apierror.Internal())
			return
		}
		content.serve(w, r, cacheRevalidate)
	}
}
