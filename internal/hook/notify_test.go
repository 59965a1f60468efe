//go:build unix

package hook

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// TestANotificationIsStartedAndNotWaitedFor: its text is an argument and no
// command line.
func TestANotificationIsStartedAndNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "show")
	script := "#!/bin/sh\nprintf '%s\\n' \"$@\" > " + dir + "/new && mv " + dir + "/new " + dir + "/shown\nread x < " + dir + "/gate\n"
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	// The program waits at the gate, so that who waited for it would hang here.
	if err := syscall.Mkfifo(dir+"/gate", 0o600); err != nil {
		t.Fatal(err)
	}
	show := starting(program, func(title, text string) []string { return []string{"--", title, text} })
	show("title", "-x; touch $(rm a) <b>")
	for end := time.Now().Add(60 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		data, err := os.ReadFile(dir + "/shown")
		if err == nil {
			if got := string(data); got != "--\ntitle\n-x; touch $(rm a) <b>\n" {
				t.Errorf("%q", got)
			}
			if err := os.WriteFile(dir+"/gate", []byte("go\n"), 0); err != nil {
				t.Error(err)
			}
			return
		}
		if time.Now().After(end) {
			t.Fatal("nothing was started")
		}
	}
}

func TestThereIsNoDesktopWithoutOne(t *testing.T) {
	if starting("/nonexistent/notify-send", nil) != nil || starting(os.TempDir(), nil) != nil {
		t.Error("what is no program would be started")
	}
	if runtime.GOOS != "darwin" && Desktop(map[string]string{"PATH": "/usr/bin"}) != nil {
		t.Error("a notification would be shown where no desktop is")
	}
}
