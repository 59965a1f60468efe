// Package permissions decides what a tool call may do. It is pure: the same
// policy and the same call give the same decision, nothing is read from the
// disk, the network, the environment or the clock.
//
// # Rules
//
// A policy holds three lists of rules: deny, ask and allow. A rule is a word
// and, in parentheses, what it matches:
//
//	command(WORDS)     a simple command whose words begin with WORDS
//	read(GLOB)         reading a file or a directory
//	write(GLOB)        creating, changing or deleting one
//	fetch(HOST)        the network, by host; covers its subdomains
//	mcp(SERVER.TOOL)   a tool of an MCP server; * stands for either part
//	tool(NAME)         a tool by its name; * stands for every tool
//
// WORDS are compared word by word after quotes are removed; * stands for
// exactly one word. A word that holds a blank or a parenthesis is quoted as in
// a shell: 'it is one word', "so is this", so\ is\ this. For example
//
//	command(git commit -m *)
//
// matches the command line
//
//	git commit -m 'say why' --no-verify
//
// (four words, the last of them any word; what follows does not matter) and
// neither "git commit --amend" (the third word differs) nor "git commit -m"
// (there is no fourth). An allow rule does not cover options that make a program
// for reading write a file or change something unless it names them:
// command(sort) covers "sort f" and not "sort -o f g", for which it takes
// command(sort -o).
//
// GLOB is written as in a .gitignore file: /… is absolute, ~/… begins at the
// home directory, everything else is relative to the workspace, and a glob
// without a slash matches at any depth. * and ? do not match a slash, ** as a
// whole component stands for any number of directories. A glob that matches a
// directory covers what is below it. Both the name that the call uses and the
// file that it leads to are matched: for deny and ask either is enough, for
// allow the file itself must match and a relative glob stays in the workspace.
//
// HOST is a host name or an IP address; *.HOST means the subdomains alone and
// * every host. Names of servers and tools match exactly in an allow rule and
// in any letter case in a deny or ask rule. The first dot of an mcp rule
// divides server from tool.
//
// Deny beats ask, ask beats allow, and the order of rules does not matter.
// Allow is strict: every part of a command line has to be covered, and nothing
// covers a word that is not known. Deny is liberal: one part, at any depth, is
// enough, a program is known by its base name (/bin/rm is rm), and while a
// deny rule exists, what cannot be read is not allowed.
//
// tool(bash) as an allow rule covers no command line; that takes command
// rules. An allow rule tool(NAME) never covers a foreign tool of that name.
//
// # The decision
//
// [Evaluate] collects every reason, strictest first: deny rules, the network
// policy, the workspace boundary, the mode, then ask rules and what covers the
// call. A hard block cannot be lifted by an approval.
package permissions
