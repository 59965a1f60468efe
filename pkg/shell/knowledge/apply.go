package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// apply turns what was parsed into effects: the table's own, those of the
// options in order, those of the operands.
func (c *call) apply() {
	t := c.table
	slots, none, recursive := t.operands, t.none, false
	for _, s := range c.seen {
		if s.opt.takes && s.has && s.opt.value.kind == roleCd {
			c.chdir(s.val, s.arg)
		}
	}
	c.effects(t.always)
	for _, w := range t.when {
		if len(w.any) > 0 && !c.has(w.any...) || len(w.not) > 0 && c.has(w.not...) || w.operand && len(c.operands) == 0 {
			continue
		}
		if w.replaces {
			slots = w.operands
		}
		if w.none != nil {
			none = w.none
		}
		recursive = recursive || w.recursive
		c.effects(w.does)
	}
	for _, s := range c.seen {
		c.effects(s.opt.does)
		if s.has && s.opt.value.kind != roleCd {
			c.role(s.opt.value, s.val, s.arg, recursive)
		}
	}
	if len(c.operands) == 0 {
		c.effects(none)
	}
	c.place(slots, recursive)
}

// effects applies effects that do not depend on a word.
func (c *call) effects(list []effect) {
	for _, e := range list {
		switch e.mark {
		case "":
			word := value.Exact(e.text)
			if rest, ok := strings.CutPrefix(e.text, "~/"); ok {
				word = home("/" + rest)
			} else if e.text == "*" {
				word = value.Pattern("*") // a file here, under a name that is not known
			}
			c.role(e.role, word, -1, false)
		case "stdin":
			c.stdin(StdinData)
		case "stdin-script":
			c.use.Stdin = StdinScript
		case "stdin-code":
			c.use.Stdin = StdinCode
		case "stdin-args":
			c.use.Stdin = StdinArgs
		case "stdin-paths":
			c.use.Stdin = StdinPaths
		case "executes":
			c.use.Executes = e.text
		case "workspace":
			c.use.Workspace = e.text
		case "person":
			c.use.Person = e.text
		case "unread":
			c.unread(e.text)
		case "secret":
			c.use.Secret = e.text
		case "steers", "by-name":
			// only marks the option as one that changes what happens
		case "follows":
			c.follows = true
		case "git-store":
			c.gitStore()
		case "worktree":
			c.worktree(SweepTracked)
		case "worktree-any":
			c.worktree(SweepAny)
		case "args-run":
			c.use.ArgsMayRun = true
		case "state":
			c.use.State = true
		case "net":
			c.net(false, value.Unknown("the program picks the host"), -1)
		case "net-out":
			c.net(true, value.Unknown("the program picks the host"), -1)
		}
	}
}

// stdin notes that standard input is read, unless something stronger is known.
func (c *call) stdin(s Stdin) {
	if c.use.Stdin == StdinUnused {
		c.use.Stdin = s
	}
}

// place distributes the operands over the slots: the leading places from the
// front, the trailing ones from the back, the rest to the one that takes any
// number.
func (c *call) place(slots []slot, recursive bool) {
	n := len(c.operands)
	at := assign(slots, n)
	for k, s := range slots {
		if s.standard != "" && !holds(at, k) {
			c.role(s.role, value.Exact(s.standard), -1, recursive)
		}
	}
	for i, op := range c.operands {
		if at[i] < 0 && c.table.adds {
			continue
		}
		if at[i] < 0 {
			c.unread("more operands than the program takes: " + op.val.String())
			c.role(role{kind: roleUpdate, may: true}, op.val, op.arg, true)
			continue
		}
		if r := slots[at[i]].role; r.kind == roleCommand || r.kind == roleScript {
			c.role(r, op.val, op.arg, false)
			return
		}
		if !op.val.HasGlob() {
			c.role(slots[at[i]].role, op.val, op.arg, recursive)
			continue
		}
		// A pattern can become several words, which can reach into the places
		// beside its own.
		lo, hi := 0, len(slots)-1
		if i > 0 && at[i-1] >= 0 {
			lo = at[i-1]
			if !slots[lo].many {
				lo++
			}
		}
		if i+1 < n && at[i+1] >= 0 {
			hi = at[i+1]
			if !slots[hi].many {
				hi--
			}
		}
		for k := lo; k <= hi; k++ {
			c.role(slots[k].role, op.val, op.arg, recursive)
		}
	}
}

func holds(list []int, n int) bool {
	for _, v := range list {
		if v == n {
			return true
		}
	}
	return false
}

// assign says which slot each of n operands takes, -1 for none.
func assign(slots []slot, n int) []int {
	at := make([]int, n)
	many := -1
	for k, s := range slots {
		if s.many {
			many = k
		}
	}
	if many < 0 {
		// Optional places are filled from the left while enough are left for
		// those that are required.
		need := 0
		for _, s := range slots {
			if s.required {
				need++
			}
		}
		i := 0
		for k, s := range slots {
			if i == n {
				break
			}
			if !s.required && n-i <= need {
				continue
			}
			if s.required {
				need--
			}
			at[i] = k
			i++
		}
		for ; i < n; i++ {
			at[i] = -1
		}
		return at
	}
	lead, trail := many, len(slots)-many-1
	for i := range at {
		switch {
		case i < lead:
			at[i] = i
		case n-i <= trail:
			at[i] = len(slots) - (n - i)
		default:
			at[i] = many
		}
	}
	return at
}

// command hands the words from index i of argv on as a command, which runs
// elsewhere unless elsewhere is "".
func (c *call) command(i int, elsewhere string) {
	c.use.Runs = append(c.use.Runs, Run{Kind: RunWords, Words: c.rest(i), Via: c.via(), At: i, Elsewhere: elsewhere})
	if c.use.InnerAt == 0 {
		c.use.InnerAt = i
	}
}

// script hands the words from index i of argv on as shell text.
func (c *call) script(i int, elsewhere string) {
	text := c.argv[i]
	for _, w := range c.argv[i+1:] {
		text = value.Concat(value.Concat(text, value.Exact(" ")), w)
	}
	c.use.Runs = append(c.use.Runs, Run{Kind: RunScript, Script: text, Via: c.via(), Elsewhere: elsewhere})
}

// via is how this program's name reads in an explanation.
func (c *call) via() string {
	t, _ := c.argv[0].Text()
	return baseName(t)
}

func baseName(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }
