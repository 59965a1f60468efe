package gate_test

import (
	"context"
	"encoding/json"
	"testing"

	"mayi/pkg/permissions"
)

// TestNeverByTheFirstWord: what looks like reading and is not is allowed
// neither by an allow rule for its first word nor by readOnlyShell.
func TestNeverByTheFirstWord(t *testing.T) {
	for _, c := range []struct{ word, line string }{
		{"git", "GIT_PAGER='x' git -p log"},
		{"git", "GIT_PAGER='sh -c x' git -p log"},
		{"git", "PAGER=./x git -p diff"},
		{"git", "export GIT_PAGER=./x; git -p log"},
		{"git", "GIT_EXTERNAL_DIFF=./x git diff"},
		{"git", "GIT_SSH_COMMAND=./x git fetch"},
		{"git", "git log --output=/etc/x"},
		{"git", "git log --outpu=f"},
		{"git", "git diff --output f"},
		{"git", "git -c core.sshCommand=./x fetch"},
		{"git", "git -c core.pager=./x -p log"},
		{"git", "git --config-env=core.pager=X -p log"},
		{"git", "git -c alias.x='!./x' x"},
		{"git", "git grep -O./x foo"},
		{"git", "git fetch --upload-pack=./x origin"},
		{"git", "git --exec-path=. status"},
		{"rg", "rg --pre ./x foo"},
		{"rg", "rg --pre=./x foo"},
		{"rg", "rg --hostname-bin ./x foo"},
		{"rg", "RIPGREP_CONFIG_PATH=./x rg foo"},
		{"sed", "sed 's/a/b/e' f"},
		{"sed", "sed -n 'w /etc/x' f"},
		{"sed", "sed -e '1e ./x' f"},
		{"sed", "sed 's/a/b/w /etc/x' f"},
		{"sed", "sed -f ./x f"},
		{"man", "man -P x ls"},
		{"man", "man --pager=x ls"},
		{"man", "MANPAGER=x man ls"},
		{"env", "env -S 'x'"},
		{"env", "env --split-string='x y'"},
		{"env", "env LD_PRELOAD=./x.so ls"},
		{"env", "env ./x"},
		{"echo", "echo $(( $(x) + 1 ))"},
		{"echo", "echo ${a[$(x)]}"},
		{"echo", "echo `x`"},
		{"echo", "echo ${x:=$(x)}"},
		{"find", "find . -exec echo ';' -delete"},
		{"find", "find . -fprint /etc/x"},
		{"find", "find . -execdir ./x ';'"},
		{"sort", "sort --outp=f g"},
		{"sort", "sort -o /etc/x g"},
		{"sort", "sort -S1 --compress-program=./x g"},
		{"awk", "awk 'BEGIN{system(\"x\")}'"},
		{"awk", "awk '{print > \"/etc/x\"}' f"},
		{"awk", "awk '{print | \"x\"}' f"},
		{"awk", "awk 'BEGIN{\"x\" | getline}'"},
		{"tar", "tar xf a --to-command=x"},
		{"tar", "tar cf a f --checkpoint=1 --checkpoint-action=exec=x"},
		{"tar", "tar xf a -I ./x"},
		{"tar", "tar --use-compress-prog=./x -xf a"},
		{"hash", "hash -p ./x ls; ls"},
		{"ls", "hash -p ./x ls; ls"},
		{"test", "test -v 'a[$(x)]'"},
		{"test", "[ -v 'a[$(x)]' ]"},
		{"test", "[[ -v 'a[$(x)]' ]]"},
		{"test", "[[ 'a[$(x)]' -eq 1 ]]"},
		{"printf", "printf -v 'a[$(x)]' 1"},
		{"printf", "printf '%d' 'a[$(x)]'; let 'a[$(x)]=1'"},
		{"read", "read 'a[$(x)]' <<< 1"},
		{"unset", "unset 'a[$(x)]'"},
		{"ls", "LD_PRELOAD=./x.so ls"},
		{"ls", "ls() { ./x; }; ls"},
		{"ls", "PATH=.:$PATH ls"},
		{"cat", "cat <(./x)"},
		{"cat", "cat f > /etc/x"},
		{"less", "LESSOPEN='|./x %s' less f"},
		{"xargs", "xargs -a f ./x"},
		{"git", "git ls-files | xargs -I{} sh -c 'cat {}'"},
	} {
		p := newPlace(t)
		rule, err := json.Marshal("command(" + c.word + ")")
		if err != nil {
			t.Fatal(err)
		}
		for _, settings := range []string{
			`{"permissions":{"allow":[` + string(rule) + `]}}`,
			`{"readOnlyShell":true}`,
			`{"readOnlyShell":true,"permissions":{"allow":[` + string(rule) + `]}}`,
		} {
			if v := p.gate(t, settings).Decide(context.Background(), bash("s", c.line)); v.Verdict == permissions.Allow {
				t.Errorf("%s allows %s: %s", settings, c.line, v.Reason)
			}
		}
	}
}
