//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkStart compares one job with bubblewrap doing about as much, in one
// run: each iteration starts both. "ahead" is a job that was prepared while
// there was something else to do, as a decision is.
func BenchmarkStart(b *testing.B) {
	can(b)
	if !trustedProgram(bwrapPath) {
		b.Skip("no bubblewrap here")
	}
	s := Workspace(b.TempDir(), "/nonexistent-home")
	for _, ahead := range []bool{false, true} {
		name := "cold"
		if ahead {
			name = "ahead"
		}
		b.Run(name, func(b *testing.B) {
			var ours, theirs []float64
			for b.Loop() {
				var p *Prepared
				if ahead {
					p = Prepare()
					time.Sleep(3 * time.Millisecond)
				}
				ours = append(ours, timed(func() {
					if r := run(b, s, Command{Args: []string{"true"}, Prepared: p}); r.Code != 0 {
						b.Fatal(r.out, r.err)
					}
				}))
				theirs = append(theirs, timed(func() {
					if err := exec.Command(bwrapPath, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all", "true").Run(); err != nil {
						b.Fatal(err)
					}
				}))
			}
			b.ReportMetric(median(ours)/1e6, "ms/job")
			b.ReportMetric(median(theirs)/1e6, "ms/bwrap")
			b.ReportMetric(median(ours)/median(theirs), "x-bwrap")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// opensAtOnce is how many opens one round times.
const opensAtOnce = 5000

// BenchmarkOpen times opens inside the workspace, in turns: without a sandbox,
// where only changes are judged by name, and where every open is carried out by
// the supervisor, because a person can be asked.
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
	args := []string{copied, "-test.run=TestOpener$", "-test.count=1", "-opens=" + strconv.Itoa(opensAtOnce)}
	names := Workspace(dir, "/nonexistent-home")
	names.Denied = nil
	all := names
	all.Denied = []Pattern{{Glob: "**/.env", Firm: true}}
	confined := func(s Spec) float64 {
		var out strings.Builder
		j, err := Start(context.Background(), s, Command{Args: args, Env: env(), Stdout: &out, Stderr: &out})
		if err != nil {
			b.Fatal(err)
		}
		j.Wait()
		return opened(b, out.String())
	}
	var plain, judged, brokered []float64
	for b.Loop() {
		c := exec.Command(copied, args[1:]...)
		c.Dir = dir
		plain = append(plain, opened(b, string(must(c.CombinedOutput()))))
		judged = append(judged, confined(names))
		brokered = append(brokered, confined(all))
	}
	b.ReportMetric(median(plain), "ns/plain")
	b.ReportMetric(median(judged), "ns/inside")
	b.ReportMetric(median(judged)/median(plain), "x-plain")
	b.ReportMetric(median(brokered)/1e3, "us/brokered")
	b.ReportMetric(0, "ns/op")
}

// opened takes the nanoseconds of one open out of what the opener printed.
func opened(b *testing.B, out string) float64 {
	for _, line := range strings.Split(out, "\n") {
		if v, ok := strings.CutPrefix(line, "open-ns "); ok {
			ns, err := strconv.ParseFloat(v, 64)
			if err != nil {
				b.Fatal(err)
			}
			return ns
		}
	}
	b.Fatal(out)
	return 0
}

func timed(f func()) float64 {
	start := time.Now()
	f()
	return float64(time.Since(start))
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
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
