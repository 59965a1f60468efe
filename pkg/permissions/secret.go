package permissions

// secret says what a read effect gives away, "" for nothing that is known to be
// secret.
func (e *Effect) secret() string {
	switch {
	case e.Kind != Read:
		return ""
	case e.Secret != "":
		return e.Secret
	case e.Place.Secret != "":
		return e.Place.Secret
	case isSecret(e.Path) || isSecret(e.Place.Real):
		return "what looks like a secret"
	}
	return ""
}

// leak says in one sentence where a secret that the call reads may go, and
// whether it surely gets there; "" where nothing that is secret is read together
// with sending anything.
func (f *findings) leak() (text string, part, effect int) {
	for i := range f.effects {
		if f.effects[i].secret() == "" {
			continue
		}
		for k := range f.effects {
			if to := &f.effects[k]; f.carries(f.effects[i].Part, to) {
				return "it sends " + f.effects[i].gives() + " to " + to.to(), to.Part, k
			}
		}
	}
	for i := range f.effects {
		for k := range f.effects {
			if to := &f.effects[k]; to.Kind == NetWrite && f.effects[i].secret() != "" {
				return "it reads " + f.effects[i].gives() + " and sends something to " + to.to(), to.Part, k
			}
		}
	}
	return "", -1, -1
}

// gives names the secret and where it is.
func (e *Effect) gives() string {
	if e.Path == "" {
		return e.secret()
	}
	return e.secret() + " (" + e.shown() + ")"
}

// to names the host of a network effect.
func (e *Effect) to() string {
	if e.Host == "" {
		return "a host that is not known"
	}
	return e.Host
}

// carries reports whether what part from reads reaches the network effect: it
// is its own, or from stands before it in a pipeline, or what from prints is a
// word of it.
func (f *findings) carries(from int, to *Effect) bool {
	if to.Kind != NetWrite && to.Kind != NetRead || from < 0 || from >= len(f.call.Parts) || to.Part < 0 || to.Part >= len(f.call.Parts) {
		return false
	}
	if from == to.Part {
		return to.Kind == NetWrite
	}
	words := false // some word is made of what others print
	for _, w := range f.call.Parts[to.Part].Words {
		words = words || !w.Known
	}
	if f.holds(to.Part, from) {
		return words || to.Kind == NetWrite
	}
	a, b := &f.call.Parts[from], &f.call.Parts[to.Part]
	return a.Pipe != 0 && a.Pipe == b.Pipe && from < to.Part && (to.Kind == NetWrite || words)
}

// holds reports whether part inner is run by outer, or by what outer runs.
func (f *findings) holds(outer, inner int) bool {
	for steps := 0; steps < len(f.call.Parts); steps++ {
		if inner < 0 || inner >= len(f.call.Parts) {
			return false
		}
		if inner = f.call.Parts[inner].Parent; inner == outer {
			return true
		}
	}
	return false
}

// tell puts what is read of secrets and where it goes in front of the reasons
// of a question.
func (f *findings) tell() {
	if text, part, effect := f.leak(); text != "" {
		f.reasons = append([]Reason{{Ask, "secret-sent", text, part, effect, nil}}, f.reasons...)
		return
	}
	for i := range f.effects {
		e := &f.effects[i]
		if e.secret() != "" {
			f.reasons = append(f.reasons, Reason{Ask, "secret", "it reads " + e.gives(), e.Part, i, nil})
			return
		}
	}
}
