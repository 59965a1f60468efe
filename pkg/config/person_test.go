package config

import (
	"os/user"
	"testing"
)

func TestPerson(t *testing.T) {
	want, err := user.Current()
	if err != nil {
		t.Skipf("this machine does not say who runs the test: %v", err)
	}
	if got, err := person(); err != nil || got.Username != want.Username || got.HomeDir != want.HomeDir {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

func TestAccountOf(t *testing.T) {
	const text = "# 7:x:7:7::/wrong:\nroot:x:0:0:root:/root:/bin/sh\n+nis:x:7:7::/wrong:\nshort:x:7\nbad:x:7:staff::/wrong:\n:x:7:7::/wrong:\n dev:x:7:7:A, B:/home/dev:/bin/sh\r\nother:x:7:7::/wrong:"
	if name, home, ok := accountOf(text, 7); name != "dev" || home != "/home/dev" || !ok {
		t.Errorf("%q %q %v", name, home, ok)
	}
	if name, home, ok := accountOf(text, 0); name != "root" || home != "/root" || !ok {
		t.Errorf("%q %q %v", name, home, ok)
	}
	for _, uid := range []int{-1, 1, 77} {
		if name, _, ok := accountOf(text, uid); ok {
			t.Errorf("%d is %q", uid, name)
		}
	}
}
