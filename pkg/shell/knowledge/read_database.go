package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// readSQLite describes sqlite3: a database file and statements, among them
// dot commands that run programs and open files.
func readSQLite(c *call) {
	ops := c.operands
	c.operands = nil
	c.apply()
	c.each(func(s seen) { c.sqliteText(s.val) }, "-cmd")
	for i, op := range ops {
		if i > 0 {
			c.sqliteText(op.val)
			continue
		}
		text, ok := op.val.Text()
		switch {
		case ok && (text == ":memory:" || text == ""):
		case ok && strings.HasPrefix(text, "file:"):
			c.access(ReadFile, cut(op.val, len("file:")), op.arg, false, true)
			c.unread("the name of the database is a URI")
		default:
			c.access(ReadFile, op.val, op.arg, false, false)
			if !c.has("-readonly") {
				c.access(WriteFile, op.val, op.arg, false, true)
				c.role(role{kind: rolePrefix}, value.Concat(op.val, value.Exact("-")), op.arg, false)
			}
		}
	}
	if len(ops) < 2 {
		c.statements(c.sqliteText)
	}
}

// statements are those on standard input: read where they stand in the command
// line.
func (c *call) statements(read func(value.Value)) {
	c.use.Stdin = StdinCode
	if c.input == nil {
		return
	}
	if _, ok := c.input.Text(); ok {
		c.use.Stdin = StdinData
		read(*c.input)
	}
}

// sqliteText reads SQL or dot commands given as an argument.
func (c *call) sqliteText(v value.Value) {
	text, ok := v.Text()
	in := Inline{Language: "sql", Code: v, Read: ok}
	if !ok {
		c.unread("the statements of sqlite are not known")
	}
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, ".") {
			low := strings.ToLower(line)
			for _, word := range []string{"attach", "readfile", "writefile", "load_extension", "edit(", "fts3_tokenizer", "vacuum into", "zipfile", "fsdir", "csv"} {
				if strings.Contains(low, word) {
					in.Read = false
					c.unread("the SQL may open files: it holds " + word)
				}
			}
			if strings.Contains(low, "vacuum") && strings.Contains(low, "into") {
				c.unread("the SQL writes another file")
			}
			continue
		}
		c.dotCommand(line, &in)
	}
	c.use.Inline = append(c.use.Inline, in)
}

func (c *call) dotCommand(line string, in *Inline) {
	name, rest, _ := strings.Cut(line[1:], " ")
	rest = strings.TrimSpace(rest)
	harmless := " schema tables databases indexes indices headers header mode help show stats timer width nullvalue separator echo bail changes dbinfo fullschema eqp explain prompt print exit quit dump lint sha3sum limit timeout version parameter binary "
	shell := name == "shell" || name == "system" || len(name) >= 2 && (strings.HasPrefix("shell", name) || strings.HasPrefix("system", name))
	switch {
	case shell:
		c.use.Runs = append(c.use.Runs, Run{Kind: RunScript, Script: value.Exact(rest), Via: "sqlite3 ." + name})
	case strings.Contains(harmless, " "+name+" "):
	case name == "output" || name == "once" || name == "backup" || name == "save" || name == "log":
		words := strings.Fields(rest)
		if len(words) == 1 && !strings.HasPrefix(rest, "|") && !strings.HasPrefix(rest, "-") && !strings.ContainsAny(rest, `'"\`) {
			c.access(WriteFile, value.Exact(words[0]), -1, false, false)
			if name == "backup" || name == "save" {
				c.access(WriteFile, value.Exact(words[0]+"-journal"), -1, false, true)
				c.access(WriteFile, value.Exact(words[0]+"-wal"), -1, false, true)
			}
			return
		}
		c.unread("the command ." + name + " of sqlite opens a file or a program")
	default:
		in.Read = false
		c.unread("the command ." + name + " of sqlite is not read")
	}
}

// readSQLClient describes psql, mysql and redis-cli: a server, and statements
// that can hold commands of the client.
func readSQLClient(c *call) {
	ops := c.operands
	c.operands = nil
	c.apply()
	host := value.Unknown("the server stands in the settings")
	if s, ok := c.last("-h", "--host"); ok && s.has {
		host = s.val
	}
	for _, op := range ops {
		if strings.Contains(op.val.Prefix(), "://") {
			host = op.val
		}
	}
	c.net(true, host, -1)
	given := false
	c.each(func(s seen) {
		given = true
		c.sqlText(s.val)
	}, "-c", "--command", "-e", "--execute")
	if !given {
		c.statements(c.sqlText)
	}
}

// sqlText looks at statements for commands of the client.
func (c *call) sqlText(v value.Value) {
	text, ok := v.Text()
	c.use.Inline = append(c.use.Inline, Inline{Language: "sql", Code: v})
	low := strings.ToLower(text)
	for _, word := range []string{`\`, "system ", "source ", "program", "outfile", "dumpfile", "infile", "load_file", "pg_read_", "pg_ls_", "lo_import", "lo_export", "tee ", "pager "} {
		ok = ok && !strings.Contains(low, word)
	}
	if i := strings.Index(low, "copy"); i >= 0 && (strings.Contains(low[i:], "from '") || strings.Contains(low[i:], "to '")) {
		ok = false // a file of the server, which may be this machine
	}
	if !ok {
		c.unread("the statements may open files or run programs")
	}
}
