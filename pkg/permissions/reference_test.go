package permissions

import (
	"path"
	"slices"
	"strings"
)

// naive is the reference: the same decision written as plainly as possible,
// rule by rule and effect by effect, with nothing indexed and no reasons kept.
// It shares value types and host normalization with the decider, nothing else.
func naive(p Policy, c Call) Verdict {
	n := reference{p: p, c: c, mode: p.Mode}
	if p.MaxMode != "" && RankOf(p.MaxMode) < RankOf(n.mode) {
		n.mode = p.MaxMode
	}
	if c.Remote {
		top := p.RemoteMax
		if top == "" {
			top = p.RemoteDefault
		}
		if RankOf(top) < RankOf(n.mode) {
			n.mode = top
		}
	}
	n.skip = p.SkipPermissions && !c.Remote && (p.MaxMode == "" || p.MaxMode == Auto)
	n.declare()
	n.gates()
	n.rules(ActionDeny)
	n.network()
	n.places()
	n.table()
	n.rules(ActionAsk)
	switch {
	case n.hard || n.skip && n.maybe:
		return Deny
	case c.Approved == GrantDenied:
		return Deny
	case c.Approved != NoGrant || n.skip:
		return Allow
	case (n.maybe || n.soft) && (n.firm || !c.Shell || !c.Confinable || c.Remote || RankOf(n.mode) == 0):
		return Ask
	}
	return Allow
}

type reference struct {
	p    Policy
	c    Call
	mode Mode
	skip bool
	// hard: nothing lifts it. maybe: a person may, skipping may not. soft:
	// both may.
	hard, maybe, soft bool
	// firm: something is to be asked about that no kernel holds the call to.
	firm bool
}

// asks notes a question: may it be skipped, and does the kernel hold the call to
// what it is about.
func (n *reference) asks(cond, soft, held bool) {
	n.soft = n.soft || cond && soft
	n.maybe = n.maybe || cond && !soft
	n.firm = n.firm || cond && !held
}

// tellable: the kernel can be told of a deny rule.
func (n *reference) tellable(r Rule) bool {
	switch r.Kind {
	case CommandRule:
		return false
	case ReadRule, WriteRule:
		g := strings.TrimSuffix(strings.TrimSuffix(r.Glob, "/"), "/**")
		return len(n.p.Workspace) > 0 && g != "" && g != "~" && g != "." && !strings.ContainsAny(g, "[\\") && !strings.HasPrefix(g, "./")
	}
	return true
}

func (n *reference) declare() {
	if len(n.c.Effects) == 0 && !n.c.Shell {
		n.c.Effects = []Effect{{Kind: Undeclared, Part: -1}}
	}
	kinds, declared := []Kind(nil), false
	for _, k := range []string{n.c.Tool.Server + "." + n.c.Tool.Name, n.c.Tool.Server + ".*", "*." + n.c.Tool.Name, "*.*"} {
		if !declared && len(n.p.ToolEffects[k]) > 0 {
			kinds, declared = n.p.ToolEffects[k], true
		}
	}
	if !declared || n.c.Tool.Server == "" || n.c.Tool.Builtin || n.c.Shell {
		return
	}
	has := func(k Kind) bool { return slices.Contains(kinds, k) }
	var out []Effect
	paths, hosts := false, false
	for _, e := range n.c.Effects {
		if e.Kind == Undeclared || e.Origin == FromArgument {
			switch {
			case e.Path != "":
				paths = true
				e.Kind = Read
				if has(Exec) {
					e.Kind = Exec
				}
				if has(FSWrite) {
					e.Kind = FSWrite
				}
			case e.Host != "" || e.URL != "":
				hosts = true
				e.Kind = NetRead
				if has(NetWrite) {
					e.Kind = NetWrite
				}
			default:
				continue
			}
		}
		out = append(out, e)
	}
	for _, k := range kinds {
		if !(paths && (k == Read || k == FSWrite)) && !(hosts && (k == NetRead || k == NetWrite)) {
			out = append(out, Effect{Kind: k, Certainty: Exact, Part: -1})
		}
	}
	n.c.Effects = out
}

func (n *reference) gates() {
	if len(n.p.Broken) > 0 {
		ok := !n.c.Shell && n.c.Tool.Builtin
		for _, e := range n.c.Effects {
			ok = ok && e.Kind == Read && e.Origin == FromTool && (e.Path == "" || e.Place.Zone != Outside)
		}
		n.hard = n.hard || !ok
	}
	n.asks(len(n.c.Unread) > 0, false, false)
	n.hard = n.hard || n.c.Shell && (!n.p.ExecEnabled || n.c.Remote && !n.p.ExecRemote)
	for _, e := range n.c.Effects {
		n.hard = n.hard || e.Grant == GrantDenied
	}
}

func (n *reference) rules(action Action) {
	any, all, files := false, true, true
	for _, r := range n.p.Rules {
		if r.Action == action {
			any, all = true, all && n.tellable(r)
			files = files && (r.Kind == CommandRule || n.tellable(r))
		}
	}
	for _, r := range n.p.Rules {
		if r.Action != action {
			continue
		}
		sure, maybe := n.match(r)
		switch {
		case action == ActionAsk:
			n.asks(sure || maybe, true, false)
		default:
			n.hard = n.hard || sure
			n.asks(maybe && !sure, false, r.Kind == FetchRule || r.Kind != CommandRule && files)
		}
	}
	for _, p := range n.c.Parts {
		n.asks(action == ActionDeny && any && (len(p.Unread) > 0 || p.Opaque == OpaqueInline), false, all)
	}
}

func (n *reference) network() {
	p := n.p.Network
	if p == "" || p == NetworkAllow {
		return
	}
	listed := func(host string) bool {
		for _, h := range n.p.NetworkHosts {
			if name, err := ruleHost(h); err == nil && hostCovered(name, host) {
				return true
			}
		}
		return false
	}
	targets := 0
	for _, e := range n.c.Effects {
		if e.Kind == NetRead || e.Kind == NetWrite || e.Host != "" || e.URL != "" {
			targets++
			host, err := NormalizeHost(e.Host)
			if e.Host == "" && e.URL != "" {
				host, err = HostOfURL(e.URL)
			}
			n.hard = n.hard || p != NetworkAllowlist || err != nil || !listed(host)
			if real, err := HostOfURL(e.URL); e.URL != "" && (e.Origin == FromTool || e.Origin == FromArgument) {
				n.hard = n.hard || err != nil || real != host
			}
		}
	}
	for _, e := range n.c.Effects {
		n.hard = n.hard || !n.c.Shell && e.Kind == Undeclared && (targets == 0 || p != NetworkAllowlist)
	}
	for i, part := range n.c.Parts {
		n.asks(len(part.Unread) > 0 || part.Opaque == OpaqueInline || part.ArgsMayRun && !n.ruled(i, 0), false, true)
	}
}

func (n *reference) places() {
	for _, part := range n.c.Parts {
		n.hard = n.hard || part.Person != ""
	}
	for _, e := range n.c.Effects {
		writes := e.Kind == FSWrite || e.Kind == Undeclared && e.Path != ""
		granted := e.Grant == GrantedOnce || e.Grant == GrantedSession
		n.hard = n.hard || writes && e.Place.Own
		n.asks(writes && e.Path != "" && e.Place.Protected != "" && !granted, true, false)
		if n.anyPath(e) && !n.p.AllowOutside && (n.partOpaque(e) == Clear || e.Origin != FromCommand) {
			n.hard = n.hard || !n.c.Shell && !n.p.AskOutside
			n.asks(true, false, true)
		}
		file := e.Kind == Read || e.Kind == FSWrite || e.Kind == Exec || e.Kind == Undeclared
		if e.Path == "" || !file || e.Place.Zone != Outside || n.p.AllowOutside || granted || n.opened(e) {
			continue
		}
		n.asks(true, false, false)
		n.hard = n.hard || e.Origin == FromTool && !n.p.AskOutside || (e.Origin == FromCommand || e.Origin == FromRedirect) && !n.p.AskExec
	}
}

func (n *reference) opened(e Effect) bool {
	writes := e.Kind == FSWrite || e.Kind == Undeclared
	if e.Kind == Exec {
		if e.Part < 0 || e.Part >= len(n.c.Parts) || len(n.c.Parts[e.Part].Words) == 0 || !strings.Contains(e.Program, "/") {
			return false
		}
		w := n.c.Parts[e.Part].Words
		for _, r := range n.p.Rules {
			if r.Action == ActionAllow && r.Kind == CommandRule && r.Words[0] == e.Program && w[0].Known && w[0].Text == e.Program && strictWords(r.Words, w) {
				return true
			}
		}
		return false
	}
	if e.Place.Writable || e.Place.Readable && !writes {
		return true
	}
	for _, r := range n.p.Rules {
		if r.Action == ActionAllow && (r.Kind == WriteRule || r.Kind == ReadRule && !writes) && n.glob(r.Glob, e.Place.Real, false, !writes) {
			return true
		}
	}
	return false
}

func (n *reference) table() {
	rank := RankOf(n.mode)
	if n.c.Shell {
		n.shell(rank)
		return
	}
	t := n.c.Tool
	allowed := false
	for _, r := range n.p.Rules {
		if r.Action == ActionAllow {
			allowed = allowed || r.Kind == ToolRule && t.Builtin && t.Server == "" && (r.Glob == "*" || r.Glob == t.Name)
			allowed = allowed || r.Kind == MCPRule && t.Server != "" && (r.Server == "*" || r.Server == t.Server) && (r.Name == "*" || r.Name == t.Name)
		}
	}
	for _, e := range n.c.Effects {
		if n.skip || e.Kind == Read {
			continue
		}
		switch {
		case e.Kind == NetRead:
			n.hard = n.hard || rank == 0 && !n.p.NetworkInPlan
		case rank == 0:
			n.hard = true
		case rank == 1 && e.Kind != StateWrite:
			edit := e.Kind == FSWrite && t.Builtin && t.Server == "" && slices.Contains([]string{"write", "edit", "multi_edit", "notebook_edit"}, t.Name) && e.Origin == FromTool
			n.soft = n.soft || !edit && !allowed
		}
	}
}

func (n *reference) shell(rank int) {
	if n.skip {
		return
	}
	reads, net := n.p.ReadOnlyShell && len(n.c.Unread) == 0, false
	for _, p := range n.c.Parts {
		reads = reads && n.plain(p)
	}
	for _, e := range n.c.Effects {
		net = net || e.Kind == NetRead
		nothing := e.Place.Zone == Device && e.Path != "" && (e.Kind == Read || e.Kind == FSWrite)
		reads = reads && (nothing || e.Kind == NetRead || e.Kind == Read && !n.anyPath(e))
	}
	switch {
	case reads:
		n.hard = n.hard || rank == 0 && net && !n.p.NetworkInPlan
		return
	case rank == 0:
		n.hard = true
	case rank == 2:
		return
	}
	for i, p := range n.c.Parts {
		n.asks(len(p.Unread) > 0 || n.needs(i) && !n.ruled(i, 0) && !n.byOuter(i), true, false)
	}
	for _, e := range n.c.Effects {
		opaque, has := n.partOpaque(e), n.c.Shell && e.Part >= 0 && e.Part < len(n.c.Parts)
		switch {
		case n.anyPath(e):
			n.asks(opaque == Clear || e.Origin != FromCommand, true, true)
		case !has && e.Origin != FromRedirect:
			n.asks(e.Kind != Read, true, false)
		case e.Origin == FromRedirect || !has:
			n.asks(e.Kind == Exec || e.Kind == NetWrite || e.Kind == Undeclared, true, e.Origin == FromRedirect && e.Kind == NetWrite && e.Host == "" && e.URL == "")
		default:
			n.asks(opaque == Clear && (e.Kind == Undeclared || e.Kind == Exec && e.Path == "" && e.Certainty == Unknown), true, false)
		}
	}
}

func (n *reference) plain(p Part) bool {
	ok := len(p.Unread) == 0 && p.Opaque == Clear && !p.ArgsMayRun && !asOther(p)
	return ok && (p.Class != Program || len(p.Words) > 0 && p.Words[0].Known)
}

func asOther(p Part) bool {
	return len(p.Words) > 0 && slices.Contains(strings.Fields("sudo sudoedit doas su pkexec run0 runuser gosu su-exec chroot nsenter unshare"), path.Base(p.Words[0].Text))
}

func (n *reference) needs(i int) bool {
	p := n.c.Parts[i]
	strong, fetched, only := false, false, n.plain(p)
	reads, person := n.plain(p) && !n.p.AllowOutside, false
	proven := n.plain(p) && n.p.ReadOnlyShell
	for _, e := range n.c.Effects {
		if e.Part != i {
			continue
		}
		nothing := e.Place.Zone == Device && e.Path != "" && (e.Kind == Read || e.Kind == FSWrite)
		reads = reads && (nothing || e.Kind == Read && !n.anyPath(e))
		answered := e.Grant == GrantedOnce || e.Grant == GrantedSession
		standing := e.Place.Writable || e.Place.Readable
		person = person || e.Place.Zone == Outside && (answered || !standing || !n.opened(e))
		if e.Origin == FromRedirect {
			continue
		}
		proven = proven && (nothing || e.Kind == NetRead || e.Kind == Read && !n.anyPath(e) && e.secret() == "")
		strong = strong || e.Kind == Exec || e.Kind == NetWrite || e.Kind == Undeclared
		host, err := NormalizeHost(e.Host)
		listed := false
		for _, r := range n.p.Rules {
			listed = listed || err == nil && r.Action == ActionAllow && r.Kind == FetchRule && hostCovered(r.Glob, host)
		}
		fetched = true
		only = only && e.Kind == NetRead && listed && e.Certainty != Unknown
	}
	if p.Class != Program {
		return asOther(p) || strong
	}
	return !(fetched && only) && !(reads && person) && !proven
}

// ruled: an allow rule of at least least words covers the part's own words.
func (n *reference) ruled(i, least int) bool {
	p := n.c.Parts[i]
	for _, r := range n.p.Rules {
		if r.Action == ActionAllow && r.Kind == CommandRule && len(r.Words) >= least && (strictWords(r.Words, p.Words) || least == 0 && p.Canon != nil && strictWords(r.Words, p.Canon)) {
			return true
		}
	}
	return false
}

// byOuter: a rule that names the wrapper reaches into the wrapped command.
func (n *reference) byOuter(i int) bool {
	at, up := 0, n.c.Parts[i].Parent
	for range n.c.Parts {
		if up < 0 || up >= len(n.c.Parts) || n.c.Parts[up].InnerAt <= 0 {
			return false
		}
		at += n.c.Parts[up].InnerAt
		for _, r := range n.p.Rules {
			if r.Action == ActionAllow && r.Kind == CommandRule && showsInner(r.Words, n.c.Parts[i].Words, n.c.Parts[up].Words, at) {
				return true
			}
		}
		up = n.c.Parts[up].Parent
	}
	return false
}

// showsInner: the rule matches the outer words and goes on past at, where the
// inner words stand.
func showsInner(rule []string, inner, outer []Word, at int) bool {
	k := len(rule) - at
	if k < 1 || !strictWords(rule, outer) || len(inner) < k {
		return false
	}
	for j := range k {
		a, b := inner[j], outer[at+j]
		if !a.Known || !b.Known || a.Text != b.Text || a.ByName && rule[at+j] == "*" {
			return false
		}
	}
	return !reached(inner[k:])
}
