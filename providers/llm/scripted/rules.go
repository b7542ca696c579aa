package scripted

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"

	"github.com/callwright/callwright/providers/llm"
)

// rules are the rules in the system messages of a conversation.
type rules struct {
	when      []rule
	after     map[string]string // by tool name
	hello     string
	otherwise string
	steps     int // of all expressions
}

type rule struct {
	pattern *regexp.Regexp // or:
	anyOf   [][]string     // all words of one of them
	text    string         // or:
	tool    string
	args    string
}

type reply struct {
	text  string
	calls []llm.ToolCall
}

func parse(system string) (*rules, error) {
	r := &rules{after: map[string]string{}}
	number := 0
	for line := range strings.Lines(system) {
		number++
		if err := r.parseLine(strings.TrimSpace(line)); err != nil {
			return nil, fmt.Errorf("line %d of the system message: %w", number, err)
		}
	}
	return r, nil
}

// parseLine adds the rule of one line, if it is one.
func (r *rules) parseLine(line string) error {
	keyword, tail, _ := strings.Cut(line, " ")
	switch strings.ToLower(keyword) {
	case "when":
		return r.addWhen(strings.TrimSpace(tail))
	case "after":
		tool, text, ok := strings.Cut(tail, ":")
		if ok && !strings.Contains(strings.TrimSpace(tool), " ") { // else prose
			r.after[strings.TrimSpace(tool)] = strings.TrimSpace(text)
		}
	case "hello:":
		r.hello = strings.TrimSpace(tail)
	case "otherwise:":
		r.otherwise = strings.TrimSpace(tail)
	}
	return nil
}

func (r *rules) addWhen(tail string) error {
	var added rule
	var text string
	if expression, ok := strings.CutPrefix(tail, "/"); ok {
		end := strings.LastIndex(expression, "/:")
		if end < 0 {
			return fmt.Errorf("no %q after the expression %q", "/:", tail)
		}
		pattern, err := r.compile("(?i)" + fold(expression[:end]))
		if err != nil {
			return err
		}
		added.pattern, text = pattern, expression[end+2:]
	} else {
		alternatives, reply, ok := strings.Cut(tail, ":")
		if !ok {
			return nil // prose that begins with "when"
		}
		for part := range strings.SplitSeq(alternatives, ",") {
			if words := words(part); len(words) > 0 {
				added.anyOf = append(added.anyOf, words)
			}
		}
		text = reply
	}
	if err := added.parseReply(strings.TrimSpace(text)); err != nil {
		return err
	}
	r.when = append(r.when, added)
	return nil
}

// mostResults is how often the result of a tool, of 64 KiB at most, is written into a reply.
const mostResults = 4

// mostSteps is how long the programs of all expressions may be. RE2 writes repetitions out, and customers write system messages:
// ".{0,999}" a thousand times takes a minute and a gigabyte.
const mostSteps = 4000

var errLargeExpression = errors.New("the expression is, with those before it, too large once its repetitions are written out")

func (r *rules) compile(expression string) (*regexp.Regexp, error) {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if r.steps += stepsOf(parsed); r.steps > mostSteps {
		return nil, errLargeExpression
	}
	return regexp.Compile(expression)
}

// stepsOf estimates the length of an expression's program.
func stepsOf(e *syntax.Regexp) int {
	steps := max(1, len(e.Rune))
	if e.Op == syntax.OpCharClass {
		steps = 1 // however many characters
	}
	for _, sub := range e.Sub {
		steps += stepsOf(sub)
	}
	if e.Op == syntax.OpRepeat {
		steps *= max(e.Max, e.Min+1, 1)
	}
	return min(steps, mostSteps+1) // which does not overflow
}

// parseReply parses the text after the colon.
func (r *rule) parseReply(text string) error {
	call, ok := strings.CutPrefix(text, "call ")
	if !ok {
		r.text = text
		return nil
	}
	tool, args, _ := strings.Cut(strings.TrimSpace(call), " ")
	if args = strings.TrimSpace(args); args == "" {
		args = "{}"
	}
	var object map[string]any
	if strings.HasPrefix(args, "{") {
		if err := json.Unmarshal([]byte(args), &object); err != nil {
			return fmt.Errorf("arguments of %s: %w", tool, err)
		}
		r.tool, r.args = tool, args
		return nil
	}
	r.text = text // "call us back tomorrow": a sentence
	return nil
}

// match returns the reply of the first rule that matches, and reports whether there is one.
func (r *rules) match(talk *conversation) (reply, bool) {
	if talk.result != nil {
		text, ok := r.after[talk.tool]
		return reply{text: strings.Replace(text, "{result}", talk.result.Content, mostResults)}, ok
	}
	if strings.TrimSpace(talk.last) == "" {
		return reply{text: r.hello}, r.hello != ""
	}
	said := words(talk.last)
	for _, rule := range r.when {
		switch {
		case !rule.matches(talk.last, said):
		case rule.tool == "":
			return reply{text: rule.text}, true
		case talk.tools[rule.tool]:
			return reply{calls: []llm.ToolCall{talk.nextCall(rule.tool, rule.args)}}, true
		}
	}
	return reply{text: r.otherwise}, r.otherwise != ""
}

func (r *rule) matches(text string, said []string) bool {
	if r.pattern != nil {
		return r.pattern.MatchString(fold(text))
	}
	return slices.ContainsFunc(r.anyOf, func(all []string) bool {
		return !slices.ContainsFunc(all, func(word string) bool { return !slices.Contains(said, word) })
	})
}

// words returns the words of text in lower case, without accents.
func words(text string) []string {
	return strings.FieldsFunc(fold(strings.ToLower(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	})
}

// fold removes accents from letters.
func fold(text string) string {
	plain, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC), text)
	if err != nil {
		return text // not UTF-8: there are no accents to remove
	}
	return plain
}
