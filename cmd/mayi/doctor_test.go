package main

import "testing"

// TestDoctorTellsThatNothingIsRemembered where the session has no name, which
// is no fault.
func TestDoctorTellsThatNothingIsRemembered(t *testing.T) {
	if f := examineSession(""); len(f) != 1 || !f[0].OK || f[0].Text == "" || f[0].Mend == "" {
		t.Errorf("without a name: %+v", f)
	}
	if f := examineSession("terminal-1"); f != nil {
		t.Errorf("with a name: %+v", f)
	}
}
