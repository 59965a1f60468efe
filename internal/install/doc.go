// Package install puts mayi's hook into the settings of coding agents and takes
// it out again.
//
// What an agent needs is data: which files, in which scope, with which entries
// (see agent). An [Installer] turns that into a [Plan], whose changes can be
// shown before anything is written, applies it under a lock, remembers in the
// state directory what it did, and proves by payloads through the very command
// line that was written that a denied call is denied.
//
// Files are edited in place: comments, order, layout and other people's entries
// stay byte for byte. Undoing gives back the exact bytes of before where nobody
// has changed the file meanwhile, and takes out mayi's entries alone where
// somebody has.
package install
