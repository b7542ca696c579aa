package jobs

// Opener opens what db/seal sealed.
type Opener interface {
	Open(sealed, context string) (string, error)
}

// Sealer seals what Opener opens. *seal.Box is one.
type Sealer interface {
	Opener
	Seal(plaintext, context string) string
}
