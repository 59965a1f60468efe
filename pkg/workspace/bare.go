package workspace

import (
	"encoding/hex"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// bareMatches bounds how many folders that a glob stands for are looked at.
const bareMatches = 1000

// BareRepository returns the folder whose settings git would obey if it were
// started in dir, where that is an ordinary folder that looks like a bare
// repository: a checkout may hold one, and nothing protects what it says. It is
// "" where git would come to a .git first, or to nothing. A dir that is a glob
// stands for what it matches; where that cannot be found out, the glob itself is
// the answer.
func BareRepository(dir string, glob bool) string {
	if !glob {
		return bareAbove(dir)
	}
	if strings.Contains(dir, "**") {
		return dir
	}
	matches, err := filepath.Glob(dir)
	if err != nil || len(matches) > bareMatches {
		return dir
	}
	for _, m := range matches {
		if found := bareAbove(m); found != "" {
			return found
		}
	}
	return ""
}

// BareRepositoryBelow is [BareRepository] for every folder below dir, links not
// followed. It is dir where that cannot be found out.
func BareRepositoryBelow(dir string) string {
	real, err := Canonical(dir)
	if err != nil {
		return dir
	}
	left := tameEntries
	for todo := []string{real}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		entries, more, err := osDisk{}.list(at, left)
		if err != nil || more {
			return dir
		}
		left -= len(entries)
		head := false
		for _, e := range entries {
			head = head || e.Name() == "HEAD"
			if e.IsDir() && fold(e.Name()) != ".git" {
				todo = append(todo, join(at, e.Name()))
			}
		}
		if head {
			if found := bareAbove(at); found != "" {
				return found
			}
		}
	}
	return ""
}

// bareAbove looks in the folder and in those above it, as git does.
func bareAbove(dir string) string {
	real, err := Canonical(dir)
	if err != nil {
		return "" // nothing can be started there
	}
	for {
		switch {
		case fold(path.Base(real)) == ".git":
			return "" // what it says is protected
		case gitStops(join(real, ".git")):
			return ""
		case isThere(join(real, "HEAD"), false) &&
			(isThere(join(real, "commondir"), false) || isThere(join(real, "objects"), true) && isThere(join(real, "refs"), true)):
			return real
		case real == "/":
			return ""
		}
		real = path.Dir(real)
	}
}

// gitStops reports whether git looks no further than this .git. One that is a
// folder and lacks something is passed over, as if it were not there.
func gitStops(own string) bool {
	own, err := Canonical(own)
	if err != nil {
		return false
	}
	if isThere(own, false) {
		return true
	}
	return isHead(join(own, "HEAD")) && isThere(join(own, "objects"), true) && isThere(join(own, "refs"), true) &&
		!isThere(join(own, "commondir"), false)
}

// isHead reports whether git takes the file for a repository's HEAD: a commit, or
// the name of a reference.
func isHead(name string) bool {
	if to, err := (osDisk{}).readlink(name); err == nil {
		return strings.HasPrefix(to, "refs/")
	}
	text, err := ReadFile(name, 255)
	if err != nil {
		return false
	}
	if ref, ok := strings.CutPrefix(string(text), "ref:"); ok {
		return strings.HasPrefix(strings.TrimLeft(ref, " \t\n\r"), "refs/")
	}
	id := strings.TrimSpace(string(text))
	_, err = hex.DecodeString(id)
	return err == nil && (len(id) == 40 || len(id) == 64)
}

// isThere reports whether there is a folder, or something else, of that name;
// a link counts as either.
func isThere(name string, folder bool) bool {
	kind, err := osDisk{}.kind(name)
	return err == nil && (kind&fs.ModeSymlink != 0 || kind.IsDir() == folder)
}
