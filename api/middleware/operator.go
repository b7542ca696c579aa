package middleware

import (
	"context"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/db/dbsqlc"
)

// operatorName is the user of the operator's pages.
const operatorName = "operator"

// operatorPolicy allows the pages requests to this server only, and no page to frame them. River UI draws its checkboxes from
// data: URLs and adds styles from its scripts.
const operatorPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// Operator admits the operator to pages that change what they show. A browser sends the password with every request to them,
// also with those that a page of another origin makes, which are refused before anything else.
type Operator struct {
	DB       dbsqlc.DBTX
	Password string
	Proxies  []netip.Prefix // whose X-Forwarded-For is believed
	Logger   *slog.Logger
}

// Only returns the handler of pages that are for the operator alone.
func (o *Operator) Only(next http.Handler) http.Handler {
	guarded := SameOrigin(nil, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refused := o.admit(r); refused != nil {
			WriteRefusal(w, refused)
			return
		}
		next.ServeHTTP(w, r)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", operatorPolicy)
		header.Set("X-Frame-Options", "DENY") // browsers that do not know frame-ancestors
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		guarded.ServeHTTP(w, r)
	})
}

// admit returns the refusal of whoever is not the operator, or waits for wrong passwords: then no password is compared, so
// that no answer and no delay tells a right one.
func (o *Operator) admit(r *http.Request) *apierror.Error {
	user, given, ok := r.BasicAuth()
	if !ok {
		return notTheOperator()
	}
	address := attemptAddress(r, o.Proxies)
	ctx, cancel := context.WithTimeout(r.Context(), admitTimeout)
	defer cancel()
	if refused := o.wait(ctx, address); refused != nil {
		return refused
	}
	right := subtle.ConstantTimeCompare([]byte(given), []byte(o.Password)) & subtle.ConstantTimeCompare([]byte(user),
		[]byte(operatorName))
	if right == 1 {
		return nil
	}
	failures, err := dbsqlc.New().OperatorAttemptFail(ctx, o.DB, &dbsqlc.OperatorAttemptFailParams{Address: address})
	switch {
	case errors.Is(err, pgx.ErrNoRows): // others of the address failed meanwhile
		if refused := o.wait(ctx, address); refused != nil {
			return refused
		}
	case err != nil:
		return o.failed(r.Context(), err)
	}
	o.Logger.WarnContext(ctx, "wrong password of the operator", "pii.address", address, "failures", failures, "request_id",
		RequestID(ctx))
	return notTheOperator()
}

func (o *Operator) wait(ctx context.Context, address netip.Addr) *apierror.Error {
	seconds, err := dbsqlc.New().OperatorAttemptGetWait(ctx, o.DB, &dbsqlc.OperatorAttemptGetWaitParams{Address: address})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return o.failed(ctx, err)
	case seconds <= 0:
		return nil
	}
	return apierror.New(http.StatusTooManyRequests, "too_many_passwords",
		"Too many wrong passwords came from this address. Try again later.").
		WithHeader("Retry-After", strconv.Itoa(int(seconds)))
}

func (o *Operator) failed(ctx context.Context, err error) *apierror.Error {
	if ctx.Err() == nil {
		o.Logger.ErrorContext(ctx, "operator not admitted", "error", err, "request_id", RequestID(ctx))
	}
	return apierror.FromFailure(err)
}

func notTheOperator() *apierror.Error {
	return apierror.New(http.StatusUnauthorized, "unauthorized", "This page is for the operator.").
		WithHeader("WWW-Authenticate", `Basic realm="Callwright operators", charset="UTF-8"`)
}

// attemptAddress returns the address under which wrong passwords are counted. A host has a whole /64 of IPv6.
func attemptAddress(r *http.Request, proxies []netip.Prefix) netip.Addr {
	return networkOf(clientAddress(r, proxies))
}

// networkOf returns an address, or the network that a host has of IPv6.
func networkOf(address netip.Addr) netip.Addr {
	if !address.Is6() {
		return address
	}
	network, err := address.WithZone("").Prefix(64)
	if err != nil {
		return address
	}
	return network.Addr()
}

// clientAddress returns the address that a request comes from. A proxy appends to X-Forwarded-For whom it has the request
// from, so the last entry that is no trusted proxy is the client; what stands before it the client may have written.
func clientAddress(r *http.Request, proxies []netip.Prefix) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.IPv6Unspecified()
	}
	address, hops := peer.Addr().Unmap(), strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && trusted(address, proxies); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		address = hop.Unmap()
	}
	return address
}

func trusted(address netip.Addr, proxies []netip.Prefix) bool {
	for _, proxy := range proxies {
		if proxy.Contains(address) {
			return true
		}
	}
	return false
}
