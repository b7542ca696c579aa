package audio

// Clip is sound in pieces that nobody writes to: many may keep the same samples without a copy. The zero value is empty.
type Clip struct {
	pieces [][]int16 // none is empty
	length int       // samples in all of them
}

// Append adds a piece.
func (c *Clip) Append(pcm []int16) {
	if len(pcm) > 0 {
		c.pieces = append(c.pieces, pcm)
		c.length += len(pcm)
	}
}

// Len returns the number of samples.
func (c *Clip) Len() int { return c.length }

// Read moves samples from the front into pcm and returns how many.
func (c *Clip) Read(pcm []int16) int {
	n := 0
	for n < len(pcm) && len(c.pieces) > 0 {
		copied := copy(pcm[n:], c.pieces[0])
		c.Skip(copied)
		n += copied
	}
	return n
}

// Skip drops n samples at the front.
func (c *Clip) Skip(n int) {
	for n = min(n, c.length); n > 0; {
		dropped := min(n, len(c.pieces[0]))
		c.length -= dropped
		n -= dropped
		if c.pieces[0] = c.pieces[0][dropped:]; len(c.pieces[0]) == 0 {
			c.pieces[0] = nil // the array behind may live on
			c.pieces = c.pieces[1:]
		}
	}
}

// Cut drops all but the first n samples.
func (c *Clip) Cut(n int) {
	kept := *c
	*c = Clip{}
	for _, piece := range kept.pieces {
		c.Append(piece[:min(n-c.length, len(piece))])
	}
}

// From returns what follows the first n samples, in chunks.
func (c *Clip) From(n int) [][]int16 {
	rest := Clip{pieces: append([][]int16(nil), c.pieces...), length: c.length}
	rest.Skip(n)
	return rest.pieces
}
