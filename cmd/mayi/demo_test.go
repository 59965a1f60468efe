package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDemo holds the command of "make demo" to flags that exist, and to the
// model that needs neither a key nor a network whatever the environment has.
func TestDemo(t *testing.T) {
	text, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^demo: build\n\t@bin/mayi (.*)$`).FindSubmatch(text)
	if m == nil {
		t.Fatal("the Makefile has no demo that starts mayi")
	}
	cmd, args, err := (&command{}).root().Find(strings.Fields(string(m[1])))
	if err != nil || cmd.Name() != "chat" {
		t.Fatalf("make demo starts %v, %v", cmd.Name(), err)
	}
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatalf("make demo: %v", err)
	}
	if provider := cmd.Flag("provider").Value.String(); provider != "scripted" {
		t.Errorf("make demo talks to %q, not to the scripted model", provider)
	}
}
