package worker

import (
	"context"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice"
)

// page is who sees what happens in a call while it does: the browser of a web call.
type page interface{ Tell(about any) }

// What a page is told. Times count from the answer.
type (
	// pageTurn is what one side said.
	pageTurn struct {
		Type        string `json:"type"` // transcript
		Role        string `json:"role"`
		Text        string `json:"text"`
		AtMS        int    `json:"at_ms"`
		Interrupted bool   `json:"interrupted"`
		LatencyMS   *int   `json:"latency_ms"` // from the end of the caller's words to the first sound; null: it answers nobody
	}
	// pageActivity is what the assistant is doing.
	pageActivity struct {
		Type     string `json:"type"`     // activity
		Activity string `json:"activity"` // listening, thinking, speaking or tool
		Tool     string `json:"tool,omitempty"`
		AtMS     int    `json:"at_ms,omitempty"`
	}
)

const (
	isListening = "listening"
	isThinking  = "thinking"
	isSpeaking  = "speaking"
	usesTool    = "tool"
)

func activity(what, tool string) pageActivity {
	return pageActivity{Type: "activity", Activity: what, Tool: tool}
}

// shown has the page of a web call see what happens in it: its journal, and the tools that it uses.
func shown(session *voice.Session, leg leg) {
	browser, ok := leg.(page)
	if !ok {
		return
	}
	session.Journal = &pageJournal{session.Journal, browser}
	if session.Tools != nil {
		session.Tools = &pageTools{session.Tools, browser}
	}
}

type pageJournal struct {
	voice.Journal
	page page
}

// Turn implements voice.Journal.
func (j *pageJournal) Turn(said voice.Turn) {
	j.Journal.Turn(said)
	told := pageTurn{Type: "transcript", Role: said.Role, Text: said.Text, AtMS: milliseconds(said.At),
		Interrupted: said.Interrupted}
	if said.Timing != nil {
		told.LatencyMS = new(milliseconds(said.Timing.FirstSound - said.Timing.SpeechEnded))
	}
	j.page.Tell(told)
}

// Note implements voice.Journal.
func (j *pageJournal) Note(note voice.Note) {
	j.Journal.Note(note)
	var now string
	switch {
	case note.Kind == voice.SpeechStarted && note.Role == voice.RoleAssistant:
		now = isSpeaking
	case note.Kind == voice.SpeechStarted, note.Kind == voice.SpeechStopped && note.Role == voice.RoleAssistant:
		now = isListening
	case note.Kind == voice.SpeechStopped, note.Kind == voice.ToolCalled:
		now = isThinking
	default:
		return
	}
	told := activity(now, "")
	told.AtMS = milliseconds(note.At)
	j.page.Tell(told)
}

type pageTools struct {
	voice.Tools
	page page
}

// Call implements voice.Tools.
func (t *pageTools) Call(ctx context.Context, call llm.ToolCall, say func(sentence string)) voice.ToolResult {
	t.page.Tell(activity(usesTool, call.Name))
	return t.Tools.Call(ctx, call, say)
}
