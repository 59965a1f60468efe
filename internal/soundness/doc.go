// Package soundness holds the prediction of pkg/shell against what really
// happens: scripts are run by bash under strace, inside bubblewrap, in a
// throw-away tree, and every file that was read or written, every program that
// was started and every connection that was tried has to be in what was
// predicted, or the prediction has to say that it does not know.
//
// What is excused, and why, stands in two tables: [ignored] (what every process
// does, such as loading its libraries) and [helpers] (programs that a program
// is made of). A part of the script that is opaque or unread excuses what its
// own processes do, nothing else.
//
// The gaps of the method: looking a file up (stat, access, readlink) is not
// counted as reading it; a file that a run may touch but did not touch on this
// tree is not seen; names are compared, so a hard link made behind the scene
// would be missed.
package soundness
