package corpus

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestHuge: input that is deep, long or broken ends as a question or a refusal.
func TestHuge(t *testing.T) {
	g := newGround(t)
	r := strings.Repeat
	for name, command := range map[string]string{
		"open substitutions":    r("$(", 10000),
		"nested subshells":      r("(", 10000) + "ls" + r(")", 10000),
		"nested substitutions":  "echo " + r("$(", 10000) + "ls" + r(")", 10000),
		"backquotes":            r("`", 10001),
		"open groups":           r("{ ", 10000),
		"nested defaults":       "echo " + r("${x:-", 10000) + r("}", 10000),
		"nested arithmetic":     "echo $((" + r("(", 10000) + "1" + r(")", 10000) + "))",
		"nested conditions":     "[[ " + r("( ", 10000) + "x" + r(" )", 10000) + " ]]",
		"a megabyte":            "ls " + r("a", 1<<20) + "; touch pwned",
		"many commands":         r("ls;", 100000) + "touch pwned",
		"many braces":           "echo " + r("{a,b}", 30) + "; touch pwned",
		"a long range":          "echo {1..100000000}; touch pwned",
		"open ifs":              r("if ", 5000) + "ls",
		"doubling":              "x=aa;" + r("x=$x$x;", 1000) + "touch $x",
		"open loops":            r("while ", 5000),
		"open cases":            r("case ", 5000),
		"open here-documents":   r("<<E ", 2000) + "\n",
		"open arrays":           r("a=(", 5000),
		"eval of eval":          r("eval ", 5000) + "touch x",
		"env of env":            r("env ", 3000) + "touch x",
		"NUL":                   "ls\x00; touch x",
		"continuations":         r("\\\n", 100000) + "touch x",
		"separators":            r("&", 10000),
		"semicolons":            r(";", 10000),
		"pipes":                 r("|", 10000),
		"open quotes":           r("'", 9999),
		"open double quotes":    r("\"", 9999),
		"a function of itself":  "f(){ f|f& };f;touch x",
		"many stars":            "echo " + r("*", 5000) + "; touch x",
		"many variables":        "echo " + r("$x", 20000) + "; touch x",
		"times":                 r("time ", 5000) + "touch x",
		"negations":             r("! ", 5000) + "touch x",
		"process substitutions": "ls " + r("<(ls ", 3000) + r(")", 3000),
		"shells in shells":      r("sh -c '", 50),
	} {
		input, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		c := testcase{name: name, tool: "bash", input: string(input), expect: "not-allow",
			policy: `{"mode":"accept-edits","allow":["command(ls)","command(echo)","command(eval)","command(env)","command(sh)"],"readOnlyShell":true}`}
		d, err := g.decide(c)
		if err != nil || d.Decision == "allow" || d.Decision == "" {
			t.Errorf("%s: %s (%v)", name, d.Decision, err)
		}
	}
}
