package workspace

import "testing"

func TestSweeping(t *testing.T) {
	for pattern, want := range map[string]bool{
		"/ws/*": true, "/ws/.*": true, "/ws/.[!g]*": true, "/ws/.[!.]*": true, "/ws/??": true,
		"/ws/.m*": false, "/ws/.[m]ayi": false, "/ws/.mayi/*": true, "/ws/*/settings.json": true, "/ws/.[m": false, "/ws/*.json": false,
	} {
		if got := sweeping(pattern); got != want {
			t.Errorf("%s: %v, want %v", pattern, got, want)
		}
	}
}
