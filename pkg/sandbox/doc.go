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
// None of it needs root or cgo. A job's process 1 is forked with its system
// calls written down beforehand, so that nothing has to be started a second
// time. Where bubblewrap makes the namespaces, or there are none, the layers
// are applied by a helper: the same program, started again; so a program that
// uses the package calls [Main] as the first thing in its main function.
//
// What is asked about while the program waits are opens of files, changes of
// names and metadata, listings of folders, programs that are to be run, and
// connections. A folder outside is never handed in: its descriptor would lead to
// everything above and below it, for calls that nobody judges. After a yes the
// job gets a listing of its own in that place. A program outside is put into the
// job's tree, and the call goes on; the kernel starts it. Looking at names (stat,
// access, readlink) is not held, and tells only what is in the job's tree.
//
// Where the kernel does not end a job with its supervisor, a warden does: a
// process between the two that the job can neither signal nor starve.
//
// What it does not stop: what the kernel itself gets wrong; reading what is
// readable for every job (the system's programs and most of /etc); using up
// the processor; a job that talks to an allowed host about everything that it
// was allowed to read; files that somebody outside puts in the workspace while
// the job runs, unless a name rule closes them; the empty name that a service
// makes for its socket (bind), which no rule for names is asked about.
package sandbox
