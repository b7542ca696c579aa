package sip

import (
	"net/netip"
	"testing"
	"time"

	"github.com/pion/rtcp"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
)

func TestReceptionIsCounted(t *testing.T) {
	t.Parallel()
	hear := func(r *reception, sequences ...uint16) {
		for _, s := range sequences {
			r.hear(7, s)
		}
	}
	var r reception
	_, ok := r.report(0, 0)
	require.False(t, ok, "nothing came yet")
	hear(&r, 65534, 65535, 0, 1)
	got, _ := r.report(0, 5*time.Millisecond)
	require.Equal(t, rtcp.ReceptionReport{SSRC: 7, LastSequenceNumber: 65537, Jitter: 40}, got, "sequence numbers wrap")
	hear(&r, 3, 5) // 2 and 4 are missing
	got, _ = r.report(0, 0)
	require.Equal(t, rtcp.ReceptionReport{SSRC: 7, LastSequenceNumber: 65541, TotalLost: 2, FractionLost: 128}, got)
	hear(&r, 4, 6, 6, 6) // one came after all, another thrice
	got, _ = r.report(0, 0)
	require.Zero(t, got.TotalLost)
	require.Zero(t, got.FractionLost)

	r.senderReport, r.senderReportAt, r.senderReportHas = 99, time.Second, true
	got, _ = r.report(1500*time.Millisecond, 0)
	require.Equal(t, uint32(99), got.LastSenderReport)
	require.Equal(t, uint32(32768), got.Delay, "half a second")
	hear(&r, 2000)
	got, _ = r.report(0, 0)
	require.Zero(t, got.TotalLost, "a jump is a new stream")
	r.hear(8, 1)
	got, _ = r.report(0, 0)
	require.Equal(t, uint32(8), got.SSRC)
	require.Zero(t, got.LastSenderReport, "what another source reported is not its")
}

func TestReportsTellLossAndRoundTrip(t *testing.T) {
	t.Parallel()
	for _, encryption := range []SRTP{SRTPOff, SRTPRequired} {
		onCall, legs := answering(t)
		often := func(timers *timers) { timers.report = 50 * time.Millisecond }
		there, here := listenTimed(t, Config{Inbound: onCall}, often), listenTimed(t, Config{}, often)
		caller, err := here.Dial(within(t), Dial{Proxy: there.Addr().String(), To: "1", SRTP: encryption})
		require.NoError(t, err)
		callee := receive(t, legs)
		done := func(s Stats) bool { return s.RoundTrip > 0 && s.ReportsIn > 2 && s.ReportsOut > 2 }
		next(t, caller, func(audio.Incoming) bool { return done(caller.Stats()) && done(callee.Stats()) })
		require.Less(t, caller.Stats().RoundTrip, time.Second)
		require.Zero(t, caller.Stats().Strays)
		require.NoError(t, caller.Hangup(within(t)))
	}
}

// reported hands a compound packet to a call.
func reported(t *testing.T, m *media, from string, packets ...rtcp.Packet) bool {
	t.Helper()
	raw, err := rtcp.Marshal(packets)
	require.NoError(t, err)
	return m.takeReport(raw, netip.MustParseAddrPort(from), opener{}, m.now())
}

func TestWhatTheFarEndReports(t *testing.T) {
	t.Parallel()
	m := testMedia(t)
	m.heard.Store(-int64(time.Hour))
	now := m.now()
	block := rtcp.ReceptionReport{
		SSRC: m.ssrc, TotalLost: 12, Jitter: 80,
		LastSenderReport: uint32(m.ntp(now-300*time.Millisecond) >> 16), Delay: 65536 / 10,
	}
	others := block
	others.SSRC, others.TotalLost = m.ssrc+1, 99
	require.True(t, reported(t, m, "127.0.0.1:4001", &rtcp.ReceiverReport{SSRC: 1, Reports: []rtcp.ReceptionReport{block, others}}))
	require.EqualValues(t, 12, m.counts.farLost.Load())
	require.EqualValues(t, 10*time.Millisecond, m.counts.farJitter.Load())
	require.InDelta(t, 0.2, time.Duration(m.counts.roundTrip.Load()).Seconds(), 0.05)
	require.GreaterOrEqual(t, m.heard.Load(), int64(now), "a report is a sign of life")
	to, ok := m.reportsTo(m.route.Load())
	require.True(t, ok)
	require.Equal(t, "127.0.0.1:4001", to.String(), "ours go where its come from")

	require.False(t, reported(t, m, "192.0.2.7:4001", &rtcp.ReceiverReport{SSRC: 1}), "a stranger")
	require.False(t, m.takeReport([]byte{0x80, 201}, netip.MustParseAddrPort("127.0.0.1:4001"), opener{}, m.now()))
}

func TestReportsKeepASilentCallAlive(t *testing.T) {
	t.Parallel()
	m := testMedia(t)
	m.firstWait = time.Millisecond
	dead := 0
	m.onDead = func() { dead++ }
	m.heard.Store(int64(m.now() - time.Second))
	m.checkLife(m.route.Load(), m.now())
	require.Equal(t, 1, dead)
	m.firstWait = time.Hour
	m.heard.Store(int64(m.now() - 2*time.Hour))
	require.True(t, reported(t, m, "127.0.0.1:4001", &rtcp.ReceiverReport{SSRC: 1}))
	m.checkLife(m.route.Load(), m.now())
	require.Equal(t, 1, dead)
}

func TestReportsThatShareThePort(t *testing.T) {
	t.Parallel()
	far, err := parseSDP(body(connection, timing, "m=audio 4000 RTP/AVP 0", "a=rtcp:4007 IN IP4 192.0.2.9", "a=rtcp-mux"))
	require.NoError(t, err)
	require.Equal(t, "192.0.2.9:4007", far.control.String())
	local := newOffer(netip.MustParseAddrPort("198.51.100.1:7000"), false)
	require.NotContains(t, string(local.marshal()), "rtcp-mux", "we do not ask for it")
	local.answerTo(far, sendRecv, new(keyring))
	require.Contains(t, string(local.marshal()), "a=rtcp-mux\r\n")

	m := testMedia(t)
	r := *m.route.Load()
	r.mux, r.control = true, netip.MustParseAddrPort("127.0.0.1:11")
	to, _ := m.reportsTo(&r)
	require.Equal(t, r.remote, to)
	r.mux = false
	to, _ = m.reportsTo(&r)
	require.Equal(t, r.control, to)
	receiver := newReceiver(m)
	raw, err := rtcp.Marshal([]rtcp.Packet{&rtcp.ReceiverReport{SSRC: 1}})
	require.NoError(t, err)
	receiver.read(raw, netip.MustParseAddrPort("127.0.0.1:9"), m.now())
	require.EqualValues(t, 1, m.counts.reportsIn.Load())
}

func TestWhereReportsGo(t *testing.T) {
	t.Parallel()
	for attribute, want := range map[string]string{
		"a=x": "192.0.2.1:4001", "a=rtcp:9": "192.0.2.1:9", "a=rtcp:9 IN IP6 2001:db8::1": "[2001:db8::1]:9",
		"a=rtcp:70000": "192.0.2.1:4001", "a=rtcp:9 IN IP4 host": "192.0.2.1:4001", "a=rtcp:": "192.0.2.1:4001",
	} {
		far, err := parseSDP(body(connection, timing, "m=audio 4000 RTP/AVP 0", attribute))
		require.NoError(t, err)
		require.Equal(t, want, far.control.String(), attribute)
	}
}

func FuzzTakeReport(f *testing.F) {
	raw, err := rtcp.Marshal([]rtcp.Packet{
		&rtcp.SenderReport{SSRC: 1, Reports: []rtcp.ReceptionReport{{SSRC: 2, LastSenderReport: 1}}}, rtcp.NewCNAMESourceDescription(1, "x"),
	})
	require.NoError(f, err)
	f.Add(raw)
	f.Fuzz(func(t *testing.T, datagram []byte) {
		m := testMedia(t)
		m.ssrc = 2
		m.takeReport(datagram, netip.MustParseAddrPort("127.0.0.1:1"), opener{}, m.now())
		require.GreaterOrEqual(t, m.counts.roundTrip.Load(), int64(0))
		keys := new(keyring)
		g, err := keys.agree(make([]byte, masterLen+saltLen))
		require.NoError(t, err)
		m.takeReport(datagram, netip.MustParseAddrPort("127.0.0.1:1"), g.control(), m.now())
	})
}
