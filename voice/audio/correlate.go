package audio

// Correlate compares x with p at each lag: y[lag] is the sum of x[k] * p[lag+k]. p has to be len(x)-1 longer than y. With
// the coefficients of a filter, the last one first, for x, y is what the filter makes of p. On amd64 with AVX2 and FMA, and
// with a multiple of CorrelateLags for len(y), it takes a tenth of the time.
func Correlate(y, p, x []float32) {
	if len(y) == 0 || len(x) == 0 {
		clear(y)
		return
	}
	correlate(y, p[:len(y)+len(x)-1], x)
}

// CorrelateLags is how many lags are compared in one pass of the assembly.
const CorrelateLags = 64

func correlateGo(y, p, x []float32) {
	for lag := range y {
		var s0, s1, s2, s3 float32
		q := p[lag:][:len(x)]
		k := 0
		for ; k+4 <= len(x); k += 4 {
			s0 += x[k] * q[k]
			s1 += x[k+1] * q[k+1]
			s2 += x[k+2] * q[k+2]
			s3 += x[k+3] * q[k+3]
		}
		for ; k < len(x); k++ {
			s0 += x[k] * q[k]
		}
		y[lag] = s0 + s1 + s2 + s3
	}
}
