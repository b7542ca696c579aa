//go:build !amd64 || purego

package audio

func correlate(y, p, x []float32) { correlateGo(y, p, x) }
