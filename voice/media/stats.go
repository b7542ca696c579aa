package media

import (
	"sync/atomic"
	"time"
)

// Stats counts what happened to the media of a leg.
type Stats struct {
	Codec                 string // of what we send: PCMU, PCMA or G722; empty before the answer
	Encrypted             bool   // SRTP
	PacketsIn, PacketsOut uint64
	Lost                  uint64        // packets that never came
	Late                  uint64        // packets that came twice or too late to be heard
	Strays                uint64        // datagrams that were no RTP or came from an unknown source
	Refused               uint64        // addresses that the far end named, for sound or requests, and that nothing is sent to
	Filled                uint64        // frames of silence delivered because nothing came
	Concealed             uint64        // frames made up in place of lost ones
	Dropped               uint64        // frames the reader of Incoming was too slow for
	SendErrors            uint64        // packets that could not be sent
	Jitter                time.Duration // RFC 3550 interarrival jitter
	FarLost               uint64        // packets of ours that the far end says it missed
	FarJitter             time.Duration // of ours, as the far end says
	RoundTrip             time.Duration // between us and the far end; zero: unknown
	ReportsIn, ReportsOut uint64        // RTCP
	SendLate5ms           uint64        // ticks of the send clock that came more than 5 ms late
	SendLate10ms          uint64
	MaxSendLate           time.Duration
}

// Counters are what Stats is a snapshot of. The carrier of a stream counts what it alone sees.
type Counters struct {
	PacketsIn, PacketsOut, Lost, Late, Strays, Filled, SendErrors atomic.Uint64
	FarLost, Concealed, ReportsIn, ReportsOut                     atomic.Uint64
	Jitter, FarJitter, RoundTrip                                  atomic.Int64 // time.Duration
	late5, late10                                                 atomic.Uint64
	maxLate                                                       atomic.Int64
}

// sent counts a packet that could not be sent.
func (c *Counters) sent(err error) {
	if err != nil {
		c.SendErrors.Add(1)
	}
}

// tick counts how late a tick was. Only the clock calls it.
func (c *Counters) tick(late time.Duration) {
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

func (c *Counters) snapshot() Stats {
	return Stats{
		PacketsIn:    c.PacketsIn.Load(),
		PacketsOut:   c.PacketsOut.Load(),
		Lost:         c.Lost.Load(),
		Late:         c.Late.Load(),
		Strays:       c.Strays.Load(),
		Filled:       c.Filled.Load(),
		Concealed:    c.Concealed.Load(),
		SendErrors:   c.SendErrors.Load(),
		Jitter:       time.Duration(c.Jitter.Load()),
		FarLost:      c.FarLost.Load(),
		FarJitter:    time.Duration(c.FarJitter.Load()),
		RoundTrip:    time.Duration(c.RoundTrip.Load()),
		ReportsIn:    c.ReportsIn.Load(),
		ReportsOut:   c.ReportsOut.Load(),
		SendLate5ms:  c.late5.Load(),
		SendLate10ms: c.late10.Load(),
		MaxSendLate:  time.Duration(c.maxLate.Load()),
	}
}
