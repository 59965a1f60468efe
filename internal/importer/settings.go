package importer

import "slices"

// Setting is one key of mayi's settings, by its way from the outermost object, and
// its value.
type Setting struct {
	Path  []string
	Value any
}

// Scalars are the settings that are no lists. All of them tighten.
func (p *Policy) Scalars() []Setting {
	var out []Setting
	if p.Mode != "" {
		out = append(out, Setting{[]string{"executionMode"}, p.Mode})
	}
	if p.Ceiling != "" {
		out = append(out, Setting{[]string{"maxExecutionMode"}, p.Ceiling})
	}
	if p.RefuseOutside {
		out = append(out, Setting{[]string{"askNonWorkspaceAccess"}, false}, Setting{[]string{"tools", "exec", "ask_permission"}, false})
	}
	return out
}

// Items are the entries of lists, each once, those first that tighten.
func (p *Policy) Items() []Setting {
	var out []Setting
	for _, list := range []string{"deny", "ask", "allow"} {
		for _, e := range p.Entries {
			if e.List == list {
				out = item(out, []string{"permissions", list}, e.Rule)
			}
		}
	}
	for _, f := range p.Folders {
		key := "readPaths"
		if f.Write {
			key = "writePaths"
		}
		out = item(out, []string{key}, f.Path)
	}
	return out
}

func item(out []Setting, path []string, text string) []Setting {
	if slices.ContainsFunc(out, func(s Setting) bool { return slices.Equal(s.Path, path) && s.Value == text }) {
		return out
	}
	return append(out, Setting{path, text})
}

// Settings is the policy as the content of a settings file.
func (p *Policy) Settings() map[string]any {
	out := map[string]any{}
	put := func(path []string, change func(any) any) {
		at := out
		for _, key := range path[:len(path)-1] {
			next, ok := at[key].(map[string]any)
			if !ok {
				next = map[string]any{}
				at[key] = next
			}
			at = next
		}
		last := path[len(path)-1]
		at[last] = change(at[last])
	}
	for _, s := range p.Scalars() {
		put(s.Path, func(any) any { return s.Value })
	}
	for _, s := range p.Items() {
		put(s.Path, func(have any) any {
			list, _ := have.([]string)
			return append(list, s.Value.(string))
		})
	}
	return out
}
