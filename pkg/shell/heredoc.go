package shell

import (
	"strings"

	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// hereDoc is the text of a here-document.
func (w *walker) hereDoc(st *state, r *syntax.Redirect) value.Value {
	if r.Hdoc == nil {
		return value.Value{}
	}
	quoted := quotedDelimiter(r.Word)
	var out value.Value
	lineStart := true
	for _, p := range r.Hdoc.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			if quoted {
				w.unread(p, "a quoted here-document that is not read as one")
			}
			out = value.Concat(out, w.quotedPart(st, p))
			lineStart = false
			continue
		}
		text := lit.Value
		if r.Op == syntax.DashHdoc {
			text = stripTabs(text, lineStart)
			lineStart = strings.HasSuffix(text, "\n")
		}
		if !quoted {
			text = unescape(text, "$`\\")
		}
		out = value.Concat(out, value.Exact(text))
	}
	return out.Unmarked()
}

func stripTabs(text string, lineStart bool) string {
	ls := strings.Split(text, "\n")
	for i := range ls {
		if i > 0 || lineStart {
			ls[i] = strings.TrimLeft(ls[i], "\t")
		}
	}
	return strings.Join(ls, "\n")
}

// quotedDelimiter: some part of the delimiter is quoted, so that the text is
// taken as it stands.
func quotedDelimiter(word *syntax.Word) bool {
	for _, p := range word.Parts {
		if lit, ok := p.(*syntax.Lit); !ok || strings.Contains(lit.Value, `\`) {
			return true
		}
	}
	return false
}

// fixDelimiters rewrites here-document delimiters of which only the beginning
// is quoted (E'O'F): the parser looks at the end alone. The text keeps its
// length, so that positions stay right.
func fixDelimiters(src string, stmts []*syntax.Stmt) (string, bool) {
	if !strings.Contains(src, "<<") {
		return src, false
	}
	var out []byte
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			r, ok := n.(*syntax.Redirect)
			if !ok || (r.Op != syntax.Hdoc && r.Op != syntax.DashHdoc) || !quotedDelimiter(r.Word) {
				return true
			}
			from, to := int(r.Word.Pos().Offset()), int(r.Word.End().Offset())
			_, endsPlain := r.Word.Parts[len(r.Word.Parts)-1].(*syntax.Lit)
			if len(r.Word.Parts) < 2 || !endsPlain || from < 0 || to > len(src) {
				return true
			}
			if text, ok := requote(r.Word, to-from); ok {
				if out == nil {
					out = []byte(src)
				}
				copy(out[from:to], text)
			}
			return true
		})
	}
	if out == nil {
		return src, false
	}
	return string(out), true
}

// requote writes the delimiter so that it ends quoted, in n bytes.
func requote(word *syntax.Word, n int) (string, bool) {
	var b strings.Builder
	for _, p := range word.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				lit, ok := q.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(lit.Value)
			}
		default:
			return "", false
		}
	}
	d := b.String()
	if d == "" || strings.ContainsAny(d, "'\\\n") {
		return "", false
	}
	text := "'" + d + "'"
	if (n-len(text))%2 == 1 {
		text = `\` + d[:1] + "'" + d[1:] + "'"
	}
	for len(text) < n {
		text += "''"
	}
	return text, len(text) == n
}
