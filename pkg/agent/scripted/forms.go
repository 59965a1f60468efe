package scripted

import "strings"

// Each of these reads the rest of a line of its form: the tool, "" where there is
// none, and its arguments, nil where the rest does not fit.

func parseExec(t tools, rest string) (string, map[string]any) {
	tool := t.first("exec", "bash")
	if rest == "" {
		return tool, nil
	}
	return tool, map[string]any{"command": rest}
}

func parseRead(t tools, rest string) (string, map[string]any) {
	tool := t.first("read")
	file, rest, ok := cutWord(rest)
	if !ok || rest != "" {
		return tool, nil
	}
	return tool, map[string]any{t.param(tool, "file_path", "path"): file}
}

func parseWrite(t tools, rest string) (string, map[string]any) {
	tool := t.first("write")
	file, text, ok := cutWord(rest)
	if !ok {
		return tool, nil
	}
	return tool, map[string]any{t.param(tool, "file_path", "path"): file, "content": text}
}

func parseEdit(t tools, rest string) (string, map[string]any) {
	tool := t.first("edit")
	file, rest, ok := cutWord(rest)
	before, after, found := strings.Cut(rest, "=>")
	before, after = strings.TrimSpace(before), strings.TrimSpace(after)
	if !ok || !found || before == "" {
		return tool, nil
	}
	return tool, map[string]any{
		t.param(tool, "file_path", "path"): file,
		t.param(tool, "old_string", "old"): before,
		t.param(tool, "new_string", "new"): after,
	}
}

func parseLs(t tools, rest string) (string, map[string]any) {
	tool := t.first("ls")
	args := map[string]any{}
	if rest != "" {
		dir, more, ok := cutWord(rest)
		if !ok || more != "" {
			return tool, nil
		}
		args[t.param(tool, "path", "file_path")] = dir
	}
	return tool, args
}

func parseFind(t tools, rest string) (string, map[string]any) {
	return parseSearch(t, t.first("find"), rest)
}

func parseGrep(t tools, rest string) (string, map[string]any) {
	return parseSearch(t, t.first("grep"), rest)
}

func parseSearch(t tools, tool, rest string) (string, map[string]any) {
	pattern, rest, ok := cutWord(rest)
	if !ok {
		return tool, nil
	}
	args := map[string]any{"pattern": pattern}
	if rest != "" {
		dir, more, ok := cutWord(rest)
		if !ok || more != "" {
			return tool, nil
		}
		args[t.param(tool, "path", "file_path")] = dir
	}
	return tool, args
}

func parseFetch(t tools, rest string) (string, map[string]any) {
	tool := t.first("web_fetch")
	if rest == "" || strings.ContainsAny(rest, " \t") {
		return tool, nil
	}
	return tool, map[string]any{"url": rest}
}

func parseTools(t tools, rest string) (string, map[string]any) {
	return t.first("tool_search"), map[string]any{"query": rest}
}
