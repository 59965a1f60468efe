package soundness

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Random makes n random scripts out of the grammar and of what is known about
// programs. The same seed makes the same scripts.
func Random(seed int64, n int) []Script {
	out := make([]Script, n)
	for i := range out {
		g := &maker{r: rand.New(rand.NewPCG(uint64(seed), uint64(i)))}
		out[i] = Script{Name: fmt.Sprintf("random:%d", i), Text: g.script()}
	}
	return out
}

// maker writes one script.
type maker struct {
	r     *rand.Rand
	depth int
	funcs int
	vars  []string
	// inLoop is the loop variable that may be used as a file, "" outside.
	inLoop []string
}

func (g *maker) pick(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *maker) chance(percent int) bool { return g.r.IntN(100) < percent }

// script is a few statements, one to a line.
func (g *maker) script() string {
	var b strings.Builder
	if g.chance(10) {
		b.WriteString(g.pick("set -e", "set -u", "set -o pipefail", "shopt -s nullglob", "shopt -s globstar", "shopt -s extglob", "set -f", "shopt -s dotglob") + "\n")
	}
	for range 1 + g.r.IntN(4) {
		b.WriteString(g.statement() + "\n")
	}
	return b.String()
}

// statement is one command or construct. Below a few levels only simple
// commands are made.
func (g *maker) statement() string {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > 3 || g.chance(45) {
		return g.redirected(g.simple())
	}
	switch g.r.IntN(18) {
	case 0:
		return g.simple() + g.pick(" && ", " || ", "; ") + g.statement()
	case 1, 2:
		return g.pipeline()
	case 3:
		return g.redirected("{ " + g.statement() + "; " + g.simple() + "; }")
	case 4:
		return g.redirected("( " + g.statement() + "; " + g.simple() + " )")
	case 5:
		return "if " + g.condition() + "; then " + g.statement() + "; else " + g.simple() + "; fi"
	case 6, 7:
		return g.loop()
	case 8:
		return "while read -r line; do " + g.within("$line", g.statement) + "; break; done " + g.pick("< list.txt", "< <(ls *.txt)", "<<< a.txt", "< <(find docs -type f)")
	case 9:
		return "case " + g.file() + " in *.txt) " + g.simple() + ";; " + g.pick("*.md|x", "src/*", "[ab]*") + ") " + g.statement() + ";; *) " + g.simple() + ";; esac"
	case 10:
		g.funcs++
		name := fmt.Sprintf("fn%d", g.funcs)
		return name + "() { " + g.within(`"$1"`, g.statement) + "; }; " + name + " " + g.file()
	case 11:
		return g.assignment() + "; " + g.statement()
	case 12:
		return "cd " + g.folder() + g.pick(" && ", "; ") + g.statement() + g.pick("", "; cd -", "; cd ..", "; cd ~/ws")
	case 13:
		return g.document()
	case 14:
		return "for ((i = 0; i < " + g.pick("2", "3") + "; i++)); do " + g.within("build/n$i", g.statement) + "; done"
	case 15:
		return g.nested()
	case 16:
		return g.simple() + " & " + g.simple() + "; wait"
	default:
		return "trap '" + g.pick("rm -f build/lock", "echo done > build/trap", "touch build/t") + "' EXIT; " + g.statement()
	}
}

func (g *maker) pipeline() string {
	s := g.simple()
	for range 1 + g.r.IntN(2) {
		s += g.pick(" | ", " | ", " |& ") + g.filter()
	}
	return g.redirected(s)
}

func (g *maker) loop() string {
	words := g.pick("a.txt b.txt", "*.txt", "src/*", `"$@"`, "{a,b}.txt", "$(ls *.txt)", "$(cat list.txt)", "docs/* words.txt", "a.txt 'with space.txt'", "build/{1..3}", `"${!V@}"`)
	return "for f in " + words + "; do " + g.within(`"$f"`, g.statement) + "; done"
}

// within makes a statement in which the word stands for a file.
func (g *maker) within(word string, make func() string) string {
	g.inLoop = append(g.inLoop, word)
	defer func() { g.inLoop = g.inLoop[:len(g.inLoop)-1] }()
	return make()
}

func (g *maker) condition() string {
	switch g.r.IntN(6) {
	case 0:
		return "[ -f " + g.file() + " ]"
	case 1:
		return "[[ " + g.file() + " == *.txt && -e a.txt ]]"
	case 2:
		return "grep -q " + g.pick("apple", "zzz") + " " + g.file()
	case 3:
		return "! " + g.simple()
	case 4:
		return "(( " + g.pick("1 + 1 == 2", "0", "$# > 0") + " ))"
	default:
		return "test " + g.pick("-d ", "-x ", "-s ") + g.folder()
	}
}

func (g *maker) assignment() string {
	name := g.pick("V", "W", "X")
	value := g.pick(g.file(), g.file(), "$(echo "+g.file()+")", "${V:-a.txt}", "build/$((1+2))", "$PWD/a.txt", "~/notes.txt", "$OUT")
	g.vars = append(g.vars, name)
	return g.pick("", "", "export ", "declare ", "readonly ") + name + g.pick("=", "=", "=") + value
}

// document is a command with a here-document.
func (g *maker) document() string {
	head := g.pick("cat", "cat > "+g.newFile(), "sort", "bash", "sh", "xargs cat", "wc -l", "grep a -", "while read -r x; do cat \"$x\"; done", "tee "+g.newFile())
	body := g.pick("a.txt\nb.txt", "cat "+g.file(), "touch "+g.newFile(), g.simple(), "$(echo a.txt)")
	return head + " <<" + g.pick("EOF", "'EOF'") + "\n" + body + "\nEOF\n:"
}

// nested is a script inside a command.
func (g *maker) nested() string {
	inner := strings.ReplaceAll(g.simple(), "'", `"`)
	switch g.r.IntN(7) {
	case 0:
		return "bash -c '" + inner + "'"
	case 1:
		return "sh -c '" + inner + " $1' _ " + g.file()
	case 2:
		return "eval '" + inner + "'"
	case 3:
		return g.pick("env X=1 ", "timeout 5 ", "nice ", "command ", "nohup ", "time ", "stdbuf -o0 ", "env -C docs ", "setsid -w ") + g.simple()
	case 4:
		return "find " + g.folder() + " -name '" + g.pick("*.txt", "*.md", "*") + "' -type f " + g.pick("-exec cat {} +", `-exec cp {} build/ \;`, "-print", "-print0 | xargs -0 cat", "-exec sh -c 'cat \"$1\"' _ {} \\;", "| xargs rm -f", "-delete", `-exec mv {} {}.old \;`)
	case 5:
		return "ls " + g.pick("*.txt", "docs/*", "a.txt b.txt") + " | xargs " + g.pick("cat", "-n1 wc -l", "-I{} cp {} build/", "rm", "grep -l a", "touch", "-I{} sh -c 'cat {}'")
	default:
		return "echo '" + inner + "' | " + g.pick("bash", "sh")
	}
}

// redirected adds a redirection now and then.
func (g *maker) redirected(s string) string {
	switch g.r.IntN(14) {
	case 0:
		return s + " > " + g.newFile()
	case 1:
		return s + " >> " + g.anyFile()
	case 2:
		return s + " 2>/dev/null"
	case 3:
		return s + " < " + g.file()
	case 4:
		return s + " > " + g.newFile() + " 2>&1"
	case 5:
		return s + " &> " + g.newFile()
	case 6:
		return s + " 3>" + g.newFile() + " 4<" + g.file()
	case 7:
		return s + " <<< " + g.file()
	}
	return s
}
