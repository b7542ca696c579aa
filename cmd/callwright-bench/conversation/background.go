package conversation

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/callwright/callwright/voice/audio"
)

// noiseLine is the hiss of a line.
type noiseLine struct {
	level float64 // dBFS; 0: none
	state uint32
}

func (n *noiseLine) add(frame []int16) {
	if n.level == 0 {
		return
	}
	amplitude := audio.Gain(n.level) * math.MaxInt16 * math.Sqrt(3)
	for i := range frame {
		n.state = n.state*1664525 + 1013904223
		frame[i] = audio.Clamp(float64(frame[i]) + amplitude*(float64(n.state>>8)/(1<<23)-1))
	}
}

// noise returns white noise, or pink where that is wanted.
func noise(random *rand.Rand, d time.Duration, pink bool) []int16 {
	pcm := make([]int16, audio.Samples(d))
	var low [3]float64
	for i := range pcm {
		white := random.Float64()*2 - 1
		v := white
		if pink { // Kellet's economy filter
			low[0] = 0.99765*low[0] + white*0.0990460
			low[1] = 0.96300*low[1] + white*0.2965164
			low[2] = 0.57000*low[2] + white*1.0526913
			v = (low[0] + low[1] + low[2] + white*0.1848) / 4
		}
		pcm[i] = audio.Clamp(v * 8000)
	}
	return pcm
}

// music returns chords with a melody above them and a beat below.
func music(random *rand.Rand, d time.Duration) []int16 {
	sum := make([]float64, audio.Samples(d))
	scale := []float64{0, 2, 4, 5, 7, 9, 11, 12, 14, 16}
	note := func(at, length time.Duration, half, gain float64) {
		hertz := 220 * math.Pow(2, half/12)
		from := audio.Samples(at)
		for i := from; i < min(from+audio.Samples(length), len(sum)); i++ {
			age := float64(i-from) / audio.Rate
			envelope := math.Min(age*40, 1) * math.Exp(-2.5*age)
			for harmonic := 1.0; harmonic <= 4; harmonic++ {
				sum[i] += gain * envelope * math.Sin(2*math.Pi*hertz*harmonic*age) / harmonic / harmonic
			}
		}
	}
	const beat = 400 * time.Millisecond
	for bar := time.Duration(0); bar < d; bar += 4 * beat {
		root := pick(random, []float64{0, 5, 7, -3})
		for _, third := range []float64{0, 4, 7} {
			note(bar, 4*beat, root+third-12, 1)
		}
		for step := range 8 {
			if random.IntN(4) > 0 {
				note(bar+time.Duration(step)*beat/2, beat, root+pick(random, scale), 1.2)
			}
		}
	}
	pcm := make([]int16, len(sum))
	for i, v := range sum {
		pcm[i] = audio.Clamp(v * 2500)
	}
	return pcm
}

// television returns people talking one after the other, with short pauses, as on a television or in the same room.
func (m *materials) television(random *rand.Rand, language string, texts []string) clip {
	var c clip
	voices := m.speakers(language)
	for _, at := range random.Perm(len(texts))[:min(8, len(texts))] {
		said := m.say(pick(random, voices), texts[at])
		c.append(said)
		c.pcm = append(c.pcm, make([]int16, audio.Samples(time.Duration(150+random.IntN(500))*time.Millisecond))...)
	}
	return c
}

// chatter returns many people talking at once, of whom nobody can be understood.
func (m *materials) chatter(random *rand.Rand, language string, texts []string) clip {
	sum := make([]int16, audio.Samples(20*time.Second))
	for range 6 {
		voice := m.television(random, language, texts)
		for i := range sum {
			sum[i] = audio.Clamp(float64(sum[i]) + float64(voice.pcm[i%len(voice.pcm)])/3)
		}
	}
	return clip{pcm: sum}
}

// append adds a clip behind another.
func (c *clip) append(next clip) {
	at := c.length()
	c.pcm = append(slices.Clip(c.pcm), next.pcm...)
	for _, w := range next.words {
		c.words = append(c.words, word{w.text, w.from + at, w.to + at})
	}
}

// at scales a clip to a level.
func (c clip) at(dBFS float64) clip { return clip{level(c.pcm, dBFS), c.words} }
