//go:build race

package main

// raceFlag builds the program under test with the race detector whenever the tests run with it.
const raceFlag = "-race"
