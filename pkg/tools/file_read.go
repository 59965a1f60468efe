package tools

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// Limits of one read.
const (
	readLines  = 2000
	readBytes  = 256 << 10
	lineBytes  = 8 << 10
	sniffBytes = 8 << 10
	editLimit  = 16 << 20
)

// newRead is the tool that shows a text file.
func newRead(s *Session) Tool {
	line := func(what string) map[string]any {
		p := property("integer", what)
		p["minimum"] = 1
		return p
	}
	return &fileTool{
		s: s, name: "read",
		text: fmt.Sprintf("Shows a text file, at most %d lines at a time; offset and limit choose the lines. Says what it leaves out.", readLines),
		args: object(map[string]any{
			"file_path": property("string", "the file to read"),
			"offset":    line("the first line to show, from 1"),
			"limit":     line("how many lines to show"),
		}, "file_path"),
		kinds: []permissions.Kind{permissions.Read},
		run: func(ctx context.Context, real string, args map[string]any) (string, error) {
			offset, _ := number(args, "offset")
			limit, ok := number(args, "limit")
			if !ok || limit > readLines {
				limit = readLines
			}
			return readText(ctx, real, max(offset, 1), limit)
		},
	}
}

func openRegular(real string) (*os.File, os.FileInfo, error) {
	f, err := workspace.Open(real, os.O_RDONLY, 0)
	if err != nil {
		return nil, nil, err
	}
	st, err := f.Stat()
	switch {
	case err != nil:
	case st.IsDir():
		err = fmt.Errorf("%s is a folder; ls shows it", approval.Line(real))
	case !st.Mode().IsRegular():
		err = fmt.Errorf("%s is no regular file", approval.Line(real))
	default:
		return f, st, nil
	}
	f.Close()
	return nil, nil, err
}

func readText(ctx context.Context, real string, offset, limit int) (string, error) {
	f, st, err := openRegular(real)
	if err != nil {
		return "", err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	if start, _ := r.Peek(sniffBytes); binary(start) {
		return fmt.Sprintf("%s is a binary file of %s; it is not shown", approval.Line(real), byteCount(int(st.Size()))), nil
	}
	var b strings.Builder
	n, shown, cut := 0, 0, 0
	for {
		if n%1024 == 0 && ctx.Err() != nil {
			return "", ctx.Err()
		}
		line, dropped, err := takeLine(r, lineBytes)
		if line == "" && err != nil {
			if !errors.Is(err, io.EOF) {
				return "", err
			}
			break
		}
		n++
		if n < offset {
			continue
		}
		if shown == limit || b.Len()+len(line) > readBytes {
			fmt.Fprintf(&b, "[… more follows: lines %d to %d are shown, of a file of %s; go on with offset=%d …]\n", offset, n-1, byteCount(int(st.Size())), n)
			break
		}
		shown++
		cut += dropped
		b.WriteString(strings.ToValidUTF8(line, "\uFFFD"))
		if dropped > 0 {
			fmt.Fprintf(&b, "[… %s of this line left out …]\n", byteCount(dropped))
		}
	}
	switch {
	case shown > 0:
		return b.String(), nil
	case n == 0:
		return "(the file is empty)", nil
	}
	return "", fmt.Errorf("line %d is beyond the end: %s has %d lines", offset, approval.Line(real), n)
}

// takeLine reads a line with its newline, at most limit bytes of it, and says
// how many bytes of it were dropped.
func takeLine(r *bufio.Reader, limit int) (line string, dropped int, err error) {
	var b strings.Builder
	for {
		part, err := r.ReadSlice('\n')
		keep := min(len(part), max(0, limit-b.Len()))
		b.Write(part[:keep])
		dropped += len(part) - keep
		if !errors.Is(err, bufio.ErrBufferFull) {
			return b.String(), dropped, err
		}
	}
}

// binary reports whether the start of a file is no text.
func binary(start []byte) bool { return bytes.IndexByte(start, 0) >= 0 }
