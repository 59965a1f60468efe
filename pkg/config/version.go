package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"mayi/pkg/permissions"
)

// Version is a hash of everything in the settings that a decision depends on.
// Where an entry was written does not count.
func (s *Settings) Version() string { return s.VersionOf(s.Policy()) }

// VersionOf is [Settings.Version] for who has the settings' policy at hand.
func (s *Settings) VersionOf(p permissions.Policy) string {
	return versionOf(versioned{
		p, s.TrustedWorkspaces, s.ReadPaths, s.WritePaths, s.ProtectedPaths, s.TrustedServers, s.Sandbox, s.Tools.Exec, s.Commands,
	})
}

// versioned is what a version depends on.
type versioned struct {
	Policy                                permissions.Policy
	Trusted, Read, Write, Guards, Servers []string
	Sandbox                               string
	Exec                                  ExecConfig
	Commands                              map[string]json.RawMessage
}

// versionOf hashes every field. They are written out one by one, since every
// process does this and reflection would take longer than the decision; a test
// holds the list to be whole.
func versionOf(v versioned) string {
	var d digest
	p := &v.Policy
	d.texts(string(p.Mode), string(p.MaxMode), string(p.Network), p.Home, string(p.RemoteDefault), string(p.RemoteMax), v.Sandbox)
	d.flags(p.SkipPermissions, p.AllowOutside, p.AskOutside, p.AskExec, p.ExecEnabled, p.ExecRemote, p.ReadOnlyShell, p.NetworkInPlan)
	for _, list := range [][]string{p.NetworkHosts, p.Workspace, p.Broken, v.Trusted, v.Read, v.Write, v.Guards, v.Servers, v.Exec.CustomDenyPatterns, v.Exec.CustomAllowPatterns} {
		d.list(list)
	}
	d.flags(v.Exec.Enabled, v.Exec.AskPermission, v.Exec.EnableDenyPatterns, v.Exec.AllowRemote)
	d.number(v.Exec.TimeoutSeconds)
	for _, rules := range [][]permissions.Rule{p.Rules, p.Confined} {
		d.number(len(rules))
		for i := range rules {
			r := &rules[i]
			d.number(int(r.Action))
			d.number(int(r.Kind))
			d.texts(r.Text, r.Glob, r.Server, r.Name)
			d.list(r.Words)
		}
	}
	d.number(len(p.ToolEffects))
	for _, name := range slices.Sorted(maps.Keys(p.ToolEffects)) {
		d.texts(name)
		d.number(len(p.ToolEffects[name]))
		for _, k := range p.ToolEffects[name] {
			d.number(int(k))
		}
	}
	d.number(len(v.Commands))
	for _, name := range slices.Sorted(maps.Keys(v.Commands)) {
		d.texts(name, string(v.Commands[name]))
	}
	sum := sha256.Sum256(d)
	return hex.EncodeToString(sum[:16])
}

// digest is text in which every value is told apart from the next by its length.
type digest []byte

func (d *digest) texts(list ...string) {
	for _, s := range list {
		*d = strconv.AppendInt(*d, int64(len(s)), 10)
		*d = append(append(*d, ':'), s...)
	}
}

func (d *digest) list(list []string) {
	d.number(len(list))
	d.texts(list...)
}

func (d *digest) flags(list ...bool) {
	for _, b := range list {
		*d = strconv.AppendBool(*d, b)
		*d = append(*d, ',')
	}
}

func (d *digest) number(n int) {
	*d = strconv.AppendInt(*d, int64(n), 10)
	*d = append(*d, ',')
}
