package vad

import (
	"math"
	"slices"
)

// matrix is a layer of the network: max(W x + b, floor) for each of its columns, which are windows into one vector. On
// amd64 with AVX2 and FMA it is computed in assembly of our own: with the dot products of a library (vek, also AVX2) a frame
// took seven times as long, for each of them adds up across its lanes and reads the weights again for each column.
//
// W is stored in blocks of rows: for each block, for each input, the weights of its rows. One pass reads memory in order
// and keeps independent sums in registers.
type matrix struct {
	w, b    []float32
	packed  *packed // in place of w; nil: it is not
	rows    int     // a multiple of block
	n       int     // inputs of a column
	columns int     // 1, 2 or 4
	step    int     // from the inputs of a column to those of the next
	block   int     // rows of one, a multiple of 8
	floor   float32
}

// newMatrix takes weights in blocks of 8 rows. It keeps copies, so that what they were read into can go.
func newMatrix(w, b []float32, columns, step int, floor float32) *matrix {
	m := &matrix{
		b:       slices.Clone(b),
		rows:    len(b),
		n:       len(w) / len(b),
		columns: columns,
		step:    step,
		block:   blockRows(columns),
		floor:   floor,
	}
	m.w = make([]float32, len(w))
	for row := 0; row < m.rows; row += 8 {
		block, within := row/m.block, row%m.block
		for k := range m.n {
			copy(m.w[(block*m.n+k)*m.block+within:][:8], w[(row/8*m.n+k)*8:])
		}
	}
	return m
}

// multiplyGo is multiply without assembly.
func (m *matrix) multiplyGo(y, x []float32) {
	for c := range m.columns {
		input := x[c*m.step:][:m.n]
		for row := 0; row < m.rows; row += 8 {
			block, within := row/m.block, row%m.block
			m.rowsGo((*[8]float32)(y[c*m.rows+row:]), m.w[block*m.block*m.n+within:], input, (*[8]float32)(m.b[row:]))
		}
	}
}

// rowsGo computes eight rows of a column, whose weights lie a block apart.
func (m *matrix) rowsGo(y *[8]float32, w, x []float32, b *[8]float32) {
	s0, s1, s2, s3, s4, s5, s6, s7 := b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]
	for _, v := range x {
		p := (*[8]float32)(w)
		s0 += p[0] * v
		s1 += p[1] * v
		s2 += p[2] * v
		s3 += p[3] * v
		s4 += p[4] * v
		s5 += p[5] * v
		s6 += p[6] * v
		s7 += p[7] * v
		w = w[min(m.block, len(w)):]
	}
	floor := m.floor
	y[0], y[1], y[2], y[3] = max(s0, floor), max(s1, floor), max(s2, floor), max(s3, floor)
	y[4], y[5], y[6], y[7] = max(s4, floor), max(s5, floor), max(s6, floor), max(s7, floor)
}

// cellGo advances an LSTM cell by the gates i, f, g and o, writes its hidden state and returns what is positive of that,
// weighed by dec.
func cellGo(gates *[4 * hidden]float32, cell, out, dec *[hidden]float32) (sum float32) {
	for j := range out {
		cell[j] = sigmoid(gates[hidden+j])*cell[j] + sigmoid(gates[j])*tanh(gates[2*hidden+j])
		out[j] = sigmoid(gates[3*hidden+j]) * tanh(cell[j])
		sum += max(out[j], 0) * dec[j]
	}
	return sum
}

// magnitudesGo writes the absolute values of complex numbers.
func magnitudesGo(out, re, im *[half]float32) {
	for k := range out {
		out[k] = float32(math.Sqrt(float64(re[k]*re[k] + im[k]*im[k])))
	}
}

// exp is e^x to about 1e-7 relative, several times faster than math.Exp: 2^n * e^r with
// |r| <= ln2/2, e^r by a polynomial (coefficients of the Cephes library's expf).
func exp(x float32) float32 {
	x = min(max(x, -87), 88)
	n := float32(math.Floor(float64(x*math.Log2E + 0.5)))
	r := x - n*0.693359375 + n*2.12194440e-4
	p := float32(1.9875691500e-4)
	p = p*r + 1.3981999507e-3
	p = p*r + 8.3334519073e-3
	p = p*r + 4.1665795894e-2
	p = p*r + 1.6666665459e-1
	p = p*r + 5.0000001201e-1
	return (p*r*r + r + 1) * math.Float32frombits(uint32(int32(n)+127)<<23)
}

func sigmoid(x float32) float32 { return 1 / (1 + exp(-x)) }

func tanh(x float32) float32 { return 2/(1+exp(-2*x)) - 1 }
