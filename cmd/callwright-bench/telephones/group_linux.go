package telephones

import (
	"errors"
	"net/netip"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	lookEvery   = 10 * time.Millisecond // for what came
	reportsLook = 25                    // frames from one look for reports to the next
)

// group is telephones that share a pair of sockets. It is a member of a clock.
type group struct {
	rtp, rtcp        int
	port, reportPort uint16
	in               *batch
	refused          error // the first that the kernel did not do
	out              []message
	frames           int
	looked           time.Time
	mu               sync.Mutex // guards the rest
	by               map[netip.Addr]*extension
	speaking         []*extension
}

// extension is a telephone with its address. Everything but the first two belongs to the group.
type extension struct {
	own      netip.Addr
	far      netip.AddrPort
	phone    *telephone
	reports  reporting
	sound    *outgoing
	reporter *outgoing
}

func newGroup() (*group, error) {
	rtp, port, err := open()
	if err != nil {
		return nil, err
	}
	rtcp, reportPort, err := open()
	if err != nil {
		return nil, errors.Join(err, unix.Close(rtp))
	}
	return &group{
		rtp: rtp, rtcp: rtcp, port: port, reportPort: reportPort, in: newBatch(), by: map[netip.Addr]*extension{},
	}, nil
}

// add has a telephone at an address speak with a far end, whose reports come from another port.
func (g *group) add(own netip.Addr, far, farReports netip.AddrPort, question [][]byte) {
	now := time.Now().UnixNano()
	e := &extension{
		own: own, far: far, phone: newTelephone(question, now), reports: newReporting(now),
		sound: newOutgoing(own, far), reporter: newOutgoing(own, farReports),
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.by[own] = e
	g.speaking = append(g.speaking, e)
}

// remove hangs a telephone up and returns what it noted; false when there is none.
func (g *group) remove(own netip.Addr) (Notes, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	e := g.by[own]
	if e == nil {
		return Notes{}, false
	}
	delete(g.by, own)
	i := slices.Index(g.speaking, e)
	g.speaking = slices.Delete(g.speaking, i, i+1)
	return e.phone.notes, true
}

// Pulse implements media.Member.
func (g *group) Pulse(due time.Time, sends bool) (next time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if due.Sub(g.looked) >= lookEvery/2 {
		g.looked = due
		g.fail(g.in.receive(g.rtp, func(data []byte, from netip.AddrPort, to netip.Addr, at int64) {
			if e := g.by[to]; e != nil && from == e.far {
				e.phone.hear(data, at)
			}
		}))
	}
	if sends {
		g.speak(time.Now().UnixNano())
	}
	return due.Add(lookEvery)
}

// Prefetch implements media.Member.
func (*group) Prefetch(int) {}

// Announce implements media.Member.
func (*group) Announce() {}

// speak sends a frame of each telephone, and the reports that are due.
func (g *group) speak(now int64) {
	g.out = g.out[:0]
	for _, e := range g.speaking {
		e.sound.fill(e.phone.speak(now))
		g.out = append(g.out, message{header: e.sound.header})
	}
	g.fail(send(g.rtp, g.out))
	if g.frames++; g.frames%reportsLook != 0 {
		return
	}
	g.fail(g.in.receive(g.rtcp, func(data []byte, _ netip.AddrPort, to netip.Addr, at int64) {
		if e := g.by[to]; e != nil {
			e.reports.take(data, at)
		}
	}))
	g.out = g.out[:0]
	for _, e := range g.speaking {
		if report := e.phone.report(&e.reports, now); report != nil {
			e.reporter.fill(report)
			g.out = append(g.out, message{header: e.reporter.header})
		}
	}
	g.fail(send(g.rtcp, g.out))
}

func (g *group) fail(err error) {
	if g.refused == nil {
		g.refused = err
	}
}

// close must not be called while a clock has the group.
func (g *group) close() error {
	return errors.Join(g.refused, unix.Close(g.rtp), unix.Close(g.rtcp))
}
