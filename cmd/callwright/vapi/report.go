package vapi

import (
	"fmt"
	"slices"
	"strings"
)

// Outcome is what became of a resource or of a field of it.
type Outcome string

// The outcomes.
const (
	Made    Outcome = "made"    // the resource; Why: its id here
	Present Outcome = "present" // the resource was moved before; Why: its id here
	Planned Outcome = "planned" // the resource would be made
	Failed  Outcome = "failed"  // the resource could not be made
	Kept    Outcome = "kept"
	Changed Outcome = "changed"
	Dropped Outcome = "dropped"
)

// Row says what became of a resource, or of a field of it.
type Row struct {
	Kind    string  `json:"kind"` // assistant, tool, phone number, squad
	ID      string  `json:"id"`   // at Vapi
	Name    string  `json:"name"`
	Field   string  `json:"field"` // empty: the resource
	Outcome Outcome `json:"outcome"`
	Why     string  `json:"why"` // of Kept: which fields
}

// report collects the rows of one resource.
type report struct {
	kind, id, name string
	rows           []Row
}

func (r *report) say(field string, outcome Outcome, why string) {
	r.rows = append(r.rows, Row{Kind: r.kind, ID: r.id, Name: r.name, Field: field, Outcome: outcome, Why: why})
}

// finish returns the rows: the resource first, then what was kept in one row, what was changed and what was dropped.
func (r *report) finish(outcome Outcome, why string) []Row {
	var kept []string
	var rest []Row
	for _, row := range r.rows {
		if row.Outcome == Kept {
			kept = append(kept, row.Field)
		} else {
			rest = append(rest, row)
		}
	}
	slices.SortStableFunc(rest, func(a, b Row) int {
		return strings.Compare(string(a.Outcome)+" "+a.Field, string(b.Outcome)+" "+b.Field)
	})
	slices.Sort(kept)
	rows := []Row{{Kind: r.kind, ID: r.id, Name: r.name, Outcome: outcome, Why: why}}
	if len(kept) > 0 {
		rows = append(rows, Row{Kind: r.kind, ID: r.id, Name: r.name, Field: fmt.Sprintf("%d fields", len(kept)), Outcome: Kept,
			Why: strings.Join(kept, ", ")})
	}
	return append(rows, rest...)
}
