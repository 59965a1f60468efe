package nearest

import "testing"

func TestWord(t *testing.T) {
	known := []string{"executionMode", "maxExecutionMode", "network", "sandbox", "read", "write"}
	for word, want := range map[string]string{
		"executionMod": "executionMode", "ExecutionMode": "executionMode", "netwrok": "network", "sandbx": "sandbox",
		"raed": "read", "writ": "write", "colour": "", "": "", "x": "", "maxExecMode": "",
	} {
		if got := Word(word, known); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
	if Word("read", nil) != "" {
		t.Error("something is near in an empty list")
	}
}
