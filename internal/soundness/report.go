package soundness

import (
	"fmt"
	"io"
	"sort"
	"strings"
)

// Report adds up results.
type Report struct {
	Scripts, Failed, Unsound int
	Accesses, Excused, Blind int
	Commands, Clear          int
	misses, unclear          map[string]int
	details                  []Result
}

// Add counts one result.
func (r *Report) Add(x Result) {
	if r.misses == nil {
		r.misses, r.unclear = map[string]int{}, map[string]int{}
	}
	r.Scripts++
	r.Accesses += x.Accesses
	r.Excused += x.Excused
	r.Blind += x.Blind
	r.Commands += x.Commands
	r.Clear += x.Clear
	for _, m := range x.Misses {
		r.misses[m.Program]++
	}
	for _, n := range x.Unclear {
		r.unclear[n]++
	}
	if x.Failed != nil {
		r.Failed++
	}
	if len(x.Misses) > 0 {
		r.Unsound++
	}
	if x.Failed != nil || len(x.Misses) > 0 {
		r.details = append(r.details, x)
	}
}

// Sound reports whether everything was covered and everything ran.
func (r *Report) Sound() bool { return r.Unsound == 0 && r.Failed == 0 }

// ClearShare is the share of simple commands that are read in full, in percent.
func (r *Report) ClearShare() float64 {
	if r.Commands == 0 {
		return 0
	}
	return 100 * float64(r.Clear) / float64(r.Commands)
}

// Details writes every script with an access that was not predicted.
func (r *Report) Details(w io.Writer) {
	for _, d := range r.details {
		fmt.Fprintf(w, "\n%s\n", d.Script.Name)
		for _, line := range strings.Split(strings.TrimRight(d.Script.Text, "\n"), "\n") {
			fmt.Fprintf(w, "    %s\n", line)
		}
		if d.Failed != nil {
			fmt.Fprintf(w, "  could not be traced: %v\n", d.Failed)
		}
		for _, m := range d.Misses {
			fmt.Fprintf(w, "  NOT PREDICTED %s: %s\n", m.Program, m.Access)
		}
		for _, l := range d.Predicted {
			fmt.Fprintf(w, "  predicted: %s\n", l)
		}
	}
}

// Summary writes the figures.
func (r *Report) Summary(w io.Writer, title string) {
	fmt.Fprintf(w, "\n%s\n", title)
	fmt.Fprintf(w, "  scripts run            %6d  (%d could not be traced)\n", r.Scripts, r.Failed)
	fmt.Fprintf(w, "  accesses checked       %6d  (%d need no prediction, %d left to opaque or unread parts)\n", r.Accesses, r.Excused, r.Blind)
	fmt.Fprintf(w, "  scripts with a miss    %6d\n", r.Unsound)
	fmt.Fprintf(w, "  commands read in full  %5.1f%%  (%d of %d)\n", r.ClearShare(), r.Clear, r.Commands)
	table(w, "  not predicted, by program:", r.misses)
	table(w, "  not read in full, by program:", r.unclear)
}

func table(w io.Writer, title string, counts map[string]int) {
	if len(counts) == 0 {
		return
	}
	names := make([]string, 0, len(counts))
	for n := range counts {
		names = append(names, n)
	}
	sort.Slice(names, func(i, k int) bool {
		a, b := names[i], names[k]
		return counts[a] > counts[b] || counts[a] == counts[b] && a < b
	})
	fmt.Fprintln(w, title)
	line := "   "
	for _, n := range names {
		line += fmt.Sprintf(" %s %d", n, counts[n])
		if len(line) > 100 {
			fmt.Fprintln(w, line)
			line = "   "
		}
	}
	if strings.TrimSpace(line) != "" {
		fmt.Fprintln(w, line)
	}
}
