package tools

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// Limits of one grep.
const (
	grepMatches   = 500
	grepLineBytes = 4 << 10
	grepFileBytes = 32 << 20
	grepAllBytes  = 1 << 30
)

func newGrep(s *Session) Tool {
	return &fileTool{
		s: s, name: "grep",
		text: fmt.Sprintf("Searches files below a folder (or one file) for a regular expression (RE2) and shows file:line:text, at most %d lines. Links are not followed; binary files and .git are left out.", grepMatches),
		args: object(map[string]any{
			"pattern":     property("string", "the regular expression"),
			"path":        property("string", "the folder or file; the working directory where it is left out"),
			"glob":        property("string", "only files whose name or path below the folder matches this glob"),
			"ignore_case": property("boolean", "letter case does not matter"),
		}, "pattern"),
		kinds: []permissions.Kind{permissions.Read},
		run:   grep,
	}
}

func grep(ctx context.Context, real string, args map[string]any) (string, error) {
	expr := text(args, "pattern")
	if flag(args, "ignore_case") {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return "", fmt.Errorf("the pattern is no regular expression: %w", err)
	}
	match := func(string) bool { return true }
	if g := text(args, "glob"); g != "" {
		if match, err = globMatcher(g); err != nil {
			return "", err
		}
	}
	st, err := workspace.Stat(real)
	if err != nil {
		return "", err
	}
	g := &grepping{ctx: ctx, re: re}
	if !st.IsDir() {
		err = g.file(real, path.Base(real))
		return found(g.out.String(), "no match", g.skipped, err)
	}
	skipped, err := walk(ctx, real, func(rel string, e fs.DirEntry) error {
		if !e.Type().IsRegular() || !match(rel) {
			return nil
		}
		return g.file(path.Join(real, rel), rel)
	})
	return found(g.out.String(), "no match", skipped+g.skipped, err)
}

// grepping is one search under way.
type grepping struct {
	ctx     context.Context
	re      *regexp.Regexp
	out     strings.Builder
	matches int
	bytes   int64
	skipped int
}

// file searches one file; only the end of the search is an error.
func (g *grepping) file(real, name string) error {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	f, st, err := openRegular(real)
	if err != nil || st.Size() > grepFileBytes {
		if err == nil {
			f.Close()
		}
		g.skipped++
		return nil
	}
	defer f.Close()
	if g.bytes += st.Size(); g.bytes > grepAllBytes {
		return errEnough
	}
	r := bufio.NewReaderSize(io.LimitReader(f, grepFileBytes), 64<<10)
	if start, _ := r.Peek(sniffBytes); binary(start) {
		return nil
	}
	for n := 1; ; n++ {
		line, dropped, err := takeLine(r, grepLineBytes)
		if line == "" && err != nil {
			if !errors.Is(err, io.EOF) {
				g.skipped++
			}
			return nil
		}
		if line = strings.TrimRight(line, "\r\n"); !g.re.MatchString(line) {
			continue
		}
		if g.matches++; g.matches > grepMatches {
			return errEnough
		}
		fmt.Fprintf(&g.out, "%s:%d:%s", approval.Line(name), n, strings.ToValidUTF8(line, "\uFFFD"))
		if dropped > 0 {
			fmt.Fprintf(&g.out, " [… %s of this line left out …]", byteCount(dropped))
		}
		g.out.WriteByte('\n')
	}
}
