//go:build amd64 && !purego

package vad

import (
	"math"

	"golang.org/x/sys/cpu"
)

// The kernels compute columns of max(W x + b, floor) from weights in blocks of 64, 32 or 16 rows; blocks and n, the inputs
// of a column, are above 0. The steps are distances between columns, in values. No bounds are checked. gemm1 reads no inputs
// but those of a list, of at least one.
//
//go:noescape
func gemm1(y, w, x, b *float32, blocks, n int, floor float32, inputs *int32, used int)

// gemm1Packed is gemm1 with the weights of packed, and without a floor.
//
//go:noescape
func gemm1Packed(y *float32, w *int32, x, b *float32, blocks, n int, scale *float32, inputs *int32, used int)

//go:noescape
func gemm2(y, w, x, b *float32, blocks, n int, floor float32, yStep, xStep int)

//go:noescape
func gemm4(y, w, x, b *float32, blocks, n int, floor float32, yStep, xStep int)

// cellAVX2 is cellGo.
//
//go:noescape
func cellAVX2(gates, cell, out, dec *float32) float32

// magnitudesAVX2 is magnitudesGo.
//
//go:noescape
func magnitudesAVX2(out, re, im *float32)

func assembly() bool { return cpu.X86.HasAVX2 && cpu.X86.HasFMA }

// blockRows returns how many rows of a matrix lie together for the kernel of that many columns.
func blockRows(columns int) int {
	if !assembly() {
		return 8
	}
	return 64 / columns
}

func (m *matrix) multiply(y, x []float32) {
	if !assembly() {
		m.multiplyGo(y, x)
		return
	}
	_, _ = y[m.columns*m.rows-1], x[(m.columns-1)*m.step+m.n-1]
	blocks := m.rows / m.block
	switch m.columns {
	case 1:
		var inputs [2 * hidden]int32
		used := listUsed(inputs[:m.n], x)
		if m.packed != nil {
			gemm1Packed(&y[0], &m.packed.w[0], &x[0], &m.b[0], blocks, m.n, &m.packed.scale[0], &inputs[0], used)
			return
		}
		gemm1(&y[0], &m.w[0], &x[0], &m.b[0], blocks, m.n, m.floor, &inputs[0], used)
	case 2:
		gemm2(&y[0], &m.w[0], &x[0], &m.b[0], blocks, m.n, m.floor, m.rows, m.step)
	case 4:
		gemm4(&y[0], &m.w[0], &x[0], &m.b[0], blocks, m.n, m.floor, m.rows, m.step)
	}
}

// listUsed lists the inputs other than 0, or one that is 0, and counts them. In speech three quarters of what the encoder
// tells the LSTM are 0.
func listUsed(list []int32, x []float32) int {
	used := 0
	for k := range list {
		list[used] = int32(k)
		if math.Float32bits(x[k]) != 0 { // unlike a comparison of floats, this needs no jump
			used++
		}
	}
	return max(used, 1)
}

// shrink has a matrix of one column without a floor keep its weights packed.
func (m *matrix) shrink() {
	if assembly() {
		m.packed, m.w = m.pack(), nil
	}
}

func updateCell(gates *[4 * hidden]float32, cell, out, dec *[hidden]float32) float32 {
	if !assembly() {
		return cellGo(gates, cell, out, dec)
	}
	return cellAVX2(&gates[0], &cell[0], &out[0], &dec[0])
}

func magnitudes(out, re, im *[half]float32) {
	if !assembly() {
		magnitudesGo(out, re, im)
		return
	}
	magnitudesAVX2(&out[0], &re[0], &im[0])
}
