package install

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// codexTrust is the trust in mayi's hooks, in Codex's config.toml: a table for
// each with the hash that Codex itself gives out for it.
type codexTrust struct {
	p         Places
	hooksFile string
	hooks     entries
}

// unable is a change that cannot be made here; the rest goes on without it.
type unable struct{ text string }

func (u *unable) Error() string { return u.text }

func (c codexTrust) put(file string, text []byte, u *undo) ([]byte, error) {
	t, err := parseTOML(file, text)
	if err != nil {
		return nil, err
	}
	program, err := exec.LookPath("codex")
	if err != nil {
		return text, &unable{"codex is not on the PATH, so that its trust in the hook cannot be written: start codex and choose to trust the hooks; until then it skips them in silence"}
	}
	now, _, err := readFile(c.hooksFile)
	if err != nil {
		return nil, err
	}
	want, err := c.hooks.put(c.hooksFile, now, &undo{})
	if err != nil {
		return nil, err
	}
	list, err := c.hashes(program, want)
	if err != nil {
		return text, &unable{fmt.Sprintf("codex could not be asked for the hash of the hook (%v): start codex and choose to trust the hooks; until then it skips them in silence", err)}
	}
	for _, h := range list {
		name := c.key(h.Key)
		table := []string{"hooks", "state", name}
		if t.get(table, "trusted_hash") == nil {
			u.Keys = append(u.Keys, name)
		}
		if err := t.set(tomlKey{table, "trusted_hash", h.CurrentHash}); err != nil {
			return nil, err
		}
	}
	return t.text, nil
}

// hashes asks Codex, in a home of its own that holds nothing but the hooks, so
// that neither the person's session data nor their servers are touched.
func (c codexTrust) hashes(program string, hooks []byte) ([]codexHook, error) {
	home, err := os.MkdirTemp("", "mayi-codex-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(home)
	if err := os.WriteFile(filepath.Join(home, "hooks.json"), hooks, 0o600); err != nil {
		return nil, err
	}
	all, err := codexHooks(program, home, home)
	if err != nil {
		return nil, err
	}
	var ours []codexHook
	for _, h := range all {
		if hookCall(codexName).MatchString(h.Command) {
			ours = append(ours, h)
		}
	}
	if len(ours) < len(c.hooks.want) {
		return nil, errors.New("it does not list the hook")
	}
	return ours, nil
}

// key is the name under which Codex keeps the trust in a hook: the hooks file
// and the hook's place in it.
func (c codexTrust) key(asked string) string {
	parts := strings.Split(asked, ":")
	dir := filepath.Dir(c.hooksFile)
	if c.p.env("CODEX_HOME", "") != "" && dir == codexHome(c.p) {
		// Codex resolves the folder that the variable names, and no other.
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
	}
	place := strings.Join(parts[max(len(parts)-3, 0):], ":")
	return filepath.Join(dir, filepath.Base(c.hooksFile)) + ":" + place
}

func (c codexTrust) take(file string, text []byte, u undo) ([]byte, bool, error) {
	t, err := parseTOML(file, text)
	if err != nil {
		return nil, false, err
	}
	for _, name := range u.Keys {
		if err := t.unset(tomlKey{table: []string{"hooks", "state", name}, key: "trusted_hash"}); err != nil {
			return nil, false, err
		}
	}
	return t.text, strings.TrimSpace(string(t.text)) == "", nil
}

func (c codexTrust) commands(string, []byte) ([]string, error) { return nil, nil }

// codexConfirm asks Codex, in the person's own home, whether it will run the
// hook.
func codexConfirm(p Places, s Scope) (out Proof, ok bool) {
	out = Proof{Name: "trusted by codex"}
	program, err := exec.LookPath("codex")
	if err != nil {
		out.Skipped, out.Text = true, "codex is not on the PATH: whether it trusts the hook could not be asked"
		return out, true
	}
	list, err := codexHooks(program, codexHome(p), p.Cwd)
	if err != nil {
		out.Text = "codex could not be asked: " + err.Error()
		return out, true
	}
	source := map[Scope]string{User: "user", Project: "project"}[s]
	seen := 0
	for _, h := range list {
		if !hookCall(codexName).MatchString(h.Command) || source != "" && h.Source != source {
			continue
		}
		seen++
		if !h.Enabled || !h.IsManaged && h.TrustStatus != "trusted" {
			out.Text = fmt.Sprintf("codex does not run %s: it says %q. Start codex and choose to trust the hooks, or run mayi install codex again", h.EventName, h.TrustStatus)
			return out, true
		}
	}
	switch {
	case seen == 0 && s == Project:
		out.Text = "codex lists no hook of mayi's here: it reads a project's hooks only where it trusts the project"
	case seen == 0:
		out.Text = "codex lists no hook of mayi's"
	default:
		out.OK, out.Text = true, fmt.Sprintf("codex lists %d hooks of mayi's, enabled and trusted", seen)
	}
	return out, true
}
