// Package middleware is what every request shares: its id and its line in the log, authentication and the rate limit,
// limits of bodies, idempotency keys, pages of lists, other origins, and the ways to spell a path. It must not know any
// resource: package api imports it.
package middleware

import (
	"context"
	"crypto/sha256"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
)

const (
	rateWindow   = time.Minute
	admitTimeout = 10 * time.Second // of one statement by key
)

// Caller is who makes a request: an account and its key, or a person who is signed in.
type Caller struct {
	AccountID uuid.UUID
	KeyID     uuid.UUID  // of a session, where PersonID is given
	PersonID  *uuid.UUID // nil: a key
	Role      Role       // of the person; empty: a key
	Test      bool       // a test key, or a session that asked to be as one: it changes nothing real
	Simulated bool       // what it makes stays on the simulated network
	Scope     Scope
	ExpiresAt *time.Time // when the key ends; nil: never, as what a person makes
	SignedOut time.Time  // when the session ends, used or not
	Rate      RequestRate
	WebToken  *dbsqlc.WebToken // that a page carries, in place of a key; nil: it is a key
}

// Mode returns the mode of the calling key.
func (c Caller) Mode() string {
	if c.Test {
		return KeyModeTest
	}
	return KeyModeLive
}

type callerKey struct{}

// CallerOf returns the caller of a request that passed authenticate.
func CallerOf(ctx context.Context) Caller {
	who, _ := ctx.Value(callerKey{}).(Caller)
	return who
}

// RateHeaders are in every response to a known key.
var RateHeaders = []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}

// RequestRate is the rate limit of the calling API key.
type RequestRate struct {
	Limit     int32     `json:"limit" doc:"Requests per minute." example:"100"`
	Remaining int32     `json:"remaining" example:"97"`
	ResetAt   time.Time `json:"reset_at" doc:"When the minute ends."`
}

// authenticator admits requests that carry a key and are within its rate limit. Requests that arrive at the same time share one
// round trip, which reads their keys and writes their counts. Refusals are remembered until the key's window ends: that
// keeps them exact and a flood cheap.
type authenticator struct {
	requests  *db.Batcher[*keyRequest, *countedKey]
	now       func() time.Time
	simulated bool

	mu      sync.Mutex
	refused map[[sha256.Size]byte]refusal
}

type refusal struct {
	limit   int32 // of the key
	until   time.Time
	message string
}

// bearerKey returns the key in an Authorization header; empty: there is none that could be one.
func bearerKey(authorization string) string {
	scheme, text, _ := strings.Cut(authorization, " ")
	text = strings.TrimSpace(text)
	if !strings.EqualFold(scheme, "Bearer") || !looksLikeKey(text) {
		return ""
	}
	return text
}

// admit returns the caller with a key or session, or the error to respond with. It sets the headers of the rate limit.
func (a *authenticator) admit(ctx context.Context, text string, setHeader func(name, value string)) (Caller, error) {
	if text == "" {
		return Caller{}, unauthorized()
	}
	hash := sha256.Sum256([]byte(text))
	if earlier, ok := a.stillRefused(hash); ok {
		return Caller{}, a.refuse(earlier, setHeader)
	}
	key, err := a.requests.Do(ctx, &keyRequest{hash})
	if err != nil {
		return Caller{}, err
	}
	if key == nil {
		return Caller{}, unauthorized()
	}
	reset := key.WindowStart.Add(rateWindow)
	remaining := key.RequestsPerMinute - key.hits
	if key.PersonID == nil { // people come in, and revoke a key, while keys use up what the account has
		remaining = min(remaining, key.AccountRequestsPerMinute-key.accountHits)
	}
	rate := RequestRate{Limit: key.RequestsPerMinute, Remaining: max(0, remaining), ResetAt: reset.UTC()}
	setRateHeaders(setHeader, rate.Limit, rate.Remaining, reset)
	if remaining < 0 {
		refusal := refusal{limit: key.RequestsPerMinute, until: reset, message: tooMany("this key may make", key.RequestsPerMinute)}
		if key.hits <= key.RequestsPerMinute {
			refusal.message = tooMany("all keys of your account together may make", key.AccountRequestsPerMinute)
		}
		a.remember(hash, refusal)
		return Caller{}, a.refuse(refusal, setHeader)
	}
	return a.caller(key, rate), nil
}

func (a *authenticator) caller(key *countedKey, rate RequestRate) Caller {
	test := key.Mode == KeyModeTest
	who := Caller{
		AccountID: key.AccountID, KeyID: key.ID, PersonID: key.PersonID, Test: test, Simulated: test ||
			a.simulated, Scope: Scope(key.Scope), ExpiresAt: key.ExpiresAt, Rate: rate,
	}
	if key.PersonID != nil {
		who.Role = Role(db.TextOf(key.Role))
		who.Scope, who.ExpiresAt = who.Role.scope(), nil
		if key.ExpiresAt != nil {
			who.SignedOut = *key.ExpiresAt
		}
	}
	return who
}

// keyRequest is a request that carries a key.
type keyRequest struct{ hash [sha256.Size]byte }

// countedKey is a working key and how many requests of its minute there are, the one that asks included; of its account
// those that its keys were granted.
type countedKey struct {
	*dbsqlc.APIKeyAuthenticateManyRow
	hits, accountHits int32
}

// countRequests authenticates and counts requests. Those of a key are counted one after the other.
func countRequests(ctx context.Context, conn dbsqlc.DBTX, requests []*keyRequest) (map[*keyRequest]*countedKey, error) {
	params, places := &dbsqlc.APIKeyAuthenticateManyParams{SessionIdleSeconds: SessionIdle.Seconds()}, map[[sha256.Size]byte]int{}
	for _, request := range requests {
		place, known := places[request.hash]
		if !known {
			place = len(params.Hashes)
			places[request.hash] = place
			params.Hashes, params.Requests = append(params.Hashes, request.hash[:]), append(params.Requests, 0)
		}
		params.Requests[place]++
	}
	rows, err := dbsqlc.New().APIKeyAuthenticateMany(ctx, conn, params)
	if err != nil {
		return nil, err
	}
	keys, granted := make(map[[sha256.Size]byte]*dbsqlc.APIKeyAuthenticateManyRow, len(rows)), map[uuid.UUID]int32{}
	for _, row := range rows {
		keys[[sha256.Size]byte(row.Hash)] = row
	}
	counted := make(map[*keyRequest]*countedKey, len(requests))
	for _, request := range requests {
		row := keys[request.hash]
		if row == nil {
			continue
		}
		row.EarlierHits++
		one := &countedKey{APIKeyAuthenticateManyRow: row, hits: row.EarlierHits}
		if one.hits <= row.RequestsPerMinute {
			granted[row.AccountID]++
			one.accountHits = row.EarlierAccountHits + granted[row.AccountID]
		}
		counted[request] = one
	}
	return counted, nil
}

func tooMany(who string, limit int32) string {
	return "Too many requests: " + who + " " + strconv.Itoa(int(limit)) + " a minute."
}

func (a *authenticator) stillRefused(hash [sha256.Size]byte) (refusal, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	earlier, ok := a.refused[hash]
	if ok && !a.now().Before(earlier.until) {
		delete(a.refused, hash)
		return refusal{}, false
	}
	return earlier, ok
}

// remember stores a refusal and forgets the expired ones, so that the map holds those of one minute.
func (a *authenticator) remember(hash [sha256.Size]byte, r refusal) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for other, earlier := range a.refused {
		if !a.now().Before(earlier.until) {
			delete(a.refused, other)
		}
	}
	a.refused[hash] = r
}

func (a *authenticator) refuse(r refusal, setHeader func(name, value string)) error {
	setRateHeaders(setHeader, r.limit, 0, r.until)
	wait := max(1, int(r.until.Sub(a.now()).Round(time.Second).Seconds()))
	setHeader("Retry-After", strconv.Itoa(wait))
	return apierror.New(http.StatusTooManyRequests, "rate_limited", r.message)
}

func setRateHeaders(setHeader func(name, value string), limit, remaining int32, reset time.Time) {
	setHeader("X-RateLimit-Limit", strconv.Itoa(int(limit)))
	setHeader("X-RateLimit-Remaining", strconv.Itoa(int(remaining)))
	setHeader("X-RateLimit-Reset", strconv.FormatInt(reset.Unix(), 10))
}

func unauthorized() *apierror.Error {
	return apierror.New(http.StatusUnauthorized, "unauthorized",
		"Give a valid API key: Authorization: Bearer <API_KEY>, or sign in.").
		WithHeader("WWW-Authenticate", "Bearer")
}

// Refuse responds to a request with an error.
type Refuse func(ctx huma.Context, err error)

// Authenticator is what Authenticate needs.
type Authenticator struct {
	DB        dbsqlc.DBTX
	Now       func() time.Time
	Simulated bool // what live keys and people make stays on the simulated network too
	Cookies   Cookies
	Proxies   []netip.Prefix // whose X-Forwarded-For names the client
	Refuse    Refuse
}

// Authenticate returns the middleware of all operations, and what ends its work once the last request is over. Operations with
// security need a key or a session that has their access.
func Authenticate(config Authenticator) (func(ctx huma.Context, next func(huma.Context)), func()) {
	count := func(ctx context.Context, requests []*keyRequest) (map[*keyRequest]*countedKey, error) {
		return countRequests(ctx, config.DB, requests)
	}
	auth := &authenticator{
		requests: db.NewBatcher(count).Named("authentication"), now: config.Now, simulated: config.Simulated,
		refused: map[[sha256.Size]byte]refusal{},
	}
	pages := &webTokens{conn: config.DB, now: config.Now, proxies: config.Proxies, simulated: config.Simulated}
	return func(ctx huma.Context, next func(huma.Context)) {
		origin, err := originOf(ctx, config.Proxies, config.Cookies)
		if err != nil {
			config.Refuse(ctx, err)
			return
		}
		if len(ctx.Operation().Security) == 0 {
			next(huma.WithValue(ctx, originKey{}, origin))
			return
		}
		ctx.SetHeader("Cache-Control", "no-store")
		limited, cancel := context.WithTimeout(ctx.Context(), admitTimeout)
		defer cancel()
		var who Caller
		if text := webTokenIn(ctx.Header("Authorization")); text != "" {
			who, err = pages.admit(limited, ctx, text)
		} else if who, err = auth.admit(limited, origin.credential, ctx.SetHeader); err == nil {
			if who.PersonID != nil && strings.EqualFold(ctx.Header(ModeHeader), KeyModeTest) {
				who.Test, who.Simulated = true, true
			}
			err = permit(limited, config.DB, who, ctx)
		}
		if err != nil {
			config.Refuse(ctx, err) // also to a client that seems gone: a handler that writes nothing responds with 200
			return
		}
		next(huma.WithValue(huma.WithValue(ctx, callerKey{}, who), originKey{}, origin))
	}, auth.requests.Close
}
