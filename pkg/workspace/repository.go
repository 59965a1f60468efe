package workspace

import (
	"io/fs"
	"path"
)

// repository says whether writing the canonical path would change, or complete,
// a bare repository: git takes any folder that holds HEAD, objects and refs for
// one and runs what its configuration and hooks say.
func (s *survey) repository(real string) string {
	const entry = "bare git repository"
	dir := path.Dir(real)
	for up := 0; up < 3 && dir != "/"; up++ {
		name := fold(path.Base(real))
		if fold(path.Base(dir)) == ".git" {
			return ""
		}
		switch name {
		case "config", "config.worktree", "commondir", "hooks":
			if s.bare(dir, "") {
				return entry
			}
		case "head", "objects", "refs":
			// Only the piece that completes it matters: a repository's own
			// references and objects are data.
			if !s.bare(dir, "") && s.bare(dir, name) {
				return entry
			}
		}
		real, dir = dir, path.Dir(dir)
	}
	return ""
}

// bare reports whether dir holds what makes a bare repository, with one more
// piece assumed.
func (s *survey) bare(dir, assumed string) bool {
	for _, piece := range []string{"HEAD", "objects", "refs"} {
		if fold(piece) == assumed {
			continue
		}
		kind, err := s.disk.kind(join(dir, piece))
		if err != nil || kind&fs.ModeSymlink == 0 && (piece != "HEAD") != kind.IsDir() {
			return false
		}
	}
	return true
}
