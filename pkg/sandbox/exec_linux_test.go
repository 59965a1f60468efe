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

// TestProgramAfterAYes: a program outside is asked about and, after a yes, is
// that very file.
func TestProgramAfterAYes(t *testing.T) {
	can(t)
	for _, r := range []struct {
		name, script, want string
		answer             Answer
		questions          int
	}{
		{"once is one", "$OUT/tool; $OUT/tool", "RAN\nRAN\n", Once, 2},
		{"a session is once", "$OUT/tool; $OUT/tool; sh -c $OUT/tool", "RAN\nRAN\nRAN\n", Session, 1},
		{"a no is one", "$OUT/tool || $OUT/tool || echo refused", "refused\n", No, 1},
		{"no script", "$OUT/bin/echo RAN", "RAN\n", Once, 1},
		{"by a link", "$OUT/linked; ln -s $OUT/tool l; ./l", "RAN\nRAN\n", Once, 2},
		{"as an interpreter", `printf '#!%s/bin/sh\necho RAN\n' $OUT > s; chmod +x s; ./s`, "RAN\n", Once, 1},
		{"a script and its interpreter", `$OUT/both`, "RAN\n", Once, 2},
		{"relative", "cd ..; ./out/tool; cd ws; ../out/tool", "RAN\nRAN\n", Once, 2},
		{"by execvp", "env tool", "RAN\n", Once, 1},
		{"from a listing", "ls $OUT >/dev/null; cd $OUT; ./tool; cat secret", "RAN\nCANARY\n", Once, 3},
		{"it is not open for reading", "$OUT/bin/echo RAN; head -c4 $OUT/bin/echo | tail -c3", "RAN\nELF", Once, 2},
		{"it cannot be changed", "$OUT/tool; echo x >> $OUT/tool; rm $OUT/tool; chmod 777 $OUT/tool; true", "RAN\n", Session + 9, 3},
		{"by a descriptor that may be read", `/usr/bin/python3 -c 'import os; f=os.open(os.environ["OUT"]+"/bin/echo",os.O_RDONLY); os.execve(f,["echo","RAN"],{})' || echo held`, "held\n", Once, 1},
		{"at once", "for i in 1 2 3 4 5 6; do $OUT/tool & done; wait", strings.Repeat("RAN\n", 6), Session, 1},
	} {
		t.Run(r.name, func(t *testing.T) {
			s := spec("/")
			c := Command{Env: env()}
			for name, l := range ways(t, &s, &c) {
				if !l.tree || name == "root" {
					continue
				}
				ws, out := space(t)
				if err := os.MkdirAll(out+"/bin", 0o755); err != nil {
					t.Fatal(err)
				}
				for f, text := range map[string]string{"tool": "#!/bin/sh\necho RAN\n", "both": "#!" + out + "/bin/sh\necho RAN\n"} {
					if err := os.WriteFile(out+"/"+f, []byte(text), 0o755); err != nil {
						t.Fatal(err)
					}
				}
				for _, f := range []string{"sh", "echo"} {
					if err := copyFile("/bin/"+f, out+"/bin/"+f); err != nil {
						t.Fatal(err)
					}
				}
				if err := os.Symlink("tool", out+"/linked"); err != nil {
					t.Fatal(err)
				}
				before := belowOf(t, out)
				p := &person{answer: func(a Access) Answer {
					switch {
					case r.answer <= Session:
						return r.answer
					case a.Op == OpRun:
						return Once
					}
					return No
				}}
				got := try(t, l, spec(ws), Command{Ask: p.ask, Shell: "{ " + r.script + "\n} 2>/dev/null", Env: append(env(), "PATH=/usr/local/bin:/usr/bin:/bin:"+out, "OUT="+out)})
				if got.err != nil && got.Code == 125 {
					t.Logf("%s: not here: %v", name, got.err)
					continue
				}
				if got.out != r.want || len(p.asked) != r.questions {
					t.Errorf("%s: %q, wanted %q; %d questions, wanted %d: %+v\n%+v", name, got.out, r.want, len(p.asked), r.questions, p.asked, got.Violations)
				}
				if after := belowOf(t, out); after != before {
					t.Errorf("%s: %s", name, unlike(after, before))
				}
			}
		})
	}
}
