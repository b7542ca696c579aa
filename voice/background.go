package voice

import "math"

// decibels is the factor of a gain.
func decibels(gain float64) float64 { return math.Pow(10, gain/20) }

// saturate rounds to a sample and keeps to what one can hold.
func saturate(v float64) int16 {
	return int16(min(max(math.Round(v), math.MinInt16), math.MaxInt16))
}
