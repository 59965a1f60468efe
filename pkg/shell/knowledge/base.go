package knowledge

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"mayi/internal/jsonscan"
)

//go:embed data
var files embed.FS

// git is the text of the program that is called most, which is also the longest
// one: files.ReadFile would copy it for each process.
//
//go:embed data/programs/git.json
var git []byte

//go:embed data/aliases.json
var aliases []byte

// Base is the knowledge base. Programs are decoded when they are first asked
// for. A Base is immutable to its users and safe for concurrent use.
type Base struct {
	envOnce sync.Once
	envs    *envTable

	// programs caches *loaded by name.
	programs sync.Map
	// own are the user's entries, by name.
	own map[string]*table
	// from is the base that this one extends; its caches are used.
	from *Base
}

// loaded is a program that was looked up.
type loaded struct {
	file  string
	data  []byte
	once  sync.Once
	table *table
	err   error
}

// Load returns the base that is built in. It does no work beyond allocating:
// data is decoded at first need.
func Load() *Base { return &Base{} }

// Extend returns a base that knows what b knows, and the entries. An entry
// for a program that b knows can only add to what b says about it; one for
// another program is the whole of what is known. The error names the entry.
func (b *Base) Extend(entries map[string]json.RawMessage) (*Base, error) {
	own := make(map[string]*table, len(entries)+len(b.own))
	for name, t := range b.own {
		own[name] = t
	}
	for name, raw := range entries {
		if name == "" || strings.ContainsAny(name, "/ \t\n\x00") {
			return nil, fmt.Errorf("commands: %q is no program's name", name)
		}
		raw, err := jsonscan.Whole(raw)
		if err != nil {
			return nil, fmt.Errorf("commands: %s: %w", name, err)
		}
		e, err := decodeEntry(raw)
		if err != nil {
			return nil, fmt.Errorf("commands: %s: %w", name, err)
		}
		known, _ := b.builtin(name)
		t, err := compile(e, known != nil)
		if err == nil {
			err = t.force()
		}
		if err != nil {
			return nil, fmt.Errorf("commands: %s: %w", name, err)
		}
		own[name] = t
	}
	root := b
	if b.from != nil {
		root = b.from
	}
	return &Base{own: own, from: root}, nil
}

// Names returns the names of the programs that are built in, sorted, aliases
// left out.
func (b *Base) Names() []string {
	list, _ := fs.ReadDir(files, "data/programs")
	out := make([]string, 0, len(list))
	for _, f := range list {
		if name, ok := strings.CutSuffix(f.Name(), ".json"); ok {
			out = append(out, name)
		}
	}
	return out
}

// program finds a program's table, and the user's table that adds to it.
func (b *Base) program(name string) (t, extra *table, err error) {
	t, err = b.builtin(name)
	own := b.own[name]
	if t == nil && err == nil {
		return own, nil, nil
	}
	return t, own, err
}

// builtin finds a table among the data files; nil where there is none.
func (b *Base) builtin(name string) (*table, error) {
	if b.from != nil {
		return b.from.builtin(name)
	}
	got, ok := b.programs.Load(name)
	if !ok {
		file, data := name, entryOf(name)
		if data == nil { // no name is that of a file and another one's, too
			file = alias(name)
			data = entryOf(file)
		}
		if data == nil {
			return nil, nil // names that are not known are not remembered
		}
		got, _ = b.programs.LoadOrStore(name, &loaded{file: file, data: data})
	}
	return got.(*loaded).get()
}

// entryOf is the text of a file of that name, nil where there is none.
func entryOf(file string) []byte {
	switch file {
	case "":
		return nil
	case "git":
		return git
	}
	data, err := files.ReadFile("data/programs/" + file + ".json")
	if err != nil {
		return nil // there is none, or the name is not one of a file
	}
	return data
}

// get decodes the program once.
func (l *loaded) get() (*table, error) {
	l.once.Do(func() { l.table, l.err = decodeTable(l.file, l.data) })
	return l.table, l.err
}

func decodeTable(file string, data []byte) (*table, error) {
	e, err := decodeFile(data)
	if err == nil {
		var t *table
		if t, err = compile(e, false); err == nil {
			return t, nil
		}
	}
	return nil, fmt.Errorf("data/programs/%s.json: %w", file, err)
}

// alias is the file under which a program with several names is kept.
func alias(name string) string {
	if name == "" {
		return ""
	}
	// Looking through the text is cheaper than a table of it, which one process
	// would use once or twice.
	s, file := jsonscan.New(aliases), ""
	s.Members(func(key []byte) {
		if names := s.Bytes(); file == "" && jsonscan.HasWord(names, name) {
			file = string(key)
			s.Stop()
		}
	})
	return file
}

// env returns the table of variables. Where the data cannot be decoded (a
// test makes sure that it can), every variable counts as steering a program.
func (b *Base) env() *envTable {
	if b.from != nil {
		return b.from.env()
	}
	b.envOnce.Do(func() {
		data, err := files.ReadFile("data/env.json")
		if err == nil {
			b.envs, err = parseEnv(data)
		}
		if err != nil {
			b.envs = &envTable{patterns: []envPattern{{envVar: &envVar{Why: "cannot be judged: " + err.Error()}}}}
		}
	})
	return b.envs
}
