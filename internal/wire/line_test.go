package wire

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestLineIsOneLine(t *testing.T) {
	for _, text := range []string{"plain <b> & é 日本", "a\u0085b", "a\u2028b\u2029c", "\x1b[0m\u009b1m\x7f", "\v\f\r\n", "\U0001f600"} {
		line, err := Line(map[string]string{"t": text})
		if err != nil {
			t.Fatal(err)
		}
		body := strings.TrimSuffix(string(line), "\n")
		if strings.ContainsAny(body, "\n\r\v\f\u0085\u2028\u2029\u009b\x1b\x7f") {
			t.Errorf("%q is written as %q", text, line)
		}
		var back map[string]string
		if err := json.Unmarshal(line, &back); err != nil || back["t"] != text {
			t.Errorf("%q comes back as %q (%v)", text, back["t"], err)
		}
	}
}
