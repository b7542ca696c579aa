//go:build unix && !linux

package main

import "errors"

// disk is a small file system that can be filled; only Linux has one to offer.
type disk struct{}

func newDisk(string, uint64) (*disk, error) { return nil, errors.New("it needs Linux") }

func (*disk) fill() error  { return nil }
func (*disk) free() error  { return nil }
func (*disk) close() error { return nil }
