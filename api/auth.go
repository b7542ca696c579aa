package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/db/dbsqlc"
)

const (
	keyModeLive  = "live"
	keyModeTest  = "test"
	keyRandom    = 32
	keyAlphabet  = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	keyShown     = 12 // characters that stay readable, to identify the key
	rateWindow   = time.Minute
	admitTimeout = 10 * time.Second // of one statement by key
	securityName = "bearerAuth"
)

// Key is a new API key. Its text is shown once; only the hash is stored.
type Key struct {
	Text   string
	Mode   string // live or test
	Prefix string
	Hash   []byte
}

// NewKey returns a new key. Calls of a test key never leave the simulated network.
func NewKey(test bool) Key {
	mode := keyModeLive
	if test {
		mode = keyModeTest
	}
	text := "cw_" + mode + "_" + randomText(keyRandom)
	return Key{Text: text, Mode: mode, Prefix: text[:keyShown], Hash: HashKey(text)}
}

// HashKey returns the hash that is stored of a key. It needs no salt and no slow function: a key has 190 random bits.
func HashKey(text string) []byte {
	hash := sha256.Sum256([]byte(text))
	return hash[:]
}

// randomText returns characters of the alphabet with equal probability: bytes beyond its last whole multiple are
// dropped.
func randomText(length int) string {
	const even = 256 - 256%len(keyAlphabet)
	text := make([]byte, 0, length)
	buffer := make([]byte, 2*length)
	for len(text) < length {
		rand.Read(buffer) // never returns an error: it ends the program instead
		for _, b := range buffer {
			if int(b) < even && len(text) < length {
				text = append(text, keyAlphabet[int(b)%len(keyAlphabet)])
			}
		}
	}
	return string(text)
}

func looksLikeKey(text string) bool {
	rest, found := strings.CutPrefix(text, "cw_"+keyModeLive+"_")
	if !found {
		rest, found = strings.CutPrefix(text, "cw_"+keyModeTest+"_")
	}
	return found && len(rest) == keyRandom && strings.Trim(rest, keyAlphabet) == ""
}

// caller is the account and key that make a request.
type caller struct {
	AccountID uuid.UUID
	KeyID     uuid.UUID
	Test      bool
	Rate      RequestRate
}

// mode returns the mode of the calling key.
func (c caller) mode() string {
	if c.Test {
		return keyModeTest
	}
	return keyModeLive
}

type callerKey struct{}

// callerOf returns the caller of a request that passed authenticate.
func callerOf(ctx context.Context) caller {
	who, _ := ctx.Value(callerKey{}).(caller)
	return who
}

// authenticator admits requests that carry a key and are within its rate limit. It reads the key and writes the count
// in one round trip. Refusals are remembered until the key's window ends: that keeps them exact and a flood cheap.
type authenticator struct {
	db  dbsqlc.DBTX
	now func() time.Time

	mu      sync.Mutex
	refused map[[sha256.Size]byte]refusal
}

type refusal struct {
	limit int32
	until time.Time
}

func newAuthenticator(db dbsqlc.DBTX, now func() time.Time) *authenticator {
	return &authenticator{db: db, now: now, refused: map[[sha256.Size]byte]refusal{}}
}

// admit returns the caller, or the error to respond with. It sets the headers of the rate limit.
func (a *authenticator) admit(ctx context.Context, authorization string, setHeader func(name, value string)) (caller, error) {
	scheme, text, _ := strings.Cut(authorization, " ")
	text = strings.TrimSpace(text)
	if !strings.EqualFold(scheme, "Bearer") || !looksLikeKey(text) {
		return caller{}, unauthorized()
	}
	hash := sha256.Sum256([]byte(text))
	if earlier, ok := a.stillRefused(hash); ok {
		return caller{}, a.refuse(earlier, setHeader)
	}
	key, err := dbsqlc.New().APIKeyAuthenticate(ctx, a.db, &dbsqlc.APIKeyAuthenticateParams{Hash: hash[:]})
	if errors.Is(err, pgx.ErrNoRows) {
		return caller{}, unauthorized()
	}
	if err != nil {
		return caller{}, err
	}
	reset := key.WindowStart.Add(rateWindow)
	rate := RequestRate{Limit: key.RequestsPerMinute, Remaining: max(0, key.RequestsPerMinute-key.Hits), ResetAt: reset.UTC()}
	setRateHeaders(setHeader, rate.Limit, rate.Remaining, reset)
	if key.Hits > key.RequestsPerMinute {
		refusal := refusal{limit: key.RequestsPerMinute, until: reset}
		a.remember(hash, refusal)
		return caller{}, a.refuse(refusal, setHeader)
	}
	return caller{AccountID: key.AccountID, KeyID: key.ID, Test: key.Mode == keyModeTest, Rate: rate}, nil
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
	return apierror.New(http.StatusTooManyRequests, "rate_limited", "Too many requests: this key may make "+strconv.Itoa(int(r.limit))+" a minute.")
}

func setRateHeaders(setHeader func(name, value string), limit, remaining int32, reset time.Time) {
	setHeader("X-RateLimit-Limit", strconv.Itoa(int(limit)))
	setHeader("X-RateLimit-Remaining", strconv.Itoa(int(remaining)))
	setHeader("X-RateLimit-Reset", strconv.FormatInt(reset.Unix(), 10))
}

func unauthorized() *apierror.Error {
	return apierror.New(http.StatusUnauthorized, "unauthorized", "Give a valid API key: Authorization: Bearer <API_KEY>.").WithHeader("WWW-Authenticate", "Bearer")
}

// authenticate is the middleware of all operations. Those with security need a key.
func (a *API) authenticate(ctx huma.Context, next func(huma.Context)) {
	if len(ctx.Operation().Security) == 0 {
		next(ctx)
		return
	}
	ctx.SetHeader("Cache-Control", "no-store")
	limited, cancel := context.WithTimeout(ctx.Context(), admitTimeout)
	defer cancel()
	who, err := a.auth.admit(limited, ctx.Header("Authorization"), ctx.SetHeader)
	if err != nil {
		if ctx.Context().Err() == nil {
			a.writeError(ctx, err)
		}
		return
	}
	next(huma.WithValue(ctx, callerKey{}, who))
}
