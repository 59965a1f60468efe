package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// readJq describes jq, some of whose options take two values.
func readJq(c *call) {
	var filter *operand
	var files []operand
	rest, null, args := false, false, false
	ops := c.operands
	for i := 0; i < len(ops); i++ {
		t, ok := ops[i].val.Text()
		head := t
		if !ok {
			head = ops[i].val.Prefix()
		}
		if rest || !strings.HasPrefix(head, "-") || head == "-" {
			switch {
			case filter == nil:
				if !ok && head == "" && !rest {
					c.unread("a value that is not known before it runs may be an option of jq")
				}
				filter = &ops[i]
			case args:
			default:
				files = append(files, ops[i])
			}
			continue
		}
		next := func(n int) operand {
			if i+n < len(ops) {
				return ops[i+n]
			}
			return operand{arg: -1}
		}
		switch name := strings.TrimPrefix(head, "--"); {
		case !ok:
			c.unread("an option is not known before it runs: " + ops[i].val.String())
		case t == "--":
			rest = true
		case t == "-f" || t == "--from-file":
			// The first operand is a file then; the filter is in another file.
			c.role(role{kind: roleHidden}, next(1).val, next(1).arg, false)
			filter = &operand{}
			i++
		case t == "-L" || t == "--library-path":
			c.role(role{kind: roleHidden}, next(1).val, next(1).arg, false)
			i++
		case strings.HasPrefix(t, "-L"):
			c.unread("jq loads modules from " + t[2:])
		case t == "--arg" || t == "--argjson":
			i += 2
		case t == "--slurpfile" || t == "--rawfile" || t == "--argfile":
			c.access(ReadFile, next(2).val, next(2).arg, false, false)
			i += 2
		case t == "--indent":
			i++
		case t == "--args" || t == "--jsonargs":
			args = true
		case strings.HasPrefix(t, "--"):
			if strings.Contains(" null-input raw-output compact-output slurp sort-keys exit-status ascii-output join-output raw-output0 raw-input color-output monochrome-output tab stream stream-errors seq unbuffered help version build-configuration binary ", " "+name+" ") {
				null = null || name == "null-input"
				continue
			}
			c.unread("unknown option " + t)
		default:
			if strings.Trim(t[1:], "nrcsSeajRCMhVb1234567") != "" {
				c.unread("unknown option " + t)
			}
			null = null || strings.Contains(t, "n")
		}
	}
	if filter != nil && filter.arg > 0 {
		c.jqCode(filter.val)
	}
	for _, f := range files {
		c.access(ReadFile, f.val, f.arg, false, false)
	}
	if len(files) == 0 && !null {
		c.stdin(StdinData)
	}
}

// jqCode reads a filter: text in strings aside, only a few names reach out.
func (c *call) jqCode(v value.Value) {
	text, ok := v.Text()
	in := Inline{Language: "jq", Code: v, Read: ok}
	if !ok {
		c.unread("the jq filter is not known")
	}
	if len(text) > maxScript {
		in.Read = false
		c.unread("the jq filter is too long to read")
		text = ""
	}
	for _, w := range jqNames(text) {
		switch w {
		case "env", "$ENV":
			c.access(ReadFile, value.Exact("/proc/self/environ"), -1, false, false)
		case "import", "include", "modulemeta", "get_search_list":
			in.Read = false
			c.unread("the jq filter loads other files")
		}
	}
	c.use.Inline = append(c.use.Inline, in)
}

// jqNames lists the names in a filter, those inside interpolations included.
// Field names and text are left out.
func jqNames(text string) []string {
	var out []string
	var nest []int // parentheses open at each interpolation
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		ch := text[i]
		if inString {
			switch {
			case ch == '\\' && i+1 < len(text) && text[i+1] == '(':
				nest, inString = append(nest, depth), false
				depth++
				i++
			case ch == '\\':
				i++
			case ch == '"':
				inString = false
			}
			continue
		}
		switch {
		case ch == '"':
			inString = true
		case ch == '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case ch == '(':
			depth++
		case ch == ')':
			depth--
			if n := len(nest); n > 0 && nest[n-1] == depth {
				nest, inString = nest[:n-1], true
			}
		case isName(text[i : i+1]):
			j := i + 1
			for j < len(text) && inName(text[j]) {
				j++
			}
			name := text[i:j]
			if i > 0 && text[i-1] == '$' {
				name = "$" + name
			}
			// A name before a colon is a key, one behind a dot a field.
			if rest := strings.TrimLeft(text[j:], " \t\n"); (i == 0 || text[i-1] != '.') && !strings.HasPrefix(rest, ":") {
				out = append(out, name)
			}
			i = j - 1
		}
	}
	return out
}
