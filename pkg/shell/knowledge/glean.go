package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// Glean is what can be told of a program text in a language that is not read
// (python -c, node -e, perl -e, a here-document for one): the commands, files
// and places that stand in it literally. It only ever adds to what the program
// is held to do; the program stays one that was not read.
func Glean(language, code string) Use {
	g := gleaner{language: language, code: code, literals: literals(language, code)}
	for i := 0; i < len(g.literals) && i < maxGleaned; i++ {
		g.literal(i)
	}
	return g.use
}

// maxGleaned bounds how many string literals of one text are looked at.
const maxGleaned = 200

// literal is one string literal of a program text.
type literal struct {
	text       string
	start, end int // of the literal with its quotes
	backtick   bool
}

type gleaner struct {
	language, code string
	literals       []literal
	use            Use
	taken          int // literals before this one belong to a call already seen
}

// The names of functions, in whatever language, by what they do with a literal
// that is their first argument.
const (
	shells  = "system popen getoutput getstatusoutput execSync shell_exec passthru proc_open"
	spawns  = "run call check_call check_output Popen spawn spawnSync execFile execFileSync execv execve execvp execl execlp"
	reads   = "readFileSync readFile createReadStream readdirSync readdir file_get_contents fopen readlines"
	writes  = "writeFileSync writeFile appendFileSync appendFile createWriteStream unlinkSync unlink rmSync rmdirSync mkdirSync renameSync copyFileSync file_put_contents remove rmtree makedirs rename chmodSync truncateSync"
	openers = "open openSync"
)

func (g *gleaner) literal(i int) {
	l := g.literals[i]
	if i < g.taken {
		return
	}
	if l.backtick && g.language != "node" {
		g.script(l.text)
		return
	}
	name, qualified := g.callee(l.start)
	switch {
	case name == "":
	case among(name, shells), name == "exec" && (g.language == "perl" || g.language == "ruby" || g.language == "php" || strings.Contains(g.code, "child_process")):
		if g.listed(i) {
			g.spawn(i) // system("rm", "-rf", "x"): a list is no shell text
			return
		}
		g.script(l.text)
		return
	case among(name, spawns) && qualified:
		g.spawn(i)
		return
	case (among(name, reads) || among(name, writes) || among(name, openers)) && !g.whole(i):
		// A part of the name ('/'.join(…), "a" + b) is not the name.
	case among(name, reads):
		g.file(l.text, ReadFile)
		return
	case among(name, writes):
		g.file(l.text, ReadFile, WriteFile)
		return
	case among(name, openers):
		g.open(i)
		return
	}
	if systemPath(l.text) {
		g.file(l.text, ReadFile, WriteFile)
	}
}

// callee is the name of the function that the text at the position is the
// first argument of; qualified says whether it stands behind a dot or its
// module is named in the code.
func (g *gleaner) callee(at int) (name string, qualified bool) {
	before := strings.TrimRight(g.code[:at], " \t\n[")
	opened := strings.HasSuffix(before, "(")
	before = strings.TrimRight(strings.TrimSuffix(before, "("), " \t\n")
	end := len(before)
	start := end
	for start > 0 && (before[start-1] == '_' || before[start-1] >= '0' && before[start-1] <= '9' || before[start-1]|0x20 >= 'a' && before[start-1]|0x20 <= 'z') {
		start--
	}
	if start == end || !opened && g.language != "perl" && g.language != "ruby" {
		return "", false
	}
	return before[start:end], start > 0 && before[start-1] == '.' || strings.Contains(g.code, "subprocess") || strings.Contains(g.code, "child_process")
}

func (g *gleaner) script(text string) {
	g.use.Runs = append(g.use.Runs, Run{Kind: RunScript, Script: value.Exact(text), Via: g.language + " program"})
}

// whole reports whether the literal is a whole argument.
func (g *gleaner) whole(i int) bool {
	rest := strings.TrimLeft(g.code[g.literals[i].end:], " \t\n")
	return rest == "" || strings.IndexByte(",);]", rest[0]) >= 0
}

// listed reports whether another literal follows, behind a comma.
func (g *gleaner) listed(i int) bool {
	if g.language == "node" || g.language == "python" || i+1 >= len(g.literals) {
		return false
	}
	return strings.TrimSpace(g.code[g.literals[i].end:g.literals[i+1].start]) == ","
}

// spawn takes the literals of a list, or of the arguments, as a command's words.
func (g *gleaner) spawn(i int) {
	words := []value.Value{value.Exact(g.literals[i].text)}
	j := i + 1
	for ; j < len(g.literals); j++ {
		if strings.Trim(g.code[g.literals[j-1].end:g.literals[j].start], " \t\n,[") != "" {
			break
		}
		words = append(words, value.Exact(g.literals[j].text))
	}
	g.taken = j
	if len(words) == 1 && strings.ContainsAny(g.literals[i].text, " \t\n;|&<>$`") {
		g.script(g.literals[i].text)
		return
	}
	rest := strings.TrimLeft(g.code[g.literals[j-1].end:], " \t\n")
	g.use.Runs = append(g.use.Runs, Run{Kind: RunWords, Words: words, MoreArgs: !strings.HasPrefix(rest, "]") && !strings.HasPrefix(rest, ")"), Via: g.language + " program"})
}

// open tells reading from writing by the literal that follows, the mode.
func (g *gleaner) open(i int) {
	l := g.literals[i]
	mode := "r"
	if i+1 < len(g.literals) && strings.Trim(g.code[l.end:g.literals[i+1].start], " \t\n,mode=") == "" {
		mode = g.literals[i+1].text
		if g.language == "perl" && strings.ContainsAny(l.text, "<>+|") && len(l.text) <= 3 {
			// open(F, ">", "name"): the name comes second.
			l, mode = g.literals[i+1], l.text
		}
		g.taken = i + 2
	}
	if strings.ContainsAny(mode, "wax+>|") {
		g.file(l.text, ReadFile, WriteFile)
		return
	}
	g.file(l.text, ReadFile)
}

func (g *gleaner) file(name string, kinds ...AccessKind) {
	if name == "" || strings.ContainsAny(name, "\x00\n\\{") || strings.Contains(name, "://") {
		return
	}
	for _, k := range kinds {
		g.use.Accesses = append(g.use.Accesses, Access{Kind: k, Path: value.Exact(name), May: true, Arg: -1})
	}
}

func among(name, list string) bool {
	for s := range strings.FieldsSeq(list) {
		if s == name {
			return true
		}
	}
	return false
}

// systemPath reports whether a text is plainly the path of a file of this system.
func systemPath(s string) bool {
	if strings.ContainsAny(s, " \t\n") {
		return false
	}
	for _, top := range []string{"/etc/", "/home/", "/root/", "/usr/", "/var/", "/tmp/", "/opt/", "/proc/", "/sys/", "/srv/", "/mnt/", "/media/", "/boot/", "/run/", "/Users/", "../"} {
		if strings.HasPrefix(s, top) && len(s) > len(top) {
			return true
		}
	}
	return strings.Contains(s, "/../")
}

// literals finds the string literals of a text. Escapes are undone where they
// stand for themselves; a literal with any other escape is kept as written.
func literals(language, code string) []literal {
	var out []literal
	for i := 0; i < len(code) && len(out) < maxGleaned; i++ {
		q := code[i]
		if q == '#' && language != "node" && language != "php" && (i == 0 || code[i-1] == '\n' || code[i-1] == ' ') {
			// A comment; what stands in it runs nothing, but a quote in it could
			// hide what follows.
			if n := strings.IndexByte(code[i:], '\n'); n >= 0 {
				i += n
				continue
			}
			break
		}
		if q != '\'' && q != '"' && q != '`' {
			continue
		}
		quote := string(q)
		if language == "python" && strings.HasPrefix(code[i:], strings.Repeat(quote, 3)) {
			quote = strings.Repeat(quote, 3)
		}
		text, n, ok := quoted(code[i+len(quote):], quote)
		if !ok {
			continue // an apostrophe, or a text that goes on: look behind it
		}
		end := i + 2*len(quote) + n
		out = append(out, literal{text: text, start: i, end: end, backtick: q == '`'})
		i = end - 1
	}
	return out
}

// quoted reads up to the closing quote and returns the text and its length as
// written.
func quoted(s, quote string) (text string, n int, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			if c := s[i+1]; c == '\'' || c == '"' || c == '\\' || c == '`' || c == '/' {
				b.WriteByte(c)
			} else {
				b.WriteByte('\\')
				b.WriteByte(c)
			}
			i++
		case strings.HasPrefix(s[i:], quote):
			return b.String(), i, true
		case s[i] == '\n' && len(quote) == 1 && quote != "`":
			return "", 0, false
		default:
			b.WriteByte(s[i])
		}
	}
	return "", 0, false
}

// glean adds what stands literally in a program text.
func (c *call) glean(language, code string) {
	found := Glean(language, code)
	for _, a := range found.Accesses {
		c.access(a.Kind, a.Path, -1, false, true)
	}
	c.use.Runs = append(c.use.Runs, found.Runs...)
}
