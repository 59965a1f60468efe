package hook

import (
	"context"
	"path/filepath"
	"sync/atomic"

	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// Place is where a call is made.
type Place struct {
	// Cwd is the call's working directory.
	Cwd string
	// Root is the folder that the agent works in; the workspace is looked for
	// from there, since the agent may change Cwd. "" is Cwd.
	Root string
	// Workspace is the workspace's root where the caller named it.
	Workspace string
	// Session is the session whose answers count, Override its settings.
	Session  string
	Override []byte
}

// Door is the gate for one call with what stands behind it.
type Door struct {
	Gate *gate.Gate
	// Questions are where a question can wait for its answer; nil refuses a call
	// that must be asked about there, or ends it with [ErrNeedsStore] where the
	// store is only out of this process's reach (Absent).
	Questions approval.QuestionStore
	// Keep makes a session one that is remembered, before something is answered
	// in it; nil keeps nothing.
	Keep func(ctx context.Context, session string) error
	// Absent is set where this process has no store of answers, and stands in
	// for it.
	Absent *Absent
	// Close gives everything back; nil is nothing.
	Close func() error
}

// tickets is the folder that confined commands' tickets lie in, "" for none.
func (d *Door) tickets() string {
	if dir := d.Gate.Settings().Options().StateDir; dir != "" {
		return filepath.Join(dir, "tickets")
	}
	return ""
}

func (d *Door) close() {
	if d.Close != nil {
		_ = d.Close()
	}
}

// Absent is the store of a process that has none: it notes that an answer was
// looked for. A decision that was made without looking stands. Give [Absent.Grants]
// to the gate for sessions that may remember something.
type Absent struct{ asked atomic.Bool }

// Asked reports whether an answer was looked for.
func (a *Absent) Asked() bool { return a != nil && a.asked.Load() }

// Grants are those of a session that may remember something.
func (a *Absent) Grants() approval.Grants { return missing{a} }

// missing remembers nothing, and says that it was asked.
type missing struct{ a *Absent }

func (m missing) Lookup(string, bool, string) permissions.Grant {
	m.a.asked.Store(true)
	return permissions.NoGrant
}

func (m missing) LookupCall(string) permissions.Grant {
	m.a.asked.Store(true)
	return permissions.NoGrant
}

func (m missing) Put(context.Context, approval.Grant) error {
	m.a.asked.Store(true)
	return ErrNeedsStore
}

func (m missing) Claim(context.Context, string, []approval.Access, bool) (bool, error) {
	m.a.asked.Store(true)
	return false, ErrNeedsStore
}

func (m missing) Revoke(context.Context, string) error {
	m.a.asked.Store(true)
	return ErrNeedsStore
}

func (m missing) List(context.Context) ([]approval.Grant, error) {
	m.a.asked.Store(true)
	return nil, ErrNeedsStore
}
