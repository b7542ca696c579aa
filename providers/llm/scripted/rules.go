package scripted

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/callwright/callwright/providers/llm"
)

// rules are the rules of one conversation, and what else its system messages say.
type rules struct {
	when      []rule
	after     map[string]string // by the name of the tool
	hello     string
	otherwise string
	rest      string
}

type rule struct {
	pattern *regexp.Regexp // or:
	anyOf   [][]string     // all words of one of them
	text    string         // or:
	tool    string
	args    string
}

type answer struct {
	text  string
	calls []llm.ToolCall
}

func parse(system string) (*rules, error) {
	r := &rules{after: map[string]string{}}
	var rest []string
	number := 0
	for line := range strings.Lines(system) {
		number++
		line = strings.TrimSpace(line)
		known, err := r.line(line)
		if err != nil {
			return nil, fmt.Errorf("line %d of the system message: %w", number, err)
		}
		if !known {
			rest = append(rest, line)
		}
	}
	r.rest = strings.Join(rest, "\n")
	return r, nil
}

// line reads one line; false: it is no rule.
func (r *rules) line(line string) (bool, error) {
	keyword, tail, _ := strings.Cut(line, " ")
	switch strings.ToLower(keyword) {
	case "when":
		return r.addWhen(strings.TrimSpace(tail))
	case "after":
		tool, text, ok := strings.Cut(tail, ":")
		if ok && !strings.Contains(strings.TrimSpace(tool), " ") { // else prose
			r.after[strings.TrimSpace(tool)] = strings.TrimSpace(text)
			return true, nil
		}
	case "hello:":
		r.hello = strings.TrimSpace(tail)
		return true, nil
	case "otherwise:":
		r.otherwise = strings.TrimSpace(tail)
		return true, nil
	}
	return false, nil
}

func (r *rules) addWhen(tail string) (bool, error) {
	var added rule
	var text string
	if expression, ok := strings.CutPrefix(tail, "/"); ok {
		end := strings.LastIndex(expression, "/:")
		if end < 0 {
			return false, fmt.Errorf("no %q behind the expression %q", "/:", tail)
		}
		pattern, err := regexp.Compile("(?i)" + fold(expression[:end]))
		if err != nil {
			return false, err
		}
		added.pattern, text = pattern, expression[end+2:]
	} else {
		alternatives, reply, ok := strings.Cut(tail, ":")
		if !ok {
			return false, nil // prose that begins with "when"
		}
		for part := range strings.SplitSeq(alternatives, ",") {
			if words := words(part); len(words) > 0 {
				added.anyOf = append(added.anyOf, words)
			}
		}
		text = reply
	}
	if err := added.reply(strings.TrimSpace(text)); err != nil {
		return false, err
	}
	r.when = append(r.when, added)
	return true, nil
}

// reply reads what stands behind the colon.
func (r *rule) reply(text string) error {
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

// choose finds the rule that holds.
func (r *rules) choose(talk *conversation) (answer, bool) {
	if talk.result != nil {
		text, ok := r.after[talk.tool]
		return answer{text: strings.ReplaceAll(text, "{result}", talk.result.Content)}, ok
	}
	if strings.TrimSpace(talk.last) == "" {
		return answer{text: r.hello}, r.hello != ""
	}
	said := words(talk.last)
	for _, rule := range r.when {
		switch {
		case !rule.holds(talk.last, said):
		case rule.tool == "":
			return answer{text: rule.text}, true
		case talk.tools[rule.tool]:
			return answer{calls: []llm.ToolCall{talk.nextCall(rule.tool, rule.args)}}, true
		}
	}
	return answer{text: r.otherwise}, r.otherwise != ""
}

func (r *rule) holds(text string, said []string) bool {
	if r.pattern != nil {
		return r.pattern.MatchString(fold(text))
	}
	return slices.ContainsFunc(r.anyOf, func(all []string) bool {
		return !slices.ContainsFunc(all, func(word string) bool { return !slices.Contains(said, word) })
	})
}
