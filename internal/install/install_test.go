package install_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"mayi/internal/install"
)

var update = flag.Bool("update", false, "write what was found into the cases")

// machine is a home, a project and a state folder of their own.
type machine struct {
	t      *testing.T
	dir    string
	places install.Places
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, dir: dir}
	for _, d := range []string{"home", "ws", "etc", "bin"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Join(dir, "bin")+":/usr/bin:/bin")
	m.places = install.Places{
		Home: m.path("home"), ConfigHome: m.path("home/.config"), Workspace: m.path("ws"), Cwd: m.path("ws"),
		StateDir: m.path("state"), Etc: m.path("etc"), Program: "/opt/mayi/bin/mayi", Timeout: "/usr/bin/timeout",
	}
	return m
}

func (m *machine) path(name string) string { return filepath.Join(m.dir, name) }

func (m *machine) write(name, text string) {
	m.t.Helper()
	file := m.path(name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		m.t.Fatal(err)
	}
}

// files are all files and folders but mayi's own, by their names.
func (m *machine) files() map[string]string {
	m.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(m.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(m.dir, path)
		if err != nil {
			return err
		}
		switch {
		case name == "state" || name == "bin":
			return filepath.SkipDir
		case d.IsDir():
			out[name+"/"] = ""
		case d.Type().IsRegular():
			data, err := os.ReadFile(path)
			out[name] = string(data)
			return err
		}
		return nil
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return out
}

func (m *machine) same(what string, want map[string]string) {
	m.t.Helper()
	have := m.files()
	for name, text := range want {
		if h, ok := have[name]; !ok {
			m.t.Errorf("%s: %s is missing", what, name)
		} else if h != text {
			m.t.Errorf("%s: %s is\n%s\nwant\n%s", what, name, h, text)
		}
	}
	for name := range have {
		if _, ok := want[name]; !ok {
			m.t.Errorf("%s: %s is there, and should not be", what, name)
		}
	}
}

func (m *machine) install(name string, s install.Scope) *install.Plan {
	m.t.Helper()
	i := install.New(m.places)
	p, err := i.Plan(name, s)
	if err != nil {
		m.t.Fatal(err)
	}
	if err := i.Apply(p); err != nil {
		m.t.Fatal(err)
	}
	return p
}

func (m *machine) uninstall(name string, s install.Scope) {
	m.t.Helper()
	i := install.New(m.places)
	p, err := i.PlanRemoval(name, s)
	if err != nil {
		m.t.Fatal(err)
	}
	if err := i.Apply(p); err != nil {
		m.t.Fatal(err)
	}
}

// TestCases installs into the files under before/ and expects those under
// after/; a second install changes nothing, and uninstalling gives back the
// bytes of before. Where there are files under edited/, the person changes the
// settings so, and uninstalling has to leave those under left/.
func TestCases(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m := newMachine(t)
			fakeCodex(m)
			words := strings.Fields(string(a.Comment))
			name, scope := words[0], install.Scope(words[1])
			part := func(prefix string) map[string]string {
				out := map[string]string{}
				for _, f := range a.Files {
					if rest, ok := strings.CutPrefix(f.Name, prefix+"/"); ok {
						out[rest] = strings.ReplaceAll(string(f.Data), "$DIR", m.dir)
					}
				}
				return out
			}
			for n, text := range part("before") {
				m.write(n, text)
			}
			before := m.files()
			found := &txtar.Archive{Comment: a.Comment}
			keep(found, a, "before")

			m.install(name, scope)
			have := m.files()
			found.Files = append(found.Files, changes(m, "after", before, have)...)
			for n, text := range part("after") {
				if have[n] != text {
					t.Errorf("after the install %s is\n%s\nwant\n%s", n, have[n], text)
				}
			}
			installed := m.files()
			i := install.New(m.places)
			if p, err := i.Plan(name, scope); err != nil || !p.Empty() {
				t.Errorf("a second install would change something: %+v, %v", p, err)
			}
			m.install(name, scope)
			m.same("after a second install", installed)
			if s, err := i.Status(name); err != nil || len(s.Installs) != 1 {
				t.Errorf("status: %+v, %v", s, err)
			}

			m.uninstall(name, scope)
			m.same("after the uninstall", before)
			if s, err := i.Status(name); err != nil || len(s.Installs) != 0 {
				t.Errorf("status after the uninstall: %+v, %v", s, err)
			}

			edited := part("edited")
			defer func() {
				if *update {
					if err := os.WriteFile(file, txtar.Format(found), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}()
			if len(edited) == 0 {
				return
			}
			keep(found, a, "edited")
			m.install(name, scope)
			for n, text := range edited {
				m.write(n, text)
			}
			was := m.files()
			m.uninstall(name, scope)
			have = m.files()
			found.Files = append(found.Files, changes(m, "left", was, have)...)
			for n, text := range part("left") {
				if have[n] != text {
					t.Errorf("taken out of an edited file: %s is\n%s\nwant\n%s", n, have[n], text)
				}
			}
		})
	}
}

// keep copies a part of a case.
func keep(to, from *txtar.Archive, prefix string) {
	for _, f := range from.Files {
		if strings.HasPrefix(f.Name, prefix+"/") {
			to.Files = append(to.Files, f)
		}
	}
}

// changes are the files that differ from those before.
func changes(m *machine, prefix string, before, now map[string]string) []txtar.File {
	var out []txtar.File
	for name, text := range now {
		if text == before[name] || strings.HasSuffix(name, "/") {
			continue
		}
		out = append(out, txtar.File{Name: prefix + "/" + name, Data: []byte(strings.ReplaceAll(text, m.dir, "$DIR"))})
	}
	slices.SortFunc(out, func(a, b txtar.File) int { return strings.Compare(a.Name, b.Name) })
	return out
}
