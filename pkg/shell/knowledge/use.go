package knowledge

import "mayi/pkg/shell/value"

// Use is what one program does with one list of arguments, as far as the
// knowledge base can say. Paths are as written: the shell package makes them
// absolute, since only it knows the working directory.
type Use struct {
	// Known: the base has an entry for the program. Where it has none, every
	// other field is empty and the caller treats the program as one that may
	// do anything.
	Known bool
	// Bare are the indexes in argv of the program, its sub-commands and all that
	// follows these, without any option before them, whatever it does; nil where
	// that is all of argv.
	Bare []int
	// Name is how many words of Canon name the command (git status: 2).
	Name int
	// Canon are the indexes in argv of the words that rules may match when
	// harmless global options are left out; nil where that is all of argv.
	Canon []int

	Accesses []Access
	Net      []Net
	Runs     []Run
	Inline   []Inline
	Stdin    Stdin
	// Workspace is set where the program runs code of the workspace (tests,
	// builds, package scripts, hooks); it says which.
	Workspace string
	// Executes: the program's own work is an exec effect even though nothing
	// above says so (it talks to a daemon, changes the system, …).
	Executes string
	// State: the program changes state that is neither a file of the workspace
	// nor the network (a clipboard, a desktop notification).
	State bool
	// Person is set where only a person may run the command, and says why:
	// mayi's own answers and settings.
	Person string
	// Unread are things that the arguments hide: an option that could not be
	// matched, a value that names a program at run time, an unknown option of
	// a program whose options can write.
	Unread []string
	// Dashed is like one of Unread, but only true where the working directory
	// holds a file whose name begins with a dash: a glob could expand to it.
	Dashed string
	// ByName are the indexes in argv of options that turn a program that reads
	// into one that writes or does something: an allow rule for the words before
	// them does not cover them.
	ByName []int
	// Cwd is set where the program changes its directory before anything else
	// (git -C, env -C, make -C, tar -C): later accesses are relative to it.
	// Accesses carry their own Dir; this one is for what Runs run.
	Cwd *value.Value
	// Env are assignments that the program makes for what it runs (env X=1).
	Env []Assign
	// ClearEnv: the program starts what it runs without the environment (env -i).
	ClearEnv bool
	// Transparent: a wrapper that does nothing but run Runs (timeout, nice, env):
	// it needs no rule of its own. InnerAt is where the inner words begin in argv.
	Transparent bool
	InnerAt     int
	// Secret is set where the program gives away something secret that is no
	// file of its arguments: it says what.
	Secret string
	// ArgsMayRun: words among the arguments may be a command that the program
	// runs, in a way that its entry does not say.
	ArgsMayRun bool
	// Prints says what kind of text the program writes to standard output.
	Prints Prints
	// Split says how words are made of standard input where they become
	// arguments (StdinArgs).
	Split Split
}

// Prints is the kind of text that a program writes to standard output.
type Prints struct {
	Kind PrintKind
	// Sep ends each line: a newline or NUL.
	Sep byte
	// Names, for PrintsNames, are the names that may be printed.
	Names value.Value
	// Links: a name may be that of a symbolic link. Quoted: unusual names are
	// printed in quotes, as git does. Index: they are git's, and need not be on
	// the disk.
	Links, Quoted, Index bool
}

// PrintKind is a kind of output.
type PrintKind uint8

const (
	// PrintsAnything: the output is not known.
	PrintsAnything PrintKind = iota
	// PrintsInput: whole lines of standard input and nothing else.
	PrintsInput
	// PrintsNames: names of files, each on a line of its own.
	PrintsNames
)

// Split is how words are made of text.
type Split uint8

const (
	// SplitUnknown: in a way that is not known.
	SplitUnknown Split = iota
	// SplitBlanks: at blanks and newlines; quotes and backslashes quote.
	SplitBlanks
	// SplitLines: one word a line, blanks in front of it dropped; quotes and
	// backslashes quote.
	SplitLines
	// SplitNewlines: at newlines alone.
	SplitNewlines
	// SplitNULs: at NUL bytes alone.
	SplitNULs
)

// InputWord stands in the words of a [Run] for what comes from standard input.
const InputWord = "a word that comes from standard input"

// AccessKind is what happens to a path.
type AccessKind uint8

const (
	ReadFile  AccessKind = iota
	WriteFile            // created, truncated, appended to, or its metadata changed
	DeleteFile
	ListDir  // names (and metadata) are read, contents are not
	RunFile  // the file is executed or loaded as code
	MakeLink // a symbolic link at Path that points to Target
)

// Access is one use of a path.
type Access struct {
	Kind AccessKind
	Path value.Value
	// Dir, where set, is what a relative Path is relative to (tar -C), itself
	// relative to the working directory.
	Dir       *value.Value
	Recursive bool
	// Follow: what links below the path lead to is touched, too. NoFollow: a
	// link is touched itself and not what it leads to.
	Follow, NoFollow bool
	// Sweep: whatever is there below the path is meant, and no file in particular.
	Sweep Sweep
	// May: the program may or may not touch it (a prefix, a guess).
	May    bool
	Target value.Value // MakeLink: where the link points, as written
	// Arg is the index in argv that the path stands in, or -1.
	Arg int
}

// Sweep says which files of a work tree git writes or removes.
type Sweep uint8

const (
	NoSweep      Sweep = iota
	SweepTracked       // those that it tracks, or will; nothing in .git
	SweepAny           // others, too (git clean, git stash -u, git apply)
)

// Net is one use of the network.
type Net struct {
	Write bool
	// Target is a URL, host, host:port or user@host:path, as written; an
	// Unknown value where the program picks the host itself.
	Target value.Value
	Arg    int
}

// RunKind is how another command is given.
type RunKind uint8

const (
	// RunWords: Words are the words of a simple command.
	RunWords RunKind = iota
	// RunScript: Script is shell text.
	RunScript
)

// Run is another command that the program runs.
type Run struct {
	Kind  RunKind
	Words []value.Value
	// Script is the text; Args its positional parameters ($0 first).
	Script value.Value
	Args   []value.Value
	// MoreArgs: words that are not known are appended (xargs, find -exec … +),
	// or stand where {} was; the caller has put Unknown there where it could.
	MoreArgs bool
	// Elsewhere: it runs on another host or in a container: file effects are
	// not this machine's, deny rules still count.
	Elsewhere string
	// Via says in a few words how ("find -exec", "sh -c").
	Via string
	// Login: a login or interactive shell, which reads start-up files.
	Login bool
	// At is the index in argv where the inner words begin, 0 where they are
	// not a tail of argv.
	At int
}

// Inline is program text in the arguments.
type Inline struct {
	Language string // "awk", "sed", "jq", "python", "perl", "node", …
	Code     value.Value
	// Read: the text was understood and its effects are in the Use.
	Read bool
}

// Stdin is what the program does with its standard input.
type Stdin uint8

const (
	StdinUnused Stdin = iota
	// StdinData: read as data.
	StdinData
	// StdinScript: shell text to run (sh, bash -s).
	StdinScript
	// StdinCode: program text in another language to run (python3 -, node).
	StdinCode
	// StdinArgs: becomes arguments of what is run (xargs).
	StdinArgs
	// StdinPaths: names of files to use (cpio, tar -T -, wc --files0-from=-).
	StdinPaths
)

// Assign is one variable assignment.
type Assign struct {
	Name  string
	Value value.Value
}
