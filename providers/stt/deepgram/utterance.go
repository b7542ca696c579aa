package deepgram

import "strings"

// utterance is the text since the last final event.
type utterance struct {
	parts []string // that will not change
	shown string   // in the last interim event
}

func (u *utterance) final(part string) {
	if part != "" {
		u.parts = append(u.parts, part)
	}
}

// interim returns the whole text with its changeable end, and reports whether it is new.
func (u *utterance) interim(end string) (whole string, changed bool) {
	whole = strings.TrimSpace(strings.Join(u.parts, " ") + " " + end)
	changed = end != "" && whole != u.shown
	if changed {
		u.shown = whole
	}
	return whole, changed
}

func (u *utterance) take() string {
	text := strings.Join(u.parts, " ")
	u.parts, u.shown = nil, ""
	return text
}
