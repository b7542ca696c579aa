package sip

import (
	"context"
	"errors"
	"net/netip"
	"strconv"
	"strings"
	"time"

	siplib "github.com/emiago/sipgo/sip"
	"github.com/google/uuid"

	"github.com/callwright/callwright/voice/sip/wire"
)

// maxRounds bounds how often one registration is corrected: a longer expiry, and the address that the registrar sees.
const maxRounds = 4

var errNothingGranted = errors.New("the registrar accepted no contact")

// binding is a registration at work.
type binding struct {
	Registration
	registered
	ua     *UA
	dialog *wire.LiveDialog // of our REGISTERs: one Call-ID and growing sequence numbers (RFC 3261 section 10.2)
	probes *wire.LiveDialog // of our OPTIONS
	status RegistrationStatus
	sent   bool           // the registrar may know us
	told   netip.AddrPort // address of the Contact it knows
}

func newBinding(ua *UA, r Registration) *binding {
	b := &binding{Registration: r, ua: ua, registered: registered{
		token: r.Token, registrar: r.Registrar, account: wire.Credentials{Username: r.AuthUsername, Password: r.Password},
	}}
	account := "sip:" + r.Username + "@" + r.Domain
	d := Dialog{
		LocalURI: account, RemoteURI: account, Target: "sip:" + r.Domain, NextHop: r.Registrar, Transport: r.Transport,
	}
	b.dialog, b.probes = newSeries(d), newSeries(d)
	return b
}

// newSeries returns a dialog for requests of one kind.
func newSeries(d Dialog) *wire.LiveDialog {
	d.CallID, d.LocalTag = uuid.NewString(), siplib.GenerateTagN(16)
	return wire.NewLiveDialog(d)
}

// register makes or refreshes the registration and returns how long it lasts.
func (b *binding) register(ctx context.Context) (time.Duration, error) {
	for range maxRounds {
		address := b.address()
		res, err := b.ask(ctx, address, b.Expiry)
		switch {
		case err != nil:
			return 0, err
		case res.StatusCode == siplib.StatusIntervalToBrief:
			longer := seconds(res.GetHeader("Min-Expires"))
			if longer <= b.Expiry {
				return 0, wire.RefusedBy(res)
			}
			b.Expiry = longer
			continue
		case !res.IsSuccess():
			return 0, wire.RefusedBy(res)
		}
		if b.address() != address {
			continue // we told a wrong address
		}
		if lasts := granted(res, b.Token, b.Expiry); lasts > 0 {
			return lasts, nil
		}
		return 0, errNothingGranted
	}
	return 0, errors.New("the registrar sees us elsewhere each time")
}

// ask sends one REGISTER. A Contact that the registrar knows and that leads nowhere any more goes with it.
func (b *binding) ask(ctx context.Context, address netip.AddrPort, expiry time.Duration) (*siplib.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, b.ua.timers.timeout())
	defer cancel()
	outdated := b.told
	done, err := b.ua.wire.Exchange(ctx, b.dialog, b.account, siplib.REGISTER, nil, func(req *siplib.Request) {
		if outdated.IsValid() && outdated != address {
			old := b.contactAt(outdated)
			old.Params.Add("expires", "0")
			req.AppendHeader(old)
		}
		contact := b.contactAt(address)
		contact.Params.Add("expires", strconv.Itoa(int(expiry.Seconds())))
		for _, h := range []siplib.Header{
			contact, siplib.NewHeader("Expires", strconv.Itoa(int(expiry.Seconds()))),
			b.ua.allow(), siplib.NewHeader("User-Agent", wire.UserAgent),
		} {
			req.AppendHeader(h)
		}
		b.sent = true
	})
	if err != nil {
		return nil, err
	}
	if done.Res.IsSuccess() {
		b.told = address
		b.learn(done)
	}
	return done.Res, nil
}

// remove takes the registration back, if the registrar may have it.
func (b *binding) remove() error {
	if !b.sent {
		return nil
	}
	// The context of the registration has ended, which is why it is taken back.
	ctx, cancel := context.WithTimeout(context.Background(), hangupGrace)
	defer cancel()
	address := b.address()
	if b.told.IsValid() {
		address = b.told
	}
	res, err := b.ask(ctx, address, 0)
	if err == nil && !res.IsSuccess() {
		err = wire.RefusedBy(res)
	}
	return err
}

// contactAt returns our Contact with the token by which calls name this account.
func (b *binding) contactAt(address netip.AddrPort) *siplib.ContactHeader {
	return b.ua.wire.ContactAt(b.Token, address, b.Transport, false)
}

// address returns where the registrar has to send calls.
func (b *binding) address() netip.AddrPort {
	b.ua.mu.Lock()
	defer b.ua.mu.Unlock()
	return b.ua.wire.Reached(b.Transport, b.seen)
}

// learn reads from an answer where it came from and where it was sent to.
func (b *binding) learn(done *wire.Exchanged) {
	b.ua.mu.Lock()
	defer b.ua.mu.Unlock()
	b.source = wire.Reach{}.Peer(wire.TransportOf(done.Req), done.Res.Source(), done.Req.Destination())
	if seen := seenAt(done.Res.Via()); seen.IsValid() {
		b.seen = seen
	}
}

// seenAt returns the address that the far end noted in our Via (RFC 3581).
func seenAt(via *siplib.ViaHeader) netip.AddrPort {
	if via == nil {
		return netip.AddrPort{}
	}
	ip, err := netip.ParseAddr(strings.Trim(via.Params.GetOr("received", ""), "[]"))
	if err != nil {
		return netip.AddrPort{}
	}
	port, err := strconv.ParseUint(via.Params.GetOr("rport", ""), 10, 16)
	if err != nil || port == 0 {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(ip.Unmap(), uint16(port))
}

// granted returns how long the registrar keeps our Contact: what it says beside it, else for all, else what we asked for.
func granted(res *siplib.Response, token string, asked time.Duration) time.Duration {
	for _, value := range wire.HeaderValues(res, "Contact") {
		var uri siplib.Uri
		var params siplib.HeaderParams
		if _, err := siplib.ParseAddressValue(value, &uri, &params); err != nil || uri.User != token {
			continue
		}
		if expires, ok := params.Get("expires"); ok {
			if own := parseSeconds(expires); own > 0 {
				return own
			}
		}
	}
	if h := res.GetHeader("Expires"); h != nil {
		return seconds(h)
	}
	return asked
}

// keepAlive sends something that keeps NATs and connections open, and fails when the registrar cannot be reached.
func (b *binding) keepAlive(ctx context.Context) error {
	if b.Probe {
		return b.probe(ctx)
	}
	b.ua.mu.Lock()
	source := b.source
	b.ua.mu.Unlock()
	return b.ua.wire.Ping(b.Transport, source)
}

// probe asks for anything at all. An answer may tell that the registrar sees us at another address now.
func (b *binding) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, b.ua.timers.timeout())
	defer cancel()
	done, err := b.ua.wire.Exchange(ctx, b.probes, b.account, siplib.OPTIONS, nil, func(req *siplib.Request) {
		req.AppendHeader(b.contactAt(b.told))
	})
	if err != nil {
		return err
	}
	b.learn(done)
	if b.address() != b.told {
		return errors.New("our address has changed")
	}
	return nil
}
