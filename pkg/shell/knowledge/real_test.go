package knowledge

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mayi/pkg/shell/value"
)

// TestRealWrites runs the real programs in a throw-away tree and checks that
// every file that they changed was predicted.
func TestRealWrites(t *testing.T) {
	b := Load()
	for _, line := range []string{
		"sort -o f a", "sort --outp=f a", "sort -of a", "sort a -o f", "sort a --output f", "uniq a f", "tee f g", "cp a f", "cp a b d", "cp -t d a b",
		"cp --target-dir=d a", "cp -r d e", "cp -r d .", "cp -b a b", "cp -s a s", "cp -l a h", "mv a f", "mv a b d", "mv --target-dir=d a", "mv -T d e", "ln a h", "ln -s a s",
		"ln -st d ../a", "ln -sr a d/s", "install -m 600 a f", "install -d x y", "install -Dm600 a x/y/f", "mkdir -p x/y", "mkdir x", "rmdir e0", "rm a b", "rm -rf d", "rm -- -x",
		"touch f g", "truncate -s 5 a", "shred -u a", "unlink a", "split -l 1 a p.", "split -l1 a", "csplit -f q a 2", "csplit a 2", "shuf -o f a", "dd if=a of=f",
		"dd of=f if=a bs=1 count=1", "sed -i s/a/b/ a", "sed -i.bak s/1/b/ a", "sed -n 'w f' a", "sed --in-place=.o s/1/b/ a", "sed 's/1/2/w g' a", "sed -e 1d -n -e '$w f' a",
		"find . -name a -delete", "find . -fprint f", "find d -fls f", "find . -name a -fprintf f %p", "awk '{print > \"f\"}' a", "awk '{print $1 >> \"g\"}' a",
		"gzip a", "gzip -k a", "xz a", "bzip2 -k a", "tar cf t.tar d a", "tar -cf t.tar -C d .", "tar xf old.tar", "tar -xf old.tar -C d", "tar czf t.tgz a --remove-files",
		"xxd a f", "chmod 600 a", "chmod -R u+x d", "base64 a", "patch a p.diff", "mktemp -p d", "mktemp f.XXXX", "mkfifo f", "link a h", "nl a", "join a b", "comm a b",
		"zip z.zip a b", "openssl rand -out f -hex 4", "gcc -dumpversion", "git init x", "xargs -a a touch", "env -C d touch f", "timeout 5 touch f", "nice touch f",
		"curl -s -o f file:///dev/null", "sqlite3 f.db 'create table t(a)'", "diff a b", "cmp a b", "ar rc x.a a", "cat a", "wc -l a", "grep -c 1 a", "python3 -c 'pass'",
	} {
		t.Run(line, func(t *testing.T) {
			argv := words(line)
			name, _ := argv[0].Text()
			if _, err := exec.LookPath(name); err != nil {
				t.Skipf("%s is not installed here", name)
			}
			dir := tree(t)
			before := snapshot(t, dir)
			out, err := run(dir, argv)
			after := snapshot(t, dir)
			uses := []Use{b.Describe(argv)}
			for _, r := range uses[0].Runs {
				u := b.Describe(r.Words)
				if d := uses[0].Cwd; d != nil {
					for i := range u.Accesses {
						u.Accesses[i].Dir = d
					}
				}
				uses = append(uses, u)
			}
			changed := 0
			for p := range union(before, after) {
				if before[p] == after[p] {
					continue
				}
				changed++
				if !covered(uses, p) && !newParent(uses, before, after, p) {
					t.Errorf("%s was changed; predicted: %v", p, show(uses[0]))
				}
			}
			if err != nil {
				t.Logf("%v: %s", err, out)
			}
		})
	}
}

// tree makes files to work on.
func tree(t *testing.T) string {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{"d", "e0"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("a", "1\n2\n3\n")
	write("b", "2\n3\n4\n")
	write("-x", "x\n")
	write("d/c", "c\n")
	write("p.diff", "--- a\n+++ a\n@@ -1,3 +1,3 @@\n 1\n-2\n+9\n 3\n")
	cmd := exec.Command("tar", "cf", "old.tar", "b", "d/c")
	cmd.Dir = dir
	_ = cmd.Run() // where tar is missing, its cases are skipped
	return dir
}

func run(dir string, argv []value.Value) ([]byte, error) {
	args := make([]string, len(argv))
	for i, v := range argv {
		args[i], _ = v.Text()
	}
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader("1\n")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C"}
	return cmd.CombinedOutput()
}

func snapshot(t *testing.T, dir string) map[string]string {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		info, err := d.Info()
		if err != nil {
			return err
		}
		s := info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			s += fmt.Sprint(string(data), info.ModTime().UnixNano())
		}
		out[rel] = s
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func union(a, b map[string]string) map[string]bool {
	out := map[string]bool{}
	for k := range a {
		out[k] = true
	}
	for k := range b {
		out[k] = true
	}
	return out
}

// newParent: a directory that was made on the way to a file that was predicted
// (mkdir -p). It stands where that file stands.
func newParent(uses []Use, before, after map[string]string, p string) bool {
	if before[p] != "" || !strings.HasPrefix(after[p], "d") {
		return false
	}
	for _, u := range uses {
		for _, a := range u.Accesses {
			if t, ok := a.Path.Text(); ok && a.Kind == WriteFile && strings.HasPrefix(t, p+"/") {
				return true
			}
		}
	}
	return false
}

// covered: some write that was predicted is this path, or may be.
func covered(uses []Use, p string) bool {
	for _, u := range uses {
		for _, a := range u.Accesses {
			if a.Kind != WriteFile && a.Kind != DeleteFile && a.Kind != MakeLink {
				continue
			}
			v := a.Path
			if a.Dir != nil {
				v = under(*a.Dir, v)
			}
			for _, alt := range v.Alternatives() {
				if matches(alt, a.Recursive, p) {
					return true
				}
			}
		}
	}
	return false
}

func matches(alt []value.Piece, tree bool, p string) bool {
	var b strings.Builder
	for _, piece := range alt {
		switch {
		case piece.Kind == value.Lit:
			b.WriteString(regexp.QuoteMeta(piece.Text))
		case piece.Kind == value.Glob && piece.Text != "**":
			b.WriteString("[^/]*")
		default:
			b.WriteString(".*")
		}
	}
	re := strings.TrimPrefix(b.String(), `\./`)
	if re == `\.` || re == "" {
		return tree
	}
	re = strings.TrimSuffix(strings.TrimSuffix(re, `/\.`), "/")
	if tree {
		re += "(/.*)?"
	}
	ok, _ := regexp.MatchString("^"+re+"$", p)
	return ok
}

// TestHelp compares tables with what the installed programs say about
// themselves: an option that takes a value there takes one here, and few are
// missing (a newer version may have more, which are then unread).
func TestHelp(t *testing.T) {
	long := regexp.MustCompile(`(?m)^\s{1,10}(?:-[^\s,=]+(?:[ =]?\S+)?,\s+)?(--[a-z][a-z0-9-]*)(\[=|=|\s?<|,| |$)`)
	for _, name := range strings.Fields("cat tac nl head tail wc cut paste md5sum base64 comm join shuf sort uniq split csplit tee expand fold fmt od ls stat readlink realpath du df date rm rmdir mkdir mktemp touch truncate chmod chown cp mv install ln nohup nice timeout stdbuf env grep xargs sed tar wget curl diff cmp make") {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(name); err != nil {
				t.Skipf("%s is not installed here", name)
			}
			args := []string{"--help"}
			if name == "curl" {
				args = append(args, "all")
			}
			out, _ := exec.Command(name, args...).CombinedOutput()
			if !bytes.Contains(out, []byte("--")) {
				t.Skip("it has no help of the usual form")
			}
			tab, err := Load().builtin(name)
			if err != nil {
				t.Fatal(err)
			}
			total, missing := 0, 0
			optional := map[string]bool{}
			for _, m := range long.FindAllSubmatch(out, -1) {
				optional[string(m[1])] = optional[string(m[1])] || string(m[2]) != "="
			}
			for _, m := range long.FindAllSubmatch(out, -1) {
				total++
				o := tab.options[string(m[1])]
				sign := string(m[2])
				switch {
				case o == nil:
					missing++
					t.Logf("not known: %s", m[1])
				case sign == "=" && (!o.takes || o.optional && !optional[string(m[1])]):
					t.Errorf("%s takes a value", m[1])
				case sign == "[=" && !o.optional:
					t.Errorf("%s may take a value", m[1])
				}
			}
			if total == 0 || missing*10 > total {
				t.Errorf("%d of %d options are not known", missing, total)
			}
		})
	}
}
