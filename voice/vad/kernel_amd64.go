//go:build amd64 && !purego

package vad

import "golang.org/x/sys/cpu"

// The kernels compute columns of max(W x + b, floor) from weights in blocks of 64, 32 or 16 rows; blocks and n, the inputs
// of a column, are above 0. The steps are distances between columns, in values. No bounds are checked.
//
//go:noescape
func gemm1(y, w, x, b *float32, blocks, n int, floor float32)

//go:noescape
func gemm2(y, w, x, b *float32, blocks, n int, floor float32, yStep, xStep int)

//go:noescape
func gemm4(y, w, x, b *float32, blocks, n int, floor float32, yStep, xStep int)

// cellAVX2 is cellGo.
//
//go:noescape
func cellAVX2(gates, cell, out *float32)

func assembly() bool { return cpu.X86.HasAVX2 && cpu.X86.HasFMA }

// blockRows is how many rows of a matrix lie together for the kernel of that many columns.
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
		gemm1(&y[0], &m.w[0], &x[0], &m.b[0], blocks, m.n, m.floor)
	case 2:
		gemm2(&y[0], &m.w[0], &x[0], &m.b[0], blocks, m.n, m.floor, m.rows, m.step)
	case 4:
		gemm4(&y[0], &m.w[0], &x[0], &m.b[0], blocks, m.n, m.floor, m.rows, m.step)
	}
}

func updateCell(gates *[4 * hidden]float32, cell *[hidden]float32, out []float32) {
	if !assembly() {
		cellGo(gates, cell, out)
		return
	}
	_ = out[hidden-1]
	cellAVX2(&gates[0], &cell[0], &out[0])
}
