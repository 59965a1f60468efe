package permissions

// Policy is everything that a decision depends on besides the call: plain
// data, already merged from its layers.
type Policy struct {
	// Mode is the effective mode, MaxMode the ceiling ("" is none).
	Mode, MaxMode Mode
	// SkipPermissions is dangerouslySkipPermissions.
	SkipPermissions bool
	// AllowOutside is allowNonWorkspaceAccess: no workspace confinement.
	AllowOutside bool
	// AskOutside is askNonWorkspaceAccess: the file tools' boundary may be
	// lifted by a person.
	AskOutside bool
	// AskExec is tools.exec.ask_permission: a shell command's path outside
	// the workspace may be lifted by a person.
	AskExec bool
	// ExecEnabled is tools.exec.enabled, ExecRemote tools.exec.allow_remote.
	ExecEnabled, ExecRemote bool
	// ReadOnlyShell: a command shown to read only counts as a read.
	ReadOnlyShell bool

	Network       Network
	NetworkHosts  []string
	NetworkInPlan bool

	Rules []Rule
	// Confined are allow rules for commands that count only where the call is held
	// by the kernel: the decision then carries [Confine] as an obligation. Rules of
	// another kind among them count for nothing.
	Confined []Rule

	// ToolEffects are an operator's declarations for foreign tools, by
	// "server.tool".
	ToolEffects map[string][]Kind

	// Workspace are the canonical roots and Home the home directory, for the
	// globs of path rules.
	Workspace []string
	Home      string

	RemoteDefault, RemoteMax Mode

	// Broken holds what is wrong with the settings. While it is not empty,
	// nothing that would run is allowed.
	Broken []string
}

// Network is the network policy, orthogonal to the mode.
type Network string

// The network policies. "" counts as NetworkAllow, every other word as
// NetworkDeny; see [NetworkPolicy].
const (
	NetworkAllow     Network = "allow"
	NetworkAllowlist Network = "allowlist"
	NetworkDeny      Network = "deny"
)

// Action is what a rule does to the calls that it matches.
type Action uint8

// The actions, strictest first: a deny beats an ask, an ask beats an allow.
const (
	ActionDeny Action = iota
	ActionAsk
	ActionAllow
)

// RuleKind is the word before a rule's parenthesis.
type RuleKind uint8

// The kinds; the package comment says what each matches.
const (
	CommandRule RuleKind = iota
	ReadRule
	WriteRule
	FetchRule
	MCPRule
	ToolRule
)

// Rule is one entry of permissions.allow, .ask or .deny.
type Rule struct {
	Action Action
	Kind   RuleKind
	// Text is the rule as written: "command(git status)".
	Text string
	// Words are a command rule's words, "*" standing for one word.
	Words []string
	// Glob is a path rule's pattern, host of a fetch rule, name of a tool rule.
	Glob string
	// Server and Name are an mcp rule's parts.
	Server, Name string
	Source       Source
}

// Source is where an entry was written. Line and Col start at 1.
type Source struct {
	Layer string // "built-in", "managed", "user", "project", "session"
	File  string
	Line  int
	Col   int
}
