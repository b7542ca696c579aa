// Package embed is what the product asks of an embedding model: texts in, a vector for each out. Texts that mean about the
// same have vectors that point about the same way, whether or not they share a word.
//
// It knows texts and vectors, and how long somebody on the telephone waits for one. It must not know any vendor (each has a
// package below this one), nor what texts are looked for.
package embed

import "context"

// MaxDimensions bounds the length of a vector.
const MaxDimensions = 8192

// Provider is an embedding model. Implementations are safe for concurrent use.
type Provider interface {
	Name() string
	// Model names what makes the vectors. Those of two models cannot be compared.
	Model() string
	// Embed answers a vector for each text, in their order. All have one length, at most MaxDimensions, and none is zero.
	// Errors are *fault.Error unless ctx was cancelled.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}
