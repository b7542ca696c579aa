package seal

// Opener opens what a Sealer sealed.
type Opener interface {
	Open(sealed, context string) (string, error)
}

// Sealer seals what an Opener opens. *Box is one.
type Sealer interface {
	Opener
	Seal(plaintext, context string) string
}
