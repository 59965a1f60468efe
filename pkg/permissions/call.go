package permissions

// Tool names the tool that is called. An exemption belongs to the built-in
// tool itself, never to its name: Builtin is set by the registry, not read
// from the wire.
type Tool struct {
	// Name is the canonical name of a built-in tool ("bash", "read", "write",
	// "edit", "grep", …) or the name that its server gave it.
	Name string
	// Server is the MCP server that the tool comes from, "" for others.
	Server string
	// Builtin: the tool is mayi's own.
	Builtin bool
}

// Call is one tool call, worked out as far as the decision needs it: a value
// that the stages before the decision have filled in.
type Call struct {
	Tool Tool
	// Shell: the call runs a command line; Parts describes it.
	Shell bool
	// Command is the command line as the agent wrote it ("" for other tools).
	Command string
	// Effects is everything that the call can do. An empty list is an
	// undeclared call.
	Effects []Effect
	// Parts are the simple commands of a shell call, in source order; what a
	// wrapper or a substitution runs follows the command that holds it.
	Parts []Part
	// Unread lists what could not be read in the command line as a whole (it
	// does not parse, it is too large, …). Nothing covers it.
	Unread []Unread
	// Remote: the caller is a gateway, RPC or MCP client.
	Remote bool
	// Approved: a person has approved exactly this call, in this session and
	// under this policy.
	Approved Grant
	// Confinable: whoever runs the call can have the kernel hold it to the
	// workspace, so that what is not known about it need not be asked about. The
	// decision then carries [Confine] as an obligation.
	Confinable bool
	// Running: the call is an access of a call that runs already, so that what
	// ask rules say about its tool and its commands has been asked.
	Running bool
	// Held: the call is a connection of a running call that was allowed on the
	// condition that the kernel holds it ([Confine]). Where it leads, and what it
	// carries there, nobody could say before.
	Held bool
}

// Part is one simple command of a shell call.
type Part struct {
	// Words are the command's words after expansion and quote removal.
	Words []Word
	// Canon is a second spelling under which rules may match: global options
	// that do not change what is done are left out (git -C sub --no-pager
	// log → git log) and a program in a trusted system directory loses its
	// directory (/bin/ls → ls). nil where it is the same as Words.
	Canon []Word
	// Bare is a third spelling, under which deny and ask rules may match: no
	// option stands before the sub-commands, whatever it does (npm -s publish →
	// npm publish). nil where it is the same as Words.
	Bare []Word
	// Name is how many of the leading words of Canon (or Words) name the
	// command: 1 for ls, 2 for git status, 3 for npm run test.
	Name int

	Class Class
	// Parent is the index of the part that runs this one (a wrapper, find
	// -exec, a shell's -c text, a substitution in a word), or -1.
	Parent int
	// InnerAt is, for a wrapper, the index in Words at which the wrapped
	// command's own words begin; 0 where they do not stand in Words.
	InnerAt int
	// Via says in a few words how the parent runs this part ("timeout",
	// "find -exec", "command substitution", "function cleanup").
	Via string

	// Person is set where only a person may run the command, in any mode and
	// under any rule or grant; it says why.
	Person string

	// Pipe numbers the pipeline that the part stands in: what one part of it
	// reads can reach those behind it. 0 where it stands in none.
	Pipe int
	// Background: the part runs beside what follows it, in a shell of its own.
	Background bool

	Opaque Opaque
	// Unread lists what nobody can read before it runs and what no allow rule
	// for the command's first words can therefore cover: a program or a file
	// that an option, a variable or a substitution names at run time.
	Unread []Unread
	// ArgsMayRun: the program is not known, so that its arguments may be a
	// command of their own. A deny rule is tried at every word.
	ArgsMayRun bool

	Span Span
	// Within: Span is that of what the part stands in (the word behind sh -c,
	// all of find -exec), since the part has no place of its own in the line.
	Within bool
}

// Word is one word of a command after expansion.
type Word struct {
	// Text is the word where Known; otherwise the source text, for showing.
	Text  string
	Known bool
	// OneOf holds the possible values of a word that is one of a few.
	OneOf []string
	// ByName: the word is an option that makes a command for reading write or do
	// something (sort -o, find -delete). An allow rule covers the command only if
	// its own words reach to the last such word and name it; * does not name it.
	ByName bool
}

// Unread is a piece of a command that could not be read, with the reason.
type Unread struct {
	Why  string
	Span Span
	// Dashed, where set, is a folder: the piece is only unread where that folder
	// holds a file whose name begins with a dash, which a glob would turn into
	// an option. Whoever can look at the disk may take the entry out.
	Dashed string
	// Tame, where its Tree is set, is like Dashed: the piece is only unread
	// where the names in a tree are not as tame as it says.
	Tame Tame
}

// Conditional reports whether a look at the disk may take the entry out.
func (u Unread) Conditional() bool { return u.Dashed != "" || u.Tame.Tree != "" }

// Tame is what must be true of the names of the files in a tree for a list of
// them to be split into just those names.
type Tame struct {
	// Tree is the directory, absolute.
	Tree string
	// Without are the features that no name below may have.
	Without Awkward
	// Index: the names in git's index count as well.
	Index bool
}

// Awkward is a set of features of file names that make them turn into
// something else when a list of names is split.
type Awkward uint8

// The features.
const (
	// Dash: a name directly in the tree begins with a dash.
	Dash Awkward = 1 << iota
	// Newline: there is a newline in it.
	Newline
	// Blank: there is another blank or control character in it.
	Blank
	// Quote: there is a quote in it.
	Quote
	// Backslash: there is a backslash in it.
	Backslash
	// DotGlob: it is a pattern that may match "." or "..".
	DotGlob
)

// Class says whether a part needs a rule of its own.
type Class uint8

const (
	// Program: needs an allow rule (or the read-only proof). The zero value.
	Program Class = iota
	// Free: a builtin or keyword without an effect of its own.
	Free
	// Wrapper: does nothing but run what follows; that needs the rule.
	Wrapper
	// Function: a call of a function whose body follows as parts.
	Function
)

// Opaque says what is hidden in a command by its nature, as opposed to by its
// spelling (see [Part.Unread]). A rule that names the command covers it.
type Opaque uint8

const (
	// Clear: everything that the command does is in the effects.
	Clear Opaque = iota
	// OpaqueProgram: the program, or the workspace's code that it runs (tests,
	// builds, scripts), decides what happens.
	OpaqueProgram
	// OpaqueInline: the command line itself holds program text (python -c, a
	// here-document for node) that was not understood.
	OpaqueInline
)
