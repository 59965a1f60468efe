package gate

import (
	"context"
	"strings"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// inherited reports whether an access that needs an answer of its own has none,
// so that only a grant for a folder above could open it. A person who was told
// of a folder was told neither of the protected files in it nor of the secrets,
// nor of what an ask rule means in it, unless the rule means the folder, too.
func (c *compiled) inherited(ctx context.Context, grants approval.Grants, e *permissions.Effect, call string) bool {
	own := e.Place.Protected != "" || e.Place.Secret != "" && e.Kind == permissions.Read
	if !own && !c.decider.Asks(*e) {
		return false
	}
	list, err := grants.List(ctx)
	if err != nil {
		return true
	}
	for _, g := range list {
		switch {
		case g.Path == "" || writes(e.Kind) && !g.Write:
		case g.Path != e.Place.Real && (own || !c.asksAbove(e, g.Path)):
		case g.Answer == permissions.GrantedSession,
			g.Answer == permissions.GrantedOnce && (g.Call == "" || g.Call == call):
			return false
		}
	}
	return true
}

// asksAbove reports whether every ask rule that means what the effect touches
// means the folder, too, and some rule does.
func (c *compiled) asksAbove(e *permissions.Effect, folder string) bool {
	if !strings.HasPrefix(e.Place.Real, strings.TrimSuffix(folder, "/")+"/") {
		return false
	}
	below := *e
	below.Asked = ""
	above := permissions.Effect{Kind: e.Kind, Path: folder, Certainty: permissions.Exact, Place: permissions.Place{Real: folder}}
	p := c.policy
	for _, r := range c.policy.Rules {
		if r.Action != permissions.ActionAsk {
			continue
		}
		p.Rules = []permissions.Rule{r}
		if one := permissions.New(p); one.Asks(below) && !one.Asks(above) {
			return false
		}
	}
	return c.decider.Asks(above)
}
