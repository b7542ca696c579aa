package media

import "github.com/callwright/callwright/voice/audio"

// Scratch is the room in which packets are handled one after the other. One goroutine may use it at a time, for any number
// of streams, so that the packets of many calls need no memory of their own.
type Scratch struct {
	pcm     [4 * PacketLen]int16
	frame   [audio.MaxFrameLen]int16
	payload []byte
}

// NewScratch returns room for packets up to PacketLen.
func NewScratch() *Scratch { return &Scratch{payload: make([]byte, 0, PacketLen)} }

var silence [audio.MaxFrameLen]int16

// silent returns a frame of silence, which nobody may write to.
func silent(band audio.Band) []int16 { return silence[:band.FrameLen()] }
