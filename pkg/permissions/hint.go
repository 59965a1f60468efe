package permissions

import (
	"fmt"
	"strings"
)

var examples = [...]string{
	CommandRule: "command(git status)", ReadRule: "read(docs/**)", WriteRule: "write(out/**)",
	FetchRule: "fetch(example.org)", MCPRule: "mcp(server.tool)", ToolRule: "tool(web_fetch)",
}

// otherNames are what other programs call the same kinds of rule.
var otherNames = [...]struct {
	name string
	kind RuleKind
}{
	{"bash", CommandRule}, {"shell", CommandRule}, {"exec", CommandRule}, {"run", CommandRule}, {"cmd", CommandRule},
	{"edit", WriteRule}, {"webfetch", FetchRule}, {"web_fetch", FetchRule}, {"domain", FetchRule}, {"host", FetchRule},
	{"network", FetchRule}, {"server", MCPRule}, {"path", ReadRule}, {"file", ReadRule},
}

// kindHint names the kind that was probably meant. bare: there was no
// parenthesis, so the whole text may have been meant as a command.
func kindHint(word string, bare bool) string {
	if bare && strings.ContainsAny(word, " /") {
		return fmt.Sprintf("to name a command, write %q", "command("+word+")")
	}
	low := strings.ToLower(strings.TrimSpace(word))
	for _, o := range otherNames {
		if o.name == low {
			return fmt.Sprintf("here it is called %q, as in %q", o.kind.String(), examples[o.kind])
		}
	}
	best, least := RuleKind(0), 1<<30
	for i, name := range ruleKindNames {
		if d := editDistance(low, name); d < least {
			best, least = RuleKind(i), d
		}
	}
	if least <= 3 {
		return fmt.Sprintf("did you mean %q, as in %q?", best.String(), examples[best])
	}
	return "the kinds are " + strings.Join(ruleKindNames[:], ", ")
}

// editDistance is the Levenshtein distance of two short words.
func editDistance(a, b string) int {
	if len(a) > 40 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(row[j]+1, row[j-1]+1, cost)
		}
	}
	return row[len(b)]
}
