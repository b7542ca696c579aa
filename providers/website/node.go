package website

import (
	"iter"
	"strings"

	"golang.org/x/net/html"
)

// all returns the elements below and including root, in document order.
func all(root *html.Node) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		if root.Type == html.ElementNode && !yield(root) {
			return
		}
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && !yield(n) {
				return
			}
		}
	}
}

// find returns the first element that wanted reports true for, or nil.
func find(root *html.Node, wanted func(*html.Node) bool) *html.Node {
	for n := range all(root) {
		if wanted(n) {
			return n
		}
	}
	return nil
}

func attribute(n *html.Node, key string) string {
	for _, attr := range n.Attr {
		if attr.Key == key {
			return attr.Val
		}
	}
	return ""
}

func hasAttribute(n *html.Node, key string) bool {
	for _, attr := range n.Attr {
		if attr.Key == key {
			return true
		}
	}
	return false
}

// plainText returns all text within a node on one line.
func plainText(root *html.Node) string {
	var text strings.Builder
	if root.Type == html.TextNode {
		text.WriteString(root.Data)
	}
	for n := range root.Descendants() {
		switch {
		case n.Type == html.TextNode && (n.Parent == nil || !isCode(n.Parent)):
			text.WriteString(n.Data)
		case n.Type == html.ElementNode:
			text.WriteByte(' ') // words of two elements are separate
		}
	}
	return strings.Join(strings.Fields(text.String()), " ")
}

func isCode(n *html.Node) bool { return n.Data == "script" || n.Data == "style" }
