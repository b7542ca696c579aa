package wire

import (
	"bytes"
	"net/netip"
	"sync"

	"github.com/emiago/sipgo"
	siplib "github.com/emiago/sipgo/sip"
)

// outbound are the requests that are under way over UDP, by their transactions. sipgo writes them again and again and would
// find addresses of its own in their headers, so whatever it writes is looked up here: it goes where was decided, or nowhere.
type outbound struct {
	mu sync.Mutex
	by map[string]leaving
}

// leaving is a request that may be written.
type leaving struct {
	to     netip.AddrPort
	permit Permit // nil: always
}

func (l leaving) permitted() bool { return l.permit.check() == nil }

// build completes a request as sipgo does, and lets it be written to that address while the permit allows.
func (o *outbound) build(to netip.AddrPort, permit Permit) sipgo.ClientRequestOption {
	return func(c *sipgo.Client, req *siplib.Request) error {
		if err := sipgo.ClientRequestBuild(c, req); err != nil {
			return err
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		o.by[transactionOf(req)] = leaving{to, permit}
		return nil
	}
}

// forget is for a transaction that is over.
func (o *outbound) forget(req *siplib.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.by, transactionOf(req))
}

// transactionOf names the transaction of a request of ours. CANCEL has one of its own in the branch of its INVITE.
func transactionOf(req *siplib.Request) string {
	branch := ""
	if via := req.Via(); via != nil {
		branch = via.Params.GetOr("branch", "")
	}
	if req.IsCancel() {
		return cancelling + branch
	}
	return branch
}

const cancelling = "CANCEL "

// find returns the request that a message is. An ACK of a refusal belongs to the transaction of its INVITE.
func (o *outbound) find(message []byte) (l leaving, found bool) {
	_, rest, _ := bytes.Cut(message, []byte(";branch=")) // of the topmost Via, which is ours
	if end := bytes.IndexAny(rest, ";\r\n"); end >= 0 {
		rest = rest[:end]
	}
	branch := string(rest)
	if bytes.HasPrefix(message, []byte(cancelling)) {
		branch = cancelling + branch
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	l, found = o.by[branch]
	return l, found
}

// rings reports whether a message has somebody's telephone ring: only such need a permit each time.
func rings(message []byte) bool {
	return bytes.HasPrefix(message, []byte("INVITE ")) || bytes.HasPrefix(message, []byte("REFER "))
}
