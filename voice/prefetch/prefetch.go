// Package prefetch has the processor fetch memory into its caches that is about to be read.
//
// The state of many calls is far larger than the caches, and each call's turn comes every few milliseconds: without it, whoever
// works for one call after the other waits for the memory again and again, once for each line of it and each pointer on the way.
//
// It must not know what the memory is for. Where there is no assembly for a processor it does nothing.
package prefetch

import "unsafe"

// Of fetches what p points to; nil does nothing.
func Of[T any](p *T) { lines(unsafe.Pointer(p), unsafe.Sizeof(*p)) }

// Slice fetches what a slice holds.
func Slice[T any](s []T) {
	if len(s) > 0 {
		lines(unsafe.Pointer(unsafe.SliceData(s)), uintptr(len(s))*unsafe.Sizeof(s[0]))
	}
}

// Depths is how many pointers away from something Each fetches: each step needs what the one before it has brought.
const Depths = 4

// Each works on one of a list after the other. Before that it calls fetch for each, for depths from 0 to Depths-1, while those
// before it are worked on: 0 is for the thing itself, 1 for what it points to, and so on.
func Each[T any](list []T, fetch func(of T, depth int), work func(i int, of T)) {
	for i := -Depths; i < len(list); i++ {
		for depth := range Depths {
			if at := i + Depths - depth; at >= 0 && at < len(list) {
				fetch(list[at], depth)
			}
		}
		if i >= 0 {
			work(i, list[i])
		}
	}
}
