package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"mayi/pkg/permissions"

	"pgregory.net/rapid"
)

// byEncoder is the hash as the standard encoder makes it.
func byEncoder(r Request, cwd string) string {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, part := range []any{r.Tool.Name, r.Tool.Server, r.Tool.Builtin, cwd, r.Remote, r.Input, r.Env} {
		if err := enc.Encode(part); err != nil {
			fmt.Fprintf(h, "unencodable: %v", err)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// TestHashIsOfJSON: what was remembered for a call by one version of the
// program is found by the next.
func TestHashIsOfJSON(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "git status && rm -rf /tmp/x", "a < b > c \"d\" \\ \t\n\r\x00", "é\u2028\xff", "\x7f"}))
	rapid.Check(t, func(t *rapid.T) {
		r := Request{Tool: permissions.Tool{Name: text.Draw(t, "name"), Server: text.Draw(t, "server"), Builtin: rapid.Bool().Draw(t, "builtin")}, Remote: rapid.Bool().Draw(t, "remote")}
		if rapid.Bool().Draw(t, "input") {
			r.Input = map[string]any{}
			for range rapid.IntRange(0, 4).Draw(t, "n") {
				r.Input[text.Draw(t, "key")] = rapid.SampledFrom([]any{text.Draw(t, "value"), 1.5, nil, true, []any{"<", 1e30}, map[string]any{"b": "&", "a": nil}, math.Inf(1), json.Number("1e5"), func() {}}).Draw(t, "any")
			}
		}
		if rapid.Bool().Draw(t, "env") {
			r.Env = rapid.MapOf(text, text).Draw(t, "env values")
		}
		cwd := text.Draw(t, "cwd")
		if got, want := hashOf(r, cwd), byEncoder(r, cwd); got != want {
			t.Fatalf("%+v in %q hashes to %s, not %s", r, cwd, got, want)
		}
	})
}
