package knowledge

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"mayi/pkg/shell/value"
)

func TestEnvEffect(t *testing.T) {
	b := Load()
	for _, c := range []struct {
		name, value string
		want        Steer
	}{
		{"LANG", "C", SteersNothing},
		{"LC_ALL", "C", SteersNothing},
		{"TZ", "UTC", SteersNothing},
		{"CI", "1", SteersNothing},
		{"DEBUG", "*", SteersNothing},
		{"MY_OWN", "x", SteersNothing},
		{"AWS_PROFILE", "prod", SteersNothing},
		{"GIT_AUTHOR_NAME", "a", SteersNothing},
		{"GIT_PAGER", "cat", SteersNothing},
		{"GIT_PAGER", "touch x;", SteersProgram},
		{"GIT_EDITOR", "true", SteersNothing},
		{"GIT_EDITOR", "touch x;", SteersProgram},
		{"GIT_CONFIG_COUNT", "1", SteersProgram},
		{"GIT_CONFIG_KEY_0", "core.fsmonitor", SteersProgram},
		{"GIT_SSH_COMMAND", "x", SteersProgram},
		{"GIT_EXTERNAL_DIFF", "x", SteersProgram},
		{"GIT_DIR", "/x", SteersFile},
		{"GIT_TRACE", "1", SteersNothing},
		{"GIT_TRACE", "/etc/x", SteersFile},
		{"GIT_SOMETHING_NEW", "x", SteersProgram},
		{"LD_PRELOAD", "x", SteersProgram},
		{"PATH", "/x:/bin", SteersProgram},
		{"BASH_ENV", "x", SteersProgram},
		{"PS4", "$(x)", SteersProgram},
		{"PAGER", "cat", SteersNothing},
		{"PAGER", "x", SteersProgram},
		{"LESS", "FRX", SteersNothing},
		{"LESS", "+!x", SteersProgram},
		{"NODE_OPTIONS", "--require ./x", SteersProgram},
		{"NODE_OPTIONS", "--max-old-space-size=4096", SteersNothing},
		{"NODE_OPTIONS", "--max-old-space-size=1 --require ./x", SteersProgram},
		{"NODE_ENV", "test", SteersNothing},
		{"PYTHONPATH", ".", SteersProgram},
		{"PYTHONUNBUFFERED", "1", SteersNothing},
		{"PYTHONSTARTUP", "x", SteersProgram},
		{"RIPGREP_CONFIG_PATH", "x", SteersProgram},
		{"https_proxy", "http://x", SteersNetwork},
		{"ALL_PROXY", "x", SteersNetwork},
		{"no_proxy", "x", SteersNothing},
		{"HOME", "/x", SteersFile},
		{"KUBECONFIG", "x", SteersFile},
		{"DOCKER_HOST", "x", SteersNetwork},
		{"RUSTC_WRAPPER", "x", SteersProgram},
		{"RUST_BACKTRACE", "1", SteersNothing},
		{"npm_config_script_shell", "x", SteersProgram},
		{"GOOS", "linux", SteersNothing},
		{"GOFLAGS", "-toolexec=x", SteersProgram},
		{"GOFLAGS", "-mod=mod", SteersNothing},
	} {
		if got, why := b.EnvEffect(c.name, value.Exact(c.value)); got != c.want {
			t.Errorf("%s=%s: got %v (%s), want %v", c.name, c.value, got, why, c.want)
		}
	}
	if got, _ := b.EnvEffect("GIT_PAGER", value.Unknown("?")); got != SteersProgram {
		t.Errorf("an unknown pager: got %v", got)
	}
	if got, _ := b.EnvEffect("NODE_OPTIONS", value.Exact("--max-old-space-size=4096")); got != SteersNothing {
		t.Errorf("a harmless prefix: got %v", got)
	}
}

func TestHeedless(t *testing.T) {
	b := Load()
	for _, c := range []struct {
		program, variable string
		want              bool
	}{
		{"ls", "NODE_OPTIONS", true},
		{"grep", "PYTHONPATH", true},
		{"sort", "GIT_SSH_COMMAND", true},
		{"sort", "LD_PRELOAD", false},
		{"rg", "RIPGREP_CONFIG_PATH", false},
		{"npm", "NODE_OPTIONS", false},
		{"aws", "PYTHONPATH", false},
		{"gh", "GIT_SSH_COMMAND", false},
		{"go", "GIT_CONFIG_COUNT", false},
		{"git", "PYTHONPATH", false},
		{"", "NODE_OPTIONS", false},
		{"nobody-knows", "NODE_OPTIONS", false},
	} {
		if got := b.Heedless(c.program, c.variable); got != c.want {
			t.Errorf("%s with %s: got %v, want %v", c.program, c.variable, got, c.want)
		}
	}
}

// TestHeedlessAreCompiled looks at the programs of this machine: a script is
// steered by what steers its interpreter.
func TestHeedlessAreCompiled(t *testing.T) {
	b := Load()
	found := 0
	for name := range strings.FieldsSeq(b.env().heedless) {
		if table, _, err := b.program(name); table == nil || err != nil {
			t.Errorf("%s is heedless but no program that is known (%v)", name, err)
		}
		file, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found++
		head, _, _ := bytes.Cut(data, []byte("\n"))
		if bytes.HasPrefix(head, []byte("#!")) && !bytes.HasSuffix(head, []byte("/sh")) {
			t.Errorf("%s is a script: %s", file, head)
		}
	}
	if found == 0 {
		t.Error("none of the programs is installed")
	}
}
