package permissions

// NetworkPolicy returns the network policy that counts: nothing said is
// "allow", a word that is not known is "deny".
func NetworkPolicy(p Policy) Network {
	switch p.Network {
	case "", NetworkAllow:
		return NetworkAllow
	case NetworkAllowlist:
		return NetworkAllowlist
	}
	return NetworkDeny
}

// network is step 2. Its blocks cannot be lifted; what might reach the network
// without being known to is a question.
func (f *findings) network() {
	policy := NetworkPolicy(f.d.policy)
	if policy == NetworkAllow {
		return
	}
	targets, undeclared := 0, -1
	for i := range f.effects {
		e := &f.effects[i]
		if e.Kind == Undeclared && undeclared < 0 {
			undeclared = i
		}
		if e.Kind != NetRead && e.Kind != NetWrite && e.Host == "" && e.URL == "" {
			continue
		}
		targets++
		f.reach(policy, i)
	}
	if f.call.Shell {
		f.mayReach(policy)
	} else if undeclared >= 0 && (targets == 0 || policy == NetworkDeny) {
		f.block("network", "what the tool "+f.call.Tool.String()+" does is not declared, and the network is "+closed(policy), -1, undeclared, nil)
	}
}

// reach judges one network effect.
func (f *findings) reach(policy Network, i int) {
	e := &f.effects[i]
	host, known := e.host()
	name := host
	if name == "" {
		name = "a host that is not known"
	}
	if policy == NetworkAllowlist && known && e.trustworthyURL(host) {
		if _, ok := f.d.hosts.find(host); ok {
			return
		}
	}
	f.block("network", "reaching "+name+" is not allowed: the network is "+closed(policy), e.Part, i, nil)
}

// trustworthyURL reports whether the URL that a tool was given leads to host
// and nowhere else. Programs have their own notations; their host counts.
func (e *Effect) trustworthyURL(host string) bool {
	if e.URL == "" || e.Origin == FromCommand || e.Origin == FromRedirect {
		return true
	}
	h, err := HostOfURL(e.URL)
	return err == nil && h == host
}

// mayReach asks about parts of a command line that could do anything: what
// cannot be read, program text that is not understood, and unknown programs
// that no rule names.
func (f *findings) mayReach(policy Network) {
	for i := range f.call.Parts {
		p := &f.call.Parts[i]
		if len(p.Unread) == 0 && !p.ArgsMayRun && p.Opaque != OpaqueInline {
			continue
		}
		// A rule for an interpreter says nothing about the text that it is given.
		if rule := f.d.allow.covering(p); rule != nil && len(p.Unread) == 0 && p.Opaque != OpaqueInline {
			f.permit("allow-rule", f.text(i)+" is allowed by "+rule.String(), i, -1, rule)
			continue
		}
		f.unsure("network", f.text(i)+" may reach the network, which is "+closed(policy), i, -1, nil)
		f.need(Need{What: "command", Command: f.text(i), Part: i})
	}
}

func closed(policy Network) string {
	if policy == NetworkAllowlist {
		return "open to the hosts of networkAllowHosts only"
	}
	return "closed"
}
