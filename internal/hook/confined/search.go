package confined

import (
	"path/filepath"
	"slices"
	"strings"

	"mayi/internal/hook/ticket"
	"mayi/pkg/workspace"
)

// searched is env with a PATH that leads to no programs but those that the
// decision was about. The agent's shell may have another PATH than its hook, and
// a command before may have changed it: what was added must not lie where the
// agent can put programs.
func searched(env []string, t ticket.Ticket, roots []string) []string {
	decided := filepath.SplitList(t.Search)
	out := make([]string, 0, len(env))
	for _, kv := range env {
		path, ok := strings.CutPrefix(kv, "PATH=")
		if !ok {
			out = append(out, kv)
			continue
		}
		kept := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool {
			return !slices.Contains(decided, dir) && (!filepath.IsAbs(dir) || slices.ContainsFunc(roots, func(root string) bool { return workspace.Within(dir, root) }))
		})
		out = append(out, "PATH="+strings.Join(kept, string(filepath.ListSeparator)))
	}
	return out
}
