package shell

import (
	"strings"

	"mayi/pkg/permissions"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds on one analysis.
const (
	// maxSteps is the work budget: statements, words and loop rounds.
	maxSteps = 12000
	// maxParts and maxEffects bound the result.
	maxParts   = 2000
	maxEffects = 4000
)

// walker carries one analysis. The state of the shell is handed along
// separately, since branches split it.
type walker struct {
	a   *Analyzer
	env Env
	an  *Analysis
	frame
	steps   int
	spent   bool    // the budget's end has been reported
	calls   []*body // functions being walked
	depth   int     // evaluations inside evaluations
	scripts int     // scripts inside scripts
	ends    *ends
	procs   map[string]flow
	nprocs  int
	npipes  int
	called  map[*syntax.Stmt]bool
	defined []*body
	traps   []trap
}

// frame is the piece of text that is being walked.
type frame struct {
	src string
	// fixed, where set, is the span of everything in src: the word of the
	// command line that holds the text.
	fixed  bool
	span   permissions.Span
	parent int
	via    string
	// pipeline numbers the outermost pipeline that is being walked; 0 for none.
	pipeline int
	// background: what is walked runs beside what follows it.
	background bool
	// elsewhere: the commands run on another machine or in a container.
	elsewhere string
	// tested: the command's status is tested (a condition): errexit is off.
	tested bool
}

func (w *walker) spanOf(n syntax.Node) permissions.Span {
	if w.fixed || n == nil {
		return w.span
	}
	from, to := n.Pos(), n.End()
	if s, is := n.(*syntax.Stmt); is {
		from, to = w.bare(s)
	}
	return permissions.Span{Start: w.span.Start + int(from.Offset()), End: w.span.Start + int(to.Offset())}
}

// bare is where a statement's command stands with its redirections, without
// the "!" before it and the separator behind it.
func (w *walker) bare(s *syntax.Stmt) (from, to syntax.Pos) {
	if s.Cmd == nil && len(s.Redirs) == 0 {
		return s.Pos(), s.End()
	}
	nodes := make([]syntax.Node, 0, len(s.Redirs)+1)
	if s.Cmd != nil {
		nodes = append(nodes, s.Cmd)
	}
	for _, r := range s.Redirs {
		nodes = append(nodes, r)
	}
	from, to = nodes[0].Pos(), w.endOf(nodes[0])
	for _, n := range nodes[1:] {
		if n.Pos().Offset() < from.Offset() {
			from = n.Pos()
		}
		if end := w.endOf(n); end.Offset() > to.Offset() {
			to = end
		}
	}
	return from, to
}

// endOf is the node's end. The text of a here-document belongs to it where no
// other command stands between the two.
func (w *walker) endOf(n syntax.Node) syntax.Pos {
	r, is := n.(*syntax.Redirect)
	if !is || r.Hdoc == nil {
		return n.End()
	}
	after, text := int(r.Word.End().Offset()), int(r.Hdoc.Pos().Offset())
	if after <= text && text <= len(w.src) && strings.TrimSpace(w.src[after:text]) != "" {
		return r.Word.End()
	}
	return n.End()
}

// text is the source of a node, for showing.
func (w *walker) text(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(w.src) || from > to {
		return "…"
	}
	return w.src[from:to]
}

// step takes one unit from the work budget; false means that it is used up.
func (w *walker) step() bool {
	w.steps--
	if w.steps > 0 {
		return true
	}
	if !w.spent {
		w.spent = true
		w.an.Unread = append(w.an.Unread, permissions.Unread{Why: "the command takes too much work to follow", Span: w.span})
	}
	return false
}

// newPart appends a part and returns its index.
func (w *walker) newPart(n syntax.Node, class permissions.Class) int {
	if len(w.an.Parts) >= maxParts {
		w.steps = 0
		w.step()
		return len(w.an.Parts) - 1
	}
	w.an.Parts = append(w.an.Parts, permissions.Part{
		Class: class, Parent: w.parent, Via: w.via, Span: w.spanOf(n), Within: w.fixed,
		Pipe: w.pipeline, Background: w.background,
	})
	return len(w.an.Parts) - 1
}

// unread reports something that cannot be read, at the part that holds it.
func (w *walker) unread(n syntax.Node, why string) { w.unreadAt(w.parent, w.spanOf(n), why) }

func (w *walker) unreadAt(part int, span permissions.Span, why string) {
	w.note(part, permissions.Unread{Why: why, Span: span})
}

// dashed reports that a glob may expand to an option, in the folders that the
// command may run in.
func (w *walker) dashed(st *state, c *command, why string) {
	folders, known := st.cwd.Texts()
	if !known || len(folders) != 1 {
		w.unreadAt(c.part, c.span, why)
		return
	}
	w.note(c.part, permissions.Unread{Why: why, Span: c.span, Dashed: folders[0]})
}

func (w *walker) note(part int, u permissions.Unread) {
	list := &w.an.Unread
	if part >= 0 && part < len(w.an.Parts) {
		list = &w.an.Parts[part].Unread
	}
	for _, have := range *list {
		if have == u {
			return
		}
	}
	*list = append(*list, u)
}

// effect appends an effect unless the same one is already there.
func (w *walker) effect(e permissions.Effect) {
	if w.elsewhere != "" && (e.Kind == permissions.Read || e.Kind == permissions.FSWrite) {
		return
	}
	if len(w.an.Effects) >= maxEffects {
		w.steps = 0
		w.step()
		return
	}
	n := len(w.an.Effects)
	for i := n - 1; i >= 0 && i >= n-16; i-- {
		if sameEffect(&w.an.Effects[i], &e) {
			return
		}
	}
	w.an.Effects = append(w.an.Effects, e)
}

// mark and rollback take back what was emitted since: for runs whose only
// purpose is the state that they leave.
type mark struct{ parts, effects, unread int }

func (w *walker) mark() mark {
	return mark{len(w.an.Parts), len(w.an.Effects), len(w.an.Unread)}
}

func (w *walker) rollback(m mark) {
	w.an.Parts = w.an.Parts[:m.parts]
	w.an.Effects = w.an.Effects[:m.effects]
	if !w.spent {
		w.an.Unread = w.an.Unread[:m.unread]
	}
}

func sameEffect(a, b *permissions.Effect) bool {
	return a.Kind == b.Kind && a.Part == b.Part && a.Path == b.Path && a.Host == b.Host && a.Program == b.Program &&
		a.Certainty == b.Certainty && a.Recursive == b.Recursive && a.Follow == b.Follow && a.NoFollow == b.NoFollow && a.Glob == b.Glob && a.Sweep == b.Sweep && a.LinkTo == b.LinkTo &&
		a.Origin == b.Origin && a.URL == b.URL && a.Span == b.Span && a.Scratch == b.Scratch && a.Secret == b.Secret && a.Listed == b.Listed
}
