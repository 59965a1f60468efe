package tools

import (
	"fmt"
	"strings"

	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// say notes what was refused while the command ran.
func (p *process) say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.said) < maxSaid {
		p.said = append(p.said, text)
	}
}

const maxSaid = 200

// news is what was refused since the last call of news, a line each in brackets,
// with a line break before each.
func (p *process) news() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	for _, s := range p.said[p.told:] {
		b.WriteString("\n[" + s + "]")
	}
	p.told = len(p.said)
	return b.String()
}

// refused says how much of that there is.
func (p *process) refused() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.said) - p.told; n > 0 {
		return fmt.Sprintf("\n[%d messages about what it was refused; read shows them]", n)
	}
	return ""
}

// whole reports whether every level of confinement holds the process.
func (p *process) whole() bool { return p.held != nil && p.held.Whole }

// allow opens to the running command what the verdict on something typed into it
// names, in place of what was opened to it before.
func (p *process) allow(v gate.Verdict) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opened = v.Call.Effects
}

// since is what was typed and allowed last.
func (p *process) since() []permissions.Effect {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.opened
}
