package permissions

import "slices"

// settings is what comes before any rule: broken settings, tools that are
// switched off, what a person refused earlier, and calls that nobody could
// read, which no mode allows.
func (f *findings) settings() {
	p, c := &f.d.policy, f.call
	if len(p.Broken) > 0 && !f.onlyReadsInside() {
		f.block("settings", "the settings cannot be used until they are mended: "+p.Broken[0], -1, -1, nil)
	}
	if c.Shell && !p.ExecEnabled {
		f.block("exec-disabled", "running commands is switched off (tools.exec.enabled)", -1, -1, nil)
	}
	if c.Shell && c.Remote && !p.ExecRemote {
		f.block("exec-remote", "running commands is switched off for remote callers (tools.exec.allow_remote)", -1, -1, nil)
	}
	for i := range c.Unread {
		f.unsure("unread", "the call cannot be read: "+c.Unread[i].Why, -1, -1, nil)
		f.need(Need{What: "command", Command: c.Command, Part: -1})
	}
	if c.Approved == GrantDenied {
		f.block("denied", "this call was refused in this session", -1, -1, nil)
	}
	for i := range f.effects {
		if e := &f.effects[i]; e.Grant == GrantDenied {
			f.block("denied", e.doing()+" "+e.shown()+" was refused in this session", e.Part, i, nil)
		}
	}
}

// onlyReadsInside reports whether the call would be allowed with no settings
// at all, whatever they say.
func (f *findings) onlyReadsInside() bool {
	for i := range f.effects {
		e := &f.effects[i]
		if e.Kind != Read || e.Origin != FromTool || e.Path != "" && e.outside() {
			return false
		}
	}
	return !f.call.Shell && !f.call.Tool.foreign()
}

// table is step 4: the mode's row for the call's effects.
func (f *findings) table() {
	if f.call.Shell {
		f.shell()
		return
	}
	covered := f.d.allow.tool(f.call.Tool)
	for i := range f.effects {
		f.row(i, covered)
	}
}

// row judges one effect of a tool that is no shell.
func (f *findings) row(i int, covered *Rule) {
	e := &f.effects[i]
	kind := e.Kind.String()
	switch {
	case e.Kind == Read:
		f.permit("mode", "reading is allowed", -1, i, nil)
	case f.skip:
		f.permit("skip-permissions", "dangerouslySkipPermissions allows "+kind, -1, i, nil)
	case e.Kind == NetRead && f.call.Held && f.rank() == RankOf(AcceptEdits):
		f.newHost(i)
	case e.Kind == NetRead && (f.rank() > 0 || f.d.policy.NetworkInPlan):
		f.permit("mode", "reading from the network is allowed", -1, i, nil)
	case e.Kind == NetRead:
		f.block("mode", "plan mode does not use the network (network_in_plan_mode)", -1, i, nil)
	case f.rank() == 0:
		f.block("mode", f.planBlock(kind), -1, i, nil)
	case e.Kind == StateWrite || f.rank() == RankOf(Auto):
		f.permit("mode", kind+" is allowed in "+string(f.mode)+" mode", -1, i, nil)
	case e.Kind == FSWrite && e.Origin == FromTool && f.call.Tool.edits():
		f.permit("mode", "editing files is allowed in accept-edits mode", -1, i, nil)
	case covered != nil:
		f.permit("allow-rule", f.call.Tool.String()+" is allowed by "+covered.String(), -1, i, covered)
	default:
		f.question("no-rule", "the tool "+f.call.Tool.String()+" is not allowed by default ("+kind+") and no rule covers it", -1, i, nil)
		f.need(Need{What: "tool", Command: f.call.Tool.String(), Part: -1})
	}
}

// newHost judges a connection of a call that is held to what is known: the person
// has named the host, or is asked.
func (f *findings) newHost(i int) {
	host, known := f.effects[i].host()
	if known {
		if rule, ok := f.d.allow.fetch.find(host); ok {
			f.permit("allow-rule", "connecting to "+host+" is allowed by "+rule.String(), -1, i, rule)
			return
		}
		if _, ok := f.d.hosts.find(host); ok {
			f.permit("network", "connecting to "+host+" is allowed by networkAllowHosts", -1, i, nil)
			return
		}
	}
	f.question("new-host", "what it sends to "+host+" is not known, and nothing allows the host", -1, i, nil)
}

func (f *findings) rank() int { return RankOf(f.mode) }

func (f *findings) planBlock(what string) string {
	return "plan mode only looks: " + what + " is not allowed"
}

// edits reports whether the tool is one of mayi's own that accept-edits exists
// for: write, and edit with the forms of it that other agents have.
func (t Tool) edits() bool {
	if t.foreign() {
		return false
	}
	switch t.Name {
	case "write", "edit", "multi_edit", "notebook_edit":
		return true
	}
	return false
}

// shell judges a command line by the mode.
func (f *findings) shell() {
	reads := f.onlyReads()
	switch {
	case f.skip:
		f.permit("skip-permissions", "dangerouslySkipPermissions allows the command", -1, -1, nil)
	case reads && f.rank() == 0 && !f.d.policy.NetworkInPlan && slices.ContainsFunc(f.effects, reachesOut):
		f.block("mode", "plan mode does not use the network (network_in_plan_mode)", -1, -1, nil)
	case reads:
		f.permit("read-only", "the command only reads", -1, -1, nil)
	case f.rank() == 0:
		f.block("mode", f.planBlock("running a command"), -1, -1, nil)
	case f.rank() == RankOf(Auto):
		f.permit("mode", "commands are allowed in auto mode", -1, -1, nil)
	default:
		f.parts()
		f.loose()
		f.permit("mode", "what needs no rule is allowed in accept-edits mode", -1, -1, nil)
	}
}

func reachesOut(e Effect) bool { return e.Kind == NetRead }

// onlyReads is the read-only proof: with readOnlyShell, a command line of
// which every part is known and which only reads counts as a read. Where it
// reads is judged by the boundary and the network policy, as for a tool.
func (f *findings) onlyReads() bool {
	if !f.d.policy.ReadOnlyShell || len(f.call.Unread) > 0 {
		return false
	}
	for i := range f.call.Parts {
		if !f.call.Parts[i].clear() {
			return false
		}
	}
	for i := range f.effects {
		e := &f.effects[i]
		if e.Kind != NetRead && (e.Kind != Read || f.somePath(e)) && !e.nothing() {
			return false
		}
	}
	return true
}

// nothing reports whether the effect is the use of a standard device or stream
// (2>/dev/null), which is nobody's file.
func (e *Effect) nothing() bool {
	return e.Place.Zone == Device && e.Path != "" && (e.Kind == Read || e.Kind == FSWrite)
}

// clear reports whether everything that the part does is in the effects.
func (p *Part) clear() bool {
	if len(p.Unread) > 0 || p.Opaque != Clear || p.ArgsMayRun || p.elevates() {
		return false
	}
	return p.Class != Program || len(p.Words) > 0 && p.Words[0].Known
}
