package confine

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/sandbox"
)

// Programs adds to the specification the programs that an allowed call names
// and that its PATH finds in a folder which the job would not have: to run them
// is what was decided. A shell looks for them without asking the kernel to run
// anything, so that nobody would hear of one that is missing.
func Programs(s *sandbox.Spec, call permissions.Call, env []string) {
	var folders []string
	far := false
	seen := visible(s)
	for _, kv := range env {
		if list, ok := strings.CutPrefix(kv, "PATH="); ok {
			folders = filepath.SplitList(list)
		}
	}
	for _, f := range folders {
		far = far || path.IsAbs(f) && !below(path.Clean(f), seen)
	}
	if !far {
		return
	}
	done := map[string]bool{}
	for i := range call.Parts {
		words := call.Parts[i].Words
		if len(words) == 0 || !words[0].Known || words[0].Text == "" || strings.Contains(words[0].Text, "/") || done[words[0].Text] {
			continue
		}
		done[words[0].Text] = true
		program(s, words[0].Text, folders, seen)
	}
}

// program adds one program, unless it is found where the job looks anyway.
func program(s *sandbox.Spec, name string, folders, seen []string) {
	for _, f := range folders {
		file := path.Join(f, name)
		if !path.IsAbs(f) || !runnable(file) {
			continue
		}
		real, err := filepath.EvalSymlinks(file)
		if err != nil || below(file, seen) || closed(s, real) || closed(s, file) {
			return
		}
		s.Programs = append(s.Programs, real)
		if real != file {
			s.Links = append(s.Links, sandbox.Link{Path: file, To: real})
		}
		return
	}
}

func runnable(file string) bool {
	st, err := os.Stat(file)
	return err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0
}

// visible are the folders that a job has anyway.
func visible(s *sandbox.Spec) []string {
	out := append(append(append(sandbox.SystemFolders(), s.Read...), s.Write...), s.Programs...)
	if s.Home != "" {
		for _, f := range sandbox.HomeFiles() {
			out = append(out, path.Join(s.Home, f))
		}
	}
	return out
}

// closed reports whether a rule closes the path or a folder above it.
func closed(s *sandbox.Spec, p string) bool {
	for _, d := range s.Denied {
		glob := strings.TrimPrefix(d.Glob, "**/")
		for at := p; at != "/" && at != "."; at = path.Dir(at) {
			if ok, err := path.Match(glob, at); ok || err != nil {
				return true
			}
			if ok, _ := path.Match(glob, path.Base(at)); ok {
				return true
			}
		}
	}
	return false
}
