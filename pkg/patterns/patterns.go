// Package patterns holds the deny patterns of tools.exec: a last net under the
// rules, for commands that no agent should run whatever else is allowed. They
// only ever refuse.
package patterns

import (
	"fmt"
	"regexp"
	"strings"

	"mayi/pkg/permissions"
)

// Config are the settings tools.exec.{enable_deny_patterns,
// custom_deny_patterns, custom_allow_patterns}.
type Config struct {
	// Builtin switches the built-in patterns on.
	Builtin bool
	// Deny block every command line that one of them, or a simple command in it,
	// matches; Allow exempt a simple command from the built-in patterns and lift
	// nothing else. Both are RE2.
	Deny, Allow []string
}

// Patterns are compiled deny patterns. The zero value blocks nothing.
// Immutable; safe for concurrent use.
type Patterns struct {
	builtin     []denied
	deny, allow []*regexp.Regexp
}

// New compiles c. The error names the pattern that is none, and its key.
func New(c Config) (Patterns, error) {
	var p Patterns
	if c.Builtin {
		p.builtin = builtin()
	}
	for _, list := range []struct {
		key  string
		in   []string
		into *[]*regexp.Regexp
	}{
		{"custom_deny_patterns", c.Deny, &p.deny},
		{"custom_allow_patterns", c.Allow, &p.allow},
	} {
		for _, s := range list.in {
			re, err := regexp.Compile(s)
			if err != nil {
				return Patterns{}, fmt.Errorf("tools.exec.%s: %q is no regular expression: %w", list.key, s, err)
			}
			*list.into = append(*list.into, re)
		}
	}
	return p, nil
}

// Blocks says why a shell call must not run, "" where no pattern matches. The
// call's parts are its simple commands; where there are none, because it could
// not be read, the whole text stands for them.
func (p Patterns) Blocks(call permissions.Call) string {
	simple := commands(call)
	for _, re := range p.deny {
		if matchesAny(re, append([]string{call.Command}, simple...)) {
			return "blocked by tools.exec.custom_deny_patterns: " + re.String()
		}
	}
	if len(p.builtin) == 0 {
		return ""
	}
	if len(call.Parts) == 0 {
		simple = append(simple, strings.TrimSpace(call.Command))
	}
	for _, text := range simple {
		name, _, _ := strings.Cut(text, " ")
		for i := range p.builtin {
			if d := &p.builtin[i]; d.matches(name, text) && !p.exempts(text) {
				return because(d.what)
			}
		}
	}
	if multiplies(call.Command) && !p.exempts(call.Command) {
		return because("multiplies itself without end")
	}
	for _, e := range call.Effects {
		if e.Origin != permissions.FromRedirect && e.Part >= 0 && e.Part < len(call.Parts) && p.exempts(line(call.Parts[e.Part].Words)) {
			continue
		}
		if e.Kind == permissions.FSWrite && (isDisk(e.Path) || isDisk(e.Place.Real)) {
			return because("writes onto a device")
		}
	}
	return ""
}

// exempts reports whether an allow pattern lets the one simple command through:
// what stands beside it on the line is not meant.
func (p Patterns) exempts(simple string) bool {
	for _, re := range p.allow {
		if re.MatchString(simple) {
			return true
		}
	}
	return false
}

func because(what string) string {
	return fmt.Sprintf("blocked: this %s, which no agent may do here (tools.exec.enable_deny_patterns). It cannot be granted in a question", what)
}

// commands are the call's simple commands, each in both of its spellings.
func commands(call permissions.Call) []string {
	out := make([]string, 0, len(call.Parts)+1)
	for _, part := range call.Parts {
		out = append(out, line(part.Words))
		if part.Canon != nil {
			out = append(out, line(part.Canon))
		}
	}
	return out
}

func matchesAny(re *regexp.Regexp, in []string) bool {
	for _, s := range in {
		if re.MatchString(s) {
			return true
		}
	}
	return false
}

// line joins a command's words, its program without the directory.
func line(words []permissions.Word) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.Text
		if i == 0 {
			out[i] = w.Text[strings.LastIndexByte(w.Text, '/')+1:]
		}
	}
	return strings.Join(out, " ")
}
