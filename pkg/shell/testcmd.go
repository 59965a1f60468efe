package shell

import (
	"strings"

	"mayi/pkg/shell/value"
)

// test: -v and -R evaluate a subscript.
func (w *walker) test(st *state, c *command) {
	args := c.argv[1:]
	for i, v := range args {
		if v.Many() {
			w.unreadAt(c.part, c.spanAt(i+1), "an unquoted word may be any test, also one that runs a subscript: "+why(v))
			return
		}
		t, ok := v.Text()
		if ok && (t == "-v" || t == "-R") && i+1 < len(args) {
			w.testVar(st, args[i+1], argNode(c, i+2))
		}
		if !ok && i+1 < len(args) && !v.Integer() && couldBe(v, "-v") && !binaryTest(args, i) {
			w.testVar(st, args[i+1], argNode(c, i+2))
		}
	}
}

// binaryTest: the word at i is an operand because an operator follows it.
func binaryTest(args []value.Value, i int) bool {
	if i+1 >= len(args) {
		return false
	}
	t, ok := args[i+1].Text()
	if !ok {
		return false
	}
	switch t {
	case "=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef", "-a", "-o", "]":
		return true
	}
	return false
}

// couldBe reports whether the value may be this text.
func couldBe(v value.Value, text string) bool {
	if texts, ok := v.Texts(); ok {
		for _, t := range texts {
			if t == text {
				return true
			}
		}
		return false
	}
	return strings.HasPrefix(text, v.Prefix())
}
