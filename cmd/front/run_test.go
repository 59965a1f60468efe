//go:build linux

package main

import (
	"slices"
	"testing"

	"mayi/internal/invoke"
)

// TestParse: the front takes over only what the engine reads the same way.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		args  []string
		flags invoke.Flags
		words []string // nil: left to the engine
	}{
		{[]string{"ls"}, invoke.Flags{}, []string{"ls"}},
		{[]string{"ls -l"}, invoke.Flags{}, []string{"ls -l"}},
		{[]string{"--", "ls", "-l"}, invoke.Flags{}, []string{"ls", "-l"}},
		{[]string{"--mode", "plan", "ls"}, invoke.Flags{Mode: "plan"}, []string{"ls"}},
		{[]string{"--mode=plan", "--", "ls"}, invoke.Flags{Mode: "plan"}, []string{"ls"}},
		{[]string{"-w", "/a", "--cwd=/b", "--session", "s", "ls"}, invoke.Flags{Workspace: "/a", Cwd: "/b", Session: "s"}, []string{"ls"}},
		{[]string{"--mode", "auto", "--mode", "plan", "ls"}, invoke.Flags{Mode: "plan"}, []string{"ls"}},
		{[]string{"--mode", "--", "ls"}, invoke.Flags{Mode: "--"}, []string{"ls"}},
		{[]string{"--sandbox", "required", "ls"}, invoke.Flags{Sandbox: "required"}, []string{"ls"}},
		{[]string{"--settings", "{}", "ls"}, invoke.Flags{Settings: "{}"}, []string{"ls"}},
		{args: nil},
		{args: []string{"--"}},
		{args: []string{"ls", "-l"}},
		{args: []string{"ls", "--", "-l"}},
		{args: []string{"ls", "--mode", "plan"}},
		{args: []string{"--mode"}},
		{args: []string{"--mode", "", "ls"}},
		{args: []string{"--mode=", "ls"}},
		{args: []string{"-w=/a", "ls"}},
		{args: []string{"-w/a", "ls"}},
		{args: []string{"--json", "ls"}},
		{args: []string{"--json=true", "ls"}},
		{args: []string{"--wait", "1m", "ls"}},
		{args: []string{"-h"}},
		{args: []string{"--Mode", "plan", "ls"}},
	} {
		flags, words, ok := parse(c.args)
		if ok != (c.words != nil) || ok && (flags != c.flags || !slices.Equal(words, c.words)) {
			t.Errorf("%q: %+v %q %v", c.args, flags, words, ok)
		}
	}
}
