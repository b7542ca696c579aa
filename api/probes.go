package api

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/health"
)

// readyTimeout bounds the readiness check: most probes give up soon after.
const readyTimeout = 3 * time.Second

// Probes tell whether a process lives and whether it should be sent work.
type Probes struct {
	Version string
	Ready   func(ctx context.Context) error // returns nil if the process should be sent work; nil: always
	Logger  *slog.Logger
}

// healthy is the response of a healthy process.
type healthy struct {
	Status  string `json:"status"`
	Version string `json:"version"`
}

// Handler serves /healthz and /readyz.
func (p *Probes) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", p.healthz)
	mux.HandleFunc("GET /readyz", p.readyz)
	return mux
}

// healthz reports that the process is alive. It checks nothing else: a restart repairs no database.
func (p *Probes) healthz(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	middleware.WriteJSON(w, http.StatusOK, healthy{Status: "ok", Version: p.Version})
}

// readyz reports whether the process should be sent work, and if not, what is wrong in words. The causes are only logged: they
// name addresses.
func (p *Probes) readyz(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	if p.Ready != nil {
		if err := p.Ready(ctx); err != nil {
			p.Logger.WarnContext(r.Context(), "not ready", "error", err)
			refused := apierror.Unavailable()
			if words := health.Words(err); words != "" {
				refused.Body.Message = "Not ready: " + words + "."
			}
			middleware.WriteRefusal(w, refused)
			return
		}
	}
	middleware.WriteJSON(w, http.StatusOK, healthy{Status: "ok", Version: p.Version})
}
