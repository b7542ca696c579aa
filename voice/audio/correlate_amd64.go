//go:build amd64 && !purego

package audio

import "golang.org/x/sys/cpu"

// correlateAVX2 is correlateGo for blocks of CorrelateLags lags. n, the length of x, and blocks are above 0. It checks no
// bounds.
//
//go:noescape
func correlateAVX2(y, p, x *float32, blocks, n int)

func correlate(y, p, x []float32) {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA || len(y)%CorrelateLags != 0 {
		correlateGo(y, p, x)
		return
	}
	correlateAVX2(&y[0], &p[0], &x[0], len(y)/CorrelateLags, len(x))
}
