package spoken

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	email = regexp.MustCompile(`^[\p{L}\d][\p{L}\d._%+-]*@[\p{L}\d-]+(?:\.[\p{L}\d-]+)*\.\p{L}{2,}`)
	site  = regexp.MustCompile(`^(?:https?://)?[\p{L}\d][\p{L}\d-]*(?:\.[\p{L}\d-]+)*\.(?:nl|de|com|org|net|eu|be|uk|at|ch|fr|us|io|info|co|dev|` +
		`app|ai|edu|gov|shop|online|store|nu|ie|dk|se|pl|lu|care|health|clinic|dental|amsterdam|berlin|london)(?:/[\p{L}\d/_.~%?=&#-]*)?`)
)

func readEmail(t token) (string, int) {
	found := email.FindString(t.text)
	if found == "" {
		return "", 0
	}
	name, host, _ := strings.Cut(found, "@")
	return t.address(name) + " " + t.language.at + " " + t.host(host), len(found)
}

func readSite(t token) (string, int) {
	found := strings.TrimRight(site.FindString(t.text), ".?")
	if found == "" {
		return "", 0
	}
	_, bare, schemed := strings.Cut(found, "://")
	if !schemed {
		bare = found
	}
	host, path, _ := strings.Cut(bare, "/")
	words := t.host(host)
	if path = strings.TrimRight(path, "/"); path != "" {
		words += " " + t.language.slash + " " + t.address(path)
	}
	return words, len(found)
}

// host reads the name of a computer. Names of countries are spelled.
func (t token) host(name string) string {
	labels := strings.Split(name, ".")
	for i, label := range labels {
		if len(label) == 2 && i == len(labels)-1 || strings.EqualFold(label, "www") {
			labels[i] = t.language.spell(label)
			continue
		}
		labels[i] = t.address(label)
	}
	return strings.Join(labels, " "+t.language.dot+" ")
}

// address reads a part of an address: words, numbers, and the names of marks.
func (t token) address(part string) string {
	l, words := t.language, []string{}
	for part != "" {
		end := strings.IndexFunc(part, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
		switch run := digits(part); {
		case end < 0:
			end = len(part)
			words = append(words, part)
		case end > 0:
			words = append(words, part[:end])
		case run != "":
			end = len(run)
			words = append(words, t.addressNumber(run))
		default:
			end = len(string([]rune(part)[:1]))
			words = append(words, l.mark(part[:end]))
		}
		part = part[end:]
	}
	return strings.Join(words, " ")
}

func (t token) addressNumber(run string) string {
	if value, ok := whole(run); ok && len(run) < 3 && (len(run) == 1 || run[0] != '0') {
		return t.language.cardinal(value)
	}
	return t.language.spell(run)
}

// mark returns the name of a mark in an address.
func (l *language) mark(mark string) string {
	switch mark {
	case ".":
		return l.dot
	case "-":
		return l.dash
	case "_":
		return l.underscore
	case "/":
		return l.slash
	case "+":
		return l.plus
	case "%":
		return l.percent
	case "&":
		return l.and
	case "?":
		return l.question
	case "=":
		return l.equalsMark
	case "#":
		return l.hash
	case "~":
		return l.tilde
	default:
		return mark
	}
}
