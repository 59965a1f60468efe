package permissions

// match is one rule that a call matches, or may match.
type match struct {
	rule         *Rule
	part, effect int
	// sure is false where something is not known well enough to tell.
	sure bool
	text string
}

// denied is step 1: deny rules hold in every mode and under every grant, and
// while one exists, what cannot be read is not allowed.
func (f *findings) denied() {
	deny := &f.d.deny
	if deny.first == nil {
		return
	}
	f.matches(deny, func(m match) {
		if m.sure {
			f.block("deny-rule", m.text+" is denied by "+m.rule.String(), m.part, m.effect, m.rule)
			return
		}
		f.unsure("deny-rule", m.text+" may be what "+m.rule.String()+" denies", m.part, m.effect, m.rule)
		f.need(Need{What: "rule", Part: m.part, Command: f.text(m.part)})
	})
	for i := range f.call.Parts {
		p := &f.call.Parts[i]
		if len(p.Unread) == 0 && p.Opaque != OpaqueInline {
			continue
		}
		why := "its program text was not understood"
		if len(p.Unread) > 0 {
			why = p.Unread[0].Why
		}
		f.unsure("unread", "a deny rule exists ("+deny.first.String()+") and "+f.text(i)+" cannot be read: "+why, i, -1, deny.first)
		f.need(Need{What: "command", Command: f.text(i), Part: i})
	}
}

// matches finds the rules of a liberal set that the call matches.
func (f *findings) matches(s *ruleSet, found func(match)) {
	r := s.tool(f.call.Tool)
	if r == nil && f.call.Shell && len(s.tools) > 0 {
		// One tool under several names: who denies one of them means it.
		r = lookup(s.tools, "bash", "exec", "shell")
	}
	if r != nil {
		found(match{r, -1, -1, true, "the tool " + f.call.Tool.String()})
	}
	for i := range f.call.Parts {
		sure, maybe := s.command(&f.call.Parts[i])
		if sure != nil {
			found(match{sure, i, -1, true, f.text(i)})
		} else if maybe != nil {
			found(match{maybe, i, -1, false, f.text(i)})
		}
	}
	for i := range f.effects {
		e := &f.effects[i]
		if e.touches() {
			f.pathMatches(s, i, found)
		}
		if e.Kind == NetRead || e.Kind == NetWrite || e.Host != "" {
			f.hostMatches(s, i, found)
		}
	}
}

// about reports whether the read or the write rules speak of what the effect does.
func (s *ruleSet) about(x *pathIndex, e *Effect) bool {
	return len(x.all) > 0 && (x != &s.read || e.Kind != FSWrite) && (x != &s.write || e.writes())
}

// pathMatches matches the name that is used, the file that it leads to, and
// what was found below it.
func (f *findings) pathMatches(s *ruleSet, i int, found func(match)) {
	e := &f.effects[i]
	for _, x := range [2]*pathIndex{&s.read, &s.write} {
		if !s.about(x, e) {
			continue
		}
		if f.somePath(e) {
			if p := f.part(e); p == nil || p.Opaque == Clear {
				found(match{x.some(), e.Part, i, false, e.doing() + " " + e.said()})
			}
			continue
		}
		if e.Path == "" {
			continue
		}
		if r, sure := x.touched(e); r != nil {
			found(match{r, e.Part, i, sure, e.doing() + " " + e.said()})
		} else if e.Place.Partial {
			found(match{x.some(), e.Part, i, false, e.doing() + " everything below " + e.shown()})
		}
	}
}

// touched returns a rule that matches one of the effect's paths. A glob that
// may expand to what a rule names matches it, too, but not surely where the
// disk was looked at and nothing was found.
func (x *pathIndex) touched(e *Effect) (r *Rule, sure bool) {
	name := cleaned(components(e.Path))
	r = x.find(name, true)
	real := components(e.Place.Real)
	if r == nil && e.Place.Real != "" && e.Place.Real != e.Path {
		r = x.find(real, true)
	}
	for i := 0; r == nil && i < len(e.Place.Below); i++ {
		r = x.find(components(e.Place.Below[i]), true)
	}
	if r != nil || !e.Glob {
		return r, true
	}
	if r = x.mayFind(name); r == nil && e.Place.Real != "" {
		r = x.mayFind(real)
	}
	return r, e.Place.Real == "" || e.Place.Partial
}

// cleaned removes ".." together with the component before it.
func cleaned(comps []string) []string {
	out := make([]string, 0, len(comps))
	for _, c := range comps {
		switch {
		case c != "..":
			out = append(out, c)
		case len(out) > 0:
			out = out[:len(out)-1]
		}
	}
	return out
}

func (f *findings) hostMatches(s *ruleSet, i int, found func(match)) {
	if s.fetch.any == nil {
		return
	}
	e := &f.effects[i]
	host, known := e.host()
	if host != "" {
		r, ok := s.fetch.find(host)
		if inner, is := embeddedIPv4(host); !ok && is {
			r, ok = s.fetch.find(inner)
		}
		if ok {
			found(match{r, e.Part, i, true, "reaching " + host})
			return
		}
	}
	if !known {
		found(match{*s.fetch.any, e.Part, i, false, "reaching a host that is not known"})
	}
}

// host returns the normalized host of a network effect, and false where it is
// not known for certain.
func (e *Effect) host() (string, bool) {
	h, err := NormalizeHost(e.Host)
	if e.Host == "" && e.URL != "" {
		h, err = HostOfURL(e.URL)
	}
	return h, err == nil && (e.Certainty != Unknown || e.Host == "")
}

// String returns "server.tool" for a foreign tool, the name for others.
func (t Tool) String() string {
	if t.Server == "" {
		return t.Name
	}
	return t.Server + "." + t.Name
}
