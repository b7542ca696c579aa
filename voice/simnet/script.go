package simnet

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/callwright/callwright/voice/audio"
)

//go:embed scripts.yaml
var defaultScripts []byte

const (
	defaultNumber   = "default"
	defaultLanguage = "en"
	defaultAnswer   = time.Second
	defaultListen   = 15 * time.Second
	defaultGain     = -12.0
	longestWait     = time.Hour
)

// Scripts says what each number does, by its last two digits or "default".
type Scripts map[string]Script

// Script is what one far end does: it refuses, or rings for ever, or answers and takes
// its steps.
type Script struct {
	Language    string
	Refuse      int // final SIP status; 0: not refused
	Ring        bool
	AnswerAfter time.Duration
	Wideband    bool // it prefers G.722
	Steps       []Step
}

// band is the one of its voice, where the other side has it too.
func (s Script) band() audio.Band {
	if s.Wideband {
		return audio.Wide
	}
	return audio.Narrow
}

// Step is one thing that a far end does. Exactly one field is set, but for Cut and Gain.
type Step struct {
	Listen time.Duration // until the other side has spoken and paused; at most so long
	Hear   time.Duration // until the other side has been speaking for so long
	Say    string
	Cut    float64 // of Say: the part that is spoken, above 0, below 1; 0: all
	Press  string
	Wait   time.Duration
	Await  string // these keys, pressed from now on; without them it hangs up
	Beep   time.Duration
	Fax    time.Duration // of the tone that a fax answers with
	Echo   time.Duration // from now on the voice of the other side comes back after so long
	Gain   float64       // of Echo, in decibels, below 0; 0: defaultGain
}

// DefaultScripts are those that come with the package.
func DefaultScripts() (Scripts, error) { return ParseScripts(defaultScripts) }

// of returns the script of a number.
func (s Scripts) of(number string) Script {
	if len(number) >= 2 {
		if script, ok := s[number[len(number)-2:]]; ok {
			return script
		}
	}
	return s[defaultNumber]
}

// ParseScripts reads the YAML that the package comment describes. Every mistake is
// reported, with its line.
func ParseScripts(text []byte) (Scripts, error) {
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	var document, second yaml.Node
	if err := decoder.Decode(&document); err != nil {
		return nil, fmt.Errorf("read scripts: %w", err)
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, errors.New("read scripts: more than one document")
	}
	p := &parser{}
	scripts := p.document(document.Content[0])
	if err := errors.Join(p.errs...); err != nil {
		return nil, fmt.Errorf("read scripts: %w", err)
	}
	return scripts, nil
}

// parser walks the nodes itself: a decoder would not tell the lines of wrong values.
type parser struct{ errs []error }

func (p *parser) fail(n *yaml.Node, format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("line %d: %w", n.Line, fmt.Errorf(format, args...)))
}

// mapping calls the function of each key and refuses keys that have none.
func (p *parser) mapping(n *yaml.Node, what string, keys map[string]func(*yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		p.fail(n, "%s must be a mapping", what)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		take, known := keys[key.Value]
		switch {
		case !known:
			p.fail(key, "%s has no key %q", what, key.Value)
		case seen[key.Value]:
			p.fail(key, "%s has %q twice", what, key.Value)
		default:
			take(n.Content[i+1])
		}
		seen[key.Value] = true
	}
}

func (p *parser) document(n *yaml.Node) Scripts {
	scripts := Scripts{}
	p.mapping(n, "the document", map[string]func(*yaml.Node){"scripts": func(n *yaml.Node) {
		if n.Kind != yaml.MappingNode {
			p.fail(n, "scripts must be a mapping")
			return
		}
		twoDigits := regexp.MustCompile(`^[0-9]{2}$`)
		for i := 0; i+1 < len(n.Content); i += 2 {
			number := n.Content[i]
			if number.Value != defaultNumber && !twoDigits.MatchString(number.Value) {
				p.fail(number, "a number is two digits in quotes, or default, not %q", number.Value)
			}
			if _, twice := scripts[number.Value]; twice {
				p.fail(number, "%q is there twice", number.Value)
			}
			scripts[number.Value] = p.script(n.Content[i+1])
		}
	}})
	if len(scripts) == 0 && len(p.errs) == 0 {
		p.fail(n, "there are no scripts")
	}
	return scripts
}

func (p *parser) script(n *yaml.Node) Script {
	s := Script{Language: defaultLanguage, AnswerAfter: defaultAnswer}
	p.mapping(n, "a script", map[string]func(*yaml.Node){
		"language":     func(n *yaml.Node) { s.Language = p.text(n) },
		"answer_after": func(n *yaml.Node) { s.AnswerAfter = p.duration(n) },
		"wideband":     func(n *yaml.Node) { s.Wideband = p.truth(n) },
		"ring":         func(n *yaml.Node) { s.Ring = p.truth(n) },
		"refuse":       func(n *yaml.Node) { s.Refuse = p.status(n) },
		"steps":        func(n *yaml.Node) { s.Steps = p.steps(n) },
	})
	ways := 0
	for _, way := range []bool{s.Refuse != 0, s.Ring, len(s.Steps) > 0} {
		if way {
			ways++
		}
	}
	if ways != 1 {
		p.fail(n, "a script has exactly one of refuse, ring and steps")
	}
	return s
}

func (p *parser) steps(n *yaml.Node) []Step {
	if n.Kind != yaml.SequenceNode {
		p.fail(n, "steps must be a list")
		return nil
	}
	var steps []Step
	for _, item := range n.Content {
		steps = append(steps, p.step(item))
	}
	return steps
}

func (p *parser) step(n *yaml.Node) Step {
	var s Step
	actions := 0
	action := func(take func(*yaml.Node)) func(*yaml.Node) {
		return func(n *yaml.Node) {
			actions++
			take(n)
		}
	}
	p.mapping(n, "a step", map[string]func(*yaml.Node){
		"listen": action(func(n *yaml.Node) { s.Listen = p.durationOr(n, defaultListen) }),
		"hear":   action(func(n *yaml.Node) { s.Hear = p.duration(n) }),
		"say":    action(func(n *yaml.Node) { s.Say = p.text(n) }),
		"press":  action(func(n *yaml.Node) { s.Press = p.keys(n) }),
		"wait":   action(func(n *yaml.Node) { s.Wait = p.duration(n) }),
		"await":  action(func(n *yaml.Node) { s.Await = p.keys(n) }),
		"fax":    action(func(n *yaml.Node) { s.Fax = p.duration(n) }),
		"beep":   action(func(n *yaml.Node) { s.Beep = p.duration(n) }),
		"echo":   action(func(n *yaml.Node) { s.Echo, s.Gain = p.duration(n), cmp.Or(s.Gain, defaultGain) }),
		"gain":   func(n *yaml.Node) { s.Gain = p.decibels(n) },
		"cut":    func(n *yaml.Node) { s.Cut = p.percent(n) },
	})
	if actions != 1 && n.Kind == yaml.MappingNode {
		p.fail(n, "a step does exactly one thing")
	}
	if s.Cut != 0 && s.Say == "" {
		p.fail(n, "cut belongs to say")
	}
	if s.Gain != 0 && s.Echo == 0 {
		p.fail(n, "gain belongs to echo")
	}
	return s
}

func (p *parser) text(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || strings.TrimSpace(n.Value) == "" {
		p.fail(n, "want a text")
		return ""
	}
	return strings.Join(strings.Fields(n.Value), " ")
}

func (p *parser) keys(n *yaml.Node) string {
	keys := p.text(n)
	if strings.Trim(keys, "0123456789*#") != "" {
		p.fail(n, "want keys 0-9, * and #, not %q", keys)
	}
	return keys
}

func (p *parser) duration(n *yaml.Node) time.Duration {
	d, err := time.ParseDuration(n.Value)
	if err != nil || d <= 0 || d > longestWait {
		p.fail(n, `want a duration like "500ms" or "2s", not %q`, n.Value)
	}
	return d
}

func (p *parser) durationOr(n *yaml.Node, standard time.Duration) time.Duration {
	if n.Tag == "!!null" {
		return standard
	}
	return p.duration(n)
}

func (p *parser) truth(n *yaml.Node) bool {
	if n.Tag != "!!bool" {
		p.fail(n, "want true or false, not %q", n.Value)
	}
	return n.Value == "true"
}

func (p *parser) status(n *yaml.Node) int {
	code, err := strconv.Atoi(n.Value)
	if err != nil || code < 400 || code > 699 {
		p.fail(n, "want a SIP status from 400 to 699, not %q", n.Value)
	}
	return code
}

func (p *parser) percent(n *yaml.Node) float64 {
	digits, found := strings.CutSuffix(n.Value, "%")
	percent, err := strconv.Atoi(digits)
	if !found || err != nil || percent < 1 || percent > 99 {
		p.fail(n, `want a part like "50%%", not %q`, n.Value)
	}
	return float64(percent) / 100
}

func (p *parser) decibels(n *yaml.Node) float64 {
	digits, found := strings.CutSuffix(n.Value, "dB")
	gain, err := strconv.Atoi(digits)
	if !found || err != nil || gain < -60 || gain > -1 {
		p.fail(n, `want a loss like "-12dB", not %q`, n.Value)
	}
	return float64(gain)
}
