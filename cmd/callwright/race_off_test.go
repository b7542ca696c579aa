//go:build !race

package main

const (
	raceFlag     = "-race=false"
	perProcessor = 4
)
