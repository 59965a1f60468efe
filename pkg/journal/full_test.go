//go:build linux

package journal

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"

	"mayi/pkg/journal/entry"
)

// On a full disk a record is refused, what was kept stays whole, and the log
// goes on when there is room again.
func TestFullDisk(t *testing.T) {
	for name, limit := range map[string]func(t *testing.T, dir string) (shell string){
		"file size limit": func(*testing.T, string) string { return `ulimit -f 40; exec "$0" "$@"` },
		"small file system": func(t *testing.T, dir string) string {
			if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
				t.Skipf("no small file system can be mounted: %v", err)
			}
			t.Cleanup(func() {
				if err := syscall.Unmount(dir, 0); err != nil {
					t.Error(err)
				}
			})
			return `exec "$0" "$@"`
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "mayi.db")
			cmd := exec.Command("sh", "-c", limit(t, dir), os.Args[0], path)
			cmd.Env = append(os.Environ(), jobVar+"=fill")
			out, err := cmd.CombinedOutput()
			m := regexp.MustCompile(`^kept (\d+) full true .*free some space`).FindSubmatch(out)
			if err != nil || m == nil {
				t.Fatalf("%v: %s", err, out)
			}
			kept, _ := strconv.Atoi(string(m[1]))
			if n := len(lines(t, path)); kept == 0 || n != kept {
				t.Errorf("%d records are there, %d were kept", n, kept)
			}
			if name == "file size limit" {
				if _, err := At(path).Note(context.Background(), entry.Record{Event: "refused"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
