package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// readEnv describes env: assignments, then a command; -S puts the words of
// one string in its own place.
func readEnv(c *call) {
	c.use.ClearEnv = c.use.ClearEnv || c.has("-i", "--ignore-environment", "-")
	for _, s := range c.seen {
		if s.has && (s.opt.is("-C") || s.opt.is("--chdir")) {
			c.chdir(s.val, s.arg)
		}
	}
	if s, ok := c.last("-S", "--split-string"); ok && s.has {
		c.envSplit(s)
		return
	}
	for i, op := range c.operands {
		if i == 0 && isDash(op.val) {
			c.use.ClearEnv = true
			continue
		}
		if !strings.Contains(op.val.Prefix(), "=") {
			c.command(op.arg, "")
			return
		}
		c.assignment(op.val)
	}
	if !c.use.ClearEnv && !c.has("--help", "--version") {
		c.use.Secret = "the environment" // it prints it
	}
}

// envSplit goes on with the words of -S before the rest.
func (c *call) envSplit(s seen) {
	text, ok := s.val.Text()
	words, split := splitString(text)
	if !ok || !split || c.splits >= 3 {
		c.unread("env -S splits text that is not read: " + s.val.String())
		return
	}
	argv := []value.Value{c.argv[0]}
	for _, w := range words {
		argv = append(argv, value.Exact(w))
	}
	argv = append(argv, c.rest(s.arg+1)...)
	if len(argv) >= len(c.argv)+len(text) {
		c.unread("env -S splits text that is not read: " + s.val.String())
		return
	}
	inner := Use{}
	next := &call{base: c.base, table: c.table, argv: argv, at: 1, use: &inner, splits: c.splits + 1}
	next.run(0)
	for i := range inner.Runs {
		inner.Runs[i].At = 0
	}
	for i := range inner.Accesses {
		inner.Accesses[i].Arg = -1
	}
	if inner.Cwd != nil {
		c.chdir(*inner.Cwd, -1)
	}
	c.use.Env = append(c.use.Env, inner.Env...)
	c.use.ClearEnv = c.use.ClearEnv || inner.ClearEnv
	c.use.Runs = append(c.use.Runs, inner.Runs...)
	for _, u := range inner.Unread {
		c.unread(u)
	}
}

// splitString splits like env -S; it refuses variables and escapes whose
// meaning depends on more than the text.
func splitString(s string) ([]string, bool) {
	var out []string
	var b strings.Builder
	in, quote := false, byte(0)
	for i := 0; i < len(s); i++ {
		ch := s[i]
		switch {
		case ch == '$' && quote != '\'':
			return nil, false
		case ch == '\\' && quote != '\'':
			if i+1 == len(s) || strings.IndexByte(`\'"# `, s[i+1]) < 0 {
				return nil, false
			}
			i++
			b.WriteByte(s[i])
			in = true
		case quote != 0:
			if ch == quote {
				quote = 0
			} else {
				b.WriteByte(ch)
			}
		case ch == '\'' || ch == '"':
			quote, in = ch, true
		case ch == '#' && !in:
			return out, true
		case strings.IndexByte(" \t\n\v\f\r", ch) >= 0:
			if in {
				out, in = append(out, b.String()), false
				b.Reset()
			}
		default:
			b.WriteByte(ch)
			in = true
		}
	}
	if quote != 0 {
		return nil, false
	}
	if in {
		out = append(out, b.String())
	}
	return out, true
}
