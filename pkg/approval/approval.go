// Package approval brings a question to the person and the answer back.
//
// Whoever implements [Asker] is a way to reach the person: a terminal, a chat,
// the queue that another process answers. The rules are the same for all, held
// by one conformance suite (approvaltest): the answer comes over the person's
// own channel and never from the model; nothing but a clear yes grants; a
// question that nobody answers is a denial that says so.
package approval

import (
	"context"
	"time"

	"mayi/pkg/permissions"
)

// Choice is the person's answer.
type Choice string

// The choices. Every other word is No.
const (
	// No refuses, and the same question is not asked again in this session.
	No Choice = "no"
	// Once lets exactly this call run one time.
	Once Choice = "once"
	// Session lets it, and what the question named, for the rest of the session.
	Session Choice = "session"
	// Always writes the shown rule into the settings file that was chosen.
	Always Choice = "always"
)

// Question is what the person is asked. Every fact in it was worked out by
// mayi; nothing in it is the model's wording.
type Question struct {
	// ID names the question; unique, unguessable.
	ID string `json:"id"`
	// Session is whose session it is; only its Owner may answer.
	Session string `json:"session"`
	Owner   string `json:"owner,omitempty"`
	// Call is the hash of the exact call (tool, input, working directory),
	// Policy that of the policy it was decided under.
	Call   string `json:"call"`
	Policy string `json:"policy"`
	Tool   string `json:"tool"`
	// Command is the whole command line, or a one-line description of another
	// tool's call, raw: whoever shows it calls [Visible].
	Command string             `json:"command"`
	Needs   []permissions.Need `json:"needs"`
	Reason  string             `json:"reason"`
	Risk    permissions.Risk   `json:"risk"`
	// Rules are the suggestions for Always, narrowest first, as text.
	Rules   []string  `json:"rules,omitempty"`
	Asked   time.Time `json:"asked"`
	Expires time.Time `json:"expires"`
}

// Answer is what came back.
type Answer struct {
	Choice Choice `json:"choice"`
	// Rule and Layer ("user" or "project") go with Always.
	Rule  string `json:"rule,omitempty"`
	Layer string `json:"layer,omitempty"`
	// By says who answered and over which channel, for the record.
	By string `json:"by,omitempty"`
	// Note says why, where nobody answered ("nobody answered within 50 s").
	Note string `json:"note,omitempty"`
}

// Asker reaches the person. Ask blocks until there is an answer, the question
// expires or ctx ends; an error is a denial. Safe for concurrent use.
type Asker interface {
	Ask(ctx context.Context, q Question) (Answer, error)
}

// Grant is an answer that is remembered.
type Grant struct {
	Session string
	// Path and Write: the access that was granted or denied; it covers what is
	// below Path, too. Path is canonical. "" for a grant of a call alone.
	Path  string
	Write bool
	// Call is the hash of the call that the person was shown. A Once grant is
	// good for that call only; "" (set by hand) for any.
	Call string
	// Answer is GrantedOnce, GrantedSession or GrantDenied.
	Answer permissions.Grant
	At     time.Time
}

// Grants remembers the answers of one session. Safe for concurrent use;
// tools.PermissionCache keeps them in memory, store.Grants on disk, and
// approvaltest.Grants is the suite that both pass.
type Grants interface {
	// Lookup returns the answer that covers this access to path, for this call:
	// the most specific path wins, a denial is inherited downwards, a read
	// grant does not cover a write (a write grant covers a read), a Once grant
	// of another call does not count.
	Lookup(path string, write bool, call string) permissions.Grant
	// LookupCall returns the answer about the call itself.
	LookupCall(call string) permissions.Grant
	// Put remembers g. A later answer about the same subject replaces it.
	Put(ctx context.Context, g Grant) error
	// Claim consumes the Once grants that the call needs, all or none: paths
	// are those whose Lookup said GrantedOnce, self says that LookupCall did.
	// It returns false where one is gone already. Exactly one of any number of
	// concurrent claims, in this process or another, gets true.
	Claim(ctx context.Context, call string, paths []Access, self bool) (bool, error)
	// Revoke forgets every answer about path itself.
	Revoke(ctx context.Context, path string) error
	// List returns what is remembered, oldest first.
	List(ctx context.Context) ([]Grant, error)
}

// Access is a path and what is done to it.
type Access struct {
	Path  string
	Write bool
}
