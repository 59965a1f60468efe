package config

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"mayi/pkg/permissions"
)

// layer is one source of settings while it is read.
type layer struct {
	name, file string
	// trusted: the layer may loosen. Only a project's file is ever not.
	trusted bool
}

// Load reads all layers. It always returns settings; the error, of type
// [Problems], says what is wrong with the files, and while there is one the
// settings' policy is broken.
func Load(o Options) (*Settings, error) {
	chosen := o.Workspace != ""
	o = o.complete()
	s := defaults(o)
	if o.Workspace == "/" && !chosen {
		// Nobody who starts in / means the whole machine by that.
		s.WorkspacePaths = nil
		s.Notices = append(s.Notices, Notice{File: "workspace", Text: "the working directory is /, so that there is no workspace; start elsewhere or set workspacePaths"})
	}
	t := newTable()
	s.file(t, &layer{"managed", o.ManagedFile, true})
	if o.UserFile == "" && !o.NoUser {
		s.problem(Problem{File: "user settings", Text: "there is no home directory to find them in", Hint: "set HOME or XDG_CONFIG_HOME"})
	}
	s.file(t, &layer{"user", o.UserFile, true})
	s.file(t, &layer{"project", o.ProjectFile, false})
	if o.Override != nil {
		s.text(t, &layer{"session", cmp.Or(o.OverrideName, "<session>"), true}, o.Override)
	}
	if o.Mode != "" {
		s.text(t, &layer{"session", "<mode>", true}, []byte(`{"executionMode": `+strconv.Quote(string(o.Mode))+`}`))
	}
	if o.Workspace != "" && !filepath.IsAbs(o.Workspace) {
		s.problem(Problem{File: "workspace", Text: quote(o.Workspace) + " is not an absolute path"})
	}
	s.clamp()
	if len(s.Problems) > 0 {
		return s, s.Problems
	}
	return s, nil
}

// file reads a layer's file, if there is one.
func (s *Settings) file(t *table, l *layer) {
	if l.file == "" {
		return
	}
	text, real, err := readSettings(l.file)
	if err != nil {
		s.problem(Problem{File: l.file, Text: "the file cannot be read: " + err.Error(), Hint: "mend or remove it; until then nothing that would run is allowed"})
		return
	}
	if text == nil {
		return
	}
	s.exposed(l, real)
	if !l.trusted {
		l.trusted = trusted(s.opts.StateDir, real, text)
	}
	s.text(t, l, text)
}

// exposed notes a file that others may change: they could loosen the settings.
func (s *Settings) exposed(l *layer, real string) {
	if fi, err := os.Stat(real); err == nil && fi.Mode().Perm()&0o002 != 0 && runtime.GOOS != "windows" {
		s.Notices = append(s.Notices, Notice{File: l.file, Text: "everybody on this machine can change the file (chmod o-w)"})
	}
}

// text merges a layer's text.
func (s *Settings) text(t *table, l *layer, text []byte) {
	d, problem := parse(l.name, l.file, text)
	if problem != nil {
		s.problem(*problem)
		return
	}
	t.fill()
	(&reader{s: s, t: t, d: d, l: l}).object(d.root, "")
}

func (s *Settings) problem(p Problem) { s.Problems = append(s.Problems, p) }

// clamp holds the managed ceilings against layers that set none of their own.
func (s *Settings) clamp() {
	if top, ok := s.ceilings["maxExecutionMode"]; ok && s.MaxExecutionMode == "" {
		s.MaxExecutionMode = top
	}
	if top, ok := s.ceilings["remote_max_mode"]; ok && permissions.RankOf(s.RemoteDefaultMode) > permissions.RankOf(top) {
		s.RemoteDefaultMode = top
	}
}
