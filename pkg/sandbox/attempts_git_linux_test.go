//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"strings"
	"testing"
)

// gitAttempts plant what git would take for a repository's configuration, and
// folders whose files are protected, in roundabout ways.
func gitAttempts() []attempt {
	const exchange = "import ctypes,os\ndef swap(a,b): return ctypes.CDLL(None).syscall(316,-100,a,-100,b,2)\n"
	py := func(code string) string {
		return "echo RAN; /usr/bin/python3 - <<'PY'\n" + exchange + code + "\nPY\n"
	}
	return []attempt{
		{name: "bare repository, objects last", script: "echo RAN; mkdir -p bare/refs; echo x > bare/HEAD; echo PLANTED > bare/config; mkdir bare/objects"},
		{name: "bare repository, objects moved in", script: "echo RAN; mkdir -p bare/refs o; echo x > bare/HEAD; echo PLANTED > bare/config; mv o bare/objects"},
		{name: "bare repository, objects by a link", script: "echo RAN; mkdir -p bare/refs o; echo x > bare/HEAD; echo PLANTED > bare/config; ln -s ../o bare/objects"},
		{name: "bare repository, another's configuration", script: "echo RAN; mkdir -p bare; echo PLANTED > bare/config; echo x > bare/HEAD; echo ../c > bare/commondir"},
		{name: "bare repository, HEAD by a link", script: "echo RAN; mkdir -p bare/refs bare/objects; echo PLANTED > bare/config; ln -s ../.git/HEAD bare/HEAD"},
		{name: "bare repository, HEAD by a link to nothing", script: "echo RAN; mkdir -p bare/refs bare/objects; ln -s refs/heads/x bare/HEAD; echo PLANTED > bare/config"},
		{name: "bare repository, objects by a link to nothing", script: "echo RAN; mkdir -p bare/refs; ln -s ../o bare/objects; echo x > bare/HEAD; echo PLANTED > bare/config; mkdir o"},
		{name: "bare repository, moved out of .git", script: "echo RAN; mkdir -p .git/x/refs .git/x/objects; echo x > .git/x/HEAD; echo PLANTED > .git/x/config; mv .git/x bare"},
		{name: "folder exchanged for a file", script: py("os.mkdir('x'); open('x/tasks.json','w').write('PLANTED'); open('sub/.vscode','w').close(); swap(b'x',b'sub/.vscode')")},
		{name: "file exchanged for a folder", script: py("os.mkdir('x'); open('x/tasks.json','w').write('PLANTED'); open('sub/.vscode','w').close(); swap(b'sub/.vscode',b'x')")},
		{name: "file exchanged for a link", script: py("os.mkdir('x'); open('x/tasks.json','w').write('PLANTED'); os.symlink('x','l'); open('sub/.vscode','w').close(); swap(b'sub/.vscode',b'l'); print('CANARY' if os.path.islink('sub/.vscode') else '')")},
	}
}

// TestARepositoryKeepsItsConfiguration: one that lies in the workspace under
// another name than .git is held like one, and the rest of it can be used.
func TestARepositoryKeepsItsConfiguration(t *testing.T) {
	can(t)
	ws, _ := space(t)
	for f, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": "[core]\n", "description": "x\n"} {
		if err := os.MkdirAll(ws+"/bare/objects", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(ws+"/bare/"+f, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := run(t, spec(ws), Command{Shell: "cd bare; echo x >> config; echo x > config; ln config c && echo x >> c; echo x > description && mkdir refs && echo y > HEAD.lock && mv -f HEAD.lock HEAD && echo used"})
	if b, err := os.ReadFile(ws + "/bare/config"); err != nil || string(b) != "[core]\n" || !strings.Contains(r.out, "used") {
		t.Errorf("the configuration is %q (%v); %s", b, err, r.out)
	}
}
