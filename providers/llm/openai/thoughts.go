package openai

import "strings"

const (
	thoughtBegin = "<think>"
	thoughtEnd   = "</think>"
)

// thoughts takes away what some models write in front of their reply: servers that do not know such a model send it as if
// it were meant to be spoken. The zero value is at the beginning of a reply.
type thoughts struct {
	held   string // not decided yet
	inside bool
	over   bool // all that follows is the reply
}

// pass is what of the next piece belongs to the reply.
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

// rest is what was held back of a reply that turned out to be no thought.
func (t *thoughts) rest() string {
	t.over = true
	if t.inside {
		return ""
	}
	return t.held
}
