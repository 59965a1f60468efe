// Package workspace turns the names that a call uses into the places where
// they lead, and says on which side of the workspace boundary each lies.
//
// It is the one package that touches the disk for a decision. Everything in it
// fails closed: a path that cannot be followed to its end (a loop, a directory
// that may not be searched, a relative name) is outside of every workspace and
// covered by no grant.
//
// Three things are offered:
//
//   - [Within], the plain question whether one path is inside another;
//   - [Workspace], which fills in [permissions.Place] for a call's effects;
//   - [Open] and its siblings, which open a place that was checked without
//     following a link, so that exchanging a directory for a link between the
//     check and the use gains nothing.
package workspace
