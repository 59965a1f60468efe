package pins_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mayi/internal/mcp/pins"
)

func tool(t *testing.T, raw string) pins.Tool {
	t.Helper()
	tool, err := pins.ParseTool([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// TestWhatMakesAnotherTool: spelling does not, content does.
func TestWhatMakesAnotherTool(t *testing.T) {
	base := `{"name":"a","description":"d","inputSchema":{"type":"object","properties":{"x":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`
	for raw, same := range map[string]bool{
		base: true,
		`{"annotations":{"readOnlyHint":true},"inputSchema":{"properties":{"x":{"type":"string"}},"type":"object"},"description":"\u0064","name":"a","icons":[1],"_meta":{"k":1}}`: true,
		strings.Replace(base, `"d"`, `"D"`, 1):                         false,
		strings.Replace(base, `"string"`, `"integer"`, 1):              false,
		strings.Replace(base, `true`, `false`, 1):                      false,
		strings.Replace(base, `"name"`, `"title":"t","name"`, 1):       false,
		strings.Replace(base, `"name"`, `"outputSchema":{},"name"`, 1): false,
	} {
		if got := tool(t, raw).Fingerprint() == tool(t, base).Fingerprint(); got != same {
			t.Errorf("%s: the same is %v", raw, got)
		}
	}
}

func TestTheStoreRemembers(t *testing.T) {
	dir := t.TempDir() + "/deep/pins"
	s, err := pins.Open(dir, "server one")
	if err != nil {
		t.Fatal(err)
	}
	a, b := tool(t, `{"name":"a","description":"1"}`), tool(t, `{"name":"a","description":"2"}`)
	if _, ok := s.Approved("a"); ok {
		t.Error("an empty store knows a tool")
	}
	if err := s.Approve(a); err != nil {
		t.Fatal(err)
	}
	for _, identity := range []string{"server one", "server two"} {
		again, err := pins.Open(dir, identity)
		if err != nil {
			t.Fatal(err)
		}
		if _, changed := again.Changed(a); changed {
			t.Error("the same tool counts as changed")
		}
		if was, changed := again.Changed(b); changed != (identity == "server one") || changed && was.Tool.Description != "1" {
			t.Errorf("%s: %+v, %v", identity, was, changed)
		}
	}
	file, err := filepath.Glob(dir + "/*.json")
	if err != nil || len(file) != 1 {
		t.Fatal(file, err)
	}
	if st, err := os.Stat(file[0]); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
	if err := os.WriteFile(file[0], []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := pins.Open(dir, "server one"); err == nil || !strings.Contains(err.Error(), file[0]) {
		t.Errorf("a broken file: %v", err)
	}
	if _, err := pins.Open("", "x"); err == nil {
		t.Error("a store without a folder was opened")
	}
}

// TestTwoProcessesApprove: neither loses what the other approved.
func TestTwoProcessesApprove(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for p := range 4 {
		s, err := pins.Open(dir, "server")
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for i := range 10 {
				if err := s.Approve(pins.Tool{Name: fmt.Sprint(p, "-", i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s, err := pins.Open(dir, "server")
	if err != nil {
		t.Fatal(err)
	}
	for p := range 4 {
		for i := range 10 {
			if _, ok := s.Approved(fmt.Sprint(p, "-", i)); !ok {
				t.Errorf("%d-%d was lost", p, i)
			}
		}
	}
	left, err := filepath.Glob(dir + "/.pins-*")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestDifference(t *testing.T) {
	was := tool(t, `{"name":"a","description":"one\ntwo\nthree\nfour\nfive","inputSchema":{"properties":{"x":{"type":"string"}}}}`)
	is := tool(t, `{"name":"a","description":"one\ntwo\nTHREE\nfour\nfive","inputSchema":{"properties":{"x":{"type":"string"},"y":{}}},"annotations":{"readOnlyHint":false}}`)
	want := `description:
  two
- three
+ THREE
  four
input schema:
        "type": "string"
-     }
+     },
+     "y": {}
    }
annotations:
+ {
+   "readOnlyHint": false
+ }`
	if got := pins.Difference(was, is); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := pins.Difference(was, was); got != "" {
		t.Errorf("no difference: %s", got)
	}
	long := pins.Tool{Description: strings.Repeat("a\n", 10_000)}
	if got := pins.Difference(long, was); !strings.Contains(got, "+ one") || !strings.Contains(got, "- a") {
		t.Errorf("%.100s", got)
	}
}
