package telephones

import (
	"encoding/binary"
	"math/rand/v2"
	"time"

	"github.com/pion/rtcp"

	"github.com/callwright/callwright/voice/audio"
)

const (
	reportEvery   = 5 * time.Second
	ntpEpoch      = 2208988800 // seconds from 1900 to 1970
	senderReport  = 200        // the type of a packet of RTCP (RFC 3550)
	senderNTPFrom = 10         // where the middle of its time is
	senderNTPTo   = 14
)

// reporting is what a telephone's reports are made of. Times are Unix nanoseconds.
type reporting struct {
	due       int64
	theirs    uint32 // the middle of the time in the last report of the other side; 0: none came
	theirsAt  int64
	reportsIn int
}

func newReporting(now int64) reporting { return reporting{due: now + rand.Int64N(int64(reportEvery))} }

// take reads a report of the other side.
func (r *reporting) take(datagram []byte, at int64) {
	r.reportsIn++
	if len(datagram) >= senderNTPTo && datagram[1] == senderReport {
		r.theirs, r.theirsAt = binary.BigEndian.Uint32(datagram[senderNTPFrom:senderNTPTo]), at
	}
}

// report returns what the telephone reports when that is due; nil when it is not.
func (t *telephone) report(r *reporting, now int64) []byte {
	if now < r.due || !t.arrival.begun {
		return nil
	}
	r.due = now + int64(reportEvery)
	block := rtcp.ReceptionReport{
		SSRC: t.arrival.ssrc, TotalLost: uint32(t.arrival.lost), LastSequenceNumber: t.arrival.highest,
		LastSenderReport: r.theirs,
	}
	if r.theirs != 0 {
		block.Delay = uint32((now - r.theirsAt) * 65536 / int64(time.Second))
	}
	at := time.Unix(0, now)
	report := rtcp.SenderReport{
		SSRC: t.ssrc, NTPTime: uint64(at.Unix()+ntpEpoch)<<32 | uint64(at.Nanosecond())<<32/uint64(time.Second),
		RTPTime: t.timestamp, PacketCount: t.packets, OctetCount: t.packets * audio.FrameLen,
		Reports: []rtcp.ReceptionReport{block},
	}
	data, err := rtcp.Marshal([]rtcp.Packet{&report, rtcp.NewCNAMESourceDescription(t.ssrc, "telephone")})
	if err != nil {
		return nil // every field has room
	}
	return data
}
