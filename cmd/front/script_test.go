//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mayi/internal/clitest"
	"mayi/internal/onefile/join"
	"mayi/pkg/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main() // what this machine can confine is probed with this test binary
	os.Exit(m.Run())
}

// joined builds the file that people install: the front and the engine in one.
func joined(t *testing.T) (dir string) {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("joined files are made for Linux on amd64 and arm64")
	}
	dir = t.TempDir()
	var parts [2][]byte
	front := "0x40001000"
	if runtime.GOARCH == "amd64" {
		front += " -E mayi/pkg/sandbox.earlyEntry"
	}
	for i, p := range []struct{ pkg, at string }{{"mayi/cmd/front", front}, {"mayi/cmd/mayi", "0x401000"}} {
		file := filepath.Join(dir, filepath.Base(p.pkg)+".part")
		build := exec.Command("go", "build", "-ldflags", "-s -w -T "+p.at, "-o", file, p.pkg)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var err error
		if parts[i], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	both, err := join.Files(parts[0], parts[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "mayi"), both, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// scripts runs the scripts of a folder with the joined file as mayi.
func scripts(t *testing.T, bin, folder string) {
	testscript.Run(t, clitest.Params(folder, bin+":"+os.Getenv("PATH"), "../.."))
}

// TestTheEnginesScripts: whichever of the two programs answers, the person sees
// the same.
func TestTheEnginesScripts(t *testing.T) {
	scripts(t, joined(t), filepath.Join("..", "mayi", "testdata", "script"))
}

// TestTheFront: what it does itself, and what it leaves to the engine.
func TestTheFront(t *testing.T) {
	scripts(t, joined(t), filepath.Join("testdata", "script"))
}
