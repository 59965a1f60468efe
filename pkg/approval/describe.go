package approval

import (
	"strings"
	"time"

	"mayi/pkg/permissions"
)

// showLimit is how many characters of a command a question shows before it
// says how many more there are, and tailLimit how many of its end follow.
const (
	showLimit = 20_000
	tailLimit = 2_000
	// foldAt is how many characters of a command stand on one line.
	foldAt = 72
)

// Describe returns the question in plain words, made of the facts in q only:
// what would happen, the whole command, the paths with the kind of access, the
// risk and why it is asked. Text that an agent wrote stands behind a bar at
// the left, so that it cannot pass for a line of the question.
func Describe(q Question, now time.Time) string {
	var b strings.Builder
	b.WriteString(headline(q))
	b.WriteByte('\n')
	b.WriteString(quote(q.Command))
	for _, n := range q.Needs {
		b.WriteString("  " + need(n) + "\n")
	}
	if text := below(q.Needs); text != "" {
		b.WriteString("  " + text + "\n")
	}
	if q.Reason != "" {
		b.WriteString("  Why this is asked: " + Line(q.Reason) + "\n")
	}
	b.WriteString("  Risk: " + risk(q.Risk) + "\n")
	if !q.Expires.IsZero() {
		b.WriteString("  Without an answer within " + within(q.Expires.Sub(now)) + " it is refused.\n")
	}
	return b.String()
}

func headline(q Question) string {
	switch q.Tool {
	case "bash", "exec", "":
		return "The agent wants to run:"
	}
	return "The agent wants to use the tool " + Line(q.Tool) + ":"
}

// quote puts text behind a bar.
func quote(text string) string {
	var b strings.Builder
	runes := []rune(text)
	n := len(runes)
	if n <= showLimit+tailLimit {
		bar(&b, Visible(text))
		return b.String()
	}
	bar(&b, Visible(string(runes[:showLimit])))
	b.WriteString("  │ … " + Thousands(n-showLimit-tailLimit) + " more characters, and at the end:\n")
	bar(&b, Visible(string(runes[n-tailLimit:])))
	return b.String()
}

// bar writes each line of text behind a bar. Long ones are folded here, so that
// no terminal folds them: what it put at the left edge would pass for a line of
// the question.
func bar(b *strings.Builder, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		rest := []rune(line)
		for len(rest) > foldAt {
			b.WriteString("  │ " + string(rest[:foldAt]) + "\n")
			rest = rest[foldAt:]
		}
		b.WriteString("  │ " + string(rest) + "\n")
	}
}

func need(n permissions.Need) string {
	switch n.What {
	case "path":
		return "It would " + access(n.Access) + " " + Line(n.Path) + " (outside the workspace)"
	case "protected":
		return "It would " + access(n.Access) + " " + Line(n.Path) + " (a protected file)"
	case "asked":
		return "It would " + access(n.Access) + " " + Line(n.Path) + " (a rule of yours asks before this)"
	case "tool":
		if n.Command == "" {
			return "No rule allows this tool"
		}
		return "No rule allows the tool " + Line(n.Command)
	case "rule":
		return "A rule of yours asks before this: " + Line(n.Command)
	}
	return "No rule allows the command: " + Line(n.Command)
}

// below says on the question's face what "session" would cover beyond what is
// named: a path stands for everything below it.
func below(needs []permissions.Need) string {
	for _, n := range needs {
		if (n.What == "path" || n.What == "asked") && n.Path != "" {
			return "session would cover that, and what is below a folder, until the session ends"
		}
	}
	return ""
}

func access(k permissions.Kind) string {
	switch k {
	case permissions.Read:
		return "read"
	case permissions.FSWrite:
		return "write"
	case permissions.Exec:
		return "run"
	case permissions.NetRead:
		return "fetch from"
	case permissions.NetWrite:
		return "send to"
	case permissions.StateWrite:
		return "change the state of"
	}
	return "read, change or run"
}

func risk(r permissions.Risk) string {
	switch r {
	case permissions.RiskLow:
		return "low"
	case permissions.RiskMedium:
		return "medium"
	case permissions.RiskHigh:
		return "high"
	case permissions.RiskCritical:
		return "critical"
	}
	return "not known, so treat it as critical"
}

// within says a waiting time in whole units, rounded up: a person reads it.
func within(d time.Duration) string {
	if d <= 0 {
		return "0 seconds"
	}
	unit, name := time.Second, "second"
	if d > 2*time.Minute {
		unit, name = time.Minute, "minute"
	}
	if d > 2*time.Hour {
		unit, name = time.Hour, "hour"
	}
	n := int((d + unit - 1) / unit)
	if n != 1 {
		name += "s"
	}
	return Thousands(n) + " " + name
}
