package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/web"
)

// registerPages adds what is not part of the contract and needs no key: probes, the carrier webhook, the OpenAPI document
// and its page.
func (a *API) registerPages(router chi.Router, document huma.API) {
	probes := (&Probes{Version: a.Version, Ready: a.Ready, Logger: a.Logger}).Handler()
	router.Get("/healthz", probes.ServeHTTP)
	router.Get("/readyz", probes.ServeHTTP)
	router.Post("/carrier/telnyx/webhook", a.carrierWebhook)
	router.Get("/", serveRoot)

	page := sync.OnceValues(newDocsPage)
	static := router.With(compressResponses())
	dashboard := sync.OnceValues(func() (http.Handler, error) { return web.Handler(middleware.NotFound) })
	static.Get(web.Path+"*", serveRendered(a, dashboard, http.Handler.ServeHTTP))
	talk := sync.OnceValues(func() (*staticFile, error) {
		return newStaticFile("text/javascript; charset=utf-8", cacheRevalidate, talkScript), nil
	})
	static.Get("/talk.js", serveRendered(a, talk, (*staticFile).serve))
	static.Get("/openapi.json", a.openAPI("application/json", func() ([]byte, error) { return json.Marshal(document.OpenAPI()) }))
	static.Get("/openapi.yaml", a.openAPI("application/yaml", document.OpenAPI().YAML))
	static.Get(docsPath, serveRendered(a, page, (*docsPage).serve))
	static.Get(docsPath+"/*", serveRendered(a, page, (*docsPage).serve))
	static.Get(docsAssetsPath+"/*", serveRendered(a, page, (*docsPage).serveAsset))
}

// serveRoot sends people to the dashboard, and programs to the documentation.
func serveRoot(w http.ResponseWriter, r *http.Request) {
	to := docsPath
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		to = web.Path
	}
	w.Header().Set("Vary", "Accept")
	http.Redirect(w, r, to, http.StatusFound)
}

// openAPI serves the OpenAPI document.
func (a *API) openAPI(contentType string, render func() ([]byte, error)) http.HandlerFunc {
	return serveRendered(a, sync.OnceValues(func() (*staticFile, error) {
		text, err := render()
		return newStaticFile(contentType, cacheRevalidate, text), err
	}), (*staticFile).serve)
}

// serveRendered serves a page that is rendered at the first request.
func serveRendered[T any](a *API, rendered func() (T, error),
	serve func(T, http.ResponseWriter, *http.Request)) http.HandlerFunc {
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
