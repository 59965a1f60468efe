package permissions

// Kind is what a call does to the world, in the words that tools declare.
// The zero Kind is Undeclared, the strictest: a tool that says nothing is
// treated as if it could do anything.
type Kind uint8

// The kinds, least strict last in name only: see [Kind.Rank] for the order.
const (
	Undeclared Kind = iota
	Read
	NetRead
	StateWrite
	FSWrite
	NetWrite
	Exec
)

// Certainty says how well an effect's target is known.
type Certainty uint8

const (
	// Unknown: the target can be anything. The effect's Why says what hid it.
	Unknown Certainty = iota
	// Bounded: the target is one of several (a glob, a prefix, a few values),
	// or the program may or may not touch it.
	Bounded
	// Exact: the target is this one.
	Exact
)

// Span is a half-open byte range of the command text. The zero Span means
// "no position".
type Span struct{ Start, End int }

// Origin says which kind of place in a call an effect comes from. Rules and
// the table treat a file tool's argument and a redirection alike, and a
// program's own argument as covered by the rule that covers the program.
type Origin uint8

const (
	// FromTool: the argument of a built-in file or web tool.
	FromTool Origin = iota
	// FromRedirect: a redirection or a shell builtin that opens the file itself.
	FromRedirect
	// FromCommand: an argument (or the nature) of a program that is run.
	FromCommand
	// FromArgument: an argument of a foreign (MCP) tool that looks like a
	// path or a URL.
	FromArgument
)

// Sweep says that an effect takes in whatever files are there below its path and
// means none of them in particular, as when git writes its work tree.
type Sweep uint8

const (
	// NoSweep: the path is meant, and what is below it as far as Recursive says.
	NoSweep Sweep = iota
	// TrackedFiles: files that git tracks, now or afterwards; nothing in .git.
	TrackedFiles
	// AnyFiles: other files too, as git clean removes them and git apply makes
	// them; nothing in the .git of the work tree.
	AnyFiles
)

// String names what is swept, in words that "below" and a folder can follow.
func (s Sweep) String() string {
	switch s {
	case TrackedFiles:
		return "what git checks out"
	case AnyFiles:
		return "what git changes"
	}
	return ""
}

// Effect is one thing that a call would do, with its target where it has one.
type Effect struct {
	Kind Kind

	// Path is the name that the call uses, made absolute against the working
	// directory but not cleaned: "link/.." is for the kernel to say. With
	// Certainty Bounded it may hold glob characters. Read, FSWrite and Exec
	// effects have one. "" with Certainty Unknown means "some path".
	Path string
	// Host is the host of a network effect, as [NormalizeHost] returns it;
	// "" means "some host".
	Host string
	// URL is the URL as it was given, where there was one.
	URL string
	// Program is what an Exec effect runs, as named.
	Program string

	Certainty Certainty

	// Recursive: everything below Path is meant, too. Follow: what symbolic
	// links below it lead to as well.
	Recursive, Follow bool
	// NoFollow: where Path is a symbolic link, the link itself is meant and not
	// what it leads to (rm, mv).
	NoFollow bool
	// Glob: Path holds glob characters that the shell would expand (Bounded);
	// without it, '*' and '?' in Path are ordinary characters.
	Glob bool
	// Secret says what a read effect without a path gives away ("the
	// environment"). Of those with a path, [Place.Secret] does.
	Secret string
	// Listed: Path stands for files that a listing of the same command line
	// named, so that they are there already.
	Listed bool
	// Scratch: Path is (or is below) a private file or directory that the same
	// command line made itself with mktemp, under a name that nobody can know
	// before.
	Scratch bool
	// Sweep: a recursive effect on whatever is there. Each protected file that
	// exists below Path becomes an effect of its own when the disk is looked at.
	Sweep Sweep
	// LinkTo is the target text of a symbolic link that the effect makes at
	// Path; later effects of the same call are resolved through it.
	LinkTo string

	Origin Origin
	// Part is the index in [Call.Parts] of the command that has the effect,
	// or -1.
	Part int
	// Why explains an Unknown or Undeclared effect in plain words.
	Why  string
	Span Span

	// Place is where Path leads. pkg/workspace fills it in; its zero value
	// is the strictest: outside, nothing granted.
	Place Place
	// Grant is what the person has answered about this path and this kind of
	// access in this session. The gate fills it in.
	Grant Grant
	// Asked is the text of an ask rule that the effect is known to be about,
	// whatever its names say: the kernel's side of a running call has found it.
	Asked string
}

// Place is where a path leads once the disk has been looked at.
type Place struct {
	Zone Zone
	// Real is the canonical path after following links, the missing tail
	// included. "" where it could not be resolved; Err says why.
	Real string
	Err  string
	// Readable and Writable: a standing grant (readPaths, writePaths) covers
	// Real. Writable implies Readable.
	Readable, Writable bool
	// Protected is the protected-path entry that covers Path or Real, or, for
	// a recursive write, something below it; "" where none does.
	Protected string
	// Secret says what kind of secret a file keeps that is read ("a private
	// SSH key"); "" where it is none that is known.
	Secret string
	// Own: the path is (or holds) mayi's own settings or state, which no
	// agent may ever write.
	Own bool
	// Below lists what a recursive or glob effect was found to touch among
	// the paths that path rules name (canonical, absolute).
	Below []string
	// Partial: the look below was cut off by its limit, so Below may lack
	// entries.
	Partial bool
}

// Zone is the side of the workspace boundary that a place is on.
type Zone uint8

const (
	// Outside of every workspace; also whatever could not be resolved.
	Outside Zone = iota
	// Inside one of the workspace roots.
	Inside
	// Device: a harmless standard device or stream (/dev/null, /dev/tty,
	// /dev/stdout, …) that is no file of anybody's.
	Device
)

// Grant is a person's earlier answer about a path.
type Grant uint8

// The answers. NoGrant is none.
const (
	NoGrant Grant = iota
	GrantedOnce
	GrantedSession
	GrantDenied
)
