//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"strings"
	"testing"
)

// TestProgramOutside: a program that the job cannot run is told in plain words,
// once; a search through a PATH is not.
func TestProgramOutside(t *testing.T) {
	for _, r := range []struct {
		name, script string
		told         int // violations, all of them about the tool
	}{
		{"by its name", "$OUT/tool", 1},
		{"twice", "$OUT/tool; $OUT/tool; sh -c '$OUT/tool'", 1},
		{"by a link", "ln -s $OUT/tool l; ./l", 1},
		{"relative", "cd ..; ./out/tool; cd ws; ../out/tool; true", 1},
		{"as an interpreter", `printf '#!%s x\necho RAN\n' $OUT/tool > s; chmod +x s; ./s`, 1},
		{"as an interpreter's interpreter", `printf '#!%s\n' $OUT/tool > s; printf '#! %s/s\n' $PWD > r; chmod +x s r; ./r`, 1},
		{"by execvp", "env tool", 1},
		{"by execveat", `/usr/bin/python3 -c 'import ctypes,os; ctypes.CDLL(None).syscall(NR, -100, (os.environ["OUT"]+"/tool").encode(), 0, 0, 0)'`, 1},
		{"a search that ends inside", "PATH=/a:/b:$OUT/none:/c:/usr/bin:/bin env true; PATH=/a:/b:$OUT/none:/c env no-such; true", 0},
		{"what is no program", "$OUT/secret; $OUT; $OUT/none; ./readme; ./sub; ./none; true", 0},
		{"inside", `printf '#!/bin/sh\necho fine\n' > s; chmod +x s; ./s; env true; /usr/bin/python3 -c 'import os; f=os.open("/usr/bin/true",os.O_RDONLY); os.execve(f,["true"],{})'; T=${TMPDIR:-/tmp}; cp /usr/bin/true $T/t; $T/t; cp s $T/s; $T/s`, 0},
	} {
		t.Run(r.name, func(t *testing.T) {
			s := spec("/")
			c := Command{Env: env()}
			for name, l := range ways(t, &s, &c) {
				ws, out := space(t)
				if err := os.WriteFile(out+"/tool", []byte("#!/bin/sh\necho RAN\n"), 0o755); err != nil {
					t.Fatal(err)
				}
				script := strings.ReplaceAll(r.script, "NR", map[bool]string{true: "322", false: "281"}[nativeArch == 0xc000003e])
				got := try(t, l, spec(ws), Command{Shell: script, Env: append(env(), "PATH=/usr/local/bin:/usr/bin:/bin:"+out, "OUT="+out)})
				if got.err != nil && got.Code == 125 {
					t.Logf("%s: not here: %v", name, got.err)
					continue
				}
				if strings.Contains(got.out, "RAN") || r.name == "inside" && strings.Count(got.out, "fine") < 2 {
					t.Errorf("%s: %q", name, got.out)
				}
				n := 0
				for _, v := range got.Violations {
					if v.Op == OpRun && v.Path == out+"/tool" && strings.Contains(v.Text, "readPaths") {
						n++
					} else if l.tree || v.Op != OpRead { // there bash sees the file, and looks what it is
						t.Errorf("%s: %+v", name, v)
					}
				}
				if n != r.told {
					t.Errorf("%s: told %d times, wanted %d: %q", name, n, r.told, got.out)
				}
			}
		})
	}
}

// TestFirstProgramOutside: so is the program that the job was to begin with.
func TestFirstProgramOutside(t *testing.T) {
	can(t)
	ws, out := space(t)
	for f, text := range map[string]string{out + "/tool": "#!/bin/sh\n", ws + "/script": "#!" + out + "/tool\n"} {
		if err := os.WriteFile(f, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	e := append(env(), "PATH=/usr/bin:"+out)
	for _, args := range [][]string{{"tool"}, {out + "/tool"}, {"../out/tool"}, {"./script"}} {
		r := run(t, spec(ws), Command{Args: args, Env: e})
		if r.Code != 127 || !strings.Contains(r.out, `run "`+out+`/tool"`) || !strings.Contains(r.out, "readPaths") {
			t.Errorf("%q: %d %q", args, r.Code, r.out)
		}
	}
	if r := run(t, spec(ws), Command{Args: []string{"no-such"}, Env: e}); strings.Contains(r.out, "readPaths") {
		t.Errorf("%q", r.out)
	}
}
