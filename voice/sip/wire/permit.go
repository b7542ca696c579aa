package wire

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"github.com/emiago/sipgo"
	siplib "github.com/emiago/sipgo/sip"
)

// ErrNotPermitted means that a request did not leave because its permit refused.
var ErrNotPermitted = errors.New("the request may not leave")

// Permit is asked directly before a request is written, each time again: an error keeps it from leaving. nil permits.
type Permit func() error

// check wraps the refusal.
func (p Permit) check() error {
	if p == nil {
		return nil
	}
	if err := p(); err != nil {
		return fmt.Errorf("%w: %w", ErrNotPermitted, err)
	}
	return nil
}

// permits are those of the requests that are under way over UDP, which sends them again and again, by the branch of their
// transactions.
type permits struct {
	mu sync.Mutex
	by map[string]Permit
}

// build completes a request as sipgo does, and has the permit asked whenever it is written.
func (p *permits) build(permit Permit) sipgo.ClientRequestOption {
	return func(c *sipgo.Client, req *siplib.Request) error {
		if err := sipgo.ClientRequestBuild(c, req); err != nil {
			return err
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.by[branchIn(req)] = permit
		return nil
	}
}

// forget is for a transaction that is over.
func (p *permits) forget(req *siplib.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.by, branchIn(req))
}

func branchIn(req *siplib.Request) string {
	if via := req.Via(); via != nil {
		return via.Params.GetOr("branch", "")
	}
	return ""
}

// allow reports whether a message may be written. Only what rings somebody has a permit: CANCEL and ACK share the branch of
// their INVITE, and may always leave.
func (p *permits) allow(message []byte) bool {
	if !bytes.HasPrefix(message, []byte("INVITE ")) && !bytes.HasPrefix(message, []byte("REFER ")) {
		return true
	}
	_, branch, _ := bytes.Cut(message, []byte(";branch=")) // of the topmost Via, which is ours
	if end := bytes.IndexAny(branch, ";\r\n"); end >= 0 {
		branch = branch[:end]
	}
	p.mu.Lock()
	permit := p.by[string(branch)]
	p.mu.Unlock()
	return permit.check() == nil
}
