package rtp

import (
	"time"

	"github.com/pion/rtcp"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/media"
)

const maxLost = 0x7fffff // what the 24 bits of a report can tell

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

// count counts a packet.
func (r *reception) count(ssrc uint32, sequence uint16) {
	ahead := int32(int16(sequence - uint16(r.highest)))
	if !r.started || ssrc != r.ssrc || ahead > media.MaxSequenceJump || ahead < -media.MaxSequenceJump {
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

// report describes the reception since the report before; ok is false before the first packet.
func (r *reception) report(now, jitter time.Duration) (report rtcp.ReceptionReport, ok bool) {
	if !r.started {
		return rtcp.ReceptionReport{}, false
	}
	expected := r.highest - r.first + 1
	lost := max(int64(expected)-int64(r.received), 0) // copies can make it negative
	newExpected := expected - r.expectedBefore
	newLost := max(int64(newExpected)-int64(r.received-r.receivedBefore), 0)
	r.expectedBefore, r.receivedBefore = expected, r.received
	report = rtcp.ReceptionReport{
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
