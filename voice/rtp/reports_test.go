package rtp

import (
	"net/netip"
	"testing"
	"time"

	"github.com/pion/rtcp"
	"github.com/stretchr/testify/require"
)

func TestReceptionIsCounted(t *testing.T) {
	t.Parallel()
	hear := func(r *reception, sequences ...uint16) {
		for _, s := range sequences {
			r.count(7, s)
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
	r.count(8, 1)
	got, _ = r.report(0, 0)
	require.Equal(t, uint32(8), got.SSRC)
	require.Zero(t, got.LastSenderReport, "what another source reported is not its")
}

func reported(t *testing.T, m *Session, from string, packets ...rtcp.Packet) bool {
	t.Helper()
	raw, err := rtcp.Marshal(packets)
	require.NoError(t, err)
	return m.reporter.take(raw, netip.MustParseAddrPort(from), opener{}, m.Now())
}

func TestWhatTheFarEndReports(t *testing.T) {
	t.Parallel()
	m := testSession(t)
	dead := 0
	m.Watch(time.Second, time.Second, func() { dead++ })
	m.Alive(-time.Hour)
	now := m.Now()
	block := rtcp.ReceptionReport{
		SSRC: m.ssrc, TotalLost: 12, Jitter: 80,
		LastSenderReport: uint32(m.reporter.ntp(now-300*time.Millisecond) >> 16), Delay: 65536 / 10,
	}
	others := block
	others.SSRC, others.TotalLost = m.ssrc+1, 99
	require.True(t, reported(t, m, "127.0.0.1:4001", &rtcp.ReceiverReport{SSRC: 1, Reports: []rtcp.ReceptionReport{block, others}}))
	require.EqualValues(t, 12, m.Counts.FarLost.Load())
	require.EqualValues(t, 10*time.Millisecond, m.Counts.FarJitter.Load())
	require.InDelta(t, 0.2, time.Duration(m.Counts.RoundTrip.Load()).Seconds(), 0.05)
	m.Send(time.Now(), m.scratch.media, &m.sender)
	require.Zero(t, dead, "a report is a sign of life")
	to, ok := m.reporter.destination(m.route.Load())
	require.True(t, ok)
	require.Equal(t, "127.0.0.1:4001", to.String(), "ours go where its come from")

	require.False(t, reported(t, m, "192.0.2.7:4001", &rtcp.ReceiverReport{SSRC: 1}), "an unknown source")
	require.False(t, m.reporter.take([]byte{0x80, 201}, netip.MustParseAddrPort("127.0.0.1:4001"), opener{}, m.Now()))
}

func TestReportsKeepASilentCallAlive(t *testing.T) {
	t.Parallel()
	m := testSession(t)
	dead := 0
	m.Watch(time.Millisecond, 0, func() { dead++ })
	m.Alive(m.Now() - time.Second)
	m.Send(time.Now(), m.scratch.media, &m.sender)
	require.Equal(t, 1, dead)
	m.Watch(time.Hour, 0, func() { dead++ })
	m.Alive(m.Now() - 2*time.Hour)
	require.True(t, reported(t, m, "127.0.0.1:4001", &rtcp.ReceiverReport{SSRC: 1}))
	m.Send(time.Now(), m.scratch.media, &m.sender)
	require.Equal(t, 1, dead)
}

func TestReportsThatShareThePort(t *testing.T) {
	t.Parallel()
	m := testSession(t)
	r := *m.route.Load()
	r.Mux, r.Control = true, netip.MustParseAddrPort("127.0.0.1:11")
	to, _ := m.reporter.destination(&r)
	require.Equal(t, r.Remote, to)
	r.Mux = false
	to, _ = m.reporter.destination(&r)
	require.Equal(t, r.Control, to)
	receiver := &m.receiver
	raw, err := rtcp.Marshal([]rtcp.Packet{&rtcp.ReceiverReport{SSRC: 1}})
	require.NoError(t, err)
	receiver.read(raw, netip.MustParseAddrPort("127.0.0.1:9"), m.Now())
	require.EqualValues(t, 1, m.Counts.ReportsIn.Load())
}

func FuzzTakeReport(f *testing.F) {
	raw, err := rtcp.Marshal([]rtcp.Packet{
		&rtcp.SenderReport{SSRC: 1, Reports: []rtcp.ReceptionReport{{SSRC: 2, LastSenderReport: 1}}},
		rtcp.NewCNAMESourceDescription(1, "x"),
	})
	require.NoError(f, err)
	f.Add(raw)
	f.Fuzz(func(t *testing.T, datagram []byte) {
		m := testSession(t)
		m.ssrc = 2
		m.reporter.take(datagram, netip.MustParseAddrPort("127.0.0.1:1"), opener{}, m.Now())
		require.GreaterOrEqual(t, m.Counts.RoundTrip.Load(), int64(0))
		keys := new(Keyring)
		g, err := keys.Agree(make([]byte, KeyLen))
		require.NoError(t, err)
		m.reporter.take(datagram, netip.MustParseAddrPort("127.0.0.1:1"), g.control(), m.Now())
	})
}
