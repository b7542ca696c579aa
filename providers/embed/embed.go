// Package embed defines embedding models: texts in, a vector for each out. Texts with similar meanings have vectors
// with similar directions, whether or not they share a word.
//
// It knows texts and vectors, and how long a caller can wait for one. It must not know any vendor (each has a package
// below this one), nor what is searched for.
package embed

import "context"

// MaxDimensions limits the length of a vector.
const MaxDimensions = 8192

// Provider is an embedding model. Implementations are safe for concurrent use.
type Provider interface {
	Name() string
	// Model returns the name of the model. Vectors of two models cannot be compared.
	Model() string
	// Embed returns a vector for each text, in their order. All have the same length, at most MaxDimensions, and none
	// is zero. Errors are *fault.Error unless ctx was canceled.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}
