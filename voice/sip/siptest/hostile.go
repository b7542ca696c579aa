package siptest

import (
	"bufio"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Hostile is a SIP provider that names a foreign machine wherever a message has room for an address, written by hand, as no
// library would let it. It answers everything, each call in another shape, and asks for more once a call is answered.
type Hostile struct {
	Transport string // udp, tcp or tls
	Foreign   netip.AddrPort
	Addr      string

	tb     testing.TB
	mu     sync.Mutex
	asked  map[string]int // requests by their methods
	binds  []string       // Contacts that were registered
	heard  string         // where the latest call takes sound
	shapes map[string]int // of calls, by Call-ID
	next   int
	open   []net.Conn
	udp    *net.UDPConn
}

// A Hostile has so many ways to name the foreign machine in the answer to a call.
const (
	Shapes   = 12
	Readable = 9 // of them, the first, are messages as RFC 3261 has them
)

// NewHostile listens at 127.0.0.1 until the test ends. The files are for TLS.
func NewHostile(tb testing.TB, transport string, foreign netip.AddrPort, certFile, keyFile string) *Hostile {
	tb.Helper()
	h := &Hostile{Transport: transport, Foreign: foreign, tb: tb, asked: map[string]int{}, shapes: map[string]int{}}
	if transport == "udp" {
		conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		require.NoError(tb, err)
		tb.Cleanup(func() { require.NoError(tb, conn.Close()) })
		h.udp, h.Addr = conn, conn.LocalAddr().String()
		go h.readPackets()
		return h
	}
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp4", "127.0.0.1:0")
	require.NoError(tb, err)
	h.Addr = listener.Addr().String()
	if transport == "tls" {
		certificate, err := tls.LoadX509KeyPair(certFile, keyFile)
		require.NoError(tb, err)
		listener = tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{certificate}})
	}
	tb.Cleanup(func() { listener.Close(); h.HangUp() })
	go h.accept(listener)
	return h
}

// Asked returns how many requests of a method have come.
func (h *Hostile) Asked(method string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asked[method]
}

// Registered returns the latest Contact that was registered, or empty.
func (h *Hostile) Registered() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.binds) == 0 {
		return ""
	}
	return h.binds[len(h.binds)-1]
}

// Sound returns where the latest call takes sound; the zero value before there is one.
func (h *Hostile) Sound() netip.AddrPort {
	h.mu.Lock()
	defer h.mu.Unlock()
	at, err := netip.ParseAddrPort(h.heard)
	if err != nil {
		return netip.AddrPort{}
	}
	return at
}

// HangUp closes all connections, so that whoever has more to say has to open another one.
func (h *Hostile) HangUp() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, conn := range h.open {
		conn.Close()
	}
	h.open = nil
}

func (h *Hostile) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		h.mu.Lock()
		h.open = append(h.open, conn)
		h.mu.Unlock()
		go h.ReadStream(conn)
	}
}

// ReadStream answers what comes over a connection until it is closed.
func (h *Hostile) ReadStream(conn net.Conn) {
	lines := bufio.NewReader(conn)
	for {
		m, err := readMessage(lines)
		if err != nil {
			return
		}
		h.take(m, func(text string) { _, _ = io.WriteString(conn, text) }) // nobody hears what is said to a closed one
	}
}

func (h *Hostile) readPackets() {
	b := make([]byte, 65536)
	for {
		n, from, err := h.udp.ReadFromUDPAddrPort(b)
		if err != nil {
			return
		}
		if m, err := readMessage(bufio.NewReader(strings.NewReader(string(b[:n])))); err == nil {
			h.take(m, func(text string) { _, _ = h.udp.WriteToUDPAddrPort([]byte(text), from) })
		}
	}
}

// message is what of a SIP message has to be known.
type message struct {
	line   string
	header textproto.MIMEHeader
	body   string
}

func readMessage(r *bufio.Reader) (*message, error) {
	lines := textproto.NewReader(r)
	line, err := lines.ReadLine()
	for err == nil && line == "" { // what keeps connections open
		line, err = lines.ReadLine()
	}
	if err != nil {
		return nil, err
	}
	header, err := lines.ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	length, _ := strconv.Atoi(header.Get("Content-Length"))
	body := make([]byte, max(0, length))
	_, err = io.ReadFull(r, body)
	return &message{line, header, string(body)}, err
}

// takes returns where the sender of a message takes sound, or empty.
func (m *message) takes() string {
	var host, port string
	for line := range strings.Lines(m.body) {
		switch fields := strings.Fields(line); {
		case len(fields) == 3 && strings.HasPrefix(line, "c="):
			host = fields[2]
		case len(fields) > 2 && strings.HasPrefix(line, "m=audio "):
			port = fields[1]
		}
	}
	if port == "" {
		return ""
	}
	return net.JoinHostPort(host, port)
}

// take answers a request, and goes on when a call of ours is answered.
func (h *Hostile) take(m *message, write func(string)) {
	if at := m.takes(); at != "" {
		h.mu.Lock()
		h.heard = at
		h.mu.Unlock()
	}
	if strings.HasPrefix(m.line, "SIP/2.0") {
		h.acknowledge(m, write)
		return
	}
	method, rest, _ := strings.Cut(m.line, " ")
	h.mu.Lock()
	h.asked[method]++
	if contact := m.header.Get("Contact"); method == "REGISTER" && contact != "" {
		h.binds = append(h.binds, contact)
	}
	h.mu.Unlock()
	inside := strings.Contains(m.header.Get("To"), "tag=")
	switch {
	case method == "ACK":
		h.insist(m, write)
	case method == "INVITE" && !inside && strings.HasPrefix(rest, "sip:302@"):
		write(h.answer(m, "302 Moved Temporarily", ""))
	case method == "INVITE" && !inside && strings.HasPrefix(rest, "sip:183@"):
		write(h.answer(m, "183 Session Progress", h.sound()))
	case method == "INVITE":
		write(h.answer(m, "200 OK", h.sound()))
	default:
		write(h.answer(m, "200 OK", ""))
	}
}

// sound describes a stream at the foreign machine.
func (h *Hostile) sound() string {
	ip, port := h.Foreign.Addr(), int(h.Foreign.Port())
	return fmt.Sprintf("v=0\r\no=- 1 1 IN IP4 %s\r\ns=-\r\nc=IN IP4 %s\r\nt=0 0\r\nm=audio %d RTP/AVP 0 8\r\na=rtcp:%d IN IP4 %s\r\n",
		ip, ip, port, port+1, ip)
}

// names are headers that name the foreign machine, in the shape of a call.
func (h *Hostile) names(callID string) string {
	h.mu.Lock()
	shape, known := h.shapes[callID]
	if !known {
		shape = h.next % Shapes
		h.next++
		h.shapes[callID] = shape
	}
	h.mu.Unlock()
	f := h.Foreign.String()
	contact := "Contact: <sip:x@" + f + ";maddr=" + h.Foreign.Addr().String() + ";transport=" + h.Transport + ">"
	routes := []string{
		"", "Record-Route: <sip:" + f + ";lr>", "Record-Route: <sip:" + f + ";transport=tcp;lr>", "Record-Route: <sip:" + f +
			";transport=udp;lr>",
		"Record-Route: <sips:" + f + ";lr>", "Record-Route: <sip:" + f + ">", "Record-Route: <sip:" + h.Addr +
			";maddr=" + h.Foreign.Addr().String() + ";lr>",
		"Record-Route: <sip:" + h.Addr + ";lr>, <sip:" + f + ";lr>", "Record-Route: <sip:" + f + ";lr>, <sip:" + h.Addr + ";lr>",
		"Record-Route: <sip:a b@" + f + ";lr>", "Record-Route: <sip:x@" + f + "\x01;lr>", "Record-Route: <sip:" + f +
			";lr\nRoute: <sip:" + f + ";lr>",
	}
	lines := []string{contact}
	if routes[shape] != "" {
		lines = append(lines, routes[shape])
	}
	return strings.Join(append(lines, "Service-Route: <sip:"+f+";lr>", "Path: <sip:"+f+";lr>", "Route: <sip:"+f+";lr>",
		"Reply-To: <sip:"+f+">",
		"Call-Info: <http://"+f+"/>", "Alert-Info: <http://"+f+"/>", "Error-Info: <sip:"+f+">", "P-Asserted-Identity: <sip:x@"+f+">"),
		"\r\n")
}

// answer is one to a request, which says that it came from the foreign machine.
func (h *Hostile) answer(m *message, status, body string) string {
	to := m.header.Get("To")
	if !strings.Contains(to, "tag=") {
		to += ";tag=hostile"
	}
	kind := ""
	if body != "" {
		kind = "Content-Type: application/sdp\r\n"
	}
	return fmt.Sprintf("SIP/2.0 %s\r\nVia: %s;received=%s;maddr=%s\r\nFrom: %s\r\nTo: %s\r\nCall-ID: %s\r\nCSeq: %s\r\n%s\r\n%sContent-Length: %d\r\n\r\n%s",
		status, m.header.Get("Via"), h.Foreign.Addr(), h.Foreign.Addr(), m.header.Get("From"), to, m.header.Get("Call-Id"),
		m.header.Get("Cseq"),
		h.names(m.header.Get("Call-Id")), kind, len(body), body)
}

// insist asks for more within a call that was acknowledged, all of it at the foreign machine.
func (h *Hostile) insist(m *message, write func(string)) {
	for i, method := range []string{"UPDATE", "REFER", "NOTIFY", "INFO", "OPTIONS"} {
		body := ""
		if method == "UPDATE" {
			body = h.sound()
		}
		write(h.request(method, "x", 100+i, m.header.Get("To"), m.header.Get("From"), m.header.Get("Call-Id"), body))
	}
}

// request is one that says that it comes from the foreign machine.
func (h *Hostile) request(method, user string, sequence int, from, to, callID, body string) string {
	kind := ""
	if body != "" {
		kind = "Content-Type: application/sdp\r\n"
	}
	return fmt.Sprintf("%s sip:%s@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/%s %s;branch=z9hG4bK%s;rport;received=%s;maddr=%s\r\nMax-Forwards: 70\r\n"+
		"From: %s\r\nTo: %s\r\nCall-ID: %s\r\nCSeq: %d %s\r\nRefer-To: <sip:x@%s>\r\nEvent: refer\r\n%s\r\n%sContent-Length: %d\r\n\r\n%s",
		method, user, strings.ToUpper(h.Transport), h.Foreign, rand.Text(), h.Foreign.Addr(), h.Foreign.Addr(), from, to, callID,
		sequence, method, h.Foreign,
		h.names(callID), kind, len(body), body)
}

// Call has the provider call a user at an address over UDP, or over the connection that is given.
func (h *Hostile) Call(to netip.AddrPort, over net.Conn, user, callID string) {
	text := h.request("INVITE", user, 1, "<sip:far@"+h.Foreign.String()+">;tag=hostile", "<sip:42@127.0.0.1>", callID, h.sound())
	var err error
	if over != nil {
		_, err = io.WriteString(over, text)
	} else {
		_, err = h.udp.WriteToUDPAddrPort([]byte(text), to)
	}
	require.NoError(h.tb, err)
}

// acknowledge sends the ACK of a call of ours that was answered.
func (h *Hostile) acknowledge(m *message, write func(string)) {
	if !strings.HasSuffix(m.header.Get("Cseq"), " INVITE") || !strings.HasPrefix(m.line, "SIP/2.0 2") {
		return
	}
	user, _, _ := strings.Cut(strings.TrimPrefix(m.header.Get("Contact"), "<sip:"), "@")
	write(h.request("ACK", user, 1, m.header.Get("From"), m.header.Get("To"), m.header.Get("Call-Id"), ""))
	h.insist(&message{header: textproto.MIMEHeader{
		"To": {m.header.Get("From")}, "From": {m.header.Get("To")}, "Call-Id": {m.header.Get("Call-Id")},
	}}, write)
}
