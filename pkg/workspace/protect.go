package workspace

// Entry is one row of the built-in list of protected paths: files that later
// run as code, open doors, or steer an agent. Writing one is asked for in every
// mode that would otherwise write it.
type Entry struct {
	// Pattern is a gitignore-style pattern relative to the places of Where.
	Pattern string
	Where   Where
	// Exact: what lies below the path is not meant.
	Exact bool
	// Why says in a few words what the file can do.
	Why string
}

// Where says in which places a protected pattern holds.
type Where uint8

const (
	// Anywhere: at any depth of the whole file system.
	Anywhere Where = iota
	// AtRoot: in the workspace's roots and in the home directory.
	AtRoot
	// AtHome: in the home directory.
	AtHome
)

// Protected returns the built-in list. The settings' protectedPaths add to it;
// nothing takes an entry away.
func Protected() []Entry {
	return []Entry{
		// git runs programs that these name or hold.
		{".git", Anywhere, true, "can point git to another repository"},
		{".git/config", Anywhere, false, "names programs that git runs"},
		{".git/config.worktree", Anywhere, false, "names programs that git runs"},
		{".git/hooks", Anywhere, false, "programs that git runs"},
		{".git/commondir", Anywhere, false, "points git to another configuration"},
		{".git/info/attributes", Anywhere, false, "selects programs that git runs"},
		{".git/modules/**/config", Anywhere, false, "names programs that git runs"},
		{".git/modules/**/config.worktree", Anywhere, false, "names programs that git runs"},
		{".git/modules/**/hooks", Anywhere, false, "programs that git runs"},
		{".git/modules/**/commondir", Anywhere, false, "points git to another configuration"},
		{".git/worktrees/*/config.worktree", Anywhere, false, "names programs that git runs"},
		{".git/worktrees/*/commondir", Anywhere, false, "points git to another configuration"},
		{".git/worktrees/*/gitdir", Anywhere, false, "points git to another folder"},
		{"commondir", Anywhere, true, "points git to another configuration"},
		{".gitattributes", Anywhere, false, "selects programs that git runs"},
		{".gitconfig", AtRoot, false, "names programs that git runs"},
		{".config/git", AtHome, false, "names programs that git runs"},
		{".husky", AtRoot, false, "programs that git runs"},
		{".githooks", AtRoot, false, "programs that git runs"},

		// Shells and sessions read these when they start.
		{".bashrc", AtRoot, false, "runs in every shell"},
		{".bash_profile", AtRoot, false, "runs at login"},
		{".bash_login", AtRoot, false, "runs at login"},
		{".bash_logout", AtRoot, false, "runs at logout"},
		{".bash_aliases", AtRoot, false, "runs in every shell"},
		{".profile", AtRoot, false, "runs at login"},
		{".zshrc", AtRoot, false, "runs in every shell"},
		{".zshenv", AtRoot, false, "runs in every shell"},
		{".zprofile", AtRoot, false, "runs at login"},
		{".zlogin", AtRoot, false, "runs at login"},
		{".zlogout", AtRoot, false, "runs at logout"},
		{".kshrc", AtRoot, false, "runs in every shell"},
		{".cshrc", AtRoot, false, "runs in every shell"},
		{".tcshrc", AtRoot, false, "runs in every shell"},
		{".login", AtRoot, false, "runs at login"},
		{".inputrc", AtRoot, false, "binds keys to commands"},
		{".config/fish", AtRoot, false, "runs in every shell"},
		{".config/nushell", AtHome, false, "runs in every shell"},
		{".config/powershell", AtHome, false, "runs in every shell"},
		{".envrc", AtRoot, false, "runs when the folder is entered"},
		{".direnvrc", AtHome, false, "runs when a folder is entered"},
		{".config/direnv", AtHome, false, "runs when a folder is entered"},
		{".pam_environment", AtHome, false, "sets the environment at login"},
		{".config/environment.d", AtHome, false, "sets the environment at login"},
		{".xprofile", AtHome, false, "runs at login"},
		{".xinitrc", AtHome, false, "runs at login"},
		{".xsession", AtHome, false, "runs at login"},
		{".config/autostart", AtHome, false, "runs at login"},
		{".config/systemd", AtHome, false, "runs as a service"},
		{"Library/LaunchAgents", AtHome, false, "runs as a service"},
		{".local/bin", AtHome, false, "programs that are found by name"},
		{"bin", AtHome, false, "programs that are found by name"},
		{".tmux.conf", AtHome, false, "runs commands when it is read"},
		{".vimrc", AtHome, false, "runs commands when it is read"},
		{".exrc", AtRoot, false, "runs commands when it is read"},
		{".config/nvim", AtHome, false, "runs commands when it is read"},

		// Editors run what these say when the folder is opened.
		{".vscode/settings.json", AtRoot, false, "steers the editor"},
		{".vscode/tasks.json", AtRoot, false, "commands that the editor runs"},
		{".vscode/launch.json", AtRoot, false, "commands that the editor runs"},
		{".vscode/mcp.json", AtRoot, false, "names programs that agents start"},
		{".idea", AtRoot, false, "commands that the editor runs"},
		{".config/Code/User", AtHome, false, "steers the editor"},

		// Agents take their permissions, hooks and servers from these.
		{".mcp.json", AtRoot, false, "names programs that agents start"},
		{".claude", AtRoot, false, "an agent's settings and hooks"},
		{".claude.json", AtRoot, false, "an agent's settings"},
		{".codex", AtRoot, false, "an agent's settings and hooks"},
		{".gemini", AtRoot, false, "an agent's settings and hooks"},
		{".qwen", AtRoot, false, "an agent's settings and hooks"},
		{".cursor", AtRoot, false, "an agent's settings and hooks"},
		{".copilot", AtRoot, false, "an agent's settings and hooks"},
		{".github/hooks", AtRoot, false, "an agent's hooks"},
		{".github/copilot", AtRoot, false, "an agent's settings"},
		{".opencode", AtRoot, false, "an agent's settings and plugins"},
		{"opencode.json", AtRoot, false, "an agent's settings"},
		{"opencode.jsonc", AtRoot, false, "an agent's settings"},
		{".config/opencode", AtHome, false, "an agent's settings and plugins"},
		{"crush.json", AtRoot, false, "an agent's settings"},
		{".crush.json", AtRoot, false, "an agent's settings"},
		{".crush", AtRoot, false, "an agent's settings"},
		{".config/crush", AtHome, false, "an agent's settings"},
		{".picoclaw", AtRoot, false, "an agent's settings"},
		{".amazonq", AtRoot, false, "an agent's settings"},
		{".windsurf", AtRoot, false, "an agent's settings"},
		{".continue", AtRoot, false, "an agent's settings"},

		// Keys and logins: a write opens a door or redirects a login.
		{".ssh", AtHome, false, "keys and hosts that are trusted"},
		{".gnupg", AtHome, false, "keys that are trusted"},
		{".aws", AtHome, false, "logins"},
		{".azure", AtHome, false, "logins"},
		{".config/gcloud", AtHome, false, "logins"},
		{".config/gh", AtHome, false, "logins"},
		{".kube", AtHome, false, "logins, and programs that fetch them"},
		{".docker", AtHome, false, "logins, and programs that fetch them"},
		{".netrc", AtHome, false, "logins"},
		{".git-credentials", AtHome, false, "logins"},
		{".npmrc", AtHome, false, "logins, and programs that npm runs"},
		{".yarnrc", AtHome, false, "programs that yarn runs"},
		{".yarnrc.yml", AtHome, false, "programs that yarn runs"},
		{".pypirc", AtHome, false, "logins"},
		{".config/pip", AtHome, false, "where packages come from"},
		{".cargo/config.toml", AtHome, false, "programs that cargo runs"},
		{".cargo/config", AtHome, false, "programs that cargo runs"},
		{".cargo/env", AtHome, false, "runs in every shell"},
		{".cargo/bin", AtHome, false, "programs that are found by name"},
	}
}
