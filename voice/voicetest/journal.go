package voicetest

import (
	"sync"

	"github.com/callwright/callwright/voice"
)

// Journal is a voice.Journal that keeps all it is given.
type Journal struct {
	mu    sync.Mutex
	turns []voice.Turn
	notes []voice.Note
}

// Turn keeps a turn.
func (j *Journal) Turn(t voice.Turn) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.turns = append(j.turns, t)
}

// Note keeps a note.
func (j *Journal) Note(n voice.Note) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.notes = append(j.notes, n)
}

// Turns returns those kept.
func (j *Journal) Turns() []voice.Turn {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]voice.Turn(nil), j.turns...)
}

// Notes returns those kept of a kind.
func (j *Journal) Notes(kind voice.NoteKind) []voice.Note {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []voice.Note
	for _, n := range j.notes {
		if n.Kind == kind {
			out = append(out, n)
		}
	}
	return out
}

// Transcript returns the turns as "role: text", with "--" behind an interrupted one.
func (j *Journal) Transcript() []string {
	var out []string
	for _, t := range j.Turns() {
		line := t.Role + ": " + t.Text
		if t.Interrupted {
			line += " --"
		}
		out = append(out, line)
	}
	return out
}
