package workspace

import (
	"path"
	"strings"
)

// maxGitConfig bounds how much of a repository's configuration is read.
const maxGitConfig = 256 << 10

// gitFiles lists the files and folders that the configuration of the repository
// in root makes git read settings from or run: included files, another folder
// of hooks, a file of attributes, a file system monitor.
func (s *survey) gitFiles(root string) []string {
	dir := join(root, ".git")
	if text := s.small(dir); text != "" {
		// A worktree or submodule: the file says where the folder is.
		target, ok := strings.CutPrefix(strings.TrimSpace(text), "gitdir: ")
		if !ok {
			return nil
		}
		dir = beside(root, target)
		if common := strings.TrimSpace(s.small(join(dir, "commondir"))); common != "" {
			dir = beside(dir, common)
		}
	}
	var out []string
	section := ""
	for _, line := range strings.Split(s.small(join(dir, "config")), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			name := strings.TrimLeft(line, "[")
			section = strings.ToLower(name[:min(len(name), max(strings.IndexAny(name, " \t\"].]"), 0))])
			if i := strings.LastIndexByte(line, ']'); i >= 0 {
				line = strings.TrimSpace(line[i+1:])
			}
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		value = strings.Trim(strings.TrimSpace(value), `"`)
		if strings.HasPrefix(value, "~/") && s.w.home != "" {
			value = s.w.home + value[1:]
		}
		switch section + "." + strings.ToLower(strings.TrimSpace(key)) {
		case "include.path", "includeif.path":
			out = append(out, beside(dir, value))
		case "core.hookspath", "core.attributesfile":
			out = append(out, beside(root, value))
		case "core.fsmonitor":
			if strings.Contains(value, "/") { // else a truth value, or a program in PATH
				out = append(out, beside(root, value))
			}
		}
	}
	return out
}

// beside is a name that git takes relative to a folder.
func beside(dir, name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	return path.Clean(dir + "/" + name)
}

// small reads a small regular file, "" where there is none.
func (s *survey) small(name string) string {
	t, err := s.resolver(nil).follow(name)
	if err != nil || t.magic || !t.exists || !t.kind.IsRegular() {
		return ""
	}
	data, err := ReadFile(t.real, maxGitConfig)
	if err != nil {
		return ""
	}
	return string(data)
}
