package install

import (
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
)

// Status is how one agent stands.
type Status struct {
	Agent string `json:"agent"`
	Title string `json:"title"`
	Found Found  `json:"found"`
	// Installs are the scopes in which mayi's hook is in the settings.
	Installs []Install `json:"installs"`
	// BlindSpots are what the agent's hooks do not see, or how they can be got
	// round.
	BlindSpots []string `json:"blindSpots"`
}

// Install is mayi's hook in one scope of an agent.
type Install struct {
	Scope Scope `json:"scope"`
	// Files are those that hold it.
	Files []string `json:"files"`
	// Program is the mayi that is called.
	Program string `json:"program"`
	// Problems say what keeps it from working; none is well.
	Problems []string `json:"problems"`

	in []installed
}

// Status says how an agent stands. It reads files and runs nothing.
func (i *Installer) Status(name string) (Status, error) {
	a, err := find(name)
	if err != nil {
		return Status{}, err
	}
	out := Status{Agent: a.name, Title: a.title, Found: a.find(i.places), Installs: []Install{}, BlindSpots: slices.Clone(a.blind)}
	if a.guarded > 0 && i.places.Timeout == "" {
		out.BlindSpots = append(out.BlindSpots, "This machine has no `timeout` program, so that a mayi that hangs lets the call through.")
	}
	for _, s := range a.scopes {
		if in := i.look(a, s); in != nil {
			out.Installs = append(out.Installs, *in)
		}
	}
	return out, nil
}

// look finds mayi's hook in one scope, nil where it is not there.
func (i *Installer) look(a agent, s Scope) *Install {
	targets, err := a.scope(i.places, s)
	if err != nil {
		return nil
	}
	out := &Install{Scope: s, Problems: []string{}}
	missing := 0
	for _, t := range targets {
		text, _, err := readFile(t.file)
		if err != nil {
			out.Problems = append(out.Problems, err.Error())
			continue
		}
		if text == nil {
			continue
		}
		commands, err := t.edit.commands(t.file, text)
		if err != nil {
			out.Problems = append(out.Problems, err.Error())
			continue
		}
		if len(commands) == 0 {
			continue
		}
		out.Files = append(out.Files, t.file)
		for _, c := range commands {
			out.in = append(out.in, installed{t.file, c})
		}
		if e, ok := t.edit.(entries); ok && len(commands) < e.hooks() {
			missing = e.hooks() - len(commands)
		}
	}
	if len(out.in) == 0 {
		if old := i.places.readRecord(a.name, s); old != nil {
			out.Program = old.Program
			out.Problems = append(out.Problems, fmt.Sprintf("the hook was installed, and is not in the settings any more: mayi install %s --scope %s", a.name, s))
			return out
		}
		return nil
	}
	if missing > 0 {
		out.Problems = append(out.Problems, fmt.Sprintf("%d of its hooks are missing: run mayi install %s --scope %s again", missing, a.name, s))
	}
	out.Program = programIn(out.in[0].command)
	out.Problems = append(out.Problems, i.programProblems(a, s, out.in)...)
	out.Problems = append(out.Problems, i.off(a, s)...)
	return out
}

// off finds what switches the hook of a scope off. Nothing that a project or a
// person writes does that to a managed one.
func (i *Installer) off(a agent, s Scope) []string {
	if s == Managed {
		return nil
	}
	return a.off(i.places)
}

// hooks is how many command lines the entries have.
func (e entries) hooks() int {
	n := 0
	for _, w := range e.want {
		if w.list {
			n++
		}
	}
	return n
}

// programProblems says where the programs that the settings name are not this
// mayi.
func (i *Installer) programProblems(a agent, s Scope, in []installed) []string {
	programs := map[string]bool{}
	for _, c := range in {
		programs[programIn(c.command)] = true
	}
	var out []string
	for p := range programs {
		st, err := os.Stat(p)
		again := fmt.Sprintf("run mayi install %s --scope %s again", a.name, s)
		switch {
		case err != nil:
			out = append(out, fmt.Sprintf("mayi has moved: the settings name %s, which is not there; %s", p, again))
		case st.IsDir() || st.Mode()&0o111 == 0:
			out = append(out, fmt.Sprintf("%s, which the settings name, is no program; %s", p, again))
		case !sameFile(p, i.places.Program):
			out = append(out, fmt.Sprintf("the settings name another mayi, %s, than this one, %s; %s", p, i.places.Program, again))
		}
	}
	sort.Strings(out)
	return out
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// Prove tries the hook that is installed in a scope: by payloads through the
// very command line that stands in the settings, and by asking the agent where
// that can be done.
func (i *Installer) Prove(name string, s Scope) ([]Proof, error) {
	a, err := find(name)
	if err != nil {
		return nil, err
	}
	in := i.look(a, s)
	if in == nil {
		return nil, fmt.Errorf("mayi is not installed for %s in the %s scope", a.title, s)
	}
	out := a.tryAll(i.places, in.in)
	if a.confirm != nil {
		if proof, ok := a.confirm(i.places, s); ok {
			out = append(out, proof)
		}
	}
	for _, off := range i.off(a, s) {
		out = append(out, Proof{Name: "switched on", Text: off})
	}
	return out, nil
}

// Failed lists the proofs that failed, in words; "" is none.
func Failed(proofs []Proof) string {
	var out []string
	for _, p := range proofs {
		if !p.OK && !p.Skipped {
			out = append(out, p.Name+": "+p.Text)
		}
	}
	return strings.Join(out, "\n")
}
