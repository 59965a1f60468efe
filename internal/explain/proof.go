package explain

import (
	"slices"

	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// proof says what shows that a part of a call only reads, where the call is
// allowed because every part does (readOnlyShell); otherwise "".
func proof(v gate.Verdict, part int) string {
	if !slices.ContainsFunc(v.Reasons, func(r permissions.Reason) bool { return r.Code == "read-only" }) {
		return ""
	}
	reads, fetches := false, false
	for _, e := range v.Call.Effects {
		if e.Part != part {
			continue
		}
		reads = reads || e.Kind == permissions.Read
		fetches = fetches || e.Kind == permissions.NetRead
	}
	does := "touches no file"
	switch {
	case reads && fetches:
		does = "only reads, here and from the network"
	case fetches:
		does = "only reads from the network"
	case reads:
		does = "only reads"
	}
	switch v.Call.Parts[part].Class {
	case permissions.Free:
		return does + ": a builtin that changes nothing outside the shell"
	case permissions.Wrapper:
		return does + ": what it runs follows, and it does nothing else"
	case permissions.Function:
		return does + ": what its body runs follows"
	}
	return does + ": each of its words is understood, and none makes it write or run anything"
}
