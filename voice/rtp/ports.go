package rtp

import (
	"cmp"
	"net/netip"
	"time"

	"github.com/callwright/callwright/voice/media"
)

// Config is what sessions have in common.
type Config struct {
	IP          netip.Addr // that media is received at
	First, Last int        // ports, used in pairs; zero: whatever the kernel picks
	Clocks      media.Clocks
	ReportEvery time.Duration // from one RTCP report to the next; zero: ReportEvery
}

// Ports opens sessions, and spreads them over the clocks.
type Ports struct {
	cfg     Config
	scratch map[*media.Clock]*scratch
}

// NewPorts returns what opens sessions on the ports of cfg.
func NewPorts(cfg Config) *Ports {
	cfg.ReportEvery = cmp.Or(cfg.ReportEvery, ReportEvery)
	p := &Ports{cfg, map[*media.Clock]*scratch{}}
	for _, clock := range cfg.Clocks {
		p.scratch[clock] = newScratch()
	}
	return p
}

// Open binds a pair of ports for a session, which must be closed.
func (p *Ports) Open() (*Session, error) {
	sockets, err := portRange{p.cfg.IP, p.cfg.First, p.cfg.Last}.open()
	if err != nil {
		return nil, err
	}
	clock := p.cfg.Clocks.Quietest()
	s := newSession(sockets, clock, p.scratch[clock])
	s.reporter.every = p.cfg.ReportEvery
	return s, nil
}
