package rtp

import (
	crand "crypto/rand"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/pion/rtcp"

	"github.com/callwright/callwright/voice/audio"
)

// ReportEvery is the time from one report to the next, but for chance (RFC 3550 section 6.2).
const ReportEvery = 5 * time.Second

const (
	reportLook = 20         // frames from one look for reports to the next; the moment they came is known all the same
	ntpEpoch   = 2208988800 // seconds from 1900 to 1970
)

// reporter reports to the far end in RTCP how a call arrives, and reads the far end's reports. It belongs to the clock.
type reporter struct {
	*state
	sent     *sender
	in       reception
	from     netip.AddrPort // where the far end's reports come from; zero before the first
	name     string         // ours (RFC 7022)
	every    time.Duration
	due      time.Duration
	reported uint32 // packets sent when we last reported
}

func newReporter(s *state, sent *sender) reporter {
	return reporter{state: s, sent: sent, name: crand.Text(), every: ReportEvery}
}

// ntp returns a moment of the call as RTCP writes it. The monotonic clock keeps differences right when the wall clock jumps.
func (r *reporter) ntp(at time.Duration) uint64 {
	t := r.stream.Epoch().Add(at)
	return uint64(t.Unix()+ntpEpoch)<<32 | uint64(t.Nanosecond())<<32/uint64(time.Second)
}

// look takes what came on the port of the reports.
func (r *reporter) look() {
	a := r.scratch.arrival
	for range lookDepth {
		if !r.sockets.rtcp.receive(a) {
			return
		}
		if !r.take(a.data, a.from, r.route.Load().Cipher.control(), r.stream.Now()-a.waited) {
			r.stream.Counts.Strays.Add(1)
		}
	}
}

// take reads a compound packet and when it came. It returns false for what is none, or comes from an unknown source.
func (r *reporter) take(datagram []byte, from netip.AddrPort, open opener, at time.Duration) bool {
	if !r.knows(from.Addr()) {
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
	r.stream.Alive(at) // a far end that reports is alive, even if it sends no sound
	r.stream.Counts.ReportsIn.Add(1)
	r.from = from
	for _, p := range packets {
		switch p := p.(type) {
		case *rtcp.SenderReport:
			if in := &r.in; p.SSRC == in.ssrc {
				in.senderReport, in.senderReportAt, in.senderReportHas = uint32(p.NTPTime>>16), at, true
			}
			r.takeReception(p.Reports, at)
		case *rtcp.ReceiverReport:
			r.takeReception(p.Reports, at)
		}
	}
	return true
}

// takeReception reads how our own stream arrives.
func (r *reporter) takeReception(blocks []rtcp.ReceptionReport, at time.Duration) {
	for _, b := range blocks {
		if b.SSRC != r.ssrc {
			continue
		}
		r.stream.Counts.FarLost.Store(uint64(b.TotalLost))
		r.stream.Counts.FarJitter.Store(int64(audio.Duration(int(min(b.Jitter, maxLost)))))
		if b.LastSenderReport == 0 {
			continue
		}
		trip := int32(uint32(r.ntp(at)>>16) - b.LastSenderReport - b.Delay)
		r.stream.Counts.RoundTrip.Store(max(int64(trip)*int64(time.Second)/65536, 1)) // zero means unknown
	}
}

// schedule sets when to report next, at random so that the ends do not fall in step.
func (r *reporter) schedule(now time.Duration) {
	r.due = now + r.every/2 + rand.N(r.every)
}

// report sends a report when one is due. One that cannot be sent is counted.
func (r *reporter) report(now time.Duration) {
	if now < r.due {
		return
	}
	r.schedule(now)
	if err := r.send(now); err != nil {
		r.stream.Counts.SendErrors.Add(1)
	}
}

// send reports to the far end how its stream arrives and, if we are sending, what we sent.
func (r *reporter) send(now time.Duration) error {
	route := r.route.Load()
	to, ok := r.destination(route)
	if !ok {
		return nil
	}
	plain, err := rtcp.Marshal([]rtcp.Packet{r.describe(now), rtcp.NewCNAMESourceDescription(r.ssrc, r.name)})
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	sealed, err := route.Cipher.sealReport(plain)
	if err != nil {
		return fmt.Errorf("encrypt report: %w", err)
	}
	socket := r.sockets.rtcp
	if route.Mux {
		socket = r.sockets.rtp
	}
	if err := socket.send(sealed, to); err != nil {
		return fmt.Errorf("send report: %w", err)
	}
	r.stream.Counts.ReportsOut.Add(1)
	return nil
}

// describe returns a sender report if anything was sent since the last one, and else a receiver report.
func (r *reporter) describe(now time.Duration) rtcp.Packet {
	var blocks []rtcp.ReceptionReport
	if block, ok := r.in.report(now, time.Duration(r.stream.Counts.Jitter.Load())); ok {
		blocks = append(blocks, block)
	}
	if r.sent.packets == r.reported {
		return &rtcp.ReceiverReport{SSRC: r.ssrc, Reports: blocks}
	}
	r.reported = r.sent.packets
	return &rtcp.SenderReport{
		SSRC: r.ssrc, NTPTime: r.ntp(now), RTPTime: r.stream.Timestamp(),
		PacketCount: r.sent.packets, OctetCount: r.sent.octets, Reports: blocks,
	}
}

// destination returns where reports go: beside the media, where the far end's own come from, or where its SDP says.
func (r *reporter) destination(route *Route) (netip.AddrPort, bool) {
	if route.Mux {
		return r.state.destination(route)
	}
	if r.from.IsValid() && r.knows(r.from.Addr()) {
		return r.from, true
	}
	return route.Control, isDestination(route.Control)
}
