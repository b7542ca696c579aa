//go:build race

package main

const (
	// raceFlag builds the program under test with the race detector whenever the tests run with it.
	raceFlag = "-race"
	// perProcessor is how many tests run at once: calls take their time, and leave the processors idle meanwhile. With the detector
	// they take several times the processor.
	perProcessor = 2
)
