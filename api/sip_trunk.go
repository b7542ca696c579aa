package api

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/providers/hook"
)

// Trunk is where the operator's own carrier is, at which customers may have no SIP connection: it may know the deployment by its
// address, and would put their calls on the operator's bill. The zero value knows no carrier.
type Trunk struct {
	Proxy string         // HOST or HOST:PORT
	Peers []netip.Prefix // other machines of the carrier
	Allow []netip.Prefix // networks that customers may use nevertheless, but for the proxy itself
}

const trunkLookUp = 2 * time.Second

// refuse returns an error if a customer's SIP proxy is the carrier. It spares the customer the wait: names may lead elsewhere
// later, so the worker looks again whenever it registers or dials. A name that is not found now may be found then.
func (t *Trunk) refuse(ctx context.Context, proxy string) error {
	if t.Proxy == "" && len(t.Peers) == 0 || middleware.CallerOf(ctx).Simulated {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, trunkLookUp)
	defer cancel()
	guard, samePort := hook.NewGuard(t.Allow), sipPort(proxy) == sipPort(t.Proxy)
	own := addressesOf(ctx, guard, t.Proxy)
	is := t.Proxy != "" && samePort && strings.EqualFold(proxyHost(proxy), proxyHost(t.Proxy))
	for _, address := range addressesOf(ctx, guard, proxy) {
		named := slices.Contains(own, address)
		peer := named || slices.ContainsFunc(t.Peers, func(n netip.Prefix) bool { return n.Contains(address) })
		is = is || named && samePort || peer && !guard.Opened(address)
	}
	if is {
		return apierror.Invalid().With("sip_proxy", "leads to the carrier of this deployment, which would take your calls for the operator's")
	}
	return nil
}

func addressesOf(ctx context.Context, guard *hook.Guard, proxy string) []netip.Addr {
	found, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", proxyHost(proxy)) // none, where the name is not found
	for i, address := range found {
		found[i] = guard.Reached(address)
	}
	return found
}

func sipPort(proxy string) string {
	if _, port, err := net.SplitHostPort(proxy); err == nil {
		return port
	}
	return "5060"
}
