//go:build linux

package approval_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"mayi/pkg/approval"
)

// The test binary is the program that asks when this variable is set.
const askMode = "MAYI_TEST_ASK"

func TestMain(m *testing.M) {
	if os.Getenv(askMode) != "" {
		a, err := approval.LazyTerminal(approval.TerminalOptions{}).Ask(context.Background(), ls)
		fmt.Printf("%s %v\n", a.Choice, err)
		return
	}
	os.Exit(m.Run())
}

// The question goes to the process's own terminal; what is piped in does not
// answer it.
func TestPipedInputDoesNotAnswer(t *testing.T) {
	k := openKeyboard(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), askMode+"=1")
	cmd.Stdin = strings.NewReader("once\nsession\n")
	cmd.ExtraFiles = []*os.File{k.term}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	out := make(chan string)
	go func() {
		data, err := cmd.Output()
		out <- fmt.Sprintf("%s%v", data, err)
	}()
	k.typeLine("no")
	if got := <-out; got != "no <nil>\n<nil>" {
		t.Errorf("the program got %q", got)
	}
}

func TestNoTerminalIsUnavailable(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), askMode+"=1")
	cmd.Stdin = strings.NewReader("once\n")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	data, err := cmd.Output()
	if err != nil || !strings.HasPrefix(string(data), "no ") || !strings.Contains(string(data), approval.ErrUnavailable.Error()) {
		t.Errorf("without a terminal: %q, %v", data, err)
	}
}
