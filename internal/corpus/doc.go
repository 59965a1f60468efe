// Package corpus holds decisions end to end: a call and a policy, and what has
// to come out, run the way `mayi check` runs them against a tree of files. Half
// of the cases are attempts to get past the policy, half are everyday calls
// that must bring no question.
//
// A file of testdata is one class of cases. It begins with the policies that
// its cases name, one a line, NAME = JSON. Then each case has a heading, lines
// "key: value", and, for a command, a line "$" with the command below it:
//
//	-- cd-relative 1 --
//	why: two levels up from a folder of the workspace is outside
//	policy: p1
//	expect: not-allow
//	names: /etc/passwd
//	$
//	cd src && cat ../../etc/passwd
//
// expect is allow, ask, deny or not-allow (ask and deny both do). names is a
// path outside that the decision has to name. link makes a symbolic link first.
// Other calls than commands, and commands that do not show well, have the lines
// tool and input. /ws stands for the workspace and /home/dev for the home.
package corpus
