package agent

import (
	"encoding/json"
	"maps"
	"sort"
	"strings"

	"mayi/pkg/approval"
)

const (
	// previewLines and previewText bound what is shown of a tool's result; the
	// model gets all of it. What is left out is counted.
	previewLines = 40
	previewText  = 8_000
	// callText bounds what is shown of a call's arguments.
	callText = 2_000
)

// cutLast splits off the last line of a text that holds several.
func cutLast(s string) (body, last string, ok bool) {
	i := strings.LastIndexByte(s, '\n')
	if i < 0 || i == len(s)-1 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// plain writes tabs as blanks and CRLF as a newline, which would otherwise be
// shown as the control characters that they are.
func plain(s string) string {
	return strings.NewReplacer("\r\n", "\n", "\t", "    ").Replace(s)
}

// preview is the beginning of a result, with a count of what is left out.
func preview(s string) string {
	lines := strings.Split(s, "\n")
	more := len(lines) - previewLines
	if more > 0 {
		s = strings.Join(lines[:previewLines], "\n")
	}
	s = approval.Clip(s, previewText)
	if more > 0 {
		s += "\n… " + approval.Thousands(more) + " more lines (the model sees them)"
	}
	return s
}

// callLine is a call on one line: the tool and what it is called with. raw is
// shown where the arguments could not be read.
func callLine(tool string, args map[string]any, raw string) string {
	if args == nil {
		return tool + " " + raw
	}
	parts := []string{tool}
	rest := maps.Clone(args)
	// What the call is mainly about goes without its name.
	for _, k := range []string{"command", "file_path", "pattern", "url", "query", "path", "action"} {
		if s, ok := rest[k].(string); ok && s != "" {
			parts = append(parts, s)
			delete(rest, k)
			break
		}
	}
	keys := make([]string, 0, len(rest))
	for k := range rest {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		b, err := json.Marshal(rest[k])
		if err != nil {
			b = []byte("?")
		}
		parts = append(parts, k+"="+string(b))
	}
	return strings.Join(parts, " ")
}
