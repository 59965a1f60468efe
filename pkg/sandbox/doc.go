// Package sandbox turns a decision into something that the kernel holds.
//
// It works in two steps that do not mix. First a [Spec] is worked out: a plain
// value that says what may be read, what may be written, what stays closed
// inside that, which network there is and how much may be used. [FromCall]
// makes one from a decided call, without touching the disk. Then [Start]
// applies it to one command and reports what was really enforced.
//
// On Linux the layers are, from the outside in: namespaces with a file tree of
// their own (what is not granted does not exist in it), Landlock (what is
// granted is granted for reading or for writing), a static seccomp filter
// (system calls that lead round the first two), and a supervisor that is asked
// by the kernel about single system calls: writes to protected names at any
// depth, and accesses that a person is asked about while the program waits.
// None of it needs root or cgo. The layers are applied by a helper: the same
// program, started again; so a program that uses the package calls [Main] as
// the first thing in its main function.
//
// What it does not stop: what the kernel itself gets wrong; reading what is
// readable for every job (the system's programs and most of /etc); using up
// the processor; a job that talks to an allowed host about everything that it
// was allowed to read; files that somebody outside puts in the workspace while
// the job runs, unless a name rule closes them.
package sandbox
