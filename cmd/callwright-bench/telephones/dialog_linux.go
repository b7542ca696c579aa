package telephones

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	siplib "github.com/emiago/sipgo/sip"
)

const (
	resendEvery = 500 * time.Millisecond // T1 (RFC 3261)
	sweepEvery  = 20 * time.Millisecond
	messageLen  = 65535
	overAfter   = 32 * time.Second // a dialog that is over answers that long what is sent again
)

// dialog is one call. It belongs to the goroutine that answers.
type dialog struct {
	number string
	id     string // Call-ID
	group  *group
	own    netip.Addr
	peer   *net.UDPAddr // who signals
	far    netip.AddrPort
	report netip.AddrPort // where that takes reports
	answer []byte         // the 200 to the INVITE
	bye    []byte
	acked  bool
	over   bool // our BYE was answered, or theirs came
	byes   bool // we have sent ours
	ends   time.Time
	resend time.Time // when what was not acknowledged is sent again; zero: nothing is
}

// answer answers what comes, until the socket is closed.
func (t *Telephones) answer() {
	data := make([]byte, messageLen)
	for swept := time.Now(); ; {
		if err := t.conn.SetReadDeadline(time.Now().Add(sweepEvery)); err != nil {
			return
		}
		n, from, err := t.conn.ReadFromUDP(data)
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err == nil:
			t.take(data[:n], from)
		}
		if now := time.Now(); now.Sub(swept) >= sweepEvery {
			t.sweep(now)
			swept = now
		}
	}
}

func (t *Telephones) take(data []byte, from *net.UDPAddr) {
	message, err := siplib.ParseMessage(data)
	if err != nil {
		t.cfg.Logger.Error("telephone was sent what is no SIP", "error", err)
		return
	}
	if response, ok := message.(*siplib.Response); ok {
		if d := t.dialogs[response.CallID().Value()]; d != nil && response.CSeq().MethodName == siplib.BYE {
			t.hangUp(d)
		}
		return
	}
	request := message.(*siplib.Request)
	request.SetSource(from.String())
	d := t.dialogs[request.CallID().Value()]
	switch {
	case request.Method == siplib.INVITE && d == nil:
		if err := t.accept(request, from); err != nil {
			t.cfg.Logger.Error("telephone does not answer", "error", err)
			t.send(from, siplib.NewResponseFromRequest(request, siplib.StatusNotAcceptableHere, "Not Acceptable Here", nil))
		}
	case request.Method == siplib.INVITE && request.To().Params.Has("tag"): // nobody's session lasts so long that it is refreshed
		t.send(from, siplib.NewResponseFromRequest(request, siplib.StatusNotAcceptableHere, "Not Acceptable Here", nil))
	case request.Method == siplib.INVITE:
		t.write(from, d.answer)
	case request.Method == siplib.ACK:
		if d != nil && !d.acked {
			t.begin(d)
		}
	case d == nil && request.Method != siplib.OPTIONS:
		t.send(from, siplib.NewResponseFromRequest(request, siplib.StatusCallTransactionDoesNotExists, "No Such Call", nil))
	default:
		t.send(from, siplib.NewResponseFromRequest(request, siplib.StatusOK, "OK", nil))
		if request.Method == siplib.BYE {
			t.hangUp(d)
		}
	}
}

// accept answers a call at an address of its own.
func (t *Telephones) accept(invite *siplib.Request, from *net.UDPAddr) error {
	far, report, err := readOffer(invite.Body())
	if err != nil {
		return err
	}
	t.own = t.own.Next()
	d := &dialog{
		number: invite.To().Address.User, id: invite.CallID().Value(), group: t.groups[t.own.As4()[3]%groups], own: t.own,
		peer: from, far: far, report: report, resend: time.Now().Add(resendEvery),
	}
	contact := fmt.Sprintf("<sip:telephone@%v>", t.Addr())
	body := fmt.Sprintf("v=0\r\no=- 1 1 IN IP4 %[1]v\r\ns=-\r\nc=IN IP4 %[1]v\r\nt=0 0\r\nm=audio %[2]d RTP/AVP 0 101\r\n"+
		"a=rtpmap:0 PCMU/8000\r\na=rtpmap:101 telephone-event/8000\r\na=ptime:20\r\na=rtcp:%[3]d\r\n",
		d.own, d.group.port, d.group.reportPort)
	ok := siplib.NewResponseFromRequest(invite, siplib.StatusOK, "OK", []byte(body))
	ok.AppendHeader(siplib.NewHeader("Contact", contact))
	ok.AppendHeader(siplib.NewHeader("Content-Type", "application/sdp"))
	d.answer = []byte(ok.String())
	d.bye = fmt.Appendf(nil, "BYE %v SIP/2.0\r\nVia: SIP/2.0/UDP %v;branch=z9hG4bK%v;rport\r\nFrom: %v\r\nTo: %v\r\n"+
		"Call-ID: %v\r\nCSeq: 1 BYE\r\nMax-Forwards: 70\r\nContact: %v\r\nContent-Length: 0\r\n\r\n",
		invite.Contact().Address.String(), t.Addr(), d.own, ok.To().Value(), invite.From().Value(), d.id, contact)
	t.dialogs[d.id] = d
	t.due = append(t.due, d)
	t.write(from, d.answer)
	return nil
}

// begin has the telephone speak: the caller knows of the answer.
func (t *Telephones) begin(d *dialog) {
	d.acked, d.resend, d.ends = true, time.Time{}, time.Now().Add(t.cfg.Talk)
	d.group.add(d.own, d.far, d.report, t.question)
}

// hangUp ends a call that both sides know to be over.
func (t *Telephones) hangUp(d *dialog) {
	d.over, d.resend = true, time.Time{}
	t.fallSilent(d)
}

// fallSilent ends what the telephone says and hears.
func (t *Telephones) fallSilent(d *dialog) {
	if notes, ok := d.group.remove(d.own); ok {
		t.noted[d.number] = notes
	}
}

// sweep hangs up the calls that have lasted long enough, sends again what was not acknowledged, and forgets what is long over.
func (t *Telephones) sweep(now time.Time) {
	for len(t.due) > 0 && t.due[0].over && now.Sub(t.due[0].ends) > overAfter {
		delete(t.dialogs, t.due[0].id)
		t.due = t.due[1:]
	}
	for _, d := range t.due {
		switch {
		case d.over:
		case !d.acked && now.After(d.resend):
			t.write(d.peer, d.answer)
			d.resend = now.Add(resendEvery)
		case d.acked && !d.byes && now.After(d.ends):
			t.fallSilent(d)
			d.byes = true
			fallthrough
		case d.byes && now.After(d.resend):
			t.write(d.peer, d.bye)
			d.resend = now.Add(resendEvery)
		}
	}
}

func (t *Telephones) send(to *net.UDPAddr, message siplib.Message) {
	t.write(to, []byte(message.String()))
}

// write sends a message. What the kernel refuses is sent again when it is missed.
func (t *Telephones) write(to *net.UDPAddr, message []byte) {
	if _, err := t.conn.WriteToUDP(message, to); err != nil && !errors.Is(err, net.ErrClosed) {
		t.cfg.Logger.Error("telephone cannot signal", "error", err)
	}
}

// readOffer reads where sound and reports are to go from the description of a session.
func readOffer(body []byte) (far, report netip.AddrPort, err error) {
	var ip netip.Addr
	var port, reportPort uint64
	for line := range bytes.Lines(body) {
		fields := strings.Fields(string(line))
		if len(fields) == 0 {
			continue
		}
		var failed error
		switch name, value, _ := strings.Cut(fields[0], ":"); {
		case strings.HasPrefix(name, "c=") && len(fields) == 3:
			ip, failed = netip.ParseAddr(fields[2])
		case name == "m=audio" && len(fields) > 3 && port == 0:
			port, failed = strconv.ParseUint(fields[1], 10, 16)
		case name == "a=rtcp":
			reportPort, failed = strconv.ParseUint(value, 10, 16)
		}
		if failed != nil {
			return far, report, fmt.Errorf("read offer: %w", failed)
		}
	}
	if !ip.Is4() || port == 0 {
		return far, report, fmt.Errorf("read offer: no address over IPv4 in %q", body)
	}
	if reportPort == 0 {
		reportPort = port + 1
	}
	return netip.AddrPortFrom(ip, uint16(port)), netip.AddrPortFrom(ip, uint16(reportPort)), nil
}
