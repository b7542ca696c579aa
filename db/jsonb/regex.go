package jsonb

import (
	"errors"
	"regexp"
	"regexp/syntax"
)

// Regexes compiles the expressions of a plan of an assistant. RE2 matches in linear time of the text, but also of the expression
// with all its repetitions written out: .{0,999} twelve dozen times is a thousand bytes long, takes 60 MB, and seconds for what a
// caller says. So the expressions of one plan have together at most mostRegexSteps. The zero value has read none.
type Regexes struct{ steps int }

// mostRegexSteps is how many steps of RE2 are matched: some ten milliseconds for what is said in a minute.
const mostRegexSteps = 4000

// ErrLargeRegex means that what is repeated makes the expressions of a plan too large.
var ErrLargeRegex = errors.New("is, with those before it, too large once its repetitions are written out")

// Compile returns a pattern with its options, which are a list of {type, enabled}. Its error is ErrLargeRegex, or of what cannot
// be read.
func (r *Regexes) Compile(pattern string, options any) (*regexp.Regexp, error) {
	pattern = regexWithOptions(pattern, options)
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err //nolint:wrapcheck // it is that of regexp.Compile
	}
	steps := stepsOf(parsed)
	if r.steps+steps > mostRegexSteps {
		return nil, ErrLargeRegex
	}
	r.steps += steps
	return regexp.Compile(pattern) //nolint:wrapcheck // likewise
}

// stepsOf estimates the length of an expression's program.
func stepsOf(e *syntax.Regexp) int {
	steps := 1 // also of a class of characters, however many
	if e.Op == syntax.OpLiteral {
		steps = len(e.Rune)
	}
	for _, sub := range e.Sub {
		steps += stepsOf(sub)
	}
	if e.Op == syntax.OpRepeat {
		steps *= max(e.Max, e.Min+1, 1)
	}
	return min(steps, mostRegexSteps+1) // which does not overflow
}

func regexWithOptions(pattern string, options any) string {
	list, _ := options.([]any)
	for _, item := range list {
		option, _ := item.(map[string]any)
		if enabled, _ := option["enabled"].(bool); !enabled {
			continue
		}
		switch option["type"] {
		case "ignore-case":
			pattern = "(?i)" + pattern
		case "multi-line":
			pattern = "(?m)" + pattern
		case "whole-word":
			pattern = `\b(?:` + pattern + `)\b`
		case "strict":
			pattern = `^(?:` + pattern + `)$`
		}
	}
	return pattern
}
