package webrtc

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/rtcp"
	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/media"
)

// track is the sound that we send. It implements webrtc.TrackLocal, and media.Carrier for the clock.
type track struct {
	codec    webrtc.RTPCodecParameters // in which we send; set before it is bound
	counts   *media.Counters
	bound    atomic.Pointer[binding]
	sequence uint16     // of the clock
	header   rtp.Header // likewise
}

type binding struct {
	writer webrtc.TrackLocalWriter
	ssrc   uint32
}

var errUnbound = errors.New("nothing can be sent yet")

func newTrack(counts *media.Counters) *track {
	return &track{counts: counts, sequence: uint16(rand.Uint32())}
}

// Bind implements webrtc.TrackLocal.
func (t *track) Bind(to webrtc.TrackLocalContext) (webrtc.RTPCodecParameters, error) {
	t.bound.Store(&binding{to.WriteStream(), uint32(to.SSRC())})
	return t.codec, nil
}

// Unbind implements webrtc.TrackLocal.
func (t *track) Unbind(webrtc.TrackLocalContext) error {
	t.bound.Store(nil)
	return nil
}

// ID implements webrtc.TrackLocal.
func (*track) ID() string { return "assistant" }

// RID implements webrtc.TrackLocal.
func (*track) RID() string { return "" }

// StreamID implements webrtc.TrackLocal.
func (*track) StreamID() string { return "callwright" }

// Kind implements webrtc.TrackLocal.
func (*track) Kind() webrtc.RTPCodecType { return webrtc.RTPCodecTypeAudio }

// Send implements media.Carrier.
func (t *track) Send(header rtp.Header, payload []byte) error {
	to := t.bound.Load()
	if to == nil {
		return errUnbound
	}
	t.header = header
	t.header.Version, t.header.SSRC, t.header.SequenceNumber = 2, to.ssrc, t.sequence
	t.sequence++
	if _, err := to.writer.WriteRTP(&t.header, payload); err != nil {
		return err
	}
	t.counts.PacketsOut.Add(1)
	return nil
}

// mostPackets may wait for the clock, which looks eight times in 20 ms.
const mostPackets = 64

// packet is one that came, and when.
type packet struct {
	data [media.PacketLen + 100]byte
	len  int
	at   time.Duration
}

var packets = sync.Pool{New: func() any { return new(packet) }}

// arrivals are packets between who reads them and the clock.
type arrivals struct {
	mu      sync.Mutex
	waiting []*packet
	taken   []*packet // by the clock, to be used again
	parsed  rtp.Packet
}

// put reports whether there was room.
func (a *arrivals) put(p *packet) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.waiting) == mostPackets {
		return false
	}
	a.waiting = append(a.waiting, p)
	return true
}

// each hands over what came. The clock calls it.
func (a *arrivals) each(stream *media.Stream, scratch *media.Scratch) {
	a.mu.Lock()
	a.taken, a.waiting = a.waiting, a.taken[:0]
	a.mu.Unlock()
	for _, p := range a.taken {
		if err := a.parsed.Unmarshal(p.data[:p.len]); err != nil {
			stream.Counts.Strays.Add(1)
		} else {
			stream.Receive(&a.parsed, p.at, scratch)
		}
		packets.Put(p)
	}
}

// listen reads the browser's sound until the leg is over.
func (l *Leg) listen(from *webrtc.TrackRemote) {
	for {
		p := packets.Get().(*packet)
		n, _, err := from.Read(p.data[:])
		switch p.len, p.at = n, l.Now(); {
		case errors.Is(err, webrtc.ErrCodecNotFound): // of a payload type that nobody agreed on
			l.Counts.Strays.Add(1)
			packets.Put(p)
		case err != nil:
			packets.Put(p)
			return
		case !l.arrived.put(p):
			l.Counts.Late.Add(1)
			packets.Put(p)
		}
	}
}

// readReports reads what the browser says of our sound until the leg is over.
func (l *Leg) readReports(from *webrtc.RTPSender) {
	room := make([]byte, media.PacketLen)
	for {
		n, _, err := from.Read(room)
		if err != nil {
			return
		}
		reports, err := rtcp.Unmarshal(room[:n])
		if err != nil {
			l.Counts.Strays.Add(1)
			continue
		}
		for _, report := range reports {
			switch report := report.(type) {
			case *rtcp.ReceiverReport:
				l.reported(report.Reports)
			case *rtcp.SenderReport:
				l.reported(report.Reports)
			}
		}
	}
}

func (l *Leg) reported(about []rtcp.ReceptionReport) {
	to := l.track.bound.Load()
	for _, r := range about {
		if to == nil || r.SSRC != to.ssrc {
			continue
		}
		l.Counts.ReportsIn.Add(1)
		l.Counts.FarLost.Store(uint64(r.TotalLost))
		l.Counts.FarJitter.Store(int64(time.Duration(r.Jitter) * time.Second / audio.Rate))
		if r.LastSenderReport != 0 {
			if trip := roundTrip(time.Now(), r.LastSenderReport, r.Delay); trip >= 0 {
				l.Counts.RoundTrip.Store(int64(trip))
			}
		}
	}
}

// roundTrip is RFC 3550 section 6.4.1, in units of 1/65536 s.
func roundTrip(now time.Time, lastReport, delay uint32) time.Duration {
	const ntpEpoch = 2208988800 // seconds from 1900 to 1970
	middle := uint32((uint64(now.Unix()+ntpEpoch)<<16 | uint64(now.Nanosecond())<<16/1e9) & 0xffffffff)
	return time.Duration(int32(middle-lastReport-delay)) * time.Second >> 16
}
