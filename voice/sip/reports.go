package sip

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/pion/rtcp"

	"github.com/callwright/callwright/voice/audio"
)

const (
	reportEvery = 5 * time.Second // RFC 3550 section 6.2
	reportLook  = 5               // frames from one look for reports to the next; the moment they came is known all the same
	ntpEpoch    = 2208988800      // seconds from 1900 to 1970
	maxLost     = 0x7fffff        // what the 24 bits of a report can tell
)

// reception counts what we received of the far end's stream, as RFC 3550 appendix A.3 does.
type reception struct {
	started         bool
	ssrc            uint32
	first, highest  uint32 // sequence numbers that do not wrap
	received        uint32
	expectedBefore  uint32 // at the latest report
	receivedBefore  uint32
	senderReport    uint32        // middle of the NTP time in the far end's latest sender report
	senderReportAt  time.Duration // when it came
	senderReportHas bool
}

// hear counts a packet.
func (r *reception) hear(ssrc uint32, sequence uint16) {
	ahead := int32(int16(sequence - uint16(r.highest)))
	if !r.started || ssrc != r.ssrc || ahead > reorderJump || ahead < -reorderJump {
		*r = reception{
			started: true, ssrc: ssrc, first: uint32(sequence), highest: uint32(sequence),
			senderReport: r.senderReport, senderReportAt: r.senderReportAt, senderReportHas: r.senderReportHas && ssrc == r.ssrc,
		}
		ahead = 0
	}
	if ahead > 0 {
		r.highest += uint32(ahead)
	}
	r.received++
}

// report describes the reception since the report before. It is false before the first packet.
func (r *reception) report(now, jitter time.Duration) (rtcp.ReceptionReport, bool) {
	if !r.started {
		return rtcp.ReceptionReport{}, false
	}
	expected := r.highest - r.first + 1
	lost := max(int64(expected)-int64(r.received), 0) // copies can make it negative
	newExpected := expected - r.expectedBefore
	newLost := max(int64(newExpected)-int64(r.received-r.receivedBefore), 0)
	r.expectedBefore, r.receivedBefore = expected, r.received
	report := rtcp.ReceptionReport{
		SSRC: r.ssrc, LastSequenceNumber: r.highest, TotalLost: uint32(min(lost, maxLost)), Jitter: uint32(audio.Samples(jitter)),
	}
	if newExpected > 0 {
		report.FractionLost = uint8(min(newLost<<8/int64(newExpected), 255))
	}
	if r.senderReportHas {
		report.LastSenderReport = r.senderReport
		report.Delay = uint32((now - r.senderReportAt) * 65536 / time.Second)
	}
	return report, true
}

// reports is what both sides tell each other about the quality of a call, in RTCP. It belongs to the clock.
type reports struct {
	in   reception
	from netip.AddrPort // where the far end's reports come from; zero before the first
	name string         // ours (RFC 7022)
}

// ntp is a moment of the call as RTCP writes it. The monotonic clock keeps differences right when the wall clock jumps.
func (m *media) ntp(at time.Duration) uint64 {
	t := m.epoch.Add(at)
	return uint64(t.Unix()+ntpEpoch)<<32 | uint64(t.Nanosecond())<<32/uint64(time.Second)
}

// lookForReports takes what came on the port of the reports.
func (m *media) lookForReports() {
	a := m.clock.bench.arrival
	for range lookDepth {
		if !m.ports.rtcp.receive(a) {
			return
		}
		if !m.takeReport(a.data, a.from, m.route.Load().guard.control(), m.now()-a.waited) {
			m.counts.strays.Add(1)
		}
	}
}

// takeReport reads a compound packet and when it came. It is false for what is none, or comes from a stranger.
func (m *media) takeReport(datagram []byte, from netip.AddrPort, open opener, at time.Duration) bool {
	if !m.knows(from.Addr()) {
		return false
	}
	plain, err := open.report(datagram)
	if err != nil {
		return false
	}
	packets, err := rtcp.Unmarshal(plain)
	if err != nil {
		return false
	}
	m.heard.Store(int64(at)) // a far end that reports is alive, even if it sends no sound
	m.counts.reportsIn.Add(1)
	m.reports.from = from
	for _, p := range packets {
		switch p := p.(type) {
		case *rtcp.SenderReport:
			if in := &m.reports.in; p.SSRC == in.ssrc {
				in.senderReport, in.senderReportAt, in.senderReportHas = uint32(p.NTPTime>>16), at, true
			}
			m.takeReception(p.Reports, at)
		case *rtcp.ReceiverReport:
			m.takeReception(p.Reports, at)
		}
	}
	return true
}

// knows tells whether an address is the one that media comes from, or is to come from.
func (m *media) knows(ip netip.Addr) bool {
	if learned := m.learned.Load(); learned != nil {
		return learned.Addr() == ip
	}
	return m.route.Load().remote.Addr() == ip
}

// takeReception reads how our own stream arrives.
func (m *media) takeReception(blocks []rtcp.ReceptionReport, at time.Duration) {
	for _, b := range blocks {
		if b.SSRC != m.ssrc {
			continue
		}
		m.counts.farLost.Store(uint64(b.TotalLost))
		m.counts.farJitter.Store(int64(audio.Duration(int(min(b.Jitter, maxLost)))))
		if b.LastSenderReport == 0 {
			continue
		}
		trip := int32(uint32(m.ntp(at)>>16) - b.LastSenderReport - b.Delay)
		m.counts.roundTrip.Store(max(int64(trip)*int64(time.Second)/65536, 1)) // zero means unknown
	}
}

// nextReport is when to report again, at random so that the ends do not fall in step.
func (s *sender) nextReport(now time.Duration) time.Duration {
	return now + s.reportEvery/2 + rand.N(s.reportEvery)
}

// report tells the far end how its stream arrives and, if we are sending, what we sent.
func (s *sender) report(r *route, now time.Duration) error {
	to, ok := s.reportsTo(r)
	if !ok {
		return nil
	}
	var blocks []rtcp.ReceptionReport
	if block, ok := s.reports.in.report(now, time.Duration(s.counts.jitter.Load())); ok {
		blocks = append(blocks, block)
	}
	var first rtcp.Packet = &rtcp.ReceiverReport{SSRC: s.ssrc, Reports: blocks}
	if s.packets != s.reported {
		s.reported = s.packets
		first = &rtcp.SenderReport{
			SSRC: s.ssrc, NTPTime: s.ntp(now), RTPTime: s.timestamp, PacketCount: s.packets, OctetCount: s.octets, Reports: blocks,
		}
	}
	plain, err := rtcp.Marshal([]rtcp.Packet{first, rtcp.NewCNAMESourceDescription(s.ssrc, s.reports.name)})
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	sealed, err := r.guard.sealReport(plain)
	if err != nil {
		return fmt.Errorf("encrypt report: %w", err)
	}
	port := s.ports.rtcp
	if r.mux {
		port = s.ports.rtp
	}
	if err := port.send(sealed, to); err != nil {
		return fmt.Errorf("send report: %w", err)
	}
	s.counts.reportsOut.Add(1)
	return nil
}

// reportsTo is where reports go: beside the media, where the far end's own come from, or where its SDP says.
func (m *media) reportsTo(r *route) (netip.AddrPort, bool) {
	if r.mux {
		return m.destination(r)
	}
	if m.reports.from.IsValid() {
		return m.reports.from, true
	}
	return r.control, r.control.IsValid() && r.control.Port() != 0 && !r.control.Addr().IsUnspecified()
}
