package knowledge

import (
	"testing"

	"mayi/pkg/shell/value"
)

func TestGoFlags(t *testing.T) {
	for text, read := range map[string]bool{
		"": true, "-s -w": true, "-X 'main.v=a b' -s": true, `-X "main.v=a b"`: true, "-X main.v=1": true,
		"all=-N -l": true, "-extldflags '-static'": true, "-extldflags=-static": true, "-extldflags '-static -fplugin=x'": false,
		"-extld ./x": false, "--extld=./x": false, "-linkmode external": false, "-tmpdir /x": false, "'-extld' ./x": false,
		"-cpuprofile=/x": false, "a/...=-cpuprofile=/x": false, "-X main.v=1 -extld x": false, "-s '-extld": false, "'": false,
	} {
		use := Load().Describe(exact("go", "build", "-ldflags", text, "."))
		if got := len(use.Unread) == 0; got != read {
			t.Errorf("go build -ldflags %q is read: %v, unread: %v", text, got, use.Unread)
		}
	}
}

// TestTypedStatements: what flows to a client of a database is read like what
// stands in its arguments.
func TestTypedStatements(t *testing.T) {
	for _, c := range []struct {
		argv  []string
		input string
		read  bool
	}{
		{[]string{"sqlite3", "x.db"}, "select 1;\n.tables\n", true},
		{[]string{"sqlite3", "x.db"}, "select 1;\n.shell x\n", true}, // what it runs is shown
		{[]string{"sqlite3", "x.db"}, ".load ./x\n", false},
		{[]string{"sqlite3"}, ".open /x\n", false},
		{[]string{"psql"}, "select 1;\n", true},
		{[]string{"psql"}, `\! x`, false},
		{[]string{"mysql"}, "system x\n", false},
		{[]string{"mysql"}, "select 1;\n", true},
	} {
		in := value.Exact(c.input)
		use := Load().DescribeInput(exact(c.argv...), &in)
		if got := len(use.Unread) == 0; got != c.read || use.Stdin != StdinData {
			t.Errorf("%v <<< %q is read: %v (%v), stdin %v", c.argv, c.input, got, use.Unread, use.Stdin)
		}
	}
	in := value.Exact(".shell rm x")
	if use := Load().DescribeInput(exact("sqlite3", "x.db"), &in); len(use.Runs) != 1 {
		t.Errorf("sqlite3 <<< .shell shows %d commands", len(use.Runs))
	}
	unknown := value.Unknown("a pipe")
	if use := Load().DescribeInput(exact("sqlite3", "x.db"), &unknown); use.Stdin != StdinCode {
		t.Errorf("text that is not known is %v", use.Stdin)
	}
}
