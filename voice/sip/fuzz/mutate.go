package fuzz

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
)

var (
	methods = []string{"INVITE", "ACK", "BYE", "CANCEL", "OPTIONS", "UPDATE", "INFO", "NOTIFY", "REFER", "REGISTER", "MESSAGE",
		"PRACK", "SUBSCRIBE", "x"}
	codes = []string{"100 Trying", "180 Ringing", "183 Progress", "200 OK", "202 Accepted", "302 Moved", "401 Unauthorized",
		"407 Proxy", "422 Small", "486 Busy", "503 Gone", "999 x"}
	bodies = []struct{ kind, text string }{
		{"", ""},
		{"application/sdp",
			"v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0 8 101\r\na=rtpmap:101 telephone-event/8000\r\na=rtcp:4001 IN IP4 192.0.2.1\r\na=sendrecv\r\n"},
		{"application/sdp",
			"v=0\r\no=- 1 1 IN IP6 2001:db8::1\r\ns=-\r\nt=0 0\r\nm=video 0 RTP/AVP 31\r\nm=audio 4000/2 RTP/SAVP 8\r\nc=IN IP6 2001:db8::1\r\n" +
				"a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB|2^20|1:4\r\na=rtcp-mux\r\nm=image 1 udptl t38\r\n"},
		{"application/dtmf-relay", "Signal=5\r\nDuration=160\r\n"},
		{"message/sipfrag;version=2.0", "SIP/2.0 200 OK\r\n"},
		{"multipart/mixed;boundary=b",
			"--b\r\nContent-Type: application/sdp\r\n\r\nv=0\r\nc=IN IP4 192.0.2.1\r\nm=audio 4000 RTP/AVP 0\r\n\r\n--b--\r\n"},
	}
	nonsense = []string{
		"", " ", "\t", "<", ">", "\"", ";", ",", ":", "@", "\\", "%", "%00", "\x00", "\x01\xff", "\r", "\n", "\r\n", "\r\n\r\n", "é",
		"\xc3\x28", "-1", "0", "65536",
		"4294967296", "99999999999999999999", "sip:", "sips:[::1", "sip:[::1]:0", "sip:a@b;lr;maddr=127.0.0.1",
		"tel:+1;phone-context=x", "http://127.0.0.1/", "*", ";tag=", ";branch=z9hG4bK",
		";rport", ";received=127.0.0.1", "IN IP4 0.0.0.0", "IN IP4 224.0.0.1", "IN IP6 ::", "a=rtpmap:0 x/0", "SIP/2.0", "SIP/3.0",
		"inline:", "Content-Length: 5", strings.Repeat("a", 300),
		strings.Repeat("A", 4000), strings.Repeat("<", 200), strings.Repeat(";a=b", 200), strings.Repeat("\"\\", 100),
		strings.Repeat("1,", 300),
	}
)

// Message returns the message of that number: one as RFC 3261 has it, with up to six faults. It says that it comes from an
// address.
func Message(seed uint64, number int, from string) []byte {
	r := rand.New(rand.NewPCG(seed, uint64(number)))
	message := []byte(wellFormed(r, number, from))
	for range r.IntN(7) {
		message = spoil(r, message)
	}
	return message[:min(len(message), 60000)]
}

// wellFormed returns a message without faults.
func wellFormed(r *rand.Rand, number int, from string) string {
	method := pick(r, methods)
	line := method + " sip:+3197010200" + fmt.Sprint(r.IntN(100)) + "@" + from + " SIP/2.0"
	if r.IntN(4) == 0 {
		line = "SIP/2.0 " + pick(r, codes)
	}
	to := "<sip:42@" + from + ">"
	if r.IntN(2) == 0 {
		to += ";tag=near"
	}
	lines := []string{
		line, fmt.Sprintf("Via: SIP/2.0/UDP %s;rport;branch=z9hG4bK%d", from, number), "Max-Forwards: 70",
		"From: \"A, B\" <sip:+31612345678@" + from + ">;tag=far", "To: " + to, fmt.Sprintf("Call-ID: fuzz-%d", number),
		fmt.Sprint("CSeq: ", r.IntN(100), " ", method),
		"Contact: <sip:far@" + from + ";transport=udp>;expires=60",
	}
	for _, more := range []string{
		"Record-Route: <sip:" + from + ";lr>, <sip:192.0.2.1;lr>", "Route: <sip:" + from + ";lr>", "Session-Expires: 90;refresher=uac",
		"Min-SE: 90", "Supported: timer, 100rel",
		"Require: timer", "Allow: INVITE, UPDATE", "Refer-To: <sip:3@" + from + "?Replaces=a%3Bb>", "Event: refer;id=1",
		"Subscription-State: active;expires=60", "Expires: 60",
		"WWW-Authenticate: Digest realm=\"a\", nonce=\"b\", qop=\"auth,auth-int\"",
		"Authorization: Digest username=\"a\", response=\"b\"", "Retry-After: 5 (x);duration=1",
		"P-Asserted-Identity: \"X\" <sip:+31201234567@" + from + ">", "Privacy: id", "Content-Encoding: gzip",
	} {
		if r.IntN(4) == 0 {
			lines = append(lines, more)
		}
	}
	body := bodies[r.IntN(len(bodies))]
	if body.kind != "" {
		lines = append(lines, "Content-Type: "+body.kind)
	}
	return strings.Join(append(lines, fmt.Sprint("Content-Length: ", len(body.text)), "", body.text), "\r\n")
}

// spoil makes one fault.
func spoil(r *rand.Rand, message []byte) []byte {
	if len(message) == 0 {
		return message
	}
	at := r.IntN(len(message))
	switch r.IntN(10) {
	case 0:
		message[at] ^= 1 << r.IntN(8)
	case 1:
		message[at] = byte(r.Uint32())
	case 2:
		return message[:at]
	case 3, 4:
		return splice(message, at, 0, pick(r, nonsense))
	case 5:
		return splice(message, at, r.IntN(min(40, len(message)-at)+1), pick(r, nonsense))
	default:
		return spoilLine(r, message)
	}
	return message
}

// spoilLine removes, repeats, moves, renames, shortens or empties one line.
func spoilLine(r *rand.Rand, message []byte) []byte {
	lines := strings.Split(string(message), "\r\n")
	i := r.IntN(len(lines))
	name, value, _ := strings.Cut(lines[i], ":")
	switch r.IntN(7) {
	case 0:
		lines = append(lines[:i], lines[i+1:]...)
	case 1:
		lines = append(lines[:i], append([]string{lines[i]}, lines[i:]...)...)
	case 2:
		j := r.IntN(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
	case 3:
		lines[i] = name + ":"
	case 4:
		lines[i] = name + ": " + pick(r, nonsense)
	case 5:
		lines[i] = name[:min(1, len(name))] + ":" + value // as compact forms are written
	case 6:
		lines[i] = name + ":\r\n " + value // a folded line
	}
	return []byte(strings.Join(lines, "\r\n"))
}

// Packet returns the packet of that number: RTP or RTCP, mostly with faults.
func Packet(seed uint64, number int) []byte {
	r := rand.New(rand.NewPCG(seed, uint64(number)))
	packet := make([]byte, 12+r.IntN(200))
	for i := range packet {
		packet[i] = byte(r.Uint32())
	}
	packet[0] = 0x80
	if r.IntN(3) == 0 { // padding, an extension, sources
		packet[0] = 0x80 | byte(r.IntN(64))
	}
	packet[1] = pick(r, []byte{0, 8, 13, 98, 101, 128, 229, 200, 201, 202, 203, 204, 205, 206, 207, byte(r.Uint32())})
	binary.BigEndian.PutUint16(packet[2:], uint16(number+r.IntN(3)))
	if r.IntN(3) > 0 {
		binary.BigEndian.PutUint32(packet[8:], uint32(seed))
	}
	for range r.IntN(3) {
		packet[r.IntN(len(packet))] ^= 1 << r.IntN(8)
	}
	if r.IntN(4) == 0 {
		return packet[:r.IntN(len(packet)+1)]
	}
	return packet
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// splice returns a message with some bytes in place of others.
func splice(message []byte, at, length int, with string) []byte {
	return append(append(append([]byte(nil), message[:at]...), with...), message[at+length:]...)
}
