//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
)

// worktreeFolders gives the repositories that belong to writable roots which
// are git worktrees: there, .git is a file that names a folder outside, and no
// git command works without it. The folder must name the worktree in return,
// or a file that somebody planted could open any folder. Its configuration and
// hooks are protected by name, as in every repository.
func worktreeFolders(roots []string) []string {
	var out []string
	for _, r := range roots {
		file := filepath.Join(r, ".git")
		st, err := os.Lstat(file)
		if err != nil || !st.Mode().IsRegular() {
			continue
		}
		dir := pointer(file, "gitdir: ", r)
		if dir == "" || pointer(filepath.Join(dir, "gitdir"), "", dir) != file {
			continue
		}
		common := pointer(filepath.Join(dir, "commondir"), "", dir)
		if common == "" || !within(dir, common) || coveredBy(common, roots) {
			continue
		}
		if _, err := os.Stat(filepath.Join(common, "HEAD")); err == nil {
			out = append(out, common)
		}
	}
	return out
}

// pointer reads a small file that names a folder, relative to base, and
// resolves it.
func pointer(file, prefix, base string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	buf := make([]byte, 4097)
	n, _ := f.Read(buf)
	if n == len(buf) {
		return ""
	}
	text, ok := strings.CutPrefix(strings.TrimRight(string(buf[:n]), "\r\n"), prefix)
	if !ok || text == "" {
		return ""
	}
	if !filepath.IsAbs(text) {
		text = filepath.Join(base, text)
	}
	// The last name may be a file (.git), which EvalSymlinks follows as well.
	real, err := filepath.EvalSymlinks(text)
	if err != nil {
		return ""
	}
	return real
}
