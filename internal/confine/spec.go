package confine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mayi/pkg/config"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/sandbox"
	"mayi/pkg/workspace"
)

// Spec is what the call of v may touch, under the settings s.
func Spec(s *config.Settings, v gate.Verdict, dir, mode string) sandbox.Spec {
	home := s.Options().Home
	if real, err := workspace.Canonical(dir); err == nil {
		dir = real
	}
	reads, writes := expanded(v.Call.Effects)
	spec := sandbox.FromCall(v.Call, sandbox.Options{
		Dir: dir, Policy: s.Policy(),
		ReadPaths:  append(places(s.ReadPaths, home), reads...),
		WritePaths: append(places(append(append([]string(nil), s.WritePaths...), s.TrustedWorkspaces...), home), writes...),
		Protected:  s.ProtectedPaths, Own: places(s.Own(), home),
		Required: mode == Required || held(v), Held: held(v),
	})
	led := linked{roots: s.Policy().Workspace, folders: map[string]string{}}
	spec.Denied, spec.Protected = led.add(spec.Denied, false), led.add(spec.Protected, false)
	spec.AskRead, spec.AskWrite, spec.Answered = led.add(spec.AskRead, true), led.add(spec.AskWrite, true), nil
	spec.Answer(v.Call.Effects)
	return spec
}

// ErrUnmet is wrapped by the error of a job that was allowed only confined and
// cannot be confined here. It did not run; whoever made the call can have it
// decided again as one that nobody confines.
var ErrUnmet = errors.New("it is allowed only if the kernel holds it to the workspace, and nothing here can")

// held reports whether the decision rests on the call being confined.
func held(v gate.Verdict) bool { return slices.Contains(v.Obligations, permissions.Confine) }

// places are the standing grants that the kernel can be told of: paths, where
// they lead. What a glob grants is decided when it is reached for.
func places(list []string, home string) []string {
	var out []string
	for _, p := range list {
		if p == "~" || strings.HasPrefix(p, "~/") {
			p = home + p[1:]
		}
		if strings.ContainsAny(p, "*?[") || !strings.HasPrefix(p, "/") {
			continue
		}
		if real, err := workspace.Canonical(p); err == nil {
			out = append(out, real)
		}
	}
	return out
}

// refuse closes what the person has refused in the session, where the decision
// did not look at the paths because it rests on the specification.
func (j Job) refuse(ctx context.Context, s *sandbox.Spec) error {
	grants := j.Gate.Grants(j.Verdict.Request.Session)
	if !held(j.Verdict) || grants == nil {
		return nil
	}
	list, err := grants.List(ctx)
	if err != nil {
		return fmt.Errorf("what was answered before cannot be read: %w", err)
	}
	for _, g := range list {
		if g.Answer != permissions.GrantDenied || g.Path == "" {
			continue
		}
		p := sandbox.Pattern{Glob: literal(g.Path), Firm: true, Why: "refused in this session"}
		if s.Protected = append(s.Protected, p); !g.Write {
			s.Denied = append(s.Denied, p)
		}
	}
	return nil
}

// literal is the pattern that means just this path.
func literal(p string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(p)
}

// maxExpanded bounds how many files of a pattern are put into a specification; of
// more, each is decided as it is reached for.
const maxExpanded = 256

// expanded are the files outside of the workspace that the patterns of an allowed
// call stand for now. A link to another place is none of them.
func expanded(effects []permissions.Effect) (reads, writes []string) {
	for i := range effects {
		e := &effects[i]
		if !e.Glob || e.Place.Zone != permissions.Outside || e.Place.Own || e.Place.Protected != "" || e.Place.Secret != "" {
			continue
		}
		found, err := filepath.Glob(e.Place.Real)
		if err != nil || len(found) > maxExpanded {
			continue
		}
		for _, p := range found {
			if real, err := workspace.Canonical(p); err != nil || real != p || !globbed(e.Place.Real, p) {
				continue
			}
			switch e.Kind {
			case permissions.Read:
				reads = append(reads, p)
			case permissions.FSWrite:
				writes = append(writes, p)
			}
		}
	}
	return reads, writes
}
