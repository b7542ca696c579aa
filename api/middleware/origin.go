package middleware

import (
	"context"
	"net/http"
	"net/netip"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/google/uuid"
)

// maxUserAgent is how much of a User-Agent is kept.
const maxUserAgent = 300

// Origin is where a request comes from and what it asks for.
type Origin struct {
	Operation string
	Resource  uuid.UUID  // the last id in the path; zero: none
	Address   netip.Addr // of the client
	UserAgent string
	RequestID string
	Session   []byte // hash of the session that came with it, valid or not; nil: none

	credential string // the text of a key or session; empty: none that the operation takes
	changes    bool   // the operation's access says that what it does is for the audit
}

type originKey struct{}

// OriginOf returns the origin of a request to an operation.
func OriginOf(ctx context.Context) *Origin {
	origin, _ := ctx.Value(originKey{}).(*Origin)
	return origin
}

// Network returns what attempts are counted under: the address, or the network that a host has of IPv6.
func (o *Origin) Network() netip.Addr { return networkOf(o.Address) }

// originOf returns the origin of a request, or its refusal. A cookie counts only where no key is given, and not for a page of
// another origin. Nor may such a page change anything that needs neither: it might sign a person in as somebody else.
func originOf(ctx huma.Context, proxies []netip.Prefix, cookies Cookies) (*Origin, error) {
	r, _ := humachi.Unwrap(ctx)
	origin := &Origin{
		Operation: ctx.Operation().OperationID, Address: clientAddress(r, proxies), UserAgent: userAgentOf(r),
		RequestID:  RequestID(r.Context()),
		credential: bearerKey(r.Header.Get("Authorization")),
	}
	if r.Method != http.MethodGet {
		access, declared := ctx.Operation().Metadata[accessKey].(Access)
		origin.Resource, origin.changes = lastID(ctx), declared && access.Changes()
	}
	if len(ctx.Operation().Security) == 0 && crossOrigin.Check(r) != nil {
		return nil, refusedAsForeign()
	}
	session := cookies.of(r)
	if session == "" || r.Header.Get("Authorization") != "" {
		return origin, nil
	}
	origin.Session = HashKey(session)
	if takesCookie(ctx.Operation()) {
		if foreign(r) {
			return nil, refusedAsForeign()
		}
		origin.credential = session
	}
	return origin, nil
}

func userAgentOf(r *http.Request) string {
	agent := strings.ToValidUTF8(strings.ReplaceAll(r.UserAgent(), "\x00", ""), "")
	if len(agent) > maxUserAgent {
		agent = strings.ToValidUTF8(agent[:maxUserAgent], "")
	}
	return agent
}

// lastID returns the id that stands last in the path.
func lastID(ctx huma.Context) uuid.UUID {
	path := ctx.Operation().Path
	open, end := strings.LastIndexByte(path, '{'), strings.LastIndexByte(path, '}')
	if open < 0 || end < open {
		return uuid.Nil
	}
	id, err := uuid.Parse(ctx.Param(path[open+1 : end]))
	if err != nil {
		return uuid.Nil
	}
	return id
}
