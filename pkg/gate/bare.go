package gate

import (
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// settleBare notes as unread where git is started in, or below, a folder of the
// workspace that looks like a bare repository: git would run what the settings
// in it name.
func settleBare(call *permissions.Call) {
	for i := range call.Effects {
		e := &call.Effects[i]
		if e.Program != "git" || e.Kind != permissions.Read || e.Part < 0 || e.Part >= len(call.Parts) {
			continue
		}
		dir := e.Place.Real
		if dir == "" {
			dir = strings.TrimSuffix(e.Path, "/.")
		}
		found := ""
		switch {
		case e.Recursive && e.Certainty != permissions.Exact:
			found = workspace.BareRepositoryBelow(dir) // one of the folders there
		case strings.HasSuffix(e.Path, "/."):
			found = workspace.BareRepository(dir, e.Glob) // git's own look at its working directory
		}
		if found != "" {
			p := &call.Parts[e.Part]
			p.Unread = append(p.Unread, permissions.Unread{Why: "git would obey the settings in " + found + ", which looks like a bare repository", Span: p.Span})
		}
	}
}
