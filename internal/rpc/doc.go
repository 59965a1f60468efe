// Package rpc serves the gate to agents in any language: JSON-RPC 2.0 over two
// streams, a message a line. A client opens sessions, has calls evaluated and
// asked about, and has them executed with their output streamed.
//
// A client is a remote caller: what it sends of an agent's configuration is
// sanitised, its mode limited, and the answer says what was left out. It can
// answer no question itself; those go to the person.
//
// docs/rpc.md has the methods with a transcript.
package rpc
