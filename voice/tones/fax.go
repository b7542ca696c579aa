package tones

import (
	"github.com/callwright/callwright/voice/audio"
)

// What a fax answers with (ITU-T T.30): a tone of 2,100 Hz for 2.6 to 4 s, whose phase may turn every 450 ms.
const (
	faxPitch    = 2100.0 // hertz
	faxQuietest = -42.0  // dBFS
	faxPurity   = 0.85   // share of the energy in the tone
	faxFrames   = 60     // of the tone: 1.2 s
)

// Fax detects the tone of a fax. The zero value is ready.
type Fax struct{ frames int }

// Detect takes a frame of audio.FrameLen samples and reports whether a fax has just been found.
func (d *Fax) Detect(frame []int16) bool {
	if audio.Level(frame) < faxQuietest || audio.Purity(frame, faxPitch) < faxPurity {
		d.frames = max(d.frames-5, 0)
		return false
	}
	d.frames++
	return d.frames == faxFrames
}
