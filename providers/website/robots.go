package website

import (
	"bytes"
	"fmt"
	"strings"
)

// maxRules is how many rules of a robots.txt are kept. Each link of the site is compared with each of them.
const maxRules = 5000

// robots is what a robots.txt (RFC 9309) says to one user agent. Its author may be hostile: to read it and to ask it takes time in
// proportion to its length and that of the path, whatever its wildcards are.
type robots struct {
	rules    []robotsRule
	sitemaps []string
}

// robotsRule allows or disallows the paths that begin as it does.
type robotsRule struct {
	allow bool
	parts []string // of its path, between its wildcards; the first is where a path begins
	ends  bool     // its path ended with $: nothing may follow
	size  int      // the longer a rule is, the more it counts
}

// robotsGroup are the rules of all groups for somebody.
type robotsGroup struct {
	exists bool
	rules  []robotsRule
}

// readRobots returns the rules for an agent: those of the groups that name it, else those of the groups for anybody. Lines that say
// nothing are left out, so that something that is no robots.txt forbids nothing.
func readRobots(file []byte, agent string) *robots {
	var named, general robotsGroup
	var current []*robotsGroup
	var sitemaps []string
	inRules := false
	file = bytes.TrimPrefix(file, []byte("\ufeff"))
	for line := range bytes.FieldsFuncSeq(file, func(r rune) bool { return r == '\n' || r == '\r' }) {
		switch field, value := robotsLine(line); field {
		case "user-agent":
			if inRules {
				current, inRules = nil, false
			}
			switch name, _, _ := strings.Cut(value, "/"); {
			case name == "*":
				current = append(current, &general)
			case strings.EqualFold(name, agent):
				named.exists = true
				current = append(current, &named)
			}
		case "allow", "disallow":
			inRules = true
			for _, group := range current {
				group.add(field == "allow", value)
			}
		case "sitemap":
			if len(sitemaps) < maxSitemaps {
				sitemaps = append(sitemaps, value)
			}
		}
	}
	if named.exists {
		return &robots{named.rules, sitemaps}
	}
	return &robots{general.rules, sitemaps}
}

// robotsLine returns what a line says, in lower case, and of what.
func robotsLine(line []byte) (field, value string) {
	line, _, _ = bytes.Cut(line, []byte("#"))
	field, value, _ = strings.Cut(string(line), ":")
	return strings.ToLower(strings.TrimSpace(field)), strings.TrimSpace(value)
}

func (g *robotsGroup) add(allow bool, path string) {
	if path != "" && len(g.rules) < maxRules {
		g.rules = append(g.rules, newRobotsRule(allow, path))
	}
}

func newRobotsRule(allow bool, path string) robotsRule {
	path, ends := strings.CutSuffix(path, "$")
	if !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "*") {
		path = "/" + path
	}
	return robotsRule{allow: allow, parts: strings.Split(escaped(path), "*"), ends: ends, size: len(path)}
}

// escaped writes what is not ASCII as addresses have it.
func escaped(path string) string {
	var text strings.Builder
	for i := range len(path) {
		if path[i] < 0x80 {
			text.WriteByte(path[i])
		} else {
			fmt.Fprintf(&text, "%%%02X", path[i])
		}
	}
	return text.String()
}

// allows reports whether a path with its query may be read: the longest rule for it decides, and one that allows before one
// that does not.
func (r *robots) allows(path string) bool {
	allowed, longest := true, 0
	for i := range r.rules {
		rule := &r.rules[i]
		if rule.size < longest || rule.size == longest && !rule.allow || !rule.matches(path) {
			continue
		}
		allowed, longest = rule.allow, rule.size
	}
	return allowed
}

// matches takes each part where it comes first: whatever follows has the most room then.
func (r *robotsRule) matches(path string) bool {
	rest, begins := strings.CutPrefix(path, r.parts[0])
	if !begins {
		return false
	}
	last := len(r.parts) - 1
	if last == 0 {
		return !r.ends || rest == ""
	}
	for _, part := range r.parts[1:last] {
		_, behind, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = behind
	}
	if r.ends {
		return strings.HasSuffix(rest, r.parts[last])
	}
	return strings.Contains(rest, r.parts[last])
}
