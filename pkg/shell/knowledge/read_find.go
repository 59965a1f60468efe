package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// readFind describes find: start points, then an expression in which only
// the place says what a word is.
func readFind(c *call) {
	f := finder{call: c}
	i := f.starts()
	f.any = f.start[0].val
	for _, s := range f.start[1:] {
		f.any = value.Union(f.any, s.val)
	}
	f.expression(i)
	f.printed(i)
	// A find that does nothing but run commands on what it finds is what they are.
	c.use.Transparent = len(c.use.Runs) > 0 && len(c.use.ByName) == 0
	for _, s := range f.start {
		c.access(ListDir, s.val, s.arg, true, false)
		if f.deletes {
			c.access(DeleteFile, s.val, s.arg, true, true)
			c.linkItself(1)
		}
	}
	for _, v := range f.deleted {
		c.access(DeleteFile, v, -1, false, true)
		c.linkItself(1)
	}
}

type finder struct {
	*call
	start []operand
	any   value.Value // every start point
	// deletes: everything below may be deleted; deleted are those files that
	// only some names of are.
	deletes bool
	deleted []value.Value
	// met is what the tests so far let through, outer the same before each open
	// bracket.
	met   condition
	outer []condition
}

// starts reads the options and the start points, and returns where the
// expression begins.
func (f *finder) starts() int {
	ops, i := f.operands, 0
options:
	for ; i < len(ops); i++ {
		switch t, _ := ops[i].val.Text(); {
		case t == "-L":
			f.follows = true
		case t == "-H" || t == "-P" || strings.HasPrefix(t, "-O"):
		case t == "-D":
			i++
		case t == "--":
			i++
			break options
		default:
			break options
		}
	}
	for ; i < len(ops); i++ {
		t, exact := ops[i].val.Text()
		head := t
		if !exact {
			head = ops[i].val.Prefix()
		}
		if strings.HasPrefix(head, "-") || exact && (t == "(" || t == ")" || t == "!" || t == ",") {
			break
		}
		if head == "" && !exact {
			f.unread("a value that is not known before it runs (" + ops[i].val.String() + ") may be part of find's expression")
		}
		f.start = append(f.start, ops[i])
	}
	if len(f.start) == 0 {
		f.start = []operand{{val: value.Exact("."), arg: -1}}
	}
	return i
}

// expression reads the tests and actions from operand i on.
func (f *finder) expression(i int) {
	ops := f.operands
	for i < len(ops) {
		t, ok := ops[i].val.Text()
		if !ok {
			f.unread("a part of find's expression is not known: " + ops[i].val.String())
			f.met = condition{}
			i++
			continue
		}
		if n := f.test(ops, i); n > 0 {
			i += n
			continue
		}
		arg := func(n int) operand {
			if i+n < len(ops) {
				return ops[i+n]
			}
			return operand{arg: -1}
		}
		switch t {
		case "-a", "-and", "-true", "-false", "-print", "-print0", "-ls",
			"-prune", "-quit", "-depth", "-d", "-daystart", "-mount", "-xdev", "-noleaf", "-empty",
			"-executable", "-readable", "-writable", "-nogroup", "-nouser", "-warn", "-nowarn", "-help", "--help",
			"-version", "--version", "-ignore_readdir_race", "-noignore_readdir_race", "-X", "-x", "-s", "-E":
			i++
		case "-path", "-ipath", "-wholename", "-iwholename", "-lname", "-ilname", "-regex", "-iregex",
			"-regextype", "-xtype", "-size", "-perm", "-user", "-group", "-uid", "-gid", "-links", "-inum",
			"-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-used", "-maxdepth", "-mindepth", "-fstype",
			"-printf", "-context", "-flags":
			i += 2
		case "-newer", "-anewer", "-cnewer", "-samefile":
			f.access(ListDir, arg(1).val, arg(1).arg, false, false)
			i += 2
		case "-files0-from":
			f.role(role{kind: rolePaths}, arg(1).val, arg(1).arg, false)
			i += 2
		case "-fprint", "-fprint0", "-fls":
			f.use.ByName = append(f.use.ByName, ops[i].arg)
			f.access(WriteFile, arg(1).val, arg(1).arg, false, false)
			i += 2
		case "-fprintf":
			f.use.ByName = append(f.use.ByName, ops[i].arg)
			f.access(WriteFile, arg(1).val, arg(1).arg, false, false)
			i += 3
		case "-delete":
			f.use.ByName = append(f.use.ByName, ops[i].arg)
			if files, ok := f.met.files(f.start, true); ok {
				f.deleted = append(f.deleted, files)
			} else {
				f.deletes = true
			}
			i++
		case "-follow":
			f.follows = true
			i++
		case "-exec", "-execdir", "-ok", "-okdir":
			i = f.exec(t, i+1)
		default:
			if strings.HasPrefix(t, "-newer") && len(t) == 8 {
				if t[7] != 't' {
					f.access(ListDir, arg(1).val, arg(1).arg, false, false)
				}
				i += 2
				continue
			}
			f.unread("unknown word in find's expression: " + t)
			i++
		}
	}
}

// exec reads the command of an action and returns what follows it.
func (f *finder) exec(action string, i int) int {
	ops := f.operands
	var words []value.Value
	for j := i; j < len(ops); j++ {
		t, ok := ops[j].val.Text()
		if ok && t == ";" || ok && t == "+" && j > i && isBraces(ops[j-1].val) {
			run := Run{Kind: RunWords, Words: words, Via: "find " + action}
			if strings.HasSuffix(action, "dir") {
				f.execDir()
			}
			f.use.Runs = append(f.use.Runs, run)
			return j + 1
		}
		if !ok {
			if _, any := ops[j].val.HasUnknown(); any && ops[j].val.Prefix() == "" {
				f.unread("a word of find " + action + " is not known and may end the command: " + ops[j].val.String())
			}
		}
		words = append(words, f.found(ops[j].val, action))
	}
	// Without its end the action is an error and nothing runs; it is shown
	// all the same.
	f.use.Runs = append(f.use.Runs, Run{Kind: RunWords, Words: words, Via: "find " + action})
	return len(ops)
}

// execDir: -execdir runs in the directory of each file, which cannot be
// named better than by the start points.
func (f *finder) execDir() {
	if f.use.Cwd != nil {
		return
	}
	dir := f.any
	dir = value.Concat(dir, value.Unknown("the directory of each file that is found"))
	f.use.Cwd = &dir
}

func isBraces(v value.Value) bool {
	t, ok := v.Text()
	return ok && t == "{}"
}

// found is a word of the command with {} replaced by what find can find.
func (f *finder) found(v value.Value, action string) value.Value {
	t, ok := v.Text()
	if !ok || !strings.Contains(t, "{}") {
		return v
	}
	file, _ := f.met.files(f.start, f.follows)
	if strings.HasSuffix(action, "dir") {
		file = value.Concat(value.Exact("./"), value.Pattern("*"))
	}
	out := value.Exact("")
	for k, part := range strings.Split(t, "{}") {
		if k > 0 {
			out = value.Concat(out, file)
		}
		out = value.Concat(out, value.Exact(part))
	}
	return out
}
