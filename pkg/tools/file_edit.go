package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// newEdit is the tool that replaces text in a file.
func newEdit(s *Session) Tool {
	return &fileTool{
		s: s, name: "edit",
		text: "Replaces old_string by new_string in a file. old_string has to be there exactly once, with its blanks and line ends, unless replace_all is set.",
		args: object(map[string]any{
			"file_path":   property("string", "the file to change"),
			"old_string":  property("string", "the text to replace, exactly as it stands in the file"),
			"new_string":  property("string", "the text to put in its place"),
			"replace_all": property("boolean", "replace every occurrence"),
		}, "file_path", "old_string", "new_string"),
		kinds: []permissions.Kind{permissions.FSWrite},
		run: func(_ context.Context, real string, args map[string]any) (string, error) {
			data, err := workspace.ReadFile(real, editLimit)
			if err != nil {
				return "", err
			}
			if binary(data[:min(len(data), sniffBytes)]) {
				return "", fmt.Errorf("%s is a binary file", approval.Line(real))
			}
			out, n, err := replace(string(data), text(args, "old_string"), text(args, "new_string"), flag(args, "replace_all"))
			if err != nil {
				return "", fmt.Errorf("%s: %w", approval.Line(real), err)
			}
			if err := workspace.WriteFile(real, []byte(out), 0o644); err != nil {
				return "", err
			}
			if n == 1 {
				return fmt.Sprintf("replaced one occurrence in %s", approval.Line(real)), nil
			}
			return fmt.Sprintf("replaced %d occurrences in %s", n, approval.Line(real)), nil
		},
	}
}

// replace returns the text with old replaced, and how often.
func replace(in, old, repl string, all bool) (string, int, error) {
	switch {
	case old == "":
		return "", 0, errors.New("old_string is empty; use write to make a file")
	case old == repl:
		return "", 0, errors.New("old_string and new_string are the same")
	}
	n := strings.Count(in, old)
	switch {
	case n == 0 && strings.Contains(in, "\r\n") && strings.Contains(strings.ReplaceAll(in, "\r\n", "\n"), old):
		return "", 0, errors.New("old_string was not found: the file's lines end in CR LF (\\r\\n)")
	case n == 0 && strings.Contains(strings.Join(strings.Fields(in), " "), strings.Join(strings.Fields(old), " ")):
		return "", 0, errors.New("old_string was not found: the words are there, but blanks or line ends differ; read the file again")
	case n == 0:
		return "", 0, errors.New("old_string was not found")
	case n > 1 && !all:
		return "", 0, fmt.Errorf("old_string is there %d times; give more of the text around it, or set replace_all", n)
	}
	return strings.ReplaceAll(in, old, repl), n, nil
}
