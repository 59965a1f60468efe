package gate

import (
	"context"
	"fmt"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// Access is something that a running call reaches for and that was not part of
// what it was allowed to: the kernel holds it while it is decided.
type Access struct {
	// Path is canonical; Write says what is wanted with it.
	Path  string
	Write bool
	// Folder: it is a folder, and what is wanted are the names in it. An answer
	// for a session is one for what lies below, too, as for any other folder.
	Folder bool
	// Run: it is a program, and it is to be run.
	Run bool
	// Program is the program that tries. It comes from the job: for showing.
	Program string
	// Rule is the protected name that the kernel's side has found the access to be
	// about, "" for none. It knows more than the path says: a folder that is put
	// where protected files would then lie in it.
	Rule string
	// Asks is the text of the ask rule that the kernel's side has found the access
	// to be about, "" for none. It, too, knows more than the path says.
	Asks string
}

// Unasked is the choice where nobody could be asked, or nobody answered.
const Unasked approval.Choice = "unasked"

// Reach decides an access of the running call v, asking the person through
// asker (nil: nobody) where one must decide. The answers are those of any other
// question: a session answer stops further ones, also for later calls. The
// choice is Once (this access), No, or Session where there is no session that
// could remember the answer; every failure is No, or Unasked.
func (g *Gate) Reach(ctx context.Context, v Verdict, a Access, asker approval.Asker) (choice approval.Choice) {
	defer func() {
		if recover() != nil {
			choice = approval.No
		}
	}()
	grants := g.grants(v.Request.Session)
	at := g.at.Load()
	w := at.reaching(v, a)
	if grants != nil {
		e := &w.Call.Effects[0]
		e.Grant = at.answerFor(ctx, grants, e, v.Hash)
		if e.Grant == permissions.GrantedOnce {
			// Once is used up by the access that it opens.
			path := []approval.Access{{Path: e.Place.Real, Write: a.Write}}
			if ok, err := grants.Claim(ctx, v.Hash, path, false); err != nil || !ok {
				e.Grant = permissions.NoGrant
			}
		}
		if a.Run {
			// An answer about running is one about that, and not about the path.
			w.Call.Approved = grants.LookupCall(w.Hash)
		}
	}
	w.Decision = permissions.Evaluate(at.decider, w.Call)
	switch {
	case w.Verdict == permissions.Allow:
		return approval.Once
	case w.Verdict == permissions.Deny:
		g.Refuse(ctx, w)
		return approval.No
	case asker == nil:
		g.Refuse(ctx, w)
		return Unasked
	}
	q := g.Question(w)
	answer, err := asker.Ask(ctx, q)
	if err != nil {
		answer = approval.Denied("the question was not answered: %v", err)
	}
	answer = approval.Strict(q, answer)
	grant := approval.Grant{Session: v.Request.Session, Path: w.Call.Effects[0].Place.Real, Write: a.Write, At: g.now()}
	if a.Run {
		grant.Path, grant.Call = "", w.Hash
	}
	choice = approval.Once
	switch answer.Choice {
	case approval.Session, approval.Always:
		choice, grant.Answer = approval.Session, permissions.GrantedSession
	case approval.Once:
		g.answered(ctx, w, answer)
		return approval.Once
	default:
		choice, grant.Answer = approval.No, permissions.GrantDenied
		if !answer.Answered() {
			choice = Unasked
		}
	}
	if grants != nil && answer.Answered() {
		switch err := grants.Put(ctx, grant); {
		case err != nil:
			choice = approval.No
		case choice == approval.Session:
			// The session remembers it, so each further access comes back here:
			// a secret below the folder still needs an answer of its own.
			choice = approval.Once
		}
	}
	g.answered(ctx, w, answer)
	return choice
}

// reaching is the access as a call of its own: one effect of the running
// command, on a path that is known exactly.
func (c *compiled) reaching(v Verdict, a Access) Verdict {
	kind, verb := permissions.Read, "read"
	if a.Write {
		kind, verb = permissions.FSWrite, "write"
	} else if a.Run {
		kind, verb = permissions.Exec, "run"
	} else if a.Folder {
		verb = "list the folder"
	}
	e := permissions.Effect{Kind: kind, Path: a.Path, Certainty: permissions.Exact, Origin: permissions.FromRedirect, Part: 0, Program: a.Program, Asked: a.Asks}
	effects := c.space.Resolve([]permissions.Effect{e}, c.watch)
	for i := range effects {
		if p := &effects[i].Place; a.Rule != "" && a.Write && p.Protected == "" {
			p.Protected = "the place of " + a.Rule
		}
	}
	w := v
	w.Answered = ""
	if a.Run {
		w.Hash = hashOf(Request{Tool: permissions.Tool{Name: "run"}, Input: map[string]any{"program": a.Path}}, "")
	}
	w.Call = permissions.Call{
		Tool: v.Call.Tool, Shell: true, Command: v.Text, Remote: v.Call.Remote, Running: true,
		Parts:   []permissions.Part{{Words: []permissions.Word{{Text: a.Program, Known: true}}, Class: permissions.Free, Parent: -1, Name: 1}},
		Effects: effects,
	}
	w.Text = fmt.Sprintf("%s\n(running; %s wants to %s %s)", v.Text, a.Program, verb, a.Path)
	return w
}
