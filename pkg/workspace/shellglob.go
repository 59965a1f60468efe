package workspace

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

var errTooMany = errors.New("there are too many files to look at")

// found is one file that a glob stands for.
type found struct {
	// name is the file as the glob spells it.
	name string
	// real is the canonical path where no link is on the way, else "".
	real string
	kind fs.FileMode
}

// glob lists the names on the disk that a pattern matches.
func (s *survey) glob(comps []string, links map[string]string) ([]found, error) {
	dirs := []found{{name: "/", real: "/", kind: fs.ModeDir}}
	wild := false // a component with a wildcard has come before
	for i, c := range comps {
		var out []found
		last := i == len(comps)-1
		for _, d := range dirs {
			if !hasMeta(c) {
				if f := (found{name: join(d.name, unescape(c))}); !wild || s.there(d.name, unescape(c), links) {
					out = append(out, f)
				}
				continue
			}
			more, err := s.matches(d.name, c, last, links)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
			if len(out) > s.w.limits.matches {
				return nil, errTooMany
			}
		}
		dirs, wild = out, wild || hasMeta(c)
	}
	if !wild {
		return nil, nil
	}
	return dirs, nil
}

// there reports whether a folder that a wildcard matched holds the name that
// the pattern goes on with.
func (s *survey) there(dir, name string, links map[string]string) bool {
	t, err := s.resolver(links).follow(dir)
	if err != nil || t.magic {
		return err != nil // what cannot be followed is judged when it is placed
	}
	if name == "." || name == ".." {
		return t.exists && t.kind.IsDir()
	}
	real := join(t.real, name)
	if _, linked := links[real]; linked {
		return true
	}
	_, err = s.disk.kind(real)
	return err == nil || !missing(err)
}

// matches lists what one component of a pattern matches in one directory.
func (s *survey) matches(dir, pattern string, last bool, links map[string]string) ([]found, error) {
	t, err := s.resolver(links).follow(dir)
	if err != nil {
		return nil, err
	}
	if t.magic {
		return nil, nil
	}
	var out []found
	for name, target := range links {
		if path.Dir(name) == t.real && target != "" && shellMatch(pattern, path.Base(name)) {
			out = append(out, found{name: join(dir, path.Base(name))})
		}
	}
	if !t.exists || !t.kind.IsDir() {
		return out, nil
	}
	entries, more, err := s.disk.list(t.real, s.left)
	if err != nil {
		if missing(err) {
			return out, nil
		}
		return nil, cause(err)
	}
	if s.left -= len(entries); more {
		return nil, errTooMany
	}
	for _, e := range entries {
		if !shellMatch(pattern, e.Name()) || (!last && e.Type().IsRegular()) {
			continue
		}
		f := found{name: join(dir, e.Name()), kind: e.Type()}
		if last && e.Type()&fs.ModeSymlink == 0 {
			f.real = join(t.real, e.Name())
			if _, linked := links[f.real]; linked {
				f.real = ""
			}
		}
		out = append(out, f)
	}
	return out, nil
}

// shellMatch reports whether a shell's pattern may match a file name. What
// depends on the shell's locale is taken in its widest sense.
func shellMatch(pattern, name string) bool {
	if strings.HasPrefix(name, ".") && !strings.HasPrefix(strings.TrimPrefix(pattern, `\`), ".") {
		return false
	}
	pattern = shellPattern(pattern)
	ok, err := path.Match(pattern, name)
	if err == nil && !ok && strings.IndexByte(pattern, '[') >= 0 {
		// A range such as [a-z] holds capital letters in some locales.
		lower, _ := path.Match(strings.ToLower(pattern), strings.ToLower(name))
		upper, _ := path.Match(strings.ToUpper(pattern), strings.ToUpper(name))
		ok = lower || upper
	}
	return ok || err != nil
}

// shellPattern rewrites one component for path.Match. A bracket expression that
// path.Match does not know stands for anything.
func shellPattern(c string) string {
	i := strings.IndexByte(c, '[')
	if i < 0 {
		return c
	}
	for _, class := range []string{"[:", "[.", "[=", "[]", "[!]", "[^]"} {
		if strings.Contains(c, class) {
			return c[:i] + "*"
		}
	}
	c = strings.ReplaceAll(c, "[!", "[^")
	if _, err := path.Match(c, ""); err != nil {
		return c[:i] + "*"
	}
	return c
}

func hasMeta(c string) bool { return strings.ContainsAny(c, "*?[") }

// prefix is the folder before the first component with a wildcard.
func prefix(comps []string) string {
	for i, c := range comps {
		if hasMeta(c) {
			return "/" + unescape(strings.Join(comps[:i], "/"))
		}
	}
	return literal(comps)
}

// literal is the pattern taken as a name.
func literal(comps []string) string { return "/" + unescape(strings.Join(comps, "/")) }

func unescape(c string) string {
	if strings.IndexByte(c, '\\') < 0 {
		return c
	}
	var b strings.Builder
	for i := 0; i < len(c); i++ {
		if c[i] == '\\' && i+1 < len(c) {
			i++
		}
		b.WriteByte(c[i])
	}
	return b.String()
}
