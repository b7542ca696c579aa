package conversation

import (
	"slices"
	"strings"
)

// Figure is a result.
type Figure struct {
	Name  string
	Value float64
	Unit  string
}

// Figures sums up what was found.
func Figures(checks []Check) []Figure {
	return []Figure{
		{"turn_cutoff_percent", badPercent(checks, "turn"), "%"},
		{"turn_latency_p50_ms", quantile(checks, "turn", 0.50), "ms"},
		{"turn_latency_p95_ms", quantile(checks, "turn", 0.95), "ms"},
		{"turn_latency_usual_vendors_p50_ms", quantile(checks, "turn "+kindAhead, 0.50), "ms"},
		{"turn_latency_usual_vendors_p95_ms", quantile(checks, "turn "+kindAhead, 0.95), "ms"},
		{"turn_latency_usual_vendors_without_guesses_p50_ms", quantile(checks, "turn "+kindAfter, 0.50), "ms"},
		{"turn_latency_usual_vendors_without_guesses_p95_ms", quantile(checks, "turn "+kindAfter, 0.95), "ms"},
		{"guesses_wasted_percent", badPercent(checks, "guess"), "%"},
		{"backchannel_gap_percent", badPercent(checks, "backchannel"), "%"},
		{"barge_in_p95_ms", quantile(checks, "barge-in", 0.95), "ms"},
		{"background_false_percent", badPercent(checks, "background"), "%"},
		{"echo_interruptions", bad(checks, "echo"), "interruptions"},
		{"answerer_accuracy_percent", 100 - badPercent(checks, "answerer", "answerer person"), "%"},
		{"answerer_person_lost_percent", badPercent(checks, "answerer person"), "%"},
		{"silence_over_4s", bad(checks, "silence"), "silences"},
	}
}

func count(checks []Check, kinds ...string) (all, bad int) {
	for _, c := range checks {
		if slices.Contains(kinds, c.Kind) {
			all++
			if c.Bad {
				bad++
			}
		}
	}
	return all, bad
}

func bad(checks []Check, kinds ...string) float64 {
	_, bad := count(checks, kinds...)
	return float64(bad)
}

func badPercent(checks []Check, kinds ...string) float64 {
	all, bad := count(checks, kinds...)
	return 100 * float64(bad) / float64(max(all, 1))
}

// quantile of the times of the checks of a kind that are not bad for another reason.
func quantile(checks []Check, kind string, q float64) float64 {
	var times []float64
	for _, c := range checks {
		if c.Kind == kind && (!strings.HasPrefix(kind, "turn") || !c.Bad) {
			times = append(times, c.MS)
		}
	}
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[min(len(times)-1, int(q*float64(len(times))))]
}
