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
	"github.com/callwright/callwright/api/middleware"
)

// readyTimeout bounds the readiness check: most probes give up soon after.
const readyTimeout = 3 * time.Second

// health is the response of a healthy process.
type health struct {
	Status  string `json:"status"`
	Version string `json:"version"`
}

// registerPages adds what is not part of the contract and needs no key: probes, the carrier webhook, the OpenAPI document
// and its page.
func (a *API) registerPages(router chi.Router, document huma.API) {
	router.Get("/healthz", a.healthz)
	router.Get("/readyz", a.readyz)
	router.Post("/carrier/telnyx/webhook", a.carrierWebhook)
	router.Get("/", http.RedirectHandler(docsPath, http.StatusFound).ServeHTTP)

	page := sync.OnceValues(newDocsPage)
	static := router.With(compressResponses())
	static.Get("/openapi.json", a.openAPI("application/json", func() ([]byte, error) { return json.Marshal(document.OpenAPI()) }))
	static.Get("/openapi.yaml", a.openAPI("application/yaml", document.OpenAPI().YAML))
	static.Get(docsPath, serveRendered(a, page, (*docsPage).serve))
	static.Get(docsPath+"/*", serveRendered(a, page, (*docsPage).serve))
	static.Get(docsAssetsPath+"/*", serveRendered(a, page, (*docsPage).serveAsset))
}

// healthz reports that the process is alive. It checks nothing else: a restart repairs no database.
func (a *API) healthz(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	middleware.WriteJSON(w, http.StatusOK, health{Status: "ok", Version: a.Version})
}

// readyz reports whether requests should be sent to this process. The reason why not is only logged.
func (a *API) readyz(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	if a.Ready != nil {
		if err := a.Ready(ctx); err != nil {
			a.Logger.WarnContext(r.Context(), "not ready", "error", err)
			middleware.WriteRefusal(w, apierror.Unavailable())
			return
		}
	}
	middleware.WriteJSON(w, http.StatusOK, health{Status: "ok", Version: a.Version})
}

// openAPI serves the OpenAPI document.
func (a *API) openAPI(contentType string, render func() ([]byte, error)) http.HandlerFunc {
	return serveRendered(a, sync.OnceValues(func() (*staticFile, error) {
		text, err := render()
		return newStaticFile(contentType, cacheRevalidate, text), err
	}), (*staticFile).serve)
}

// serveRendered serves a page that is rendered at the first request.
func serveRendered[T any](a *API, rendered func() (T, error), serve func(T, http.ResponseWriter, *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		page, err := rendered()
		if err != nil {
			a.Logger.ErrorContext(r.Context(), "page not rendered", "path", r.URL.Path, "error", err)
			middleware.WriteJSON(w, http.StatusInternalServerError, apierror.Internal())
			return
		}
		serve(page, w, r)
	}
}
