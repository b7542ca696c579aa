package vad

import "math"

// packed is the weights of a layer that is computed for one column, in half the memory: most of the time such a layer takes is
// to fetch them, as they fill half of a processor's second cache and are used once a frame.
//
// A weight is 16 bits of the largest one of its row. Probabilities change by less than 3e-4 for it; with 16-bit floats, of which
// the exponents take bits, it is ten times that. Two rows share each word, a in its upper and b in its lower half. The word
// as a number is a times 65536 but for b, which the rounding of a makes up for; shifted left it is b times 65536.
type packed struct {
	w     []int32 // in the blocks of matrix.w: for each input, of 16 rows each the first 8 with the second 8
	scale []float32
}

const packedBlock = 64 // rows

// pack returns the weights of a matrix of one column, packed.
func (m *matrix) pack() *packed {
	p := &packed{w: make([]int32, 0, len(m.w)/2), scale: make([]float32, m.rows)}
	weight := func(row, k int) float64 { return float64(m.w[(row/m.block*m.n+k)*m.block+row%m.block]) }
	for row := range p.scale {
		var largest float64
		for k := range m.n {
			largest = max(largest, math.Abs(weight(row, k)))
		}
		p.scale[row] = float32(max(largest, math.SmallestNonzeroFloat32*math.MaxUint32) / (math.MaxInt16 - 1) / 65536)
	}
	for block := 0; block < m.rows; block += packedBlock {
		for k := range m.n {
			for pair := range packedBlock / 2 {
				row := block + pair/8*16 + pair%8
				low := uint16(int16(math.Round(weight(row+8, k) / float64(p.scale[row+8]) / 65536)))
				high := math.Round((weight(row, k)/float64(p.scale[row]) - float64(low)) / 65536)
				p.w = append(p.w, int32(high)<<16|int32(low))
			}
		}
	}
	return p
}
