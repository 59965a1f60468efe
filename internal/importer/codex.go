package importer

import (
	"fmt"
	"path/filepath"
	"strings"

	"go.starlark.net/syntax"

	"mayi/pkg/permissions"
)

// mostAlternatives bounds what the alternatives of one rule multiply out to.
const mostAlternatives = 64

// codex reads a file of Codex's rules: calls of prefix_rule and network_rule with
// literals. It is parsed and not run; whatever else stands in it is left. A file
// in TOML is one of its settings.
func (p *Policy) codex(s Source) error {
	if filepath.Ext(s.File) == ".toml" {
		return p.codexTOML(s)
	}
	file, err := (&syntax.FileOptions{}).Parse(s.File, s.Text, 0)
	if err != nil {
		return fmt.Errorf("the rules cannot be read: %w", err)
	}
	for _, statement := range file.Stmts {
		start, _ := statement.Span()
		from := fmt.Sprintf("line %d", start.Line)
		switch name, call := ruleCall(statement); name {
		case "prefix_rule":
			p.prefixRule(call, from)
		case "network_rule":
			p.networkRule(call, from)
		case "host_executable":
			p.leave(from, "mayi knows by itself which files a program's name may mean", false)
		default:
			p.leave(from, "it is no prefix_rule with plain values; what it decides is not known", true)
		}
	}
	return nil
}

func ruleCall(statement syntax.Stmt) (string, *syntax.CallExpr) {
	e, ok := statement.(*syntax.ExprStmt)
	if !ok {
		return "", nil
	}
	call, ok := e.X.(*syntax.CallExpr)
	if !ok {
		return "", nil
	}
	name, ok := call.Fn.(*syntax.Ident)
	if !ok {
		return "", nil
	}
	return name.Name, call
}

// networkRule takes over a rule for a host.
func (p *Policy) networkRule(call *syntax.CallExpr, from string) {
	said := map[string]string{}
	for _, arg := range call.Args {
		named, ok := arg.(*syntax.BinaryExpr)
		if !ok || named.Op != syntax.EQ {
			p.leave(from, "a network_rule without named arguments", true)
			return
		}
		text, ok := literal(named.Y)
		if !ok {
			p.leave(from, "one of its arguments is no text", true)
			return
		}
		switch name := named.X.(*syntax.Ident).Name; name {
		case "host", "decision", "protocol", "justification":
			said[name] = text
		default:
			p.leave(from, "what its "+name+" means is not known", true)
			return
		}
	}
	action, ok := map[string]permissions.Action{"allow": permissions.ActionAllow, "prompt": permissions.ActionAsk, "deny": permissions.ActionDeny, "forbidden": permissions.ActionDeny}[said["decision"]]
	if !ok || said["host"] == "" {
		p.leave(from, "its host or its decision is not known", true)
		return
	}
	p.host(action, said["host"], from)
}

func (p *Policy) prefixRule(call *syntax.CallExpr, from string) {
	decision, words := "allow", [][]string(nil)
	for _, arg := range call.Args {
		named, ok := arg.(*syntax.BinaryExpr)
		if !ok || named.Op != syntax.EQ {
			p.leave(from, "a prefix_rule without named arguments", true)
			return
		}
		switch name := named.X.(*syntax.Ident).Name; name {
		case "pattern":
			if words, ok = alternatives(named.Y); !ok {
				p.leave(from, "its pattern is no list of texts and of lists of texts", true)
				return
			}
		case "decision":
			if decision, ok = literal(named.Y); !ok {
				p.leave(from, "its decision is no text", true)
				return
			}
		case "justification", "match", "not_match": // explain the rule, and test it
		default:
			p.leave(from, "what its "+name+" means is not known", true)
			return
		}
	}
	p.prefixes(words, decision, from)
}

// prefixes takes over a rule for commands that begin with words, of which each
// may have several choices.
func (p *Policy) prefixes(words [][]string, decision, from string) {
	action, ok := map[string]permissions.Action{"allow": permissions.ActionAllow, "prompt": permissions.ActionAsk, "forbidden": permissions.ActionDeny}[decision]
	if !ok || len(words) == 0 {
		p.leave(from, fmt.Sprintf("the decision %q with %d words is not known", decision, len(words)), true)
		return
	}
	all := [][]string{nil}
	for _, choice := range words {
		var next [][]string
		for _, lead := range all {
			for _, w := range choice {
				next = append(next, append(lead[:len(lead):len(lead)], w))
			}
		}
		if all = next; len(all) > mostAlternatives {
			p.leave(from, "its alternatives are too many", action != permissions.ActionAllow)
			return
		}
	}
	for _, one := range all {
		p.add(action, command(quoted(one)), from+": "+strings.Join(one, " "), "")
	}
}

// quoted are words as a rule of mayi's has them.
func quoted(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = w; !plain(w) {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return out
}

// alternatives are the words of a pattern, each with its choices.
func alternatives(e syntax.Expr) ([][]string, bool) {
	list, ok := e.(*syntax.ListExpr)
	if !ok {
		return nil, false
	}
	var out [][]string
	for _, x := range list.List {
		if one, ok := literal(x); ok {
			out = append(out, []string{one})
			continue
		}
		inner, ok := x.(*syntax.ListExpr)
		if !ok || len(inner.List) == 0 {
			return nil, false
		}
		var choices []string
		for _, y := range inner.List {
			one, ok := literal(y)
			if !ok {
				return nil, false
			}
			choices = append(choices, one)
		}
		out = append(out, choices)
	}
	return out, true
}

func literal(e syntax.Expr) (string, bool) {
	l, ok := e.(*syntax.Literal)
	if !ok || l.Token != syntax.STRING {
		return "", false
	}
	s, ok := l.Value.(string)
	return s, ok
}
