package page

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// unseen are elements whose content no reader of a page sees.
var unseen = map[atom.Atom]bool{
	atom.Head: true, atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Iframe: true,
	atom.Object: true, atom.Svg: true, atom.Canvas: true, atom.Select: true, atom.Textarea: true, atom.Button: true,
}

// lines are elements that stand on lines of their own.
var lines = map[atom.Atom]bool{
	atom.Address: true, atom.Article: true, atom.Aside: true, atom.Blockquote: true, atom.Body: true, atom.Br: true,
	atom.Dd: true, atom.Details: true, atom.Div: true, atom.Dl: true, atom.Dt: true, atom.Fieldset: true,
	atom.Figcaption: true, atom.Figure: true, atom.Footer: true, atom.Form: true, atom.H1: true, atom.H2: true,
	atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Header: true, atom.Hr: true, atom.Li: true,
	atom.Main: true, atom.Nav: true, atom.Ol: true, atom.P: true, atom.Pre: true, atom.Section: true,
	atom.Summary: true, atom.Table: true, atom.Tr: true, atom.Ul: true,
}

// visible is the text below a node: one line an element that stands on its
// own, white space collapsed except inside <pre>, no blank lines.
func visible(n *html.Node) string {
	var w writer
	w.walk(n, false)
	w.endLine()
	return strings.Join(w.out, "\n")
}

// writer gathers lines.
type writer struct {
	out  []string
	line strings.Builder
}

func (w *writer) walk(n *html.Node, pre bool) {
	switch n.Type {
	case html.TextNode:
		w.text(n.Data, pre)
		return
	case html.ElementNode:
		if unseen[n.DataAtom] || hidden(n) {
			return
		}
		pre = pre || n.DataAtom == atom.Pre
		if lines[n.DataAtom] {
			w.endLine()
			defer w.endLine()
		}
		if n.DataAtom == atom.Td || n.DataAtom == atom.Th {
			w.line.WriteByte(' ')
		}
	}
	for child := range n.ChildNodes() {
		w.walk(child, pre)
	}
}

func (w *writer) text(s string, pre bool) {
	if !pre {
		w.line.WriteString(s)
		return
	}
	w.endLine()
	for line := range strings.Lines(s) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			w.out = append(w.out, line)
		}
	}
}

func (w *writer) endLine() {
	if line := collapse(w.line.String()); line != "" {
		w.out = append(w.out, line)
	}
	w.line.Reset()
}

func hidden(n *html.Node) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool {
		return a.Key == "hidden" || (a.Key == "aria-hidden" && a.Val == "true") ||
			(a.Key == "style" && strings.Contains(strings.ReplaceAll(strings.ToLower(a.Val), " ", ""), "display:none"))
	})
}

// collapse makes every run of white space one space.
func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }

// title is the text of a page's <title>; empty when it has none.
func title(doc *html.Node) string {
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Title && n.Namespace == "" && n.FirstChild != nil {
			return collapse(n.FirstChild.Data)
		}
	}
	return ""
}
