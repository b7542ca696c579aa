package jsonb

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWaitFunction(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]map[float64]float64{ // milliseconds by probability
		"20 + 500 * sqrt(x) + 2500 * x^3": {0: 20, 1: 3020, 0.25: 20 + 250 + 39.0625},
		"700 + 4000 * max(0, x-0.5)":      {0: 700, 0.75: 1700},
		"-x^2*-100":                       {0.5: 25},
		"(200 + 8000*x) / 2":              {1: 4100},
		"2^3^2":                           {0: 512},
		"pow(x, 2) * 1e0":                 nil,
		"100 * x - 500":                   {1: 0},
		"1/x":                             {0: 15_000},
		"x/x":                             {0: 0},
		"":                                nil,
		"20 +":                            nil,
		"sqrt x":                          nil,
		"sqrt(x":                          nil,
		"max(x)":                          nil,
		"y":                               nil,
		"1 2":                             nil,
		"alert(1)":                        nil,
		strings.Repeat("(", 200) + "x":    nil,
		strings.Repeat("1+", 300) + "x":   nil,
	} {
		f, err := ParseWaitFunction(text)
		if want == nil {
			require.Error(t, err, text)
			continue
		}
		require.NoError(t, err, text)
		for x, ms := range want {
			require.InDelta(t, ms, float64(f.Wait(x))/float64(time.Millisecond), 0.01, "%s at %v", text, x)
		}
	}
}

func FuzzWaitFunction(f *testing.F) {
	f.Add("20 + 500 * sqrt(x) + 2500 * x^3")
	f.Add("-(1.5/x)^-2")
	f.Fuzz(func(t *testing.T, text string) {
		function, err := ParseWaitFunction(text)
		if err != nil {
			return
		}
		for _, x := range []float64{0, 0.5, 1, math.NaN()} {
			wait := function.Wait(x)
			require.True(t, wait >= 0 && wait <= LongestWaitFunction, "%q at %v is %v", text, x, wait)
		}
	})
}
