package voice

import (
	"slices"

	"github.com/callwright/callwright/voice/audio"
)

// wideband parts the sound of a wideband leg. What decides about it (voice activity, echo, pitch, tones) hears its lower half,
// as on every other leg: the limits were measured with that. The detector finds speech in it as well as in G.711: of 256
// sentences in three languages, with four levels of noise, both part or join six otherwise than without a codec, and both place
// starts 6 ms and ends 65 ms off on average, which is what 5 ms of delay do to it. The recogniser hears the sound whole, but for
// what is left of an echo, which is narrow.
type wideband struct {
	heard, played *audio.Converter // to the narrow band
	wider         *audio.Converter // back
	narrowed      [audio.FrameLen]int16
	reference     [audio.FrameLen]int16
	widened       []int16
	late          []int16 // heard, as late as it comes back from the converters
	held          []heardFrame
}

// heardFrame is a frame that echo suppression has not let go of.
type heardFrame struct {
	narrow [audio.FrameLen]int16
	whole  []int16
}

func newWideband() *wideband {
	w := &wideband{
		heard: audio.NewConverter(audio.Wide, audio.Narrow), played: audio.NewConverter(audio.Wide, audio.Narrow),
		wider: audio.NewConverter(audio.Narrow, audio.Wide),
	}
	w.late = make([]int16, w.heard.Lag()+w.wider.Lag())
	return w
}

// narrow takes the next frame of the leg and returns its lower half, until the next call.
func (w *wideband) narrow(frame []int16) []int16 {
	out := w.heard.Push(w.narrowed[:0], frame)
	w.late = append(w.late, frame...)
	whole := audio.CopyFrame(w.late[:len(frame)])
	w.late = w.late[:copy(w.late, w.late[len(frame):])]
	w.held = append(w.held, heardFrame{narrow: [audio.FrameLen]int16(out), whole: whole})
	return out
}

// narrowPlayed returns the lower half of what was played, until the next call.
func (w *wideband) narrowPlayed(frame []int16) []int16 {
	return w.played.Push(w.reference[:0], frame)
}

// whole returns what the recogniser is to hear where echo suppression has made this of the oldest frame it held, until the
// next call: the frame itself if it was not changed.
func (w *wideband) whole(frame []int16) []int16 {
	w.widened = w.wider.Push(w.widened[:0], frame)
	oldest := w.held[0]
	w.held = slices.Delete(w.held, 0, 1)
	if slices.Equal(frame, oldest.narrow[:]) {
		copy(w.widened, oldest.whole)
	}
	audio.GiveFrame(oldest.whole)
	return w.widened
}
