//go:build (amd64 || arm64) && !purego

package prefetch

import "unsafe"

// lines fetches the lines of so many bytes, at least one. It reads nothing, so that any address will do.
//
//go:noescape
func lines(p unsafe.Pointer, bytes uintptr)
