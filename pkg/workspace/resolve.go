package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"syscall"
)

// maxLinks is how many symbolic links one path may lead through, as in the
// kernel.
const maxLinks = 40

// maxPath bounds the text that is looked at; the kernel takes no more than
// 4096 bytes, links included.
const maxPath = 4096

var (
	errRelative = errors.New("the path is not absolute")
	errNUL      = errors.New("the path holds a NUL byte")
	errTooLong  = errors.New("the path is too long")
	errLoop     = errors.New("too many symbolic links (a loop?)")
)

// resolver follows a path component by component. A fresh one is made for
// every reading; it is not safe for concurrent use.
type resolver struct {
	disk disk
	// cwd is what /proc/self/cwd leads to, "" where that is not known.
	cwd string
	// links are symbolic links that the call makes before it gets here, by
	// canonical name.
	links map[string]string
}

// trail is what following one path brought to light.
type trail struct {
	// real is the canonical path, the missing tail included.
	real string
	// names are the absolute spellings on the way: what the path was called
	// before each link on it was followed.
	names []string
	// magic: the way goes through a link that only the kernel can follow for
	// the process that uses it, so real is no more than a spelling.
	magic bool
	// kind is the type of the object at real and exists says whether there is
	// one.
	kind   fs.FileMode
	exists bool
}

// follow resolves an absolute path. What does not exist is taken as an
// ordinary name, so that the place where a file would come to be is known too.
func (r *resolver) follow(name string) (trail, error) {
	t := trail{}
	switch {
	case !strings.HasPrefix(name, "/"):
		return t, errRelative
	case strings.IndexByte(name, 0) >= 0:
		return t, errNUL
	case len(name) > maxPath:
		return t, errTooLong
	}
	cur, rest, hops := "/", name, 0
	t.kind, t.exists = fs.ModeDir, true
	for {
		var comp string
		comp, rest = next(rest)
		if comp == "" {
			t.real = cur
			return t, nil
		}
		if comp == "." {
			continue
		}
		if comp == ".." {
			cur = path.Dir(cur)
			t.kind, t.exists = fs.ModeDir, true
			continue
		}
		here := join(cur, comp)
		if isDevice(here) && strings.Trim(rest, "/") == "" {
			t.real, t.kind, t.exists = here, fs.ModeDevice, true
			return t, nil
		}
		switch how, target := r.proc(here); how {
		case keepName:
			cur, t.kind, t.exists = here, fs.ModeDir, true
			continue
		case neverFollow:
			t.magic, t.real, t.exists = true, path.Join(here, rest), false
			return t, nil
		case leadsTo:
			// What the working directory is when the command gets there is not
			// known for sure, so the answer must not depend on it alone.
			t.magic = t.magic || here == procCwd
			if hops++; hops > maxLinks {
				return t, errLoop
			}
			cur, rest = "/", target+"/"+rest
			continue
		}
		target, err := r.step(here, &t)
		if err != nil {
			return t, err
		}
		if target == "" {
			cur = here
			continue
		}
		if hops++; hops > maxLinks {
			return t, errLoop
		}
		t.names = append(t.names, path.Join(here, rest))
		rest = target + "/" + rest
		if len(rest) > 2*maxPath {
			return t, errTooLong
		}
		// A target such as "." has no component of its own: it is the folder.
		t.kind, t.exists = fs.ModeDir, true
		if strings.HasPrefix(target, "/") {
			cur = "/"
		}
	}
}

// step looks at one name and returns the link's target where it is one.
func (r *resolver) step(here string, t *trail) (target string, err error) {
	if target, ok := r.links[here]; ok {
		t.kind, t.exists = fs.ModeSymlink, true
		return target, nil
	}
	kind, err := r.disk.kind(here)
	if err != nil {
		if missing(err) {
			t.kind, t.exists = 0, false
			return "", nil
		}
		return "", fmt.Errorf("%s cannot be looked at: %w", here, cause(err))
	}
	t.kind, t.exists = kind, true
	if kind&fs.ModeSymlink == 0 {
		return "", nil
	}
	target, err = r.disk.readlink(here)
	if err != nil {
		return "", fmt.Errorf("%s cannot be followed: %w", here, cause(err))
	}
	if target == "" || strings.IndexByte(target, 0) >= 0 {
		return "", fmt.Errorf("%s is a link to nowhere", here)
	}
	return target, nil
}

// next splits the first component off a path.
func next(p string) (comp, rest string) {
	p = strings.TrimLeft(p, "/")
	if i := strings.IndexByte(p, '/'); i >= 0 {
		return p[:i], p[i:]
	}
	return p, ""
}

func join(dir, name string) string {
	if dir == "/" {
		return "/" + name
	}
	return dir + "/" + name
}

// missing reports whether err only says that there is nothing of that name: a
// name below a file is as missing as one in an empty directory.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// cause drops the path from an error that is about to be named with it.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// inside reports whether the canonical path p is root or below it.
func inside(p, root string) bool {
	if root == "" || p == "" {
		return false
	}
	if root == "/" || p == root {
		return true
	}
	return len(p) > len(root) && p[len(root)] == '/' && p[:len(root)] == root
}
