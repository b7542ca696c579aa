package embedtest

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"unicode"
)

// fakeDimensions is that of a small model.
const fakeDimensions = 384

// Fake embeds the letters of words: each run of three letters has a random direction, and a text has the direction of
// the sum of its runs. It is deterministic.
type Fake struct {
	model string
	same  map[string]string // what is embedded in place of a word
}

// NewFake returns a fake. Vectors of two models have nothing in common. Each group is a set of words, in lower case,
// that mean the same.
func NewFake(model string, groups ...[]string) *Fake {
	f := &Fake{model: model, same: map[string]string{}}
	for _, group := range groups {
		for _, word := range group {
			f.same[word] = group[0]
		}
	}
	return f
}

// Name implements embed.Provider.
func (f *Fake) Name() string { return "fake" }

// Model implements embed.Provider.
func (f *Fake) Model() string { return f.model }

// Embed implements embed.Provider.
func (f *Fake) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("fake: %w", err)
	}
	var vectors [][]float32
	for _, text := range texts {
		vectors = append(vectors, f.embed(text))
	}
	return vectors, nil
}

func (f *Fake) embed(text string) []float32 {
	vector := f.direction("") // so that none is zero
	for _, word := range strings.FieldsFunc(strings.ToLower(text),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if same, ok := f.same[word]; ok {
			word = same
		}
		letters := []rune(" " + word + " ")
		for i := range len(letters) - 2 {
			for k, x := range f.direction(string(letters[i : i+3])) {
				vector[k] += x
			}
		}
	}
	return vector
}

func (f *Fake) direction(letters string) []float32 {
	hash := fnv.New64a()
	hash.Write([]byte(f.model + "\x00" + letters))
	random := rand.New(rand.NewPCG(hash.Sum64(), 1))
	direction := make([]float32, fakeDimensions)
	for i := range direction {
		direction[i] = float32(random.NormFloat64())
	}
	return direction
}
