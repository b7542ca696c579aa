package main

import (
	_ "embed"
	"runtime"
	"slices"
	"strings"

	"github.com/callwright/callwright/cmd/callwright/table"
)

// licensesTSV is what callwright-licenses prints.
//
//go:embed licenses.tsv
var licensesTSV string

// otherWorks are the parts of others that are no Go modules. THIRD_PARTY_NOTICES.md has their notices.
var otherWorks = []work{
	{"Flite (voices kal and slt)", "2.2", "Flite (BSD-like)"},
	{"Preact", "11.2.0", "MIT"},
	{"Silero VAD (weights)", "", "MIT"},
	{"Stoplight Elements", "9.0.25", "Apache-2.0"},
	{"wasi-libc, in Flite", "", "CC0-1.0, MIT, BSD-2-Clause"},
	{"wavesurfer.js", "8.0.1", "BSD-3-Clause"},
}

// work is something that others wrote and this program contains.
type work struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	License string `json:"license"` // SPDX identifiers, where there are any
}

type licensesCommand struct{ outputFlags }

// Run implements the command.
func (c *licensesCommand) Run() error {
	return printList(c.outputFlags, works(),
		column[work]{"NAME", func(w work) string { return w.Name }},
		column[work]{"VERSION", func(w work) string { return table.Cell(w.Version) }},
		column[work]{"LICENSE", func(w work) string { return w.License }},
	)
}

// works are all works of others.
func works() []work {
	all := []work{{"Go", strings.TrimPrefix(runtime.Version(), "go"), "BSD-3-Clause"}}
	for line := range strings.Lines(licensesTSV) {
		if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 3 {
			all = append(all, work{fields[0], fields[1], fields[2]})
		}
	}
	return slices.Concat(all, otherWorks)
}
