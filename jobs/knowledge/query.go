package knowledge

import (
	"github.com/google/uuid"

	"github.com/callwright/callwright/providers/embed"
)

// Query is a question to a knowledge base.
type Query struct {
	AccountID   uuid.UUID
	AssistantID *uuid.UUID // what this assistant knows: its own documents and the account's; nil: all documents
	Question    string
	Questions   *embed.Questions // embeds the question; nil: only its words are looked for
	Limit       int              // documents
}

// Hit is a document that may answer, with the passages of it that do.
type Hit struct {
	DocumentID uuid.UUID
	Title      string
	Content    string // up to three passages in their order, separated by empty lines
	// Score is 0 to 1: how much of the question's words it holds, rare words counting more; of a question whose meaning is
	// known, how far ahead it is among what was found.
	Score float64
}

// passagesPerHit is how many passages of one document are returned at most.
const passagesPerHit = 3

// place is where a passage stands.
type place struct {
	document uuid.UUID
	position int32
}

// passage is one that was found.
type passage struct {
	place
	title, content string
	score          float64
}
