package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// Limits of the tools that list.
const (
	listEntries = 1000
	walkEntries = 200_000
)

// errEnough ends a walk early, without being a failure.
var errEnough = errors.New("enough")

// walk calls f for everything below the folder, a folder before what is in
// it. It follows no symbolic link and does not go into .git. skipped counts
// folders that could not be read.
func walk(ctx context.Context, root string, f func(rel string, e fs.DirEntry) error) (skipped int, err error) {
	seen := 0
	var down func(dir, rel string) error
	down = func(dir, rel string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		entries, err := workspace.ReadDir(dir)
		if err != nil {
			if rel == "" {
				return err
			}
			skipped++
			return nil
		}
		for _, e := range entries {
			if seen++; seen > walkEntries {
				return errEnough
			}
			name := path.Join(rel, e.Name())
			if err := f(name, e); err != nil {
				return err
			}
			if e.IsDir() && e.Name() != ".git" {
				if err := down(path.Join(dir, e.Name()), name); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return skipped, down(root, "")
}

func newLs(s *Session) Tool {
	return &fileTool{
		s: s, name: "ls",
		text: fmt.Sprintf("Lists a folder: folders end in /, symbolic links in @. At most %d entries.", listEntries),
		args: object(map[string]any{
			"path": property("string", "the folder; the working directory where it is left out"),
		}),
		kinds: []permissions.Kind{permissions.Read},
		run: func(_ context.Context, real string, _ map[string]any) (string, error) {
			st, err := workspace.Stat(real)
			if err != nil {
				return "", err
			}
			if !st.IsDir() {
				return fmt.Sprintf("%s  %s", approval.Line(path.Base(real)), byteCount(int(st.Size()))), nil
			}
			entries, err := workspace.ReadDir(real)
			if err != nil {
				return "", err
			}
			var b strings.Builder
			for i, e := range entries {
				if i == listEntries {
					fmt.Fprintf(&b, "[… %d more entries are not listed …]\n", len(entries)-i)
					break
				}
				b.WriteString(entryName(e.Name(), e) + "\n")
			}
			if len(entries) == 0 {
				return "(the folder is empty)", nil
			}
			return b.String(), nil
		},
	}
}

func entryName(name string, e fs.DirEntry) string {
	name = approval.Line(name)
	switch {
	case e.IsDir():
		return name + "/"
	case e.Type()&fs.ModeSymlink != 0:
		return name + "@"
	}
	return name
}

func newFind(s *Session) Tool {
	return &fileTool{
		s: s, name: "find",
		text: "Finds files and folders by name below a folder. The pattern is a glob: * within a name, ** across folders; without a slash it is matched against names at any depth. Links are not followed, .git is left out.",
		args: object(map[string]any{
			"pattern": property("string", "the glob, relative to path"),
			"path":    property("string", "the folder to look below; the working directory where it is left out"),
		}, "pattern"),
		kinds: []permissions.Kind{permissions.Read},
		run: func(ctx context.Context, real string, args map[string]any) (string, error) {
			match, err := globMatcher(text(args, "pattern"))
			if err != nil {
				return "", err
			}
			var b strings.Builder
			n := 0
			skipped, err := walk(ctx, real, func(rel string, e fs.DirEntry) error {
				if !match(rel) {
					return nil
				}
				if n++; n > listEntries {
					return errEnough
				}
				b.WriteString(entryName(rel, e) + "\n")
				return nil
			})
			return found(b.String(), "nothing matches", skipped, err)
		},
	}
}

// found ends a listing with what it leaves out.
func found(out, none string, skipped int, err error) (string, error) {
	if err != nil && !errors.Is(err, errEnough) {
		return "", err
	}
	if out == "" && err == nil {
		out = "(" + none + ")\n"
	}
	if err != nil {
		out += "[… there is more: the search was cut off at its limit; narrow it …]\n"
	}
	if skipped > 0 {
		out += fmt.Sprintf("[%d folders or files could not be read]\n", skipped)
	}
	return out, nil
}

// globMatcher matches paths relative to a folder. A pattern that leaves the
// folder is an error.
func globMatcher(pattern string) (func(rel string) bool, error) {
	switch {
	case pattern == "":
		return nil, errors.New("the pattern is empty")
	case path.IsAbs(pattern) || strings.HasPrefix(pattern, "~"):
		return nil, fmt.Errorf("the pattern %q has to be relative; give the folder as path", approval.Line(pattern))
	case !doublestar.ValidatePattern(pattern):
		return nil, fmt.Errorf("the pattern %q is no glob", approval.Line(pattern))
	}
	pattern = strings.TrimPrefix(pattern, "./")
	for c := range strings.SplitSeq(pattern, "/") {
		if c == ".." {
			return nil, fmt.Errorf("the pattern %q must not climb with \"..\"; give the folder as path", approval.Line(pattern))
		}
	}
	byName := !strings.Contains(pattern, "/")
	return func(rel string) bool {
		if byName {
			rel = path.Base(rel)
		}
		ok, err := doublestar.Match(pattern, rel)
		return err == nil && ok
	}, nil
}
