package knowledge

// reader describes a program whose arguments are a language of their own. It
// finds the words already sorted into options and operands.
type reader func(*call)

// readerFor is the reader that a table names, nil for an unknown name.
func readerFor(name string) reader {
	switch name {
	case "link":
		return readLink
	case "copy":
		return readCopy
	case "env":
		return readEnv
	case "shell":
		return readShell
	case "find":
		return readFind
	case "xargs":
		return readXargs
	case "sed":
		return readSed
	case "awk":
		return readAwk
	case "jq":
		return readJq
	case "grep":
		return readGrep
	case "module":
		return readModule
	case "perl":
		return readInterpreter
	case "date":
		return readDate
	case "pandoc":
		return readPandoc
	case "kubectl-get":
		return readKubectlGet
	case "git-symbolic-ref":
		return readGitSymbolicRef
	case "git-clone":
		return readGitClone
	case "git-settings":
		return readGitSettings
	case "curl":
		return readCurl
	case "wget":
		return readWget
	case "ssh-keygen":
		return readSSHKeygen
	case "ssh":
		return readSSH
	case "scp":
		return readSCP
	case "tar":
		return readTar
	case "make":
		return readMake
	case "sudo":
		return readSudo
	case "docker-run":
		return readDockerRun
	case "sqlite":
		return readSQLite
	case "sql-client":
		return readSQLClient
	case "pager":
		return readPager
	case "7z":
		return read7z
	case "compress":
		return readCompress
	case "zip":
		return readZip
	case "zipinfo":
		return readZipinfo
	case "unzip":
		return readUnzip
	case "rg":
		return readRipgrep
	case "fd":
		return readFd
	case "hostname":
		return readHostname
	case "cloud":
		return readCloud
	case "gh-api":
		return readGhAPI
	case "yq":
		return readYq
	case "flock":
		return readFlock
	case "mktemp":
		return readMktemp
	case "compiler":
		return readCompiler
	case "test":
		return readCondition
	}
	return nil
}
