//go:build !linux || !(amd64 || arm64)

package reading

// confine has nothing to do here: time and memory are limited alike.
func confine(uint64) error { return nil }
