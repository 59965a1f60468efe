package approval

import "strings"

// choice returns the choice that a word stands for; "" where it is none.
// "yes" is none: it does not say for how long.
func choice(word string) Choice {
	switch word {
	case "once", "o", "just once", "only once", "allow once", "yes, once", "yes once":
		return Once
	case "session", "s", "this session", "for this session", "for the session", "allow session", "yes, session", "yes session":
		return Session
	case "always", "a", "allow always", "yes, always", "yes always":
		return Always
	case "no", "n", "nope", "deny", "denied", "refuse", "never", "don't", "do not", "stop", "cancel", "no thanks", "no, thanks":
		return No
	}
	return ""
}

// explainChoices is the help that "?" shows.
func explainChoices(q Question) string {
	lines := []string{
		"once     lets exactly this call run, one time; the next one is asked for again.",
		"session  lets it, and what is below the paths shown, until this session ends.",
		"always   writes a rule into your settings; you see the rule before it is written.",
		"no       refuses; this is not asked again in this session.",
	}
	if len(q.Rules) == 0 {
		lines[2] = "always   is not possible here: no rule can cover this call."
	}
	lines = append(lines, "Nothing runs while this waits, and no answer is the same as no.")
	return strings.Join(lines, "\n")
}

// explainRules shows the rules that "always" can write, with their reach.
func explainRules(rules []string) string {
	var b strings.Builder
	for i, r := range rules {
		covers, not := reach(r)
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("  " + Thousands(i+1) + "  " + Line(r))
		b.WriteString("\n     covers: " + Line(covers))
		b.WriteString("\n     does not cover: " + Line(not))
	}
	return b.String()
}

// reach says in plain words what an allow rule would and would not cover.
func reach(rule string) (covers, not string) {
	kind, rest, ok := strings.Cut(rule, "(")
	arg := strings.TrimSuffix(rest, ")")
	if !ok || !strings.HasSuffix(rest, ")") {
		return "what the rule says", "anything else"
	}
	switch kind {
	case "command":
		return "every command that begins with the words \"" + arg + "\", whatever follows, now and later",
			"other commands; what a deny rule, the mode or the network policy blocks; files outside the workspace that are asked for"
	case "read":
		return "reading " + arg + where(arg), "writing there; any other place"
	case "write":
		return "writing " + arg + where(arg), "any other place; what a deny rule blocks"
	case "fetch":
		return "fetching from " + arg + " and its subdomains", "other hosts; what the network policy blocks"
	case "mcp":
		server, name, _ := strings.Cut(arg, ".")
		if name == "*" {
			return "every tool of the server " + server + ", with any arguments", "tools of other servers"
		}
		return "the tool " + name + " of the server " + server + ", with any arguments", "its other tools"
	case "tool":
		return "the tool " + arg + ", with any arguments", "other tools"
	}
	return "what the rule says", "anything else"
}

func where(glob string) string {
	switch {
	case strings.HasPrefix(glob, "~/"):
		return " in your home directory"
	case strings.HasPrefix(glob, "/"):
		return ""
	case strings.Contains(strings.TrimSuffix(glob, "/"), "/"):
		return " below the workspace"
	}
	return ", at any depth of the workspace"
}
