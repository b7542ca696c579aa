package sip

import (
	"sync/atomic"
	"time"
)

// Stats counts what happened to the media of a leg.
type Stats struct {
	Codec                 string // of what we send: PCMU or PCMA; empty before the answer
	Encrypted             bool   // SRTP
	PacketsIn, PacketsOut uint64
	Lost                  uint64        // packets that never came
	Late                  uint64        // packets that came twice or too late to be heard
	Strays                uint64        // datagrams that were no RTP or came from a stranger
	Filled                uint64        // frames of silence heard because nothing came
	Concealed             uint64        // frames made up in place of lost ones
	Dropped               uint64        // frames the reader of Incoming was too slow for
	SendErrors            uint64        // packets the socket refused
	Jitter                time.Duration // RFC 3550 interarrival jitter
	FarLost               uint64        // packets of ours that the far end says it missed
	FarJitter             time.Duration // of ours, as the far end says
	RoundTrip             time.Duration // between us and the far end; zero: unknown
	ReportsIn, ReportsOut uint64        // RTCP
	SendLate5ms           uint64        // ticks of the send clock that came more than 5 ms late
	SendLate10ms          uint64
	MaxSendLate           time.Duration
}

type counters struct {
	packetsIn, packetsOut, lost, late, strays, filled, sendErrors atomic.Uint64
	late5, late10, farLost, concealed, reportsIn, reportsOut      atomic.Uint64
	jitter, maxLate, farJitter, roundTrip                         atomic.Int64
}

// clock counts how late a tick was. Only the send loop calls it.
func (c *counters) clock(late time.Duration) {
	if late > 5*time.Millisecond {
		c.late5.Add(1)
	}
	if late > 10*time.Millisecond {
		c.late10.Add(1)
	}
	if int64(late) > c.maxLate.Load() {
		c.maxLate.Store(int64(late))
	}
}

func (c *counters) snapshot() Stats {
	return Stats{
		PacketsIn:    c.packetsIn.Load(),
		PacketsOut:   c.packetsOut.Load(),
		Lost:         c.lost.Load(),
		Late:         c.late.Load(),
		Strays:       c.strays.Load(),
		Filled:       c.filled.Load(),
		Concealed:    c.concealed.Load(),
		SendErrors:   c.sendErrors.Load(),
		Jitter:       time.Duration(c.jitter.Load()),
		FarLost:      c.farLost.Load(),
		FarJitter:    time.Duration(c.farJitter.Load()),
		RoundTrip:    time.Duration(c.roundTrip.Load()),
		ReportsIn:    c.reportsIn.Load(),
		ReportsOut:   c.reportsOut.Load(),
		SendLate5ms:  c.late5.Load(),
		SendLate10ms: c.late10.Load(),
		MaxSendLate:  time.Duration(c.maxLate.Load()),
	}
}
