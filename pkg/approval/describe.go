package approval

import (
	"strings"
	"time"
	"unicode/utf8"

	"mayi/pkg/permissions"
)

// showLimit is how many characters of a command a question shows before it
// says how many more there are, and tailLimit how many of its end follow.
const (
	showLimit = 20_000
	tailLimit = 2_000
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
	shown := Visible(text)
	if n := utf8.RuneCountInString(text); n > showLimit+tailLimit {
		tail := []rune(text)[n-tailLimit:]
		shown = Clip(string([]rune(text)[:n-tailLimit]), showLimit) + ", and at the end:\n" + Visible(string(tail))
	}
	var b strings.Builder
	for line := range strings.SplitSeq(shown, "\n") {
		b.WriteString("  │ " + line + "\n")
	}
	return b.String()
}

func need(n permissions.Need) string {
	switch n.What {
	case "path":
		return "It would " + access(n.Access) + " " + Line(n.Path) + " (outside the workspace)"
	case "protected":
		return "It would " + access(n.Access) + " " + Line(n.Path) + " (a protected file)"
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
		if n.What == "path" && n.Path != "" {
			return "session would cover everything below that, too, until the session ends"
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
