package config

import (
	"strings"

	"github.com/tailscale/hujson"

	"mayi/pkg/permissions"
)

// effectWords are the words by which a tool's effects are declared.
func effectWords() map[string]permissions.Kind {
	return map[string]permissions.Kind{
		"read":        permissions.Read,
		"fs_write":    permissions.FSWrite,
		"exec":        permissions.Exec,
		"net_read":    permissions.NetRead,
		"net_write":   permissions.NetWrite,
		"state_write": permissions.StateWrite,
	}
}

func effectNames() []string {
	return []string{"read", "net_read", "state_write", "fs_write", "net_write", "exec"}
}

// tool reads an operator's declaration for a foreign tool:
// tools.<server.tool>.effects.
func (r *reader) tool(m member) {
	path := "tools." + m.name
	server, name, ok := strings.Cut(m.name, ".")
	o, isObject := m.value.Value.(*hujson.Object)
	if !ok || server == "" || name == "" || !isObject {
		r.problem(m.at, "the key "+quote(path)+" is not known", r.hint(path, m.name))
		return
	}
	for _, field := range r.members(o, path) {
		if field.name != "effects" {
			r.problem(field.at, "the key "+quote(path+"."+field.name)+" is not known", didYouMean(field.name, []string{"effects"}))
			continue
		}
		kinds, ok := r.kinds(path, field)
		if !ok {
			continue
		}
		if !r.l.trusted {
			r.ignored(field.at, path+".effects")
			continue
		}
		if r.s.Tools.Effects == nil {
			r.s.Tools.Effects = map[string][]permissions.Kind{}
		}
		r.s.Tools.Effects[m.name] = kinds
		r.s.Sources[path+".effects"] = r.d.source(field.at)
	}
}

func (r *reader) kinds(path string, field member) ([]permissions.Kind, bool) {
	words := effectWords()
	k := key{path: path + ".effects", check: func(_ *Settings, text string) (string, string) {
		if _, ok := words[text]; !ok {
			hint := didYouMean(text, effectNames())
			if hint == "" {
				hint = "write some of " + strings.Join(effectNames(), ", ")
			}
			return quote(text) + " is no effect", hint
		}
		return "", ""
	}}
	before := len(r.s.Problems)
	items, ok := r.list(&k, field.value)
	if !ok || len(r.s.Problems) > before {
		// Half a declaration would declare less than what was meant.
		return nil, false
	}
	if len(items) == 0 {
		r.problem(field.value.StartOffset, path+".effects must name at least one effect", "leave the key out for a tool that could do anything")
		return nil, false
	}
	var kinds []permissions.Kind
	for _, it := range items {
		kinds = append(kinds, words[it.text])
	}
	return kinds, true
}

// commands reads a user's entries for the knowledge base. What is in them is
// judged by the package that uses them.
func (r *reader) commands(m member) {
	o, ok := m.value.Value.(*hujson.Object)
	if !ok {
		r.wrong(m.value, "commands", "an object with one member for each program")
		return
	}
	if !r.l.trusted {
		if len(o.Members) > 0 {
			r.ignored(m.at, "commands")
		}
		return
	}
	for _, entry := range r.members(o, "commands") {
		if entry.name == "" {
			r.problem(entry.at, "an empty name is no program", "")
			continue
		}
		v := entry.value.Clone()
		v.Standardize()
		v.BeforeExtra, v.AfterExtra = nil, nil
		if r.s.Commands == nil {
			r.s.Commands = map[string]raw{}
		}
		r.s.Commands[entry.name] = raw(v.Pack())
		r.s.Sources["commands."+entry.name] = r.d.source(entry.at)
	}
}
