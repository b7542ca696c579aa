package audio

// concealFrames is how long lost sound is made up for: beyond 60 ms a repetition sounds like a machine.
const concealFrames = 3

// Concealer makes up for lost frames with the one before them, fading to silence, so that a gap neither clicks nor cuts
// a word in two. It plays that frame backwards and forwards in turn, which leaves no step between the copies. The zero
// value is ready.
type Concealer struct {
	Band  Band // of the frames; set before the first one
	last  [MaxFrameLen]int16
	count int // frames made up since the last one heard
}

// Heard takes a frame that arrived. Its length has to be that of its band.
func (c *Concealer) Heard(frame []int16) {
	copy(c.last[:], frame)
	c.count = 0
}

// Conceal appends a frame in place of a lost one.
func (c *Concealer) Conceal(pcm []int16) []int16 {
	length := c.Band.FrameLen()
	faded := concealFrames * length
	for i := range length {
		from := i
		if c.count%2 == 0 {
			from = length - 1 - i
		}
		left := max(faded-c.count*length-i, 0)
		pcm = append(pcm, int16(int(c.last[from])*left/faded))
	}
	c.count++
	return pcm
}
