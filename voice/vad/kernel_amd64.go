//go:build amd64 && !purego

package vad

import "golang.org/x/sys/cpu"

// gemvAVX2 is gemvGo for 32 rows at a time: blocks = rows/32, n = columns, both > 0. It
// checks no bounds.
//
//go:noescape
func gemvAVX2(y, w, x, b *float32, blocks, n int)

func gemv(y, w, x, b []float32) {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA || len(y)%32 != 0 || len(y) == 0 || len(x) == 0 {
		gemvGo(y, w, x, b)
		return
	}
	_, _ = w[len(y)*len(x)-1], b[len(y)-1]
	gemvAVX2(&y[0], &w[0], &x[0], &b[0], len(y)/32, len(x))
}
