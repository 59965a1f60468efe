//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkStart compares one job with bubblewrap doing about as much, in one
// run: each iteration starts both.
func BenchmarkStart(b *testing.B) {
	can(b)
	s := Workspace(b.TempDir(), "/nonexistent-home")
	b.Run("mayi", func(b *testing.B) {
		for b.Loop() {
			if r := run(b, s, Command{Args: []string{"true"}}); r.Code != 0 {
				b.Fatal(r.out, r.err)
			}
		}
	})
	b.Run("prepared", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			p := Prepare()
			b.StartTimer()
			if r := run(b, s, Command{Args: []string{"true"}, Prepared: p}); r.Code != 0 {
				b.Fatal(r.out, r.err)
			}
		}
	})
	b.Run("bwrap", func(b *testing.B) {
		if !trustedProgram(bwrapPath) {
			b.Skip("no bubblewrap here")
		}
		for b.Loop() {
			c := exec.Command(bwrapPath, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all", "true")
			if err := c.Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkOpen times opens inside the workspace: without a sandbox, where
// only names are judged, and where every open is carried out by the supervisor.
func BenchmarkOpen(b *testing.B) {
	can(b)
	// The job is this test program again, which opens and counts.
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	copied := filepath.Join(dir, "opener")
	if err := copyFile(exe, copied); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("x"), 0o644); err != nil {
		b.Fatal(err)
	}
	args := func(n int) []string {
		return []string{copied, "-test.run=TestOpener$", "-test.count=1", "-opens=" + strconv.Itoa(n)}
	}
	b.Run("plain", func(b *testing.B) {
		c := exec.Command(copied, args(b.N)[1:]...)
		c.Dir = dir
		report(b, string(must(c.CombinedOutput())))
	})
	names := Workspace(dir, "/nonexistent-home")
	names.Denied = nil
	all := names
	all.Denied = []Pattern{{Glob: "**/.env", Firm: true}}
	for name, s := range map[string]Spec{"names": names, "brokered": all} {
		b.Run(name, func(b *testing.B) {
			var out strings.Builder
			j, err := Start(context.Background(), s, Command{Args: args(b.N), Env: env(), Stdout: &out, Stderr: &out})
			if err != nil {
				b.Fatal(err)
			}
			j.Wait()
			report(b, out.String())
		})
	}
}

// report takes the nanoseconds of one open out of what the opener printed.
func report(b *testing.B, out string) {
	for _, line := range strings.Split(out, "\n") {
		if v, ok := strings.CutPrefix(line, "open-ns "); ok {
			ns, err := strconv.ParseFloat(v, 64)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(ns, "ns/open")
			b.ReportMetric(0, "ns/op")
			return
		}
	}
	b.Fatal(out)
}

func must(out []byte, err error) []byte {
	if err != nil {
		return append(out, err.Error()...)
	}
	return out
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Close()
}
