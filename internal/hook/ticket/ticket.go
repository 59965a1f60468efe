// Package ticket keeps what a hook has decided about a command until the
// command is run: which text, for whom, where, under which policy. A ticket has
// a name that nobody can guess, is good for one run, and ends after minutes.
//
// Tickets are lines of files that only the person can read, below mayi's own
// state, which no agent may write: one file for all that end in the same
// quarter of an hour, since to make a file takes longer than to decide. A line
// is written at once and then changed in one byte, which says that the ticket
// was used; that is done under the file's lock, so that of any number of claims
// at the same time exactly one has it.
package ticket

import (
	"errors"
	"time"

	"mayi/pkg/gate"
)

// Life is how long a ticket can be used after it was issued. An agent may show
// the command to the person before it runs it.
const Life = 15 * time.Minute

// Ticket is one command that was decided about.
type Ticket struct {
	ID string
	// Agent and Session are whose command it is.
	Agent   string
	Session string
	// Text is what runs, Line the whole command that the agent was given for it.
	Text string
	Line string
	// Dir is the canonical folder that it has to run in.
	Dir string
	// Search is the PATH that the command was decided under.
	Search string
	// Place is what the gate was opened for: the call's folder, the agent's.
	Cwd       string
	Root      string
	Workspace string
	Override  []byte
	// Policy is the version of the policy that decided.
	Policy string
	// Begun: the gate has let the call begin, under the record's Number. Asked: a
	// person is asked first, by the agent.
	Begun  bool
	Number int64
	Asked  bool
	// Verdict is the decision that the run is held to.
	Verdict gate.Verdict
	// Expires is when it ends, in nanoseconds since 1970: at most [Life] after it
	// was issued.
	Expires int64
}

// The reasons why a ticket cannot be used.
var (
	// ErrNone: it never was, was used, or has ended.
	ErrNone = errors.New("there is no such ticket: it was used, has ended, or never was")
	// ErrReadOnly: the folder of tickets cannot be written from here.
	ErrReadOnly = errors.New("tickets cannot be used up from here")
)
