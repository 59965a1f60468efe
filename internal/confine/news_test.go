package confine_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// TestWhatWasDecidedIsNoNews: files that a pattern of the command stands for were
// decided with it; a secret below a folder that was granted was not.
func TestWhatWasDecidedIsNoNews(t *testing.T) {
	r := newRoom(t, `{"executionMode":"auto"}`)
	home := r.app.Settings.Options().Home
	if err := os.MkdirAll(home+"/.ssh", 0o700); err != nil {
		t.Fatal(err)
	}
	r.file(home+"/.ssh/id_rsa", "for nobody")
	r.file(r.outside+"/a.txt", "one")
	r.file(r.outside+"/b.txt", "two")
	var asked []string
	asker := approval.AskerFunc(func(_ context.Context, q approval.Question) (approval.Answer, error) {
		asked = append(asked, q.Command)
		return approval.Answer{Choice: approval.No, By: "test"}, nil
	})
	allow := func(path string) {
		t.Helper()
		g := approval.Grant{Session: "s", Path: path, Answer: permissions.GrantedSession}
		if err := r.app.Gate.Grants("s").Put(context.Background(), g); err != nil {
			t.Fatal(err)
		}
	}
	allow(r.outside)
	if _, out, _ := r.run("cat "+r.outside+"/*.txt", asker); out != "onetwo" || len(asked) > 0 {
		t.Errorf("a pattern: printed %q, asked %q", out, asked)
	}
	allow(home)
	v := r.app.Gate.Decide(context.Background(), gate.Request{Session: "s", Tool: permissions.Tool{Name: "bash", Builtin: true}, Input: map[string]any{"command": "grep -r nobody " + home}})
	if v.Verdict != permissions.Allow {
		t.Fatalf("it is not allowed as it stands: %s", v.Reason)
	}
	if _, out, _ := r.run("grep -r nobody "+home, asker); strings.Contains(out, "for nobody") {
		t.Errorf("a secret below a granted folder: printed %q, asked %q", out, asked)
	}
}
