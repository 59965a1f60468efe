package soundness

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"

	"mayi/pkg/permissions"
	"mayi/pkg/shell"
)

// Analyze predicts what a script does.
type Analyze func(command string, env shell.Env) shell.Analysis

// Checker runs scripts and compares. It is safe for concurrent use.
type Checker struct {
	analyze Analyze
	model   *Tree
	dir     string
	limit   time.Duration
}

// NewChecker plants the tree that every script gets a copy of. Close removes
// it. limit is the time that one script may take.
func NewChecker(analyze Analyze, limit time.Duration) (*Checker, error) {
	dir, err := os.MkdirTemp("", "soundness-")
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	c := &Checker{analyze: analyze, dir: dir, limit: limit, model: newTree(filepath.Join(dir, "model"))}
	if err := c.model.plant(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Close removes everything that the checker made.
func (c *Checker) Close() error { return os.RemoveAll(c.dir) }

// Miss is an access that was not predicted.
type Miss struct {
	// Program is what did it, "shell" for the shell itself.
	Program string
	// Access says what was done, in words, the tree's root written as T.
	Access string
}

// Result is what came of one script.
type Result struct {
	Script Script
	// Accesses were checked; Excused of them needed no prediction and Blind
	// were left to an opaque or unread part.
	Accesses, Excused, Blind int
	// Commands is the number of simple commands in the script and Clear how
	// many of them are read in full.
	Commands, Clear int
	// Unclear are the names of those that are not.
	Unclear []string
	Misses  []Miss
	// Predicted is the prediction, to be shown with the misses.
	Predicted []string
	// Failed: the script could not be traced.
	Failed error
}

// Check runs one script in a fresh tree and compares.
func (c *Checker) Check(s Script) Result {
	r := Result{Script: s}
	root, err := os.MkdirTemp(c.dir, "run-")
	if err != nil {
		r.Failed = err
		return r
	}
	defer os.RemoveAll(root)
	t, err := c.model.copyTo(root)
	if err != nil {
		r.Failed = err
		return r
	}
	env := t.env()
	a := c.analyze(s.Text, shell.Env{Cwd: t.Work, Home: t.Home, User: "dev", Vars: env})
	before := newResolver(t)
	p := newPrediction(a, t.workspace().Resolve(a.Effects, nil), hosts, before.resolve)
	p.count(&r)
	calls, out, err := trace(t, s.Text, c.limit)
	if err != nil {
		r.Failed = fmt.Errorf("%w: %s", err, out)
		return r
	}
	f := newFamily(calls, shellPath)
	if f.root < 0 {
		r.Failed = fmt.Errorf("the shell was not started: %s", out)
		return r
	}
	p.compare(&r, t, observe(calls, f, before.resolve))
	return r
}

// count notes how many of the script's simple commands are read in full.
func (p *prediction) count(r *Result) {
	unknown := make([]bool, len(p.parts))
	for i := range p.effects {
		if e := &p.effects[i]; e.Certainty == permissions.Unknown && e.Part >= 0 && e.Part < len(unknown) {
			unknown[e.Part] = true
		}
	}
	for i := range p.parts {
		part := &p.parts[i]
		r.Commands++
		if admits(part) == "" && !unknown[i] && len(p.unread) == 0 {
			r.Clear++
			continue
		}
		name := "?"
		if names := programsOf(part); len(names) > 0 {
			name = path.Base(names[0])
		}
		r.Unclear = append(r.Unclear, name)
	}
}

// compare sorts the accesses into covered, excused, left open, and missed.
func (p *prediction) compare(r *Result, t *Tree, list []access) {
	passes, own := newPassing(list), remade(list)
	seen := map[Miss]bool{}
	for i := range list {
		a := &list[i]
		r.Accesses++
		switch {
		case p.covers(a):
		case p.excused(a, t) != "", passes.excuses(a, p, t) != "":
			r.Excused++
		case a.kind == reads && own[a.path]:
			r.Excused++
		case p.blind(a) != "":
			r.Blind++
		default:
			m := p.miss(a, t)
			if !seen[m] {
				seen[m] = true
				r.Misses = append(r.Misses, m)
			}
		}
	}
	if len(r.Misses) > 0 {
		r.Predicted = p.lines(t)
	}
}
