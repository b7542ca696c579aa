//go:build unix && !linux

package main

import "syscall"

// setUnheard does nothing: elsewhere than on Linux the kernel of a proxy acknowledges what the proxy holds back.
func setUnheard(syscall.Conn, bool) error { return nil }
