package knowledge

import (
	"fmt"
	"sort"
	"strings"

	"mayi/pkg/shell/value"
)

// show writes a Use in short lines, sorted, for the tables of cases.
func show(u Use) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if !u.Known {
		return []string{"not known"}
	}
	kinds := []string{"read", "write", "delete", "list", "run-file", "link"}
	for _, a := range u.Accesses {
		s := kinds[a.Kind]
		if a.Recursive {
			s += "-tree"
		}
		s += [...]string{"", "-of-git", "-of-anybody"}[a.Sweep]
		if a.Follow {
			s += "-through-links"
		}
		if a.May {
			s += "?"
		}
		s += " " + pathText(a.Path)
		if a.Dir != nil {
			s += " in " + a.Dir.String()
		}
		if a.Kind == MakeLink {
			s += " -> " + a.Target.String()
		}
		out = append(out, s)
	}
	for _, n := range u.Net {
		s := "net "
		if n.Write {
			s = "net-out "
		}
		out = append(out, s+n.Target.String())
	}
	for _, r := range u.Runs {
		s := "run "
		if r.Kind == RunScript {
			s = "script " + r.Script.String()
		}
		var words []string
		for _, w := range r.Words {
			words = append(words, w.String())
		}
		s += strings.Join(words, " ")
		for i, w := range r.Args {
			s += fmt.Sprintf(" $%d=%s", i, w.String())
		}
		if r.MoreArgs {
			s += " +args"
		}
		if r.Elsewhere != "" {
			s += " elsewhere " + r.Elsewhere
		}
		if r.Login {
			s += " login"
		}
		out = append(out, s)
	}
	for _, i := range u.Inline {
		s := "inline "
		if i.Read {
			s = "inline-read "
		}
		out = append(out, s+i.Language)
	}
	if u.Stdin != StdinUnused {
		out = append(out, "stdin "+[]string{"", "data", "script", "code", "args", "paths"}[u.Stdin])
	}
	if u.Secret != "" {
		add("secret %s", u.Secret)
	}
	if u.Workspace != "" {
		add("workspace")
	}
	if u.ArgsMayRun {
		add("args-run")
	}
	if u.Person != "" {
		out = append(out, "person")
	}
	if u.Executes != "" {
		add("executes")
	}
	if u.State {
		add("state")
	}
	if u.Dashed != "" {
		add("dashed")
	}
	for range u.Unread {
		add("unread")
	}
	for _, i := range u.ByName {
		add("by-name %d", i)
	}
	if u.Cwd != nil {
		add("cwd %s", u.Cwd.String())
	}
	for _, e := range u.Env {
		add("env %s=%s", e.Name, e.Value.String())
	}
	if u.ClearEnv {
		add("clear-env")
	}
	if u.Transparent {
		add("transparent")
	}
	if u.Name != 1 {
		add("name %d", u.Name)
	}
	if len(out) == 0 {
		out = append(out, "nothing")
	}
	sort.Strings(out)
	return compact(out)
}

func compact(list []string) []string {
	var out []string
	for i, s := range list {
		if i == 0 || s != list[i-1] {
			out = append(out, s)
		}
	}
	return out
}

func pathText(v value.Value) string {
	if t, ok := v.Text(); ok && (t == "" || strings.ContainsAny(t, " \n")) {
		return fmt.Sprintf("%q", t)
	}
	return v.String()
}

// words makes argv out of a line: single quotes and backslashes as in a
// shell, $name a value that is not known, and a word with an unquoted * or ?
// a pattern.
func words(line string) []value.Value {
	var argv []value.Value
	cur, in := value.Exact(""), false
	add := func(v value.Value) { cur, in = value.Concat(cur, v), true }
	for i := 0; i < len(line); i++ {
		switch ch := line[i]; ch {
		case ' ', '\t':
			if in {
				argv = append(argv, cur)
			}
			cur, in = value.Exact(""), false
		case '\'':
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				end = len(line) - i - 1
			}
			add(value.Exact(line[i+1 : i+1+end]))
			i += end + 1
		case '\\':
			i++
			if i < len(line) && line[i] == 'n' {
				add(value.Exact("\n"))
			} else if i < len(line) {
				add(value.Exact(line[i : i+1]))
			}
		case '$':
			j := i + 1
			for j < len(line) && (line[j] >= 'a' && line[j] <= 'z' || line[j] >= 'A' && line[j] <= 'Z' || line[j] == '_') {
				j++
			}
			if j == i+1 {
				add(value.Exact("$"))
				continue
			}
			add(value.Unknown(line[i:j]))
			i = j - 1
		case '*', '?':
			add(value.Pattern(line[i : i+1]))
		case '{':
			end := strings.IndexByte(line[i:], '}')
			if end < 2 {
				add(value.Exact("{"))
				continue
			}
			alts := strings.Split(line[i+1:i+end], "|")
			v := value.Exact(alts[0])
			for _, a := range alts[1:] {
				v = value.Union(v, value.Exact(a))
			}
			add(v)
			i += end
		default:
			add(value.Exact(line[i : i+1]))
		}
	}
	if in {
		argv = append(argv, cur)
	}
	return argv
}
