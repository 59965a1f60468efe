package soundness

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"mayi/pkg/shell/knowledge"
)

// generated are the programs whose options are tried as the knowledge base
// lists them: those that end by themselves and whose options do not start
// services.
var generated = []string{
	"sort", "uniq", "cut", "head", "tail", "wc", "nl", "tac", "cat", "ls", "cp", "mv", "rm", "ln", "mkdir", "rmdir", "touch", "install", "truncate", "tee", "split", "csplit", "shuf", "chmod", "chown", "stat", "du", "df",
	"diff", "cmp", "comm", "join", "paste", "fold", "fmt", "od", "expand", "unexpand", "tr", "seq", "base64", "md5sum", "sha256sum", "grep", "sed", "gzip", "bzip2", "xz", "zip", "unzip", "tar", "rsync", "patch", "xxd", "realpath", "readlink", "mktemp", "file", "jq", "rg", "iconv", "shred", "basename", "dirname", "date", "pr", "sum", "cksum", "b2sum", "numfmt", "dircolors", "cpio", "ar", "strings", "column", "hexdump", "column",
}

// known is a command with one or two options of the program's own table.
func (g *maker) known() string {
	name := generated[g.r.IntN(len(generated))]
	options := optionsOf(name)
	words := []string{name}
	for range 1 + g.r.IntN(2) {
		if len(options) == 0 {
			break
		}
		o := options[g.r.IntN(len(options))]
		words = append(words, o.name)
		switch o.role {
		case "":
		case "text":
			words = append(words, g.pick("1", "2", "x", "a"))
		case "read", "paths", "list":
			words = append(words, g.file())
		case "into", "cd", "target":
			words = append(words, g.folder())
		default:
			words = append(words, g.newFile())
		}
	}
	for range 1 + g.r.IntN(2) {
		words = append(words, g.anyFile())
	}
	return strings.Join(words, " ")
}

// option is an option with the role of its value, "" where it takes none.
type option struct{ name, role string }

// optionsOf lists a program's options, those left out that run other text.
func optionsOf(program string) []option {
	var entry struct {
		Flags, Text string
		Options     map[string]json.RawMessage
	}
	if json.Unmarshal(knowledge.Load().Entry(program), &entry) != nil {
		return nil
	}
	var out []option
	for _, f := range strings.Fields(entry.Flags) {
		out = append(out, option{f, ""})
	}
	for _, f := range strings.Fields(entry.Text) {
		out = append(out, option{f, "text"})
	}
	// A map has no order, and the same seed has to make the same scripts.
	for _, names := range slices.Sorted(maps.Keys(entry.Options)) {
		var role string
		if json.Unmarshal(entry.Options[names], &role) != nil {
			continue
		}
		role = strings.TrimSuffix(strings.TrimPrefix(role, "may-"), "-tree")
		switch role {
		case "read", "write", "update", "prefix", "into", "cd", "target", "paths", "list", "dest":
			for _, f := range strings.Fields(names) {
				out = append(out, option{f, role})
			}
		}
	}
	return out
}
