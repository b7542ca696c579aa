package audio

// G.722 packs 16 kHz sound into 64 kbit/s: a byte for each two samples. A pair of filters parts the sound into a lower and
// an upper band of 8 kHz each, and each of them becomes what an adaptive predictor does not know of it: six bits of the lower
// band and two of the upper (ITU-T G.722, mode 1). The names of its tables and blocks are those of the recommendation.

const (
	g722Taps = 24 // of the filters, which are each other's mirror

	lowestScale  = 32    // of the quantiser of the lower band, at first
	highestScale = 8     // and of the upper
	logMaxLow    = 18432 // NBL
	logMaxHigh   = 22528 // NBH
	g722Loudest  = 16383 // of a band
)

var (
	g722Filter = [g722Taps / 2]int32{3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11} // the other half mirrors it

	// Lower band: the limits of the 60 steps (Q6) and the codes on both sides of zero (ILN, ILP).
	lowLimits = [30]int32{
		0, 35, 72, 110, 150, 190, 233, 276, 323, 370, 422, 473, 530, 587, 650, 714, 786, 858, 940, 1023, 1121, 1219, 1339,
		1458, 1612, 1765, 1980, 2195, 2557, 2919,
	}
	lowNegative = [31]byte{
		0, 63, 62, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4,
	}
	lowPositive = [31]byte{
		0, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32,
	}
	// What a code means: to the listener (QM6), and to the predictor (QM4), which does without two bits.
	lowValues = [64]int32{
		-136, -136, -136, -136, -24808, -21904, -19008, -16704, -14984, -13512, -12280, -11192, -10232, -9360, -8576, -7856,
		-7192, -6576, -6000, -5456, -4944, -4464, -4008, -3576, -3168, -2776, -2400, -2032, -1688, -1360, -1040, -728,
		24808, 21904, 19008, 16704, 14984, 13512, 12280, 11192, 10232, 9360, 8576, 7856, 7192, 6576, 6000, 5456,
		4944, 4464, 4008, 3576, 3168, 2776, 2400, 2032, 1688, 1360, 1040, 728, 432, 136, -432, -136,
	}
	lowCoarse = [16]int32{
		0, -20456, -12896, -8968, -6288, -4240, -2584, -1200, 20456, 12896, 8968, 6288, 4240, 2584, 1200, 0,
	}
	lowSteps = [16]int32{ // of the scale's logarithm (WL by RL42)
		-60, 3042, 1198, 538, 334, 172, 58, -30, 3042, 1198, 538, 334, 172, 58, -30, -60,
	}

	// Upper band: four codes (QM2), by the limit of the larger ones (Q2), and their steps (WH by RH2).
	highLimit  = int32(564)
	highValues = [4]int32{-7408, -1616, 7408, 1616}
	highSteps  = [4]int32{798, -214, 798, -214}

	inverseLog = [32]int32{ // ILB
		2048, 2093, 2139, 2186, 2233, 2282, 2332, 2383, 2435, 2489, 2543, 2599, 2656, 2714, 2774, 2834,
		2896, 2960, 3025, 3091, 3158, 3228, 3298, 3371, 3444, 3520, 3597, 3676, 3756, 3838, 3922, 4008,
	}
)

// saturate returns the 16-bit value next to v.
func saturate(v int32) int32 { return min(max(v, -32768), 32767) }

// subband is the predictor and the quantiser's scale of one band, the same in the encoder and the decoder.
type subband struct {
	scale     int32    // DET
	logScale  int32    // NB
	predicted int32    // S: by both filters
	byZeros   int32    // SZ: by the one of the past differences
	past      [3]int32 // r: what the band was
	partial   [3]int32 // p: what it was without the poles' part
	poles     [3]int32 // a, from 1
	diffs     [7]int32 // d: the differences, quantised
	zeros     [7]int32 // b, from 1
}

// adaptLow and adaptHigh follow a code of their band, of which coarse has four bits in the lower one.
func (s *subband) adaptLow(coarse byte) {
	diff := s.scale * lowCoarse[coarse] >> 15
	s.rescale(lowSteps[coarse], logMaxLow, 8)
	s.predict(diff)
}

func (s *subband) adaptHigh(diff int32, code byte) {
	s.rescale(highSteps[code], logMaxHigh, 10)
	s.predict(diff)
}

// rescale is LOGSC and SCALE.
func (s *subband) rescale(step, most int32, shift int) {
	s.logScale = min(max(s.logScale*127>>7+step, 0), most)
	s.scale = inverseLog[s.logScale>>6&31]
	if shift -= int(s.logScale >> 11); shift < 0 {
		s.scale <<= -shift
	} else {
		s.scale >>= shift
	}
	s.scale <<= 2
}

// predict learns from a difference and predicts the next value (block 4).
func (s *subband) predict(diff int32) {
	s.past[0], s.partial[0], s.diffs[0] = saturate(s.predicted+diff), saturate(s.byZeros+diff), diff
	s.adaptPoles()
	s.adaptZeros()
	s.past[2], s.past[1] = s.past[1], s.past[0]
	s.partial[2], s.partial[1] = s.partial[1], s.partial[0]
	copy(s.diffs[1:], s.diffs[:6])

	byPoles := saturate(s.poles[1]*saturate(2*s.past[1])>>15 + s.poles[2]*saturate(2*s.past[2])>>15)
	s.byZeros = 0
	for i := 6; i > 0; i-- {
		s.byZeros += s.zeros[i] * saturate(2*s.diffs[i]) >> 15
	}
	s.byZeros = saturate(s.byZeros)
	s.predicted = saturate(byPoles + s.byZeros)
}

// adaptPoles is UPPOL2 and UPPOL1.
func (s *subband) adaptPoles() {
	first, second := s.partial[0]^s.partial[1] >= 0, s.partial[0]^s.partial[2] >= 0 // of the same sign
	turned := saturate(4 * s.poles[1])
	if first {
		turned = min(-turned, 32767)
	}
	pole2 := turned>>7 + signed(128, second) + s.poles[2]*32512>>15
	pole2 = min(max(pole2, -12288), 12288)
	pole1 := saturate(signed(192, first) + s.poles[1]*32640>>15)
	most := saturate(15360 - pole2)
	s.poles[1], s.poles[2] = min(max(pole1, -most), most), pole2
}

// adaptZeros is UPZERO.
func (s *subband) adaptZeros() {
	gain := int32(128)
	if s.diffs[0] == 0 {
		gain = 0
	}
	for i := 1; i < len(s.zeros); i++ {
		s.zeros[i] = saturate(signed(gain, s.diffs[0]^s.diffs[i] >= 0) + s.zeros[i]*32640>>15)
	}
}

func signed(v int32, positive bool) int32 {
	if positive {
		return v
	}
	return -v
}

// G722Encoder packs one stream. Make it with NewG722Encoder.
type G722Encoder struct {
	low, high subband
	window    [g722Taps]int32 // samples, the newest last
}

// NewG722Encoder returns an encoder at the beginning of its stream.
func NewG722Encoder() *G722Encoder {
	return &G722Encoder{low: subband{scale: lowestScale}, high: subband{scale: highestScale}}
}

// Encode appends the codes of pcm to code. The length of pcm has to be even: a last sample alone is dropped.
func (e *G722Encoder) Encode(code []byte, pcm []int16) []byte {
	for i := 0; i+1 < len(pcm); i += 2 {
		copy(e.window[:], e.window[2:])
		e.window[g722Taps-2], e.window[g722Taps-1] = int32(pcm[i]), int32(pcm[i+1])
		odd, even := halves(&e.window)
		code = append(code, e.encodeHigh((even-odd)>>14)<<6|e.encodeLow((even+odd)>>14))
	}
	return code
}

// halves returns what the two halves of the filter make of every other sample.
func halves(window *[g722Taps]int32) (odd, even int32) {
	for i, c := range g722Filter {
		odd += window[2*i] * c
		even += window[2*i+1] * g722Filter[len(g722Filter)-1-i]
	}
	return odd, even
}

func (e *G722Encoder) encodeLow(sample int32) byte {
	diff := saturate(sample - e.low.predicted)
	size, codes := diff, &lowPositive
	if diff < 0 {
		size, codes = ^diff, &lowNegative
	}
	step := 1
	for step < len(lowLimits) && size >= lowLimits[step]*e.low.scale>>12 {
		step++
	}
	code := codes[step]
	e.low.adaptLow(code >> 2)
	return code
}

func (e *G722Encoder) encodeHigh(sample int32) byte {
	diff, code := saturate(sample-e.high.predicted), byte(3)
	size := diff
	if diff < 0 {
		size, code = ^diff, 1
	}
	if size >= highLimit*e.high.scale>>12 {
		code--
	}
	e.high.adaptHigh(e.high.scale*highValues[code]>>15, code)
	return code
}

// G722Decoder unpacks one stream. Make it with NewG722Decoder.
type G722Decoder struct {
	low, high subband
	window    [g722Taps]int32
}

// NewG722Decoder returns a decoder at the beginning of its stream.
func NewG722Decoder() *G722Decoder {
	return &G722Decoder{low: subband{scale: lowestScale}, high: subband{scale: highestScale}}
}

// Decode appends the samples of code to pcm, two for each byte.
func (d *G722Decoder) Decode(pcm []int16, code []byte) []int16 {
	for _, c := range code {
		low, high := d.decodeLow(c&63), d.decodeHigh(c>>6)
		copy(d.window[:], d.window[2:])
		d.window[g722Taps-2], d.window[g722Taps-1] = low+high, low-high
		odd, even := halves(&d.window)
		pcm = append(pcm, int16(saturate(even>>11)), int16(saturate(odd>>11)))
	}
	return pcm
}

func (d *G722Decoder) decodeLow(code byte) int32 {
	sample := d.low.predicted + d.low.scale*lowValues[code]>>15
	d.low.adaptLow(code >> 2)
	return min(max(sample, -g722Loudest-1), g722Loudest)
}

func (d *G722Decoder) decodeHigh(code byte) int32 {
	diff := d.high.scale * highValues[code] >> 15
	sample := d.high.predicted + diff
	d.high.adaptHigh(diff, code)
	return min(max(sample, -g722Loudest-1), g722Loudest)
}
