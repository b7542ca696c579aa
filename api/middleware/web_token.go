package middleware

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/db/dbsqlc"
)

const webTokenMark = "cw_web_"

// How often web tokens may be shown in a minute, to one process.
const (
	webRequestsPerNetwork = 30
	webRequestsPerToken   = 30
	webRequestsPerAccount = 600
)

// webTokenKey is the metadata key of the operations that a web token opens.
const webTokenKey = "web-token"

// AllowWebTokens has a web token open an operation.
func AllowWebTokens(op *huma.Operation) {
	if op.Metadata == nil {
		op.Metadata = map[string]any{}
	}
	op.Metadata[webTokenKey] = true
}

// NewWebToken returns a new web token. Its text is shown once; only the hash is stored.
func NewWebToken() Key {
	text := webTokenMark + randomText(keyRandom)
	return Key{Text: text, Prefix: text[:keyShown], Hash: HashKey(text)}
}

// webTokens admits the pages that carry a web token.
type webTokens struct {
	conn      dbsqlc.DBTX
	now       func() time.Time
	proxies   []netip.Prefix
	simulated bool

	mu     sync.Mutex
	minute int64
	seen   map[string]int // in that minute
}

// webTokenIn returns the web token of a request; empty: it has none.
func webTokenIn(authorization string) string {
	scheme, text, _ := strings.Cut(authorization, " ")
	text = strings.TrimSpace(text)
	rest, found := strings.CutPrefix(text, webTokenMark)
	if !strings.EqualFold(scheme, "Bearer") || !found || len(rest) != keyRandom || strings.Trim(rest, keyAlphabet) != "" {
		return ""
	}
	return text
}

// admit returns the page as a caller, or the error to respond with. Pages of the token's origins may read the response.
func (w *webTokens) admit(limited context.Context, ctx huma.Context, text string) (Caller, error) {
	if opens, _ := ctx.Operation().Metadata[webTokenKey].(bool); !opens {
		return Caller{}, unauthorized()
	}
	request, _ := humachi.Unwrap(ctx)
	if !w.count("network "+networkOf(clientAddress(request, w.proxies)).String(), webRequestsPerNetwork) {
		return Caller{}, tooOften()
	}
	row, err := dbsqlc.New().WebTokenGetByHash(limited, w.conn, &dbsqlc.WebTokenGetByHashParams{Hash: HashKey(text)})
	if errors.Is(err, pgx.ErrNoRows) {
		return Caller{}, unauthorized()
	}
	if err != nil {
		return Caller{}, fmt.Errorf("get web token: %w", err)
	}
	token := &row.WebToken
	origin := ctx.Header("Origin")
	if !slices.Contains(token.Origins, origin) {
		return Caller{}, apierror.New(http.StatusForbidden, "wrong_origin", "This token is not for pages of this origin.")
	}
	ctx.SetHeader("Access-Control-Allow-Origin", origin)
	ctx.SetHeader("Access-Control-Expose-Headers", "Location, Retry-After, "+RequestIDHeader)
	ctx.AppendHeader("Vary", "Origin")
	if !row.Works && ctx.Method() == http.MethodPost {
		return Caller{}, unauthorized()
	}
	if !w.count("token "+token.ID.String(), webRequestsPerToken) ||
		!w.count("account "+token.AccountID.String(), webRequestsPerAccount) {
		return Caller{}, tooOften()
	}
	return Caller{AccountID: token.AccountID, Test: token.Test, Simulated: token.Test || w.simulated, WebToken: token}, nil
}

func tooOften() error {
	return apierror.New(http.StatusTooManyRequests, "rate_limited", "Too many requests with web tokens.").WithHeader("Retry-After",
		"60")
}

// count reports whether one more is within the limit of this minute.
func (w *webTokens) count(who string, limit int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if minute := w.now().Unix() / 60; minute != w.minute || w.seen == nil {
		w.minute, w.seen = minute, map[string]int{}
	}
	w.seen[who]++
	return w.seen[who] <= limit
}

// AllowPages answers the preflights of web calls, for any origin: a preflight carries no token, and what it asks for is checked
// when it comes. isPath reports whether a path is one of them.
func AllowPages(isPath func(string) bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		if r.Method != http.MethodOptions || origin == "" || r.Header.Get("Access-Control-Request-Method") == "" ||
			!isPath(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		header := w.Header()
		header.Set("Access-Control-Allow-Origin", origin)
		header.Set("Access-Control-Allow-Methods", "POST, DELETE")
		header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, "+RequestIDHeader)
		header.Set("Access-Control-Max-Age", "600")
		header.Set("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
		w.WriteHeader(http.StatusNoContent)
	})
}
