package join_test

import (
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mayi/internal/onefile/join"
)

const source = `package main

import (
	"fmt"
	"os"
)

var big [1 << 20]byte // uninitialised memory of its own
var who = "%"

func main() {
	sum := 0
	for _, b := range big {
		sum += int(b)
	}
	self, _ := os.Executable()
	fmt.Println(who, sum, os.Args[1:], os.Getenv("MARK"), self)
	os.Exit(len(who))
}
`

// program builds a real program that says who it is.
func program(t *testing.T, dir, who, address string) []byte {
	t.Helper()
	main := filepath.Join(dir, who+".go")
	if err := os.WriteFile(main, []byte(strings.Replace(source, "%", who, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-ldflags", "-s -w -T "+address, "-o", filepath.Join(dir, who), main)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, who))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestTheFileIsWhatItIsStartedAs(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("joined files are made for Linux on amd64 and arm64")
	}
	dir := t.TempDir()
	front, engine := program(t, dir, "front", "0x40001000"), program(t, dir, "engine", "0x401000")
	for name, pair := range map[string][2][]byte{"front above": {front, engine}, "front below": {engine, front}} {
		joined, err := join.Files(pair[0], pair[1])
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "joined")
		if err := os.WriteFile(file+".new", joined, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
		first, second := "front", "engine"
		if name == "front below" {
			first, second = second, first
		}
		for _, c := range []struct {
			argv []string
			want string
		}{
			{[]string{"mayi", "a", "b"}, first},
			{[]string{"mayi-engine", "a", "b"}, second},
			{[]string{"", "a", "b"}, first},
			{[]string{"mayi-en", "a", "b"}, first},
			{[]string{"/usr/bin/mayi-engine", "a", "b"}, first},
		} {
			cmd := exec.Cmd{Path: file, Args: c.argv, Env: []string{"MARK=m"}}
			out, _ := cmd.CombinedOutput()
			if want := c.want + " 0 [a b] m " + file + "\n"; string(out) != want || cmd.ProcessState.ExitCode() != len(c.want) {
				t.Errorf("%s, started as %q: printed %q, exit %d; want %q", name, c.argv[0], out, cmd.ProcessState.ExitCode(), want)
			}
		}
		if _, err := buildinfo.ReadFile(file); err != nil {
			t.Errorf("go version cannot read it: %v", err)
		}
	}
}

func TestWhatCannotBeJoinedIsRefused(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the programs are built for this machine, which is no Linux")
	}
	dir := t.TempDir()
	front, engine := program(t, dir, "front", "0x40001000"), program(t, dir, "engine", "0x401000")
	other := append([]byte(nil), engine...)
	other[18], other[19] = 243, 0 // RISC-V
	for _, c := range []struct {
		name          string
		front, engine []byte
		want          string
	}{
		{"the same addresses", front, front, "overlap"},
		{"no program", []byte("#!/bin/sh\n"), engine, "the front is no ELF file"},
		{"nothing", front, nil, "the engine is no ELF file"},
		{"cut short", front, engine[:len(engine)/2], "the engine"},
		{"other machines", front, other, "the engine for EM_RISCV"},
	} {
		if _, err := join.Files(c.front, c.engine); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
