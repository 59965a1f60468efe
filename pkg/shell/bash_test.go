package shell

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mayi/pkg/permissions"
	"mayi/pkg/shell/knowledge"
	"mayi/pkg/shell/value"
)

// The evaluation is compared with real bash: whatever bash makes of the words
// must be among what was predicted.

// gen makes random scripts out of the constructs that carry values.
type gen struct {
	*rand.Rand
	depth int
	funcs int
}

func (g *gen) pick(list ...string) string { return list[g.Intn(len(list))] }

func (g *gen) name() string { return g.pick("a", "b", "c", "arr") }

func (g *gen) text() string {
	return g.pick("x", "yy", "a.b.c", "dir/file.txt", "1", "07", "-n", "x y", "", "p:q", "Mixed", "a=b", "é", "--", "*z", "{1")
}

// atom is a piece of a word outside of quotes.
func (g *gen) atom() string {
	switch g.Intn(16) {
	case 0:
		return "'" + g.text() + "'"
	case 1:
		return "\"" + g.quoted() + "\""
	case 2:
		return g.pick(`\ `, `\\`, `\$`, `\"`, `\a`, `\*`, `\{`)
	case 3:
		return g.pick(`$'\x41'`, `$'a\tb'`, `$'\101\n'`, `$'\u00e9'`, `$'it\'s'`, `$'\e[0m'`, `$"loc"`)
	case 4:
		return "{" + g.plain() + "," + g.plain() + "}"
	case 5:
		return g.pick("{1..3}", "{a..c}", "{03..1}", "{x}", "{a..e..2}", "{,p}", "{a,{b,c}}")
	case 6, 7, 8:
		return g.param()
	case 9:
		return "$((" + g.arith() + "))"
	case 10:
		return g.pick("~", "~/x", "~+", "a~b", "k=~/y", "--o=~")
	case 11:
		return g.subst()
	}
	return g.plain()
}

func (g *gen) plain() string {
	return g.pick("x", "yy", "foo.tar.gz", "dir/sub/f", "a", "=", "%", "+", "1", ":", "@", "^", "B")
}

func (g *gen) quoted() string {
	var b strings.Builder
	for range 1 + g.Intn(3) {
		switch g.Intn(6) {
		case 0, 1:
			b.WriteString(g.param())
		case 2:
			b.WriteString("$((" + g.arith() + "))")
		case 3:
			b.WriteString(g.pick(`\"`, `\\`, `\a`, `\$x`, "'", "'q'", "{a,b}", "~", "*"))
		case 4:
			b.WriteString(g.subst())
		default:
			b.WriteString(g.pick("x", " y ", "dir/f", ""))
		}
	}
	return b.String()
}

func (g *gen) subst() string {
	if g.depth > 2 {
		return "s"
	}
	g.depth++
	defer func() { g.depth-- }()
	switch g.Intn(6) {
	case 0:
		return "$(printf '%s-%d\\n' " + g.word() + " 4)"
	case 1:
		return "`echo " + g.plain() + "`"
	case 2:
		return "$(basename " + g.plain() + " .gz)"
	case 3:
		return "$(cat <<< " + g.word() + ")"
	case 4:
		return "$(if true; then echo " + g.word() + "; fi; echo " + g.plain() + ")"
	}
	return "$(echo " + g.word() + ")"
}

func (g *gen) param() string {
	n := g.pick("a", "b", "c", "1", "2", "nope")
	switch g.Intn(26) {
	case 0:
		return "${" + n + ":-" + g.operand() + "}"
	case 1:
		return "${" + n + "-" + g.operand() + "}"
	case 2:
		return "${" + n + ":+" + g.operand() + "}"
	case 3:
		return "${" + n + "+" + g.operand() + "}"
	case 4:
		return "${" + n + g.pick("#", "##") + g.pattern() + "}"
	case 5:
		return "${" + n + g.pick("%", "%%") + g.pattern() + "}"
	case 6:
		return "${" + n + g.pick("/", "//", "/#", "/%") + g.pattern() + "/" + g.pick("R", "", "'r r'") + "}"
	case 7:
		return "${" + n + g.pick("^", "^^", ",", ",,") + "}"
	case 8:
		return "${" + n + g.pick(":1", ":0:2", ": -2", ":1:-1", ":$((1+1))", "::1") + "}"
	case 9:
		return "${#" + n + "}"
	case 10:
		return "${arr[" + g.pick("0", "1", "-1", "$((1))", "i") + "]}"
	case 11:
		return "${arr[@]}"
	case 12:
		return "${#arr[@]}"
	case 13:
		return g.pick("$@", "$*", "$#", "${@:2}", "${*:1:1}", "${arr[*]}", "${arr[@]:1}", "${!arr[@]}", "${@%x}")
	case 14:
		return "${!" + g.pick("r", "a") + "}"
	case 15:
		return "${" + n + "@" + g.pick("U", "L", "u", "Q", "E") + "}"
	case 16:
		return "$0"
	}
	if g.Intn(2) == 0 {
		return "$" + g.pick("a", "b", "c", "1", "2")
	}
	return "${" + n + "}"
}

func (g *gen) operand() string {
	if g.depth > 2 {
		return "d"
	}
	g.depth++
	defer func() { g.depth-- }()
	return g.pick("dflt", "\"q q\"", "u v", "$a", "'s'", "~", "$((2))", "$(echo o)", "")
}

func (g *gen) pattern() string {
	return g.pick("*.", "*/", "x*", "?", "[a-c]", "*", "y", "'*'", "[!a]*", "$b", "\\*", "/*", ".*")
}

func (g *gen) arith() string {
	return g.pick("1+2", "i", "i++", "i+=2", "2**3", "7/2", "7%3", "(1+2)*3", "1<2", "i>1?4:5", "0x1f", "010", "-3", "~1", "!0", "1,2",
		"i=5", "arr[1]", "a", "++i", "3&1|4", "1<<4", "i==0||i", "16#ff", "${#a}")
}

func (g *gen) word() string {
	var b strings.Builder
	for range 1 + g.Intn(3) {
		b.WriteString(g.atom())
	}
	return b.String()
}

func (g *gen) stmt() string {
	g.depth++
	defer func() { g.depth-- }()
	n := g.Intn(26)
	if g.depth > 3 && n > 9 {
		n = g.Intn(9)
	}
	switch n {
	case 0, 1, 2:
		return g.name() + "=" + g.word()
	case 3:
		return g.pick("a", "b") + "+=" + g.word()
	case 4:
		return "arr=(" + g.word() + " " + g.word() + ")"
	case 5:
		return "arr" + g.pick("+=(z)", "[0]=w", "[1]=v", "[4]=u")
	case 6:
		return "set -- " + g.word() + " " + g.word()
	case 7:
		return "i=$((" + g.arith() + "))"
	case 8:
		return g.pick("shift", "unset b", "r=a", "let i+=1", "IFS=:", "IFS=", "unset IFS", "set -f", "set +f", "c=${a}x", "((i++))")
	case 9:
		return "read " + g.pick("a", "a b", "-r a", "-r a b c") + " <<< " + g.word()
	case 10:
		return "for " + g.pick("a", "b") + " in " + g.word() + " " + g.word() + "; do " + g.stmt() + "; done"
	case 11:
		return "if " + g.pick("true", "false", "[ x = y ]", "[[ $a == x* ]]", "((i))") + "; then " + g.stmt() + "; else " + g.stmt() + "; fi"
	case 12:
		return "case " + g.word() + " in x*) " + g.stmt() + ";; *y|a) " + g.stmt() + g.pick(";;", ";&", ";;&") + " *) " + g.stmt() + ";; esac"
	case 13:
		return "for ((k=0; k<" + g.pick("2", "3", "30") + "; k++)); do " + g.pick("a=$a.", "b=$k", "i=$((i+k))", "c+=x") + "; done"
	case 14:
		g.funcs++
		k := fmt.Sprintf("k%d", g.funcs) // of its own, so that the loop ends
		return k + "=0; while [ \"$" + k + "\" -lt 3 ]; do " + k + "=$((" + k + "+1)); " + g.stmt() + g.pick("", "; break", "; [ $"+k+" = 2 ] && continue; b=z") + "; done"
	case 15:
		g.funcs++
		f := fmt.Sprintf("f%d", g.funcs)
		return f + "() { local a=" + g.word() + " " + g.pick("", "b=1") + "; " + g.stmt() + g.pick("", "; return; c=late") + "; }; " + f + " " + g.word()
	case 16:
		return "( " + g.stmt() + " )"
	case 17:
		return "{ " + g.stmt() + "; " + g.stmt() + "; }"
	case 18:
		return g.pick("true", "false", "[ -z \"$a\" ]") + g.pick(" && ", " || ") + "{ " + g.stmt() + "; }"
	case 19:
		return "printf -v " + g.pick("a", "b", "'arr[1]'") + " '%s' " + g.word()
	case 20:
		return "eval " + g.pick("'a=5'", "\"b=\\$a\"", "'set -- $a'", "'i=$((i+1))'")
	case 21:
		return "mapfile -t arr <<< " + g.word()
	case 22:
		return "declare " + g.pick("-i ", "-u ", "-l ", "-a ", "") + g.pick("a", "b") + "=" + g.word()
	case 23:
		return "while read -r a b; do " + g.stmt() + "; done <<EOF\n" + g.pick("x y", "l1\nl2 z", "$a", "q $b r") + "\nEOF\n"
	case 24:
		return g.pick("echo x | read c", "a=1 true", "export b="+g.plain(), "unset arr", "unset 'arr[0]'", "cd .", "a=$(exit 3; echo n)", ": ${b:=set}")
	}
	return "a=" + g.word()
}

func (g *gen) script() (setup, words string) {
	var b strings.Builder
	b.WriteString("i=0; a=one; b='two words'; c=; arr=(e0 'e 1' e2); r=b; set -- p1 'p 2'\n")
	for range 1 + g.Intn(5) {
		b.WriteString(strings.ReplaceAll(g.stmt(), "EOF\n;", "EOF\n"))
		b.WriteByte('\n')
	}
	words = g.word() + " " + g.word() + " " + g.word()
	return b.String(), words
}

func TestAgainstBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed, and it is what the evaluation is compared with")
	}
	dir := t.TempDir()
	const rounds = 500
	seed := int64(1)
	if s := os.Getenv("MAYI_TEST_SEED"); s != "" {
		fmt.Sscan(s, &seed)
	}
	g := &gen{Rand: rand.New(rand.NewSource(seed))}
	scripts := make([]string, rounds)
	var all strings.Builder
	for i := range scripts {
		setup, words := g.script()
		scripts[i] = setup + "set -- " + words
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf(".s%d", i)), []byte(scripts[i]+"\nprintf '\\2\\0'; printf '%s\\0' \"$#\" \"$@\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "(ulimit -t 2; . ./.s%d) 2>/dev/null </dev/null; printf '\\1\\0'\n", i)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, bash, "--norc", "--noprofile", "-c", all.String())
	cmd.Dir = dir
	cmd.Env = []string{"HOME=/home/dev", "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "PWD=" + dir}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("bash: %v", err)
	}
	results := bytes.Split(out, []byte("\x01\x00"))
	env := Env{Cwd: dir, Home: "/home/dev", User: "dev", Vars: map[string]string{"PATH": "/usr/bin:/bin", "HOME": "/home/dev", "LC_ALL": "C.UTF-8"}}
	exact, checked := 0, 0
	for i, script := range scripts {
		parts := strings.Split(strings.TrimSuffix(string(results[i]), "\x00"), "\x00")
		// What the script itself printed stands before the number.
		got, ok := lastWords(parts)
		if !ok {
			continue // bash refused the script or ended early
		}
		var an Analysis
		w := &walker{a: newAnalyzer(knowledge.Load()), env: env, an: &an, frame: frame{parent: -1}, steps: maxSteps, ends: &ends{}}
		st := newState(env)
		st.inFunc = true // the script is sourced: return ends it
		w.script(script, st)
		if len(an.Unread) > 0 || slices.ContainsFunc(an.Parts, func(p permissions.Part) bool { return len(p.Unread) > 0 }) || st.paramsOpen || st.dead {
			continue
		}
		checked++
		if len(st.params) != len(got) {
			t.Errorf("script %d: %d words, bash has %d\n%s\npredicted %v\nbash      %q", i, len(st.params), len(got), script, show1(st.params), got)
			continue
		}
		for k, v := range st.params {
			if _, is := v.Text(); is {
				exact++
			}
			if !holds(v, got[k]) {
				t.Errorf("script %d: word %d is %q, predicted %q\n%s", i, k, got[k], v, script)
				break
			}
		}
	}
	t.Logf("%d of %d scripts compared, %d exact words", checked, rounds, exact)
	if checked < rounds/3 || exact < rounds/2 {
		t.Errorf("too few scripts could be compared")
	}
}

func show1(vs []value.Value) []string {
	var out []string
	for _, v := range vs {
		out = append(out, v.String())
	}
	return out
}

// lastWords finds the count and the words that end the output.
func lastWords(parts []string) ([]string, bool) {
	for i, p := range parts {
		if strings.HasSuffix(p, "\x02") && i+1 < len(parts) {
			return parts[i+2:], true
		}
	}
	return nil, false
}

// holds reports whether the text is one of those that v stands for.
func holds(v value.Value, text string) bool {
	for _, alt := range v.Alternatives() {
		var re strings.Builder
		for _, p := range alt {
			switch p.Kind {
			case value.Lit:
				re.WriteString(regexp.QuoteMeta(p.Text))
			case value.Glob:
				re.WriteString("([^/]*)")
			case value.Num:
				re.WriteString("(-?[0-9]+)")
			default:
				re.WriteString("((?s:.)*)")
			}
		}
		if regexp.MustCompile(`\A(?:` + re.String() + `)\z`).MatchString(text) {
			return true
		}
	}
	return false
}
