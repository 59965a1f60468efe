// Package e2e drives the real coding agents, with mayi in front of them, over
// scripted tool calls. Its tests need the agents (make e2e installs them) and
// are skipped without; README.md says how it works.
package e2e
