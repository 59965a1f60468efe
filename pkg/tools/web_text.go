package tools

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// readable is the text of an HTML page: headings, paragraphs, lists, links
// with their addresses; no scripts, styles or hidden parts.
func readable(page string) string {
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return page
	}
	var t pageText
	t.node(doc)
	return strings.TrimSpace(t.b.String()) + "\n"
}

// pageText writes words with the blanks between them that HTML would show.
type pageText struct {
	b     strings.Builder
	space bool
	pre   int
}

func (t *pageText) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		t.text(n.Data)
		return
	case html.ElementNode:
		if left(n) {
			return
		}
	}
	t.open(n)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		t.node(c)
	}
	t.close(n)
}

// left reports whether the element is left out.
func left(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Object, atom.Canvas, atom.Head:
		return n.DataAtom != atom.Head || !hasTitle(n)
	}
	for _, a := range n.Attr {
		if a.Key == "hidden" || a.Key == "aria-hidden" && a.Val == "true" {
			return true
		}
	}
	return false
}

func hasTitle(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Title {
			return true
		}
	}
	return false
}

func (t *pageText) text(s string) {
	if t.pre > 0 {
		t.b.WriteString(s)
		return
	}
	for i, w := range strings.Fields(s) {
		if i > 0 || strings.TrimLeft(s, " \t\r\n") != s {
			t.space = true
		}
		t.word(w)
	}
	if s != "" && strings.TrimRight(s, " \t\r\n") != s {
		t.space = true
	}
}

func (t *pageText) word(w string) {
	if t.space && !t.lineStart() {
		t.b.WriteByte(' ')
	}
	t.space = false
	t.b.WriteString(w)
}

func (t *pageText) lineStart() bool {
	s := t.b.String()
	return s == "" || s[len(s)-1] == '\n' || strings.HasSuffix(s, "\n- ")
}

// lines ends the line and leaves n-1 empty ones.
func (t *pageText) lines(n int) {
	s := t.b.String()
	if s == "" {
		return
	}
	have := len(s) - len(strings.TrimRight(s, "\n"))
	for ; have < n; have++ {
		t.b.WriteByte('\n')
	}
	t.space = false
}

func (t *pageText) open(n *html.Node) {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		t.lines(2)
		t.b.WriteString(strings.Repeat("#", int(n.Data[1]-'0')) + " ")
	case atom.P, atom.Blockquote, atom.Table, atom.Ul, atom.Ol, atom.Pre, atom.Title:
		t.lines(2)
		if n.DataAtom == atom.Pre {
			t.pre++
		}
	case atom.Li:
		t.lines(1)
		t.b.WriteString("- ")
	case atom.Div, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Main, atom.Nav, atom.Aside, atom.Tr, atom.Dt, atom.Dd, atom.Br, atom.Hr, atom.Form:
		t.lines(1)
	case atom.Td, atom.Th:
		t.space = true
	}
}

func (t *pageText) close(n *html.Node) {
	switch n.DataAtom {
	case atom.A:
		if href := attr(n, "href"); strings.HasPrefix(href, "http://") || strings.HasPrefix(href, "https://") || strings.HasPrefix(href, "/") {
			t.b.WriteString(" (" + href + ")")
		}
	case atom.Img:
		if alt := attr(n, "alt"); alt != "" {
			t.word("[" + alt + "]")
		}
	case atom.Pre:
		t.pre--
		t.lines(2)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.P, atom.Blockquote, atom.Table, atom.Ul, atom.Ol, atom.Title:
		t.lines(2)
	case atom.Div, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Main, atom.Nav, atom.Aside, atom.Tr, atom.Li:
		t.lines(1)
	}
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
