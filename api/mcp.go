package api

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callwright/callwright/api/client"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/api/tools"
)

// mcpPath serves the tools of agents: the Model Context Protocol over streamable HTTP. It keeps no sessions, so that any process
// answers any request.
const mcpPath = "/mcp"

type mcpInput struct{}

// registerTools serves the tools. A request needs a key as every other does, and counts for its rate; what a tool does is a
// request of its own to whole, with the same key. Pages of other origins are refused, and on a loopback address names of other
// hosts, to which a page's own name may have been rebound.
func (a *API) registerTools(to huma.API, whole http.Handler) {
	handler := sync.OnceValue(func() http.Handler { return a.newTools(to.OpenAPI(), whole) }) // 9 ms, where no agent comes
	guarded := middleware.SameOrigin(a.CORSOrigins, http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		handler().ServeHTTP(w, r)
	}))
	op := operation(http.MethodPost, mcpPath, "use-tools", tagUser, "Use tools", "")
	op.Hidden, op.Security = true, []map[string][]string{{securityName: {}}} // a tool's own requests carry a key alone
	op.Responses = map[string]*huma.Response{"200": {Content: map[string]*huma.MediaType{"application/json": {},
		"text/event-stream": {}}}}
	handle(a, to, op, func(context.Context, *mcpInput) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			r, w := humachi.Unwrap(ctx)
			r.Header.Set(originHeader, middleware.OriginOf(ctx.Context()).Address.String())
			guarded.ServeHTTP(w, r)
		}}, nil
	})
}

// newTools returns the handler of tools whose requests go to whole.
func (a *API) newTools(document *huma.OpenAPI, whole http.Handler) http.Handler {
	server := tools.NewServer(document, a.Version, func(header http.Header) *client.Client {
		_, key, _ := strings.Cut(header.Get("Authorization"), " ")
		carried := &inProcess{handler: whole, address: header.Get(originHeader)}
		return &client.Client{Key: strings.TrimSpace(key), UserAgent: "callwright-mcp/" + a.Version, Transport: carried,
			URL: "http://callwright"}
	})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxJSONBody, Logger: slog.New(slog.DiscardHandler),
	})
}

// originHeader brings the address of an agent to the requests of its tools. What an agent sends by this name is replaced.
const originHeader = "Callwright-Origin"

// inProcess carries requests to a handler of this process, as from an address.
type inProcess struct {
	handler http.Handler
	address string
}

// RoundTrip implements http.RoundTripper. The request's context hands on its end and nothing else: what the handler would find in
// it belongs to the request that it comes from.
func (p *inProcess) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(request.Context(), cancel)()
	inner := request.Clone(ctx)
	inner.RequestURI, inner.RemoteAddr = request.URL.RequestURI(), net.JoinHostPort(p.address, "0")
	recorded := &recorder{header: http.Header{}}
	p.handler.ServeHTTP(recorded, inner)
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: max(recorded.status, http.StatusOK), Header: recorded.header, Body: io.NopCloser(&recorded.body), Request: request,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: int64(recorded.body.Len()),
	}, nil
}

// recorder is a response that is kept in memory.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(text []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(text)
}
