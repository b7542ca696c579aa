package main

import (
	"bytes"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/voice/sip/fuzz"
	"github.com/callwright/callwright/voice/sip/siptest"
)

// rtpPacket is 20 ms of silence.
func rtpPacket(sequence int) []byte {
	at := 160 * sequence
	header := []byte{0x80, 0, byte(sequence >> 8), byte(sequence), 0, byte(at >> 16), byte(at >> 8), byte(at), 0, 0, 0, 7}
	return append(header, bytes.Repeat([]byte{0xff}, 160)...)
}

// TestHostileProvider gives a worker a customer's SIP connection whose provider names a foreign machine everywhere. Registration,
// calls in both directions and their sound stay with the provider, while the machine tries to take the sound over.
func TestHostileProvider(t *testing.T) {
	t.Parallel()
	long(t)

	foreign := siptest.NewForeign(t)
	provider := siptest.NewHostile(t, "udp", foreign.At, "", "")
	p := startPlatform(t, dbtest.DSN(t), false)
	p.env = append(p.env, "CALLWRIGHT_ALLOW_NETWORKS=127.0.0.1/32")
	worker := p.startWorker(append(hearing(), "--sip-listen=127.0.0.1:0")...)
	made := p.connect("alice", provider.Addr)
	p.waitConnection(made.ID, "registered")

	user, at := registeredAt(t, provider.Registered())
	provider.Call(at, nil, user, "a-call-that-comes-in")
	incoming := p.inbound("in-progress")
	p.hangUp(incoming.CallID)
	p.waitStatus(incoming.CallID, "completed", "voicemail", "failed")
	require.Equal(t, 1, provider.Asked("BYE"))

	id := p.direct("+31612345699")
	require.Equal(t, "in-progress", p.waitStatus(id, "in-progress", "failed", "completed").Status)
	worker.waitFor(`far end named an address that nothing is sent to`)
	keepsItsSound(t, provider.Sound(), foreign)
	p.hangUp(id)
	p.waitStatus(id, "completed", "voicemail", "failed")
	require.Equal(t, 2, provider.Asked("BYE"))

	p.call(http.MethodDelete, "/v1/assistants/"+p.assistantID+"/phone-number", nil, http.StatusOK, nil)
	p.call(http.MethodDelete, "/v1/sip-connections/"+made.ID, nil, http.StatusNoContent, nil)
	worker.waitFor("SIP connection is taken back")
	worker.stop()
	foreign.RequireUntouched(t)
}

// keepsItsSound has a thief send packets of the very stream that a far end sends, before it does and while it is silent. The far
// end is behind a NAT: nobody has named the address that it sends from.
func keepsItsSound(t *testing.T, to netip.AddrPort, thief *siptest.Foreign) {
	t.Helper()
	require.True(t, to.IsValid())
	far, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer far.Close()
	for i := range 20 {
		require.NoError(t, thief.Send(rtpPacket(i), to))
	}
	for i := range 5 {
		_, err := far.WriteToUDPAddrPort(rtpPacket(20+i), to)
		require.NoError(t, err)
	}
	require.NoError(t, far.SetReadDeadline(time.Now().Add(time.Minute)))
	buf := make([]byte, 2048)
	for i := range 100 { // two seconds, in which the far end is silent
		_, err := far.Read(buf)
		require.NoError(t, err)
		require.NoError(t, thief.Send(rtpPacket(25+i), to))
	}
}

// registeredAt reads a Contact.
func registeredAt(t *testing.T, contact string) (user string, at netip.AddrPort) {
	t.Helper()
	parts := regexp.MustCompile(`^<sip:([^@]+)@([^;>]+)`).FindStringSubmatch(contact)
	require.Len(t, parts, 3, contact)
	return parts[1], netip.MustParseAddrPort(parts[2])
}

// TestMutatedSIP sends a worker messages that nobody should, after which it still takes calls.
func TestMutatedSIP(t *testing.T) {
	t.Parallel()
	long(t)

	p := startPlatform(t, dbtest.DSN(t), false)
	outside := startCarrier(t, nil)
	worker := p.startWorker(append(outside.overCarrier(), "--trunk-peers=127.0.0.0/8")...)
	address := worker.waitFor(`"SIP gateway is open","address":"([^"]+)"`)
	report, err := fuzz.Run(t.Context(), fuzz.Config{Seed: 1, Messages: 1000, Target: address})
	require.NoError(t, err)
	require.Positive(t, report.Codes[400], "%+v", report)
	require.Equal(t, "busy", p.waitStatus(p.direct("+31612345601"), "busy", "failed").Status)
	worker.stop()
}
