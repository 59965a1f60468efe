package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"mayi/pkg/permissions"
)

// maxDepth is how deeply a settings file may nest; the parser recurses.
const maxDepth = 100

// document is the text of one layer with its tree.
type document struct {
	layer, file string
	text        []byte
	root        *hujson.Object
	// lines holds the offset of each line's first byte.
	lines []int
	// last is the position that was asked for last.
	last mark
}

// mark is an offset with its position.
type mark struct{ offset, line, col int }

// parse reads a layer's text. The problem, if any, says where it went wrong.
func parse(layer, file string, text []byte) (*document, *Problem) {
	d := &document{layer: layer, file: file, text: text, lines: []int{0}}
	for i, c := range text {
		if c == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	if !utf8.Valid(text) {
		return d, d.problem(invalidAt(text), "this is not valid UTF-8", "save the file as UTF-8")
	}
	body := bytes.TrimPrefix(text, []byte("\ufeff"))
	shift := len(text) - len(body)
	if at, deep := tooDeep(body); deep {
		return d, d.problem(at+shift, "this is nested too deeply", "")
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return d, d.problem(0, "the file is empty", "write {} for settings without entries, or remove the file")
	}
	v, err := hujson.Parse(blank(text, shift))
	if err != nil {
		at, why := parseError(err, d)
		return d, d.problem(at, "the file cannot be read: "+why, "until this is mended, nothing that would run is allowed")
	}
	root, ok := v.Value.(*hujson.Object)
	if !ok {
		return d, d.problem(v.StartOffset, "settings are an object: { … }", "")
	}
	d.root = root
	return d, nil
}

// blank replaces a byte order mark by spaces, so that offsets stay true.
func blank(text []byte, n int) []byte {
	if n == 0 {
		return text
	}
	out := append([]byte(nil), text...)
	copy(out, "   "[:n])
	return out
}

func invalidAt(text []byte) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return 0
}

// tooDeep counts brackets outside of strings and comments.
func tooDeep(b []byte) (int, bool) {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			for i++; i < len(b) && b[i] != '"' && b[i] != '\n'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case c == '/' && i+1 < len(b) && b[i+1] == '/':
			for i < len(b) && b[i] != '\n' {
				i++
			}
		case c == '/' && i+1 < len(b) && b[i+1] == '*':
			end := bytes.Index(b[i+2:], []byte("*/"))
			if end < 0 {
				return 0, false
			}
			i += end + 3
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return i, true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return 0, false
}

// parseError finds the position in the parser's error and takes its dressing
// off.
func parseError(err error, d *document) (int, string) {
	text := err.Error()
	m := regexp.MustCompile(`^hujson: line (\d+), column (\d+): (.*)$`).FindStringSubmatch(text)
	if m == nil {
		return 0, strings.TrimPrefix(text, "hujson: ")
	}
	line, _ := strconv.Atoi(m[1])
	col, _ := strconv.Atoi(m[2])
	if line < 1 || line > len(d.lines) {
		return 0, m[3]
	}
	return d.lines[line-1] + col - 1, m[3]
}

// position turns an offset into line and column.
func (d *document) position(offset int) (line, col int) {
	offset = min(max(offset, 0), len(d.text))
	n := sort.SearchInts(d.lines, offset+1)
	// Entries are asked for in order: go on from the one before, or a file with
	// everything on one line would be counted again for each.
	if d.last.line != n || d.last.offset > offset {
		d.last = mark{line: n, offset: d.lines[n-1], col: 1}
	}
	d.last.col += utf8.RuneCount(d.text[d.last.offset:offset])
	d.last.offset = offset
	return n, d.last.col
}

func (d *document) problem(offset int, text, hint string) *Problem {
	p := Problem{File: d.file, Text: text, Hint: hint}
	p.Line, p.Col = d.position(offset)
	return &p
}

func (d *document) source(offset int) permissions.Source {
	line, col := d.position(offset)
	return permissions.Source{Layer: d.layer, File: d.file, Line: line, Col: col}
}

var errNotText = errors.New("the text holds half a character")

// text returns the string of a literal.
func text(v hujson.ValueTrimmed) (string, error) {
	lit, _ := v.(hujson.Literal)
	if plain := string(lit); len(plain) > 1 && isPlain(plain[1:len(plain)-1]) && plain[0] == '"' {
		return plain[1 : len(plain)-1], nil // as most are
	}
	var s string
	if err := json.Unmarshal(lit, &s); err != nil {
		return "", err
	}
	// A lone surrogate decodes to a replacement character: the text would not be
	// what was meant.
	if strings.ContainsRune(s, utf8.RuneError) && !bytes.ContainsRune(lit, utf8.RuneError) {
		return "", errNotText
	}
	return s, nil
}

// isPlain reports whether a string literal means what stands in it.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
