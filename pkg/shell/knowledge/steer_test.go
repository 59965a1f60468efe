package knowledge

import (
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
