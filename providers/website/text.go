package website

import (
	"net/url"
	"path"
	"slices"
	"strings"

	readability "codeberg.org/readeck/go-readability/v2"
	"codeberg.org/readeck/go-readability/v2/render"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	maxElements = 50_000 // of a page; readability is slow
	maxLinks    = 500    // of a page
	maxLink     = 2048   // bytes
	maxTitle    = 300    // bytes
)

// newPage returns what a document says.
func newPage(document *html.Node, address *url.URL) *foundPage {
	endBlocks(document)
	page := &foundPage{FAQs: faqs(document), Links: links(document, address)}
	if title := find(document, func(n *html.Node) bool { return n.DataAtom == atom.Title }); title != nil {
		page.Title = shortTitle(plainText(title))
	}
	page.Text = mainText(document, address)
	return page
}

// endBlocks adds a line break after each block that is followed by something else: InnerText begins lines with blocks,
// but does not end them, so that words would be joined.
func endBlocks(document *html.Node) {
	for n := range all(document) {
		next := n.NextSibling
		for next != nil && (next.Type == html.CommentNode || next.Type == html.TextNode && strings.TrimSpace(next.Data) == "") {
			next = next.NextSibling
		}
		if isBlock(n) && next != nil && !isBlock(next) {
			n.Parent.InsertBefore(&html.Node{Type: html.ElementNode, DataAtom: atom.Br, Data: "br"}, next)
		}
	}
}

func isBlock(n *html.Node) bool {
	switch n.DataAtom {
	case atom.P, atom.Div, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Dl, atom.Table, atom.Blockquote, atom.Pre,
		atom.Header, atom.Footer, atom.Main, atom.Section, atom.Article, atom.Aside, atom.Nav, atom.Address, atom.Details, atom.Summary,
		atom.Form,
		atom.Fieldset, atom.Figure, atom.Figcaption:
		return true
	}
	return false
}

func shortTitle(text string) string {
	if len(text) > maxTitle {
		text = strings.ToValidUTF8(text[:maxTitle], "")
	}
	return text
}

// mainText returns the article that readability finds. Pages of companies are often no articles: if it finds little of
// the visible text, everything but menus and the like is the text. The footer is always added, since it has addresses
// and opening hours.
func mainText(document *html.Node, address *url.URL) string {
	var footers []string
	for footer := range all(document) {
		if footer.DataAtom == atom.Footer {
			footers = append(footers, lines(render.InnerText(footer)))
		}
	}
	remove(document, clutter)
	parser := readability.NewParser()
	parser.MaxElemsToParse = maxElements
	var article string
	if parsed, err := parser.ParseDocument(document, address); err == nil && parsed.Node != nil { // it modifies a copy
		article = lines(render.InnerText(parsed.Node))
	}
	text := lines(render.InnerText(document))
	if len(article) >= len(text)/2 {
		text = article
	}
	for _, footer := range footers {
		if footer != "" && !strings.Contains(text, footer) {
			text = strings.TrimSpace(text + "\n" + footer)
		}
	}
	return text
}

// clutter reports whether an element is navigation or invisible.
func clutter(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Nav, atom.Footer, atom.Aside, atom.Select, atom.Textarea, atom.Iframe, atom.Svg, atom.Button, atom.Head:
		return true
	}
	return attribute(n, "aria-hidden") == "true" || attribute(n, "role") == "navigation" || hasAttribute(n, "hidden")
}

func remove(root *html.Node, unwanted func(*html.Node) bool) {
	for child := root.FirstChild; child != nil; {
		next := child.NextSibling
		if child.Type == html.CommentNode || child.Type == html.ElementNode && unwanted(child) {
			root.RemoveChild(child)
		} else {
			remove(child, unwanted)
		}
		child = next
	}
}

// links returns the pages that a page links to, without queries, since calendars and filters have endless ones.
func links(document *html.Node, address *url.URL) []string {
	var found []string
	for n := range all(document) {
		if n.DataAtom != atom.A || len(found) >= maxLinks || strings.Contains(attribute(n, "rel"), "nofollow") {
			continue
		}
		target, err := address.Parse(strings.TrimSpace(attribute(n, "href")))
		if err != nil || target.RawQuery != "" || target.Host == "" || !maybePage(target.Path) {
			continue
		}
		target.Fragment, target.RawFragment = "", ""
		if link := target.String(); len(link) <= maxLink {
			found = append(found, link)
		}
	}
	return found
}

// maybePage reports by its name whether a file is a page or a PDF, and no picture or other download.
func maybePage(name string) bool {
	extension := strings.ToLower(path.Ext(name))
	return extension == "" || slices.Contains([]string{".pdf", ".html", ".htm", ".xhtml", ".php", ".asp", ".aspx", ".jsp"},
		extension) || len(extension) > 6
}

// lines returns the lines of a text that are not empty, with normalized spaces.
func lines(text string) string {
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
