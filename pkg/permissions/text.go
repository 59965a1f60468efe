package permissions

// The words for kinds, verdicts and certainties, as they stand in settings,
// audit records and answers. Decoding never fails and never loosens: a word
// that is not known becomes the zero value, the strictest.

var kindNames = [...]string{
	Undeclared: "undeclared", Read: "read", NetRead: "net_read", StateWrite: "state_write",
	FSWrite: "fs_write", NetWrite: "net_write", Exec: "exec",
}

// String returns the word that tools declare ("fs_write").
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return kindNames[Undeclared]
}

// MarshalText returns the word of [Kind.String].
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads a kind's word; any other text is Undeclared.
func (k *Kind) UnmarshalText(text []byte) error {
	*k = Undeclared
	for i, name := range kindNames {
		if name == string(text) {
			*k = Kind(i)
		}
	}
	return nil
}

// Rank orders kinds by strictness: read 0, net_read 1, state_write 2,
// everything that changes or runs something 3, undeclared 4. The worst effect
// of a call decides its row of the table.
func (k Kind) Rank() int {
	switch k {
	case Read:
		return 0
	case NetRead:
		return 1
	case StateWrite:
		return 2
	case FSWrite, NetWrite, Exec:
		return 3
	}
	return 4
}

var verdictNames = [...]string{Deny: "deny", Ask: "ask", Allow: "allow"}

// String returns "deny", "ask" or "allow".
func (v Verdict) String() string {
	if int(v) < len(verdictNames) {
		return verdictNames[v]
	}
	return verdictNames[Deny]
}

// MarshalText returns the word of [Verdict.String].
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a verdict's word; any other text is Deny.
func (v *Verdict) UnmarshalText(text []byte) error {
	*v = Deny
	for i, name := range verdictNames {
		if name == string(text) {
			*v = Verdict(i)
		}
	}
	return nil
}

var certaintyNames = [...]string{Unknown: "unknown", Bounded: "bounded", Exact: "exact"}

// String returns "unknown", "bounded" or "exact".
func (c Certainty) String() string {
	if int(c) < len(certaintyNames) {
		return certaintyNames[c]
	}
	return certaintyNames[Unknown]
}

// MarshalText returns the word of [Certainty.String].
func (c Certainty) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads a certainty's word; any other text is Unknown.
func (c *Certainty) UnmarshalText(text []byte) error {
	*c = Unknown
	for i, name := range certaintyNames {
		if name == string(text) {
			*c = Certainty(i)
		}
	}
	return nil
}

var actionNames = [...]string{ActionDeny: "deny", ActionAsk: "ask", ActionAllow: "allow"}

// String returns the settings key of the rule's list: "deny", "ask" or "allow".
func (a Action) String() string {
	if int(a) < len(actionNames) {
		return actionNames[a]
	}
	return actionNames[ActionDeny]
}

var ruleKindNames = [...]string{
	CommandRule: "command", ReadRule: "read", WriteRule: "write", FetchRule: "fetch", MCPRule: "mcp", ToolRule: "tool",
}

// String returns the word before the rule's parenthesis.
func (k RuleKind) String() string {
	if int(k) < len(ruleKindNames) {
		return ruleKindNames[k]
	}
	return "unknown"
}
