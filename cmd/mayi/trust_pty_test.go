package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestTrustIsGivenAtTheTerminal: the file is shown, nothing but a yes to the
// question trusts it, and a yes that was typed before it is none.
func TestTrustIsGivenAtTheTerminal(t *testing.T) {
	home, project, _ := room(t)
	if err := os.Mkdir(project+"/.mayi", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(project+"/.mayi/settings.json", []byte("{\"executionMode\": \"auto\"} // \x1b[2J\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	status := func() string {
		cmd := exec.Command("mayi", "trust", "--status")
		cmd.Dir, cmd.Env = project, []string{"HOME=" + home, "XDG_STATE_HOME=" + home + "/state", "XDG_CONFIG_HOME=" + home + "/config"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	const prompt = "Type yes and Enter"
	for _, answer := range []string{"", "y", "no", "yes please"} {
		p := sit(t, home, project, "trust")
		p.types("yes")
		if shown := p.sees(prompt); !strings.Contains(shown, `"executionMode": "auto"`) || strings.Contains(shown, "\x1b[2J") {
			t.Fatalf("shown: %q", shown)
		}
		p.types(answer)
		p.sees("not trusted")
		p.ends()
		if s := status(); !strings.Contains(s, "not trusted") {
			t.Fatalf("%q: %s", answer, s)
		}
	}
	p := sit(t, home, project, "trust")
	p.sees(prompt)
	p.types("yes")
	p.sees("trusted")
	p.ends()
	if s := status(); strings.Contains(s, "not trusted") {
		t.Fatal(s)
	}
}
