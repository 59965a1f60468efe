package config

// Template is what mayi init writes: a starting policy for everyday coding,
// with every choice explained.
const Template = `// mayi settings: what an AI agent may do on this machine.
// "mayi policy schema" describes every key, "mayi explain 'COMMAND'" says why.
{
  // plan: look only.  accept-edits: edit files in the workspace, run what the
  // rules allow, ask about the rest.  auto: everything that no rule denies.
  "executionMode": "accept-edits",

  // A command that only reads inside the workspace needs no rule.
  "readOnlyShell": true,

  // Ask when a file tool leaves the workspace, instead of refusing it.
  "askNonWorkspaceAccess": true,

  // Run commands confined, as far as this machine can.
  "sandbox": "auto",

  // What agents run through their hooks is made to run confined, too; set it to
  // false where an agent's own rules have to see its commands as they are.
  // "hooks": {"confine": true},

  "permissions": {
    // Refused in every mode, whoever agrees, such as "read(~/.aws/**)". While
    // there is a deny rule, commands that cannot be read are not allowed.
    "deny": [],
    // Asked about even where the mode would allow it.
    "ask": [
      "command(git push)",
    ],
    // Allowed without a question; answering "always" adds rules here. A list in
    // a project's file stands in for the one in your own file.
    // "allow": ["command(make)"],
  },

  // Writing these is always asked about, besides the built-in list (git hooks,
  // shell start-up files, editors' tasks, agents' settings).
  "protectedPaths": [
    ".env",
    ".github/workflows/**",
  ],

  // Folders outside the workspace that may always be read.
  // "readPaths": ["/usr/include"],
}
`
