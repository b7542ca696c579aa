package audio

import "strings"

// keypad lists the keys row by row, as their tones are laid out.
const keypad = "123A456B789C*0#D"

// Limits of the detector. They follow the tolerances of ITU-T Q.24, loosened a little for sound that went through
// G.711 and tightened by the harmonics test, because speech is what this detector listens to most of the time.
const (
	keyBlock     = 205   // samples per decision, 25.6 ms: the bins fall on the eight tones
	keyHop       = 102   // samples from one decision to the next
	keyHits      = 3     // equal decisions that make a key, or a pause: 51 ms, wherever in them it begins at most 64
	keyMinRMS    = 300.0 // about -41 dBFS
	keyDominance = 6.3   // 8 dB over the next tone of the group
	keyTwist     = 6.3   // 8 dB between the groups
	keyPurity    = 0.75  // share of the energy in the two tones
	keyHarmonic  = 0.1   // voices have harmonics, keys have not
)

var (
	keyRows    = [4]float64{697, 770, 852, 941}
	keyColumns = [4]float64{1209, 1336, 1477, 1633}
)

// IsKey reports whether c is a key of a telephone: 0-9 * # A-D.
func IsKey(c byte) bool {
	return strings.IndexByte(keypad, c) >= 0
}

func keyTones(digit byte) (low, high float64, ok bool) {
	i := strings.IndexByte(keypad, digit)
	if i < 0 {
		return 0, 0, false
	}
	return keyRows[i/4], keyColumns[i%4], true
}

// KeyDetector hears keypad tones in sound. The zero value is ready to use.
type KeyDetector struct {
	block   [keyBlock]int16
	filled  int
	last    byte // the decision of the previous block
	hits    int  // how many blocks in a row agreed with it
	pressed byte // the key reported and not released yet
}

// Push hears pcm and appends the keys whose press became certain to keys. It allocates only when a key is heard.
func (d *KeyDetector) Push(keys []byte, pcm []int16) []byte {
	for len(pcm) > 0 {
		n := copy(d.block[d.filled:], pcm)
		d.filled += n
		pcm = pcm[n:]
		if d.filled < keyBlock {
			break
		}
		if key := d.decide(keyIn(d.block[:])); key != 0 {
			keys = append(keys, key)
		}
		d.filled = copy(d.block[:], d.block[keyHop:])
	}
	return keys
}

// decide asks for keyHits equal blocks before it believes in a press or a release.
func (d *KeyDetector) decide(heard byte) (newKey byte) {
	if heard == d.last {
		d.hits++
	} else {
		d.last, d.hits = heard, 1
	}
	if d.hits < keyHits || heard == d.pressed {
		return 0
	}
	d.pressed = heard
	return heard
}

// keyIn names the key whose two tones make up block, or 0.
func keyIn(block []int16) byte {
	energy := energyOf(block)
	if energy < keyMinRMS*keyMinRMS*float64(len(block)) {
		return 0
	}
	row, low, nextLow := strongest(block, &keyRows)
	column, high, nextHigh := strongest(block, &keyColumns)
	switch {
	case low < keyDominance*nextLow, high < keyDominance*nextHigh:
		return 0
	case low > keyTwist*high, high > keyTwist*low:
		return 0
	case 2*(low+high) < keyPurity*energy*float64(len(block)):
		return 0
	case goertzel(block, 2*keyRows[row]) > keyHarmonic*low, goertzel(block, 2*keyColumns[column]) > keyHarmonic*high:
		return 0
	}
	return keypad[row*4+column]
}

// strongest finds the loudest tone of a group and how loud the runner-up is.
func strongest(block []int16, group *[4]float64) (index int, power, next float64) {
	for i, freq := range group {
		switch v := goertzel(block, freq); {
		case v > power:
			index, power, next = i, v, power
		case v > next:
			next = v
		}
	}
	return index, power, next
}
