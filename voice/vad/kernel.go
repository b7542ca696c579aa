package vad

import "math"

// gemvGo computes y = W x + b. W is stored in blocks of 8 rows: for each block, for each
// column k, the 8 values W[row..row+7][k]. One pass reads memory in order, keeps 8
// independent sums in registers and needs no bounds check in the inner loop. gemv is
// this function or, on amd64 with AVX2 and FMA, the same loop in assembly.
func gemvGo(y, w, x, b []float32) {
	n := 8 * len(x)
	for r := 0; r+8 <= len(y); r += 8 {
		bias := (*[8]float32)(b[r:])
		s0, s1, s2, s3, s4, s5, s6, s7 := bias[0], bias[1], bias[2], bias[3], bias[4], bias[5], bias[6], bias[7]
		block := w[:n]
		w = w[n:]
		for _, v := range x {
			if len(block) < 8 {
				break
			}
			p := (*[8]float32)(block)
			s0 += p[0] * v
			s1 += p[1] * v
			s2 += p[2] * v
			s3 += p[3] * v
			s4 += p[4] * v
			s5 += p[5] * v
			s6 += p[6] * v
			s7 += p[7] * v
			block = block[8:]
		}
		out := (*[8]float32)(y[r:])
		out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7] = s0, s1, s2, s3, s4, s5, s6, s7
	}
}

func relu(x []float32) {
	for i, v := range x {
		if v < 0 {
			x[i] = 0
		}
	}
}

// exp is e^x to about 1e-7 relative, several times faster than math.Exp: 2^n * e^r with
// |r| <= ln2/2, e^r by a polynomial (coefficients of the Cephes library's expf).
func exp(x float32) float32 {
	x = min(max(x, -87), 88)
	n := float32(math.Floor(float64(x*math.Log2E + 0.5)))
	r := x - n*0.693359375 + n*2.12194440e-4
	p := float32(1.9875691500e-4)
	p = p*r + 1.3981999507e-3
	p = p*r + 8.3334519073e-3
	p = p*r + 4.1665795894e-2
	p = p*r + 1.6666665459e-1
	p = p*r + 5.0000001201e-1
	return (p*r*r + r + 1) * math.Float32frombits(uint32(int32(n)+127)<<23)
}

func sigmoid(x float32) float32 { return 1 / (1 + exp(-x)) }

func tanh(x float32) float32 { return 2/(1+exp(-2*x)) - 1 }
