package sandbox

// SystemFolders are the parts of the system that every job reads: programs,
// libraries, their data and most of /etc. What is missing is passed over; what
// is a symbolic link stays one.
func SystemFolders() []string {
	return []string{
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store", "/gnu/store",
		"/snap", "/run/systemd/resolve/stub-resolv.conf", "/run/systemd/resolve/resolv.conf", "/run/current-system", "/var/lib/ca-certificates", "/var/lib/dpkg",
		"/var/cache/fontconfig", "/var/cache/man", "/sys/devices/system", "/sys/kernel/mm/transparent_hugepage",
	}
}

// systemSecrets are closed although their folder is readable: for an ordinary
// user the kernel refuses them anyway, for root it does not.
func systemSecrets() []Pattern {
	var out []Pattern
	for _, p := range []string{
		"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d",
		"/etc/security/opasswd", "/etc/krb5.keytab", "/etc/ssl/private", "/etc/pki/tls/private", "/etc/wireguard",
		"/etc/letsencrypt", "/etc/ppp", "/etc/NetworkManager/system-connections", "/etc/docker", "/etc/kubernetes",
		"/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ecdsa_key", "/etc/ssh/ssh_host_ed25519_key", "/etc/ssh/ssh_host_dsa_key",
	} {
		out = append(out, Pattern{Glob: p, Why: "a secret of the system"})
	}
	// What the kernel shows of the machine's memory, and what it logs.
	for _, p := range []string{"/proc/kcore", "/proc/kmsg", "/proc/kpageflags", "/proc/kpagecount", "/proc/kpagecgroup"} {
		out = append(out, Pattern{Glob: p, Firm: true, Why: "the machine's memory"})
	}
	return out
}

// HomeFiles are what a job may read of the home folder without being granted
// it: settings without which common programs misbehave, and tool chains that
// are installed there. The names are relative to the home folder.
func HomeFiles() []string {
	return []string{
		".gitconfig", ".config/git/config", ".config/git/ignore", ".config/git/attributes", ".editorconfig", ".tool-versions",
		"go/pkg/mod", "go/bin", "sdk", ".local/bin", ".local/lib", ".local/share/mise", ".local/share/uv", ".local/share/pnpm",
		".nvm", ".fnm", ".volta", ".bun/bin", ".deno/bin", ".pyenv", ".rbenv", ".asdf", ".sdkman/candidates",
		".rustup", ".cargo/bin", ".cargo/registry", ".cargo/git", ".cargo/config.toml", ".m2/repository", ".cache/go-build",
		".cache/pip", ".cache/uv", ".npm/_cacache",
	}
}

// HomeSecrets are closed inside a grant that happens to cover the home folder.
func HomeSecrets() []string {
	return []string{
		".ssh", ".gnupg", ".aws", ".azure", ".config/gcloud", ".config/gh", ".kube", ".docker", ".netrc", ".git-credentials",
		".config/git/credentials", ".pypirc", ".npmrc", ".cargo/credentials", ".cargo/credentials.toml", ".password-store",
		".local/share/keyrings", ".mozilla", ".config/google-chrome", ".config/chromium", ".config/1Password", ".config/op",
		".terraform.d/credentials.tfrc.json", ".vault-token", ".pgpass", ".my.cnf",
		".config/mayi", ".local/state/mayi", ".local/share/mayi",
	}
}

// quietFiles are looked for by many programs as they start; a job does not
// have them, and nobody is asked about them.
func quietFiles() []string {
	return []string{
		".npmrc", ".curlrc", ".wgetrc", ".netrc", ".inputrc", ".bashrc", ".bash_profile", ".profile", ".bash_logout", ".zshrc",
		".zshenv", ".vimrc", ".lesshst", ".lesskey", ".python_history", ".condarc", ".pip", ".config/pip", ".pydistutils.cfg", ".pypirc",
		".yarnrc", ".yarnrc.yml", ".node_repl_history", ".gemrc", ".irbrc", ".terminfo", ".config/htop", ".config/go", ".dircolors",
		".local/lib", ".cache", ".config", ".local", ".npm", ".cargo", "go", ".java", ".gradle", ".m2", ".config/mayi", ".local/state/mayi",
	}
}

// SecretVariables are the environment variables that are left out unless they
// are granted.
func SecretVariables() []string {
	return []string{
		"*_TOKEN", "*_KEY", "*_SECRET", "*_PASSWORD", "*_PASSWD", "*_PASS", "*_CREDENTIALS", "*_PAT", "*_APIKEY", "*_AUTH",
		"*TOKEN", "*SECRET*", "*PASSWORD*", "*CREDENTIAL*", "*_DSN", "*_CONNECTION_STRING", "API_KEY", "APIKEY", "PGPASSWORD", "DATABASE_URL",
		"*_TOKENS", "*_TOKEN_*", "TOKEN_*", "*_KEYS", "*_KEY_*", "KEY", "*PASSPHRASE*", "*PASSWD*", "*_PWD", "*_PASS_*", "*BINDPW", "*_CREDS", "CREDS", "*_SK",
		"*JWT*", "*COOKIE*", "*BEARER*", "AUTH", "*AUTH_CONFIG*", "*WEBHOOK*", "NETRC", "PGPASSFILE",
		"AWS_*", "AZURE_*", "GOOGLE_*", "GCP_*", "OPENAI_*", "ANTHROPIC_*", "GITHUB_*", "GH_*", "NPM_CONFIG__*", "KUBECONFIG",
		"SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_*", "XAUTHORITY", "DISPLAY", "WAYLAND_DISPLAY", "DOCKER_HOST",
		"MAYI_*", "LD_*", "BASH_ENV", "ENV", "BASH_FUNC_*", "XDG_RUNTIME_DIR",
	}
}
