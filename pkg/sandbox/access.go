package sandbox

import "strconv"

// Op is what a job tried to do.
type Op string

// The operations that can be asked about or refused.
const (
	OpRead    Op = "read"
	OpWrite   Op = "write"
	OpDelete  Op = "delete"
	OpConnect Op = "connect"
	OpRun     Op = "run"
)

// Access is one attempt, resolved: what a person is asked about and what is
// then done are the same object. All text comes from the job or the disk; show
// it through approval.Visible.
type Access struct {
	Op Op
	// Path is the canonical path of the object ("" for a connection).
	Path string
	// Name is the name that the program used, where it differs.
	Name string
	// Host and Port of a connection. Host is an address or a name.
	Host string
	Port int
	// Proxied: the connection is one that the proxy would make, to a host that it
	// was told by name. Otherwise the program calls connect itself.
	Proxied bool
	// Folder: the path is a folder, and what is wanted are the names in it.
	Folder bool
	// Program is the program that tries, Pid its process outside.
	Program string
	Pid     int
	// Rule says which name rule stands against it, "" for a plain "outside".
	Rule string
	// Asks is the rule that says to ask about it, in the words of the settings;
	// "" for none.
	Asks string
}

// Answer is what the person said. The zero Answer refuses.
type Answer uint8

// The answers. Once opens exactly this access; Session this path, with what is
// below it, for the same kind of access until the job ends. Unasked refuses as No
// does, where nobody could be asked or nobody answered.
const (
	No Answer = iota
	Once
	Session
	Unasked
)

// Violation is one thing that was refused, in words for people and models.
type Violation struct {
	Access
	// Text says what was tried, why it was refused and how to grant it.
	Text string
}

// shown is a word as it can stand in a sentence: as it is where it is plain,
// else quoted, with everything invisible spelled out.
func shown(s string) string {
	for _, r := range s {
		if r <= ' ' || r >= 0x7f || r == '"' {
			return strconv.Quote(s)
		}
	}
	return s
}

// direct reports whether a program calls connect itself: the policy is about
// hosts, and those are known by their names to the proxy alone.
func (a Access) direct() bool { return a.Op == OpConnect && !a.Proxied && a.Pid != 0 }

// Refusal puts an access that was refused without a question into words.
func Refusal(a Access) Violation { return violation(a, false) }

// violation puts an access into words.
func violation(a Access, asked bool) Violation {
	what := map[Op]string{OpRead: "read", OpWrite: "write to", OpDelete: "delete or rename", OpConnect: "connect to", OpRun: "run"}[a.Op]
	obj := strconv.Quote(a.Path)
	if a.Folder {
		what = "list the folder"
	}
	if a.Op == OpConnect {
		obj = shown(a.Host)
		if a.Port != 0 {
			obj += ":" + strconv.Itoa(a.Port)
		}
	}
	who := "the command"
	if a.Program != "" {
		who = shown(a.Program)
	}
	text := who + " tried to " + what + " " + obj + ", which "
	switch {
	case a.Asks != "" && asked:
		text += shown(a.Asks) + " says to ask about, and it was not granted"
	case a.Asks != "":
		text += shown(a.Asks) + " says to ask about, and nobody answered"
	case asked:
		text += "was not granted when it was asked for"
	case a.Rule != "":
		text += "the rule for " + strconv.Quote(a.Rule) + " closes"
	case a.direct():
		text += "is not reached past the proxy that HTTPS_PROXY names, where there is one"
	case a.Op == OpConnect && a.Proxied:
		text += "a person has to allow, and nobody answered"
	case a.Op == OpConnect:
		text += "the network policy does not open"
	default:
		text += "is outside of what this command was granted"
	}
	switch {
	case asked:
	case a.Asks != "":
		text += "; to grant it, run the command again where a person can answer (in a terminal, or with mayi approvals)"
	case a.direct():
		text += "; use a program that goes through it, as curl, git over https and package managers do"
	case a.Op == OpConnect:
		text += "; to grant it, add the host to networkAllowHosts"
	case a.Op == OpRun:
		text += "; to grant it, ask with request_permission or add the path or its folder to readPaths"
	case a.Op == OpRead:
		text += "; to grant it, ask with request_permission or add the path to readPaths"
	default:
		text += "; to grant it, ask with request_permission or add the path to writePaths"
	}
	return Violation{Access: a, Text: text}
}
