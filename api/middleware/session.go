package middleware

import (
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/callwright/callwright/api/apierror"
)

const (
	// SessionIdle is how long a session works without a request.
	SessionIdle = 12 * time.Hour
	// SessionAge is how long a session works at most.
	SessionAge = 30 * 24 * time.Hour
	// SessionRate is how many requests a minute a session may make.
	SessionRate = 600
)

// ModeHeader lowers a request of a session to what a test key may do: test.
const ModeHeader = "Callwright-Mode"

// CookieSecurity is the name of the security scheme of sessions in the document.
const CookieSecurity = "cookieAuth"

// Cookies are those that carry sessions.
type Cookies struct {
	// Secure is for deployments that browsers reach by https. Then the name too keeps pages of other hosts of the domain from
	// setting the cookie, which only browsers in a secure context allow.
	Secure bool
}

// Name returns the name of the cookie.
func (c Cookies) Name() string {
	if c.Secure {
		return "__Host-callwright_session"
	}
	return "callwright_session"
}

// Set returns the header that has a browser keep a session; with the empty text it forgets the one that it has.
func (c Cookies) Set(text string) string {
	cookie := http.Cookie{Name: c.Name(), Value: text, Path: "/", MaxAge: int(SessionAge.Seconds()), Secure: c.Secure,
		HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if text == "" {
		cookie.MaxAge = -1
	}
	return cookie.String()
}

// of returns the session that a request carries; empty: none.
func (c Cookies) of(r *http.Request) string {
	cookies := r.CookiesNamed(c.Name())
	if len(cookies) != 1 || !looksLikeSession(cookies[0].Value) {
		return ""
	}
	return cookies[0].Value
}

// takesCookie reports whether an operation is for people who are signed in.
func takesCookie(op *huma.Operation) bool {
	for _, one := range op.Security {
		if _, takes := one[CookieSecurity]; takes {
			return true
		}
	}
	return false
}

var crossOrigin = http.NewCrossOriginProtection()

// foreign reports whether a browser makes a request for a page of another origin. Requests that change nothing it makes for links
// too, but then without an Origin.
func foreign(r *http.Request) bool {
	if crossOrigin.Check(r) != nil {
		return true
	}
	origin := r.Header.Get("Origin")
	if origin == "" || r.Header.Get("Sec-Fetch-Site") == "same-origin" {
		return false
	}
	_, host, _ := strings.Cut(origin, "://")
	return host != r.Host
}

func refusedAsForeign() *apierror.Error {
	return apierror.New(http.StatusForbidden, "cross_origin", "A page of another origin may not make this request.")
}
