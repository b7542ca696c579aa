package api

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/health"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/overview"
)

//go:embed ops.html
var opsHTML string

var opsPage = template.Must(template.New("overview").Funcs(template.FuncMap{"seconds": roughly, "bytes": inBytes}).Parse(opsHTML))

// opsView is what the overview page shows.
type opsView struct {
	Version   string
	CallKinds string // of the jobs that place calls and follow them, as River UI filters
	Problem   string // what is wrong; empty: nothing
	Overview  *overview.Overview
}

// operatorPages are for the operator alone: an overview of the deployment, metrics, and River UI below it.
func (a *API) operatorPages() http.Handler {
	ui := withWayBack(a.Ops)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.TrimSuffix(r.URL.Path, "/") == "/ops" && a.Overview != nil:
			a.overviewPage(w, r)
		default:
			ui.ServeHTTP(w, r)
		}
	})
}

// wayBack leads from River UI to the overview. It stands beside the root that River UI draws in, over the empty end of its menu.
const wayBack = `<a href="/ops/" style="position:fixed;left:1rem;bottom:1rem;z-index:60;padding:.25rem .75rem;border-radius:.375rem;` +
	`background:#1f2328;color:#fff;font:14px system-ui,sans-serif">Callwright: overview</a>`

// withWayBack adds the link to the pages of River UI, which has no setting for one.
func withWayBack(ui http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { ui.ServeHTTP(&wayBackWriter{ResponseWriter: w}, r) })
}

// wayBackWriter adds the link where a page ends, and leaves everything else as it is.
type wayBackWriter struct {
	http.ResponseWriter
	page bool
}

func (w *wayBackWriter) WriteHeader(status int) {
	if w.page = status == http.StatusOK && strings.HasPrefix(w.Header().Get("Content-Type"), "text/html"); w.page {
		w.Header().Del("Content-Length") // of the page without it
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *wayBackWriter) Write(part []byte) (int, error) {
	if !w.page {
		return w.ResponseWriter.Write(part)
	}
	if _, err := w.ResponseWriter.Write(bytes.Replace(part, []byte("</body>"), []byte(wayBack+"</body>"), 1)); err != nil {
		return 0, err
	}
	return len(part), nil
}

func (a *API) overviewPage(w http.ResponseWriter, r *http.Request) {
	view := &opsView{Version: a.Version, CallKinds: strings.Join(calls.Kinds(), ",")}
	var err error
	if view.Overview, err = a.Overview.Read(r.Context()); err != nil {
		a.Logger.WarnContext(r.Context(), "overview not read", "error", err)
		view.Problem = "The database did not tell how the deployment stands"
	}
	if a.Ready != nil {
		if words := health.Words(a.Ready(r.Context())); words != "" {
			view.Problem = "Not ready: " + words
		}
	}
	var page bytes.Buffer
	if err := opsPage.Execute(&page, view); err != nil {
		a.Logger.ErrorContext(r.Context(), "page not rendered", "path", r.URL.Path, "error", err)
		middleware.WriteJSON(w, http.StatusInternalServerError, apierror.Internal())
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(page.Bytes()) // it fails if the client has disconnected
}

// roughly returns a duration as people say it.
func roughly(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 100*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 100*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

func inBytes(n int64) string {
	size, unit := float64(n), "bytes"
	for _, larger := range []string{"kB", "MB", "GB", "TB"} {
		if size < 1000 {
			break
		}
		size, unit = size/1000, larger
	}
	return fmt.Sprintf("%.3g %s", size, unit)
}
