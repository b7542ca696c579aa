package openai

import "strings"

const (
	thoughtBegin = "<think>"
	thoughtEnd   = "</think>"
)

// thoughts removes the reasoning that some models write before their reply: servers that do not know such a model send
// it as part of the reply. The zero value is at the beginning of a reply.
type thoughts struct {
	held   string // not decided yet
	inside bool
	over   bool // all that follows is the reply
}

// pass returns the part of piece that belongs to the reply.
func (t *thoughts) pass(piece string) string {
	if t.over {
		return piece
	}
	t.held += piece
	if !t.inside {
		begun := strings.TrimLeft(t.held, " \r\n")
		switch {
		case strings.HasPrefix(begun, thoughtBegin):
			t.inside, t.held = true, begun[len(thoughtBegin):]
		case strings.HasPrefix(thoughtBegin, begun):
			return ""
		default:
			return t.rest()
		}
	}
	_, reply, found := strings.Cut(t.held, thoughtEnd)
	if !found {
		t.held = t.held[max(len(t.held)-len(thoughtEnd)+1, 0):]
		return ""
	}
	t.held, t.inside = reply, false
	return t.rest()
}

// rest returns text that was held back and turned out to be part of the reply.
func (t *thoughts) rest() string {
	t.over = true
	if t.inside {
		return ""
	}
	return t.held
}
