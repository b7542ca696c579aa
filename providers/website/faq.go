package website

import (
	"encoding/json"
	"slices"
	"strings"

	"codeberg.org/readeck/go-readability/v2/render"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	maxFAQs     = 100 // of a page
	maxQuestion = 300 // bytes
	maxAnswer   = 2000
	maxDepth    = 20 // of JSON-LD
)

// faqs returns the questions that a page answers: those marked up by schema.org (FAQPage, as JSON-LD or microdata), and
// headings that are questions.
func faqs(document *html.Node) []FAQ {
	var found collector
	for n := range all(document) {
		switch {
		case n.DataAtom == atom.Script && strings.EqualFold(attribute(n, "type"), "application/ld+json") && n.FirstChild != nil:
			var data any
			if json.Unmarshal([]byte(n.FirstChild.Data), &data) == nil {
				found.linked(data, 0)
			}
		case strings.HasSuffix(attribute(n, "itemtype"), "schema.org/Question"):
			found.microdata(n)
		}
	}
	for n := range all(document) {
		if isQuestion(n) {
			found.add(plainText(n), answerBehind(n))
		}
	}
	return found.faqs
}

type collector struct {
	faqs []FAQ
	seen map[string]bool
}

// add adds a question that is new and has an answer.
func (c *collector) add(question, answer string) {
	question, answer = strings.Join(strings.Fields(question), " "), lines(answer)
	key := strings.ToLower(question)
	if question == "" || answer == "" || len(question) > maxQuestion || len(answer) > maxAnswer || c.seen[key] ||
		len(c.faqs) >= maxFAQs {
		return
	}
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	c.seen[key] = true
	c.faqs = append(c.faqs, FAQ{question, answer})
}

// linked searches JSON-LD for questions, at any depth.
func (c *collector) linked(data any, depth int) {
	if depth > maxDepth {
		return
	}
	switch data := data.(type) {
	case []any:
		for _, item := range data {
			c.linked(item, depth+1)
		}
	case map[string]any:
		if isType(data["@type"], "Question") {
			question, _ := data["name"].(string)
			c.add(markupText(question), markupText(answerText(data["acceptedAnswer"])))
			return
		}
		for _, key := range []string{"@graph", "mainEntity", "hasPart", "mainEntityOfPage"} {
			c.linked(data[key], depth+1)
		}
	}
}

func isType(value any, want string) bool {
	if list, ok := value.([]any); ok {
		return slices.ContainsFunc(list, func(item any) bool { return isType(item, want) })
	}
	return value == want
}

func answerText(value any) string {
	if list, ok := value.([]any); ok && len(list) > 0 {
		value = list[0]
	}
	object, _ := value.(map[string]any)
	text, _ := object["text"].(string)
	return text
}

// markupText returns the text of a string that may be HTML.
func markupText(text string) string {
	document, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return text
	}
	endBlocks(document)
	return render.InnerText(document)
}

func (c *collector) microdata(question *html.Node) {
	named := func(property string) func(*html.Node) bool {
		return func(n *html.Node) bool { return attribute(n, "itemprop") == property }
	}
	title, answer := find(question, named("name")), find(question, named("acceptedAnswer"))
	if title == nil || answer == nil {
		return
	}
	if text := find(answer, named("text")); text != nil {
		answer = text
	}
	c.add(plainText(title), render.InnerText(answer))
}

func isQuestion(n *html.Node) bool {
	return headingLevel(n) > 0 && strings.HasSuffix(plainText(n), "?")
}

// headingLevel returns 1 to 6 for headings, 7 for other elements above text, and 0 otherwise.
func headingLevel(n *html.Node) int {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return int(n.Data[1] - '0')
	case atom.Dt, atom.Summary:
		return 7
	}
	return 0
}

// maxBoxes is how many elements may wrap a heading alone.
const maxBoxes = 3

// answerBehind returns what follows a heading, up to the next one of its level or above, without the links that lead on from
// there. If nothing does, the heading may be the only child of an element that the answer follows.
func answerBehind(heading *html.Node) string {
	level := headingLevel(heading)
	box := heading
	for range maxBoxes {
		var answer passage
		for n := box.NextSibling; n != nil; n = n.NextSibling {
			if find(n, func(n *html.Node) bool { l := headingLevel(n); return l > 0 && l <= level }) != nil {
				return answer.text()
			}
			answer.add(n)
		}
		if text := answer.text(); text != "" {
			return text
		}
		if box = box.Parent; box == nil || box.DataAtom == atom.Body {
			break
		}
	}
	return ""
}

// passage is text in blocks. Blocks behind the last text that are nothing but links, such as "Next question", are not its own.
type passage struct {
	blocks []string
	end    int // of the last block that is more than links
}

func (p *passage) add(n *html.Node) {
	text := blockText(n)
	if text == "" {
		return
	}
	p.blocks = append(p.blocks, text)
	if !onlyLinks(n) {
		p.end = len(p.blocks)
	}
}

// text returns the passage; when all of it is links, those.
func (p *passage) text() string {
	end := p.end
	if end == 0 {
		end = len(p.blocks)
	}
	return strings.Join(p.blocks[:end], "\n")
}

// onlyLinks reports whether all text of a node stands in links.
func onlyLinks(n *html.Node) bool {
	if n.DataAtom == atom.A {
		return true
	}
	if n.Type == html.TextNode {
		return strings.TrimSpace(n.Data) == ""
	}
	for child := range n.ChildNodes() {
		if !onlyLinks(child) {
			return false
		}
	}
	return true
}

// blockText returns a node's text; nothing for invisible elements.
func blockText(n *html.Node) string {
	if n.Type == html.CommentNode || n.Type == html.ElementNode && clutter(n) {
		return ""
	}
	return lines(render.InnerText(n))
}
