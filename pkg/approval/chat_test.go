package approval_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/approval/approvaltest"
)

// screen collects what is shown.
type screen struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *screen) show(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b.WriteString(text + "\n")
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func startChat(t *testing.T) (*approval.Chat, *screen, func(line string)) {
	var s screen
	c := approval.NewChat(s.show)
	return c, &s, func(line string) {
		t.Helper()
		for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if c.Offer(line) {
				return
			}
		}
		t.Errorf("the line %q was never taken", line)
	}
}

func TestChatSuite(t *testing.T) {
	approvaltest.Asker(t, func(t *testing.T) approvaltest.Driver {
		c, s, typed := startChat(t)
		return approvaltest.Driver{Asker: c, Type: typed, Shown: s.String}
	})
}

func TestChatLeavesOtherLinesAlone(t *testing.T) {
	c, s, typed := startChat(t)
	for _, line := range []string{"once", "session", "no", "hello", ""} {
		if c.Offer(line) {
			t.Errorf("%q was taken although nothing was asked", line)
		}
	}
	if c.Waiting() || c.Interrupt() || s.String() != "" {
		t.Errorf("something was asked: %q", s)
	}
	done := make(chan approval.Answer)
	go func() {
		a, _ := c.Ask(context.Background(), approval.Question{ID: "1", Call: "c", Command: "ls"})
		done <- a
	}()
	typed("please list my desktop")
	if !c.Waiting() {
		t.Error("a line that is no answer ended the question")
	}
	if !strings.Contains(s.String(), "nothing was granted") {
		t.Errorf("the line that was no answer got no reply:\n%s", s)
	}
	if !c.Interrupt() {
		t.Error("Interrupt found no question")
	}
	if a := <-done; a.Choice != approval.No || !a.Answered() {
		t.Errorf("after an interrupt: %+v", a)
	}
	if c.Offer("once") {
		t.Error("a line after the answer was taken")
	}
}
