package gate

import (
	"context"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// inherited reports whether an access that needs an answer of its own has none,
// so that only a grant for a folder above could open it. A person who was told
// of a folder was told neither of the protected files in it nor of the secrets.
func inherited(ctx context.Context, grants approval.Grants, e *permissions.Effect, call string) bool {
	if e.Place.Protected == "" && (e.Place.Secret == "" || e.Kind != permissions.Read) {
		return false
	}
	list, err := grants.List(ctx)
	if err != nil {
		return true
	}
	for _, g := range list {
		switch {
		case g.Path != e.Place.Real || writes(e.Kind) && !g.Write:
		case g.Answer == permissions.GrantedSession,
			g.Answer == permissions.GrantedOnce && (g.Call == "" || g.Call == call):
			return false
		}
	}
	return true
}
