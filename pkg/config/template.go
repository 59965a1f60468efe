package config

// Template is what mayi init writes for a project: a starting policy for
// everyday coding, with every choice explained.
const Template = templateHead + projectAllow + templateTail

// UserTemplate is the same for a person's own settings, with rules for what is
// run all day: looking at a repository, building, testing.
const UserTemplate = templateHead + userAllow + templateTail

const templateHead = `// mayi settings: what an AI agent may do on this machine.
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
`

const templateTail = `  },

  // Writing these is always asked about, besides the built-in list (git hooks,
  // shell start-up files, editors' tasks, agents' settings).
  "protectedPaths": [
    ".env",
    ".github/workflows/**",
  ],

  // What may always be read outside the workspace: sources of dependencies, and
  // what says which system this is.
  "readPaths": ["~/go/pkg/mod", "~/.cargo/registry/src", "/usr/include", "/usr/share", "/etc/os-release", "/usr/lib/os-release", "/etc/hosts"],
}
`

const projectAllow = `    // Allowed without a question; answering "always" adds rules here. A list in
    // a project's file stands in for the one in your own file.
    // "allow": ["command(make)"],
`

// userAllow names programs that work on what is in the workspace. What they run
// is the project's own code; it is confined as everything else.
const userAllow = `    // Allowed without a question; answering "always" adds rules here. A list in
    // a project's file stands in for this one.
    "allow": [
      // Looking at a repository, and staging.
      "command(git status)", "command(git diff)", "command(git log)", "command(git show)",
      "command(git blame)", "command(git rev-parse)", "command(git ls-files)",
      "command(git grep)", "command(git describe)", "command(git stash list)", "command(git add)",
      "command(git commit)", "command(git checkout -b)", "command(git switch -c)", "command(git fetch)",
      // Looking at what another command prints; alone they need no rule.
      "command(cat)", "command(head)", "command(tail)", "command(grep)", "command(rg)", "command(wc)", "command(sort)",
      "command(uniq)", "command(cut)", "command(tr)", "command(jq)", "command(diff)", "command(ls)", "command(tee)",
      // Files inside the workspace; a path outside is asked about all the same.
      "command(mkdir)", "command(touch)", "command(cp)", "command(mv)", "command(sed -i)", "command(chmod +x)",
      // Building, testing, checking.
      "command(make)", "command(go build)", "command(go test)", "command(go vet)", "command(gofmt)",
      "command(go mod tidy)", "command(go mod download)",
      "command(cargo build)", "command(cargo test)", "command(cargo check)", "command(cargo clippy)", "command(cargo fmt)",
      "command(npm ci)", "command(npm test)", "command(npm run build)", "command(npm run lint)", "command(npm run test)",
      "command(pnpm test)", "command(pnpm run build)", "command(yarn test)", "command(yarn build)",
      "command(npx tsc)", "command(npx eslint)", "command(npx prettier)", "command(npx jest)", "command(npx vitest)",
      "command(pytest)", "command(python -m pytest)", "command(python3 -m pytest)", "command(ruff)", "command(mypy)",
    ],
    // Allowed without a question where they run confined, and asked about where
    // they cannot: the project's scripts, and what an agent writes on a line. The
    // kernel holds them to the workspace; what they reach for outside is asked about.
    "allowConfined": [
      "command(python)", "command(python3)", "command(node)", "command(bash)", "command(sh)",
      "command(go run)", "command(go generate)", "command(go tool)", "command(source .venv/bin/activate)",
    ],
`
