package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// readGrep describes grep: without a file it reads standard input, or, when
// it is recursive, the working directory.
func readGrep(c *call) {
	c.apply()
	recursive := c.has("-r", "--recursive", "-R", "--dereference-recursive")
	files := len(c.operands)
	if !c.has("-e", "--regexp", "-f", "--file") {
		files--
	}
	if files > 0 {
		c.use.Stdin = StdinUnused
		for _, op := range c.operands {
			if isDash(op.val) {
				c.use.Stdin = StdinData
			}
		}
		return
	}
	if recursive {
		c.use.Stdin = StdinUnused
		c.access(ReadFile, value.Exact("."), -1, true, false)
	}
}

// readDate describes date: an operand that is no format sets the clock.
func readDate(c *call) {
	c.apply()
	for _, op := range c.operands {
		if !strings.HasPrefix(op.val.Prefix(), "+") {
			c.unread("a time that is no format sets the clock: " + op.val.String())
		}
	}
}

// readModule describes python: a module that the base knows as a program is
// described as that program too (python -m pip).
func readModule(c *call) {
	c.apply()
	s, ok := c.last("-m")
	if !ok || !s.has {
		return
	}
	name, exact := s.val.Text()
	if !exact {
		c.unread("the module is not known before it runs")
		return
	}
	words := append([]value.Value{s.val}, c.rest(s.arg+1)...)
	if t, _, err := c.base.program(name); t != nil && err == nil {
		run := Run{Kind: RunWords, Words: words, Via: c.via() + " -m"}
		if !s.joined {
			// Its words stand here, so that a rule for them covers both.
			run.At, c.use.InnerAt = s.arg, s.arg
		}
		c.use.Runs = append(c.use.Runs, run)
	}
}

// goFlags are flags that go build hands on to the compiler or the linker. Some
// of those start programs and write files; what is not among the everyday ones
// is not read.
func (c *call) goFlags(v value.Value) {
	text, ok := v.Text()
	if first, rest, is := strings.Cut(text, "="); is && !strings.HasPrefix(first, "-") && !strings.ContainsAny(first, " '\"") {
		text = rest // the packages that they are for
	}
	words := quotedFields(text)
	for i := 0; i < len(words) && ok; i++ {
		name, val, joined := strings.Cut(words[i], "=")
		switch strings.Replace(name, "--", "-", 1) {
		case "-s", "-w", "-N", "-l", "-m", "-e", "-B", "-S", "-race", "-msan", "-trimpath", "-d", "-c", "-lang", "-buildid", "-dwarf":
		case "-X":
			if !joined {
				i++
			}
		case "-extldflags":
			if !joined && i+1 < len(words) {
				i++
				val = words[i]
			}
			ok = val == "-static"
		default:
			ok = false
		}
	}
	if !ok {
		c.unread("flags for the compiler or the linker can start programs: " + v.String())
	}
}

// readInterpreter describes perl and ruby, which can edit files in place.
func readInterpreter(c *call) {
	c.apply()
	if !c.has("-i") {
		return
	}
	for k, op := range c.operands {
		if k == 0 && !c.has("-e", "-E") {
			continue
		}
		c.access(WriteFile, op.val, op.arg, false, false)
		if s, _ := c.last("-i"); s.has {
			c.role(role{kind: rolePrefix}, op.val, op.arg, false)
		}
	}
}

// readMktemp describes mktemp: the X at the end of the template become a name
// that nobody knows, in the directory for temporary files unless told otherwise.
func readMktemp(c *call) {
	ops := c.operands
	c.operands = nil
	c.apply()
	if c.has("-p") {
		return // the directory was noted
	}
	if s, ok := c.last("--tmpdir"); ok && s.has {
		return
	}
	template := value.Exact("tmp.")
	if len(ops) > 0 {
		template = ops[0].val
		if t, ok := template.Text(); ok {
			k := strings.LastIndexByte(t, 'X')
			template = value.Exact(strings.TrimRight(t[:k+1], "X"))
		}
	}
	if len(ops) == 0 || c.has("-t", "--tmpdir") {
		template = under(value.Exact("/tmp"), template)
	}
	if t, ok := template.Text(); ok && strings.HasPrefix(t, "/tmp/") && strings.Count(t, "/") == 2 && !c.has("-u", "--dry-run") {
		c.access(WriteFile, value.ScratchName(t, c.has("-d", "--directory")), -1, false, true)
		return
	}
	c.role(role{kind: rolePrefix}, template, -1, false)
}

// readPandoc describes pandoc: what it prints holds the files that the text
// includes. For a result in a file, and for a filter, it needs a rule anyway.
func readPandoc(c *call) {
	c.apply()
	if s, ok := c.last("-o", "--output"); !c.has("-F", "--filter") && (!ok || isDash(s.val)) {
		c.use.Workspace = "reads the files that the text names"
	}
}

// readCompiler describes gcc and clang: where no -o says so, the names of
// results come from those of the sources. What only looks shows the files that
// the sources include.
func readCompiler(c *call) {
	c.apply()
	if c.has("-MD", "-MMD") {
		c.access(WriteFile, value.Pattern("*.d"), -1, false, true)
		if out, named := c.last("-o"); named {
			c.besideOutput(out)
		}
	}
	switch {
	case c.has("--version", "--help", "-dumpversion", "-dumpmachine"):
	case c.has("-E", "-M", "-MM", "-fsyntax-only"):
		c.use.Workspace = "reads the files that the sources name"
	case c.has("-o"):
	case c.has("-c"):
		c.results(".o")
	case c.has("-S"):
		c.results(".s")
	case len(c.operands) > 0:
		c.access(WriteFile, value.Exact("a.out"), -1, false, false)
	}
}

// besideOutput notes the list of dependencies that lies beside the result, under
// a name made of the result's and the source's.
func (c *call) besideOutput(out seen) {
	text, ok := out.val.Text()
	if !ok {
		c.access(WriteFile, value.Unknown("the folder of the result"), out.arg, false, true)
		return
	}
	if k := strings.LastIndexByte(text, '/'); k >= 0 {
		c.access(WriteFile, value.Concat(value.Exact(text[:k+1]), value.Pattern("*.d")), out.arg, false, true)
	}
}

// results notes a file in the working directory for each source.
func (c *call) results(suffix string) {
	for _, op := range c.operands {
		name, ok := lastName(op.val)
		if text, exact := name.Text(); ok && exact {
			if k := strings.LastIndexByte(text, '.'); k > 0 {
				text = text[:k]
			}
			c.access(WriteFile, value.Exact(text+suffix), -1, false, false)
			continue
		}
		c.access(WriteFile, value.Pattern("*"+suffix), -1, false, true)
	}
}

// quotedFields splits at blanks; a field may stand in quotes as a whole.
func quotedFields(text string) []string {
	var out []string
	for text = strings.TrimLeft(text, " \t\n"); text != ""; text = strings.TrimLeft(text, " \t\n") {
		stop, skip := " \t\n", 0
		if text[0] == '\'' || text[0] == '"' {
			stop, skip = text[:1], 1
		}
		end := strings.IndexAny(text[skip:], stop)
		if end < 0 {
			return append(out, text[skip:])
		}
		out = append(out, text[skip:skip+end])
		text = text[skip+end+skip:]
	}
	return out
}
