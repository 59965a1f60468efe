package shell

import (
	"strings"

	"mayi/pkg/permissions"

	"mvdan.cc/sh/v3/syntax"
)

// dialect allows for shells that read the language in another way than bash.
func (w *walker) dialect(st *state, c *command, span permissions.Span, name string, texts []string) {
	name = name[strings.LastIndexByte(name, '/')+1:]
	plain := true
	switch name {
	case "bash", "rbash":
		return
	case "zsh", "fish", "csh", "tcsh", "nu", "elvish", "xonsh", "pwsh", "powershell", "rc", "es", "ion":
		plain = false // what they read in another way is said as a whole
		for _, t := range texts {
			if strings.ContainsAny(t, "=()~^#{}`$*?[]!<>\\") {
				w.unreadAt(c.part, span, name+" reads this text in another way than bash")
			}
		}
	}
	// Not bash, or nobody knows which shell: echo may read backslashes, and
	// aliases are expanded in scripts.
	st.opts.maybe |= optXpgEcho | optExpandAliases
	for _, t := range texts {
		if what := w.onlyBash(t); plain && what != "" {
			w.unreadAt(c.part, span, "a plain sh reads "+what+" in another way than bash")
		}
	}
}

// onlyBash finds what a plain sh (dash, for one) takes for something else and
// goes on: to it "[[ a > b ]]" and "(( a > b ))" are commands that write a
// file, and "p+=x" is no assignment. What it refuses as a syntax error counts,
// too, since another sh may not refuse it.
func (w *walker) onlyBash(text string) (what string) {
	stmts, _ := w.a.parse(text)
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			if n != nil && what == "" {
				what = bashism(n)
			}
			return what == ""
		})
	}
	return what
}

// bashism names a node that is not in POSIX's language.
func bashism(n syntax.Node) string {
	switch n := n.(type) {
	case *syntax.Word:
		split := syntax.Word{Parts: append([]syntax.WordPart(nil), n.Parts...)}
		if syntax.SplitBraces(&split) {
			return "{a,b}"
		}
	case *syntax.TestClause:
		return "[["
	case *syntax.ArithmCmd, *syntax.CStyleLoop:
		return "(("
	case *syntax.LetClause:
		return "let"
	case *syntax.ProcSubst:
		return "<("
	case *syntax.ExtGlob:
		return "a pattern with a list"
	case *syntax.CoprocClause:
		return "coproc"
	case *syntax.ArrayExpr:
		return "an array"
	case *syntax.Assign:
		if n.Append {
			return "+="
		}
		if n.Index != nil {
			return "an array"
		}
	case *syntax.SglQuoted:
		if n.Dollar {
			return "$'"
		}
	case *syntax.DblQuoted:
		if n.Dollar {
			return `$"`
		}
	case *syntax.ArithmExp:
		if n.Bracket {
			return "$["
		}
	case *syntax.FuncDecl:
		if n.RsrvWord {
			return "function"
		}
	case *syntax.ForClause:
		if n.Select {
			return "select"
		}
	case *syntax.Redirect:
		switch n.Op {
		case syntax.WordHdoc, syntax.RdrAll, syntax.AppAll:
			return n.Op.String()
		}
	case *syntax.BinaryCmd:
		if n.Op == syntax.PipeAll {
			return n.Op.String()
		}
	case *syntax.ParamExp:
		return oddParameter(n)
	case *syntax.DeclClause:
		if v := n.Variant.Value; v != "export" && v != "readonly" && v != "local" {
			return v
		}
	case *syntax.CallExpr:
		if len(n.Args) > 0 && onlyInBash[n.Args[0].Lit()] {
			return n.Args[0].Lit()
		}
	}
	return ""
}

// oddParameter names a parameter expansion that is not in POSIX's language.
func oddParameter(p *syntax.ParamExp) string {
	switch {
	case p.Excl || p.Names != 0:
		return "${!"
	case p.Slice != nil, p.Repl != nil, p.Index != nil:
		return "a parameter's pieces"
	case p.Exp != nil && p.Exp.Op >= syntax.UpperFirst:
		return "a parameter's case and forms"
	}
	return ""
}

// onlyInBash are builtins that a plain sh looks for among the programs.
var onlyInBash = map[string]bool{
	"source": true, "pushd": true, "popd": true, "dirs": true, "shopt": true, "mapfile": true, "readarray": true,
	"builtin": true, "enable": true, "compgen": true, "complete": true, "caller": true, "disown": true,
}
