package voicetest

import (
	"sync"

	"github.com/callwright/callwright/voice"
)

// Ledger keeps all it is told.
type Ledger struct {
	mu    sync.Mutex
	turns []voice.Turn
	notes []voice.Note
}

// Turn keeps a turn.
func (l *Ledger) Turn(t voice.Turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turns = append(l.turns, t)
}

// Note keeps a note.
func (l *Ledger) Note(n voice.Note) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes = append(l.notes, n)
}

// Turns are those kept.
func (l *Ledger) Turns() []voice.Turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]voice.Turn(nil), l.turns...)
}

// Notes are those kept of a kind.
func (l *Ledger) Notes(kind voice.NoteKind) []voice.Note {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []voice.Note
	for _, n := range l.notes {
		if n.Kind == kind {
			out = append(out, n)
		}
	}
	return out
}

// Transcript is the turns as "role: text", with "--" behind an interrupted one.
func (l *Ledger) Transcript() []string {
	var out []string
	for _, t := range l.Turns() {
		line := t.Role + ": " + t.Text
		if t.Interrupted {
			line += " --"
		}
		out = append(out, line)
	}
	return out
}
