package e2e

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// table is what the agents showed, for the closing table.
type table struct {
	mu    sync.Mutex
	cells map[string]map[string]string
}

var shown = &table{cells: map[string]map[string]string{}}

var columns = []string{"denied not run", "allowed runs", "confined", "asked midway", "question answered", "broken settings", "crash", "time-out", "undone"}

func (s *table) set(agent, column, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cells[agent] == nil {
		s.cells[agent] = map[string]string{}
	}
	if s.cells[agent][column] != "NO" {
		s.cells[agent][column] = value
	}
}

// check fails the test unless ok, and notes the outcome in the table.
func (w *world) check(column string, ok bool, format string, args ...any) {
	w.t.Helper()
	if ok {
		shown.set(w.agent.name, column, "yes")
		return
	}
	shown.set(w.agent.name, column, "NO")
	w.t.Errorf(format, args...)
}

func (s *table) print(out io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.cells) == 0 {
		return
	}
	fmt.Fprintf(out, "\n| agent | %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)+1))
	for _, a := range agents {
		row := []string{a.name}
		for _, c := range columns {
			cell := s.cells[a.name][c]
			if cell == "" {
				cell = "-"
			}
			row = append(row, cell)
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(row, " | "))
	}
	fmt.Fprintln(out)
}

func TestTheWorstIsKept(t *testing.T) {
	s := &table{cells: map[string]map[string]string{}}
	s.set("a", "crash", "NO")
	s.set("a", "crash", "yes")
	if s.cells["a"]["crash"] != "NO" {
		t.Error("a later success covers a failure up")
	}
}
