package soundness

import (
	"path"
	"slices"

	"mayi/pkg/permissions"
)

// helpers are programs that a program is made of: it starts them by itself,
// always the same ones, and what they touch is checked like what it touches
// itself.
var helpers = map[string][]string{
	// Its sub-commands; a shell for its scripts and for the other side of a
	// repository on the same machine; what those scripts are written with.
	"git":           {"git", "git-*", "sh", "ssh"},
	"git-submodule": {"basename", "sed", "uname", "gettext", "envsubst", "git"},
	// The stages of a compiler.
	"gcc": {"cc1", "as", "collect2", "ld", "lto-wrapper"}, "cc": {"cc1", "as", "collect2", "ld", "lto-wrapper"},
	"collect2": {"ld"},
	"go":       {"compile", "asm", "link", "vet", "buildid", "git", "gofmt", "cgo", "go"},
	// The packer that an option or the file's kind stands for.
	"tar": {"sh", "gzip", "bzip2", "xz", "zstd"}, "rg": {"gzip", "bzip2", "xz", "zstd"},
	"zcat": {"gzip"}, "gunzip": {"gzip"}, "zgrep": {"gzip", "grep", "sed", "expr"},
	"egrep": {"grep"}, "fgrep": {"grep"},
	"diff3": {"diff"}, "sdiff": {"diff"},
	// Another machine is reached by way of ssh.
	"rsync": {"ssh", "rsync"}, "scp": {"ssh"},
	// What the start-up files of the system run.
	"bash": {"id"},
}

// helper reports whether the program was started by one that it is part of. A
// shell in between counts where the prediction says that the program runs
// commands (watch, script, awk's system).
func (p *prediction) helper(a *access) bool {
	name := path.Base(a.path)
	for i := range a.programs {
		by := path.Base(a.programs[i].path)
		if slices.ContainsFunc(helpers[by], func(h string) bool { ok, _ := path.Match(h, name); return ok }) {
			return true
		}
		if slices.Contains(shells, name) && p.runsCommands(by) {
			return true
		}
	}
	return false
}

// runsCommands reports whether a part of that program holds other parts.
func (p *prediction) runsCommands(program string) bool {
	for i := range p.parts {
		parent := p.parts[i].Parent
		if parent < 0 || parent >= len(p.parts) || p.parts[parent].Class == permissions.Free {
			continue
		}
		if slices.ContainsFunc(programsOf(&p.parts[parent]), func(n string) bool { return sameProgram(n, program) }) {
			return true
		}
	}
	return false
}
