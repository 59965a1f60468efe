package soundness

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// resolver follows names through the links that the tree held before the run,
// since the run may have changed them.
type resolver struct {
	root  string
	links map[string]string
}

func newResolver(t *Tree) *resolver {
	r := &resolver{root: t.Root, links: map[string]string{}}
	_ = filepath.WalkDir(t.Root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type()&fs.ModeSymlink != 0 {
			if to, err := os.Readlink(p); err == nil {
				r.links[p] = to
			}
		}
		return nil
	})
	return r
}

// resolve is the canonical form of an absolute name. Names outside of the tree
// are followed on the disk, which the run cannot change.
func (r *resolver) resolve(name string) string {
	if !below(name, r.root) {
		if real, err := filepath.EvalSymlinks(name); err == nil {
			return real
		}
		return path.Clean(name)
	}
	cur, rest := "/", name
	for hops := 0; rest != "" && hops < 400; hops++ {
		rest = strings.TrimLeft(rest, "/")
		var comp string
		comp, rest, _ = strings.Cut(rest, "/")
		if comp == "" {
			break
		}
		next := path.Join(cur, comp)
		if to, ok := r.links[next]; ok {
			if strings.HasPrefix(to, "/") {
				cur = "/"
			}
			rest = to + "/" + rest
			continue
		}
		cur = next
	}
	return cur
}
