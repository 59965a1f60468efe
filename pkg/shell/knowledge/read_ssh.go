package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// readSSH describes ssh: options, the host, more options, and the command.
func readSSH(c *call) {
	ops := c.operands
	c.operands = nil
	if len(ops) == 0 {
		c.apply()
		return
	}
	host := ops[0]
	c.at = host.arg + 1
	stop := c.parse()
	c.apply()
	c.each(func(s seen) { c.sshOption(s.val) }, "-o")
	c.net(true, host.val, host.arg)
	c.use.Transparent = false
	where := host.val.String()
	if stop < len(c.argv) {
		c.script(stop, where)
		return
	}
	if !c.has("-N", "-f", "-W", "-O", "-G") {
		c.use.Stdin = StdinData
		c.use.Runs = append(c.use.Runs, Run{Kind: RunScript, Script: value.Unknown("commands from standard input"), Via: "ssh", Elsewhere: where})
	}
}

// sshOption judges a setting of ssh, scp or sftp.
func (c *call) sshOption(v value.Value) {
	head := v.Prefix()
	k := strings.IndexAny(head, "= \t")
	if k < 0 {
		c.unread("a setting of ssh is not known: " + v.String())
		return
	}
	val := cut(v, k+1)
	switch name := strings.ToLower(head[:k]); name {
	case "stricthostkeychecking", "connecttimeout", "batchmode", "serveraliveinterval", "serveralivecountmax", "loglevel", "user", "port",
		"compression", "passwordauthentication", "pubkeyauthentication", "preferredauthentications", "numberofpasswordprompts",
		"addressfamily", "connectionattempts", "tcpkeepalive", "requesttty", "identitiesonly", "hostkeyalgorithms", "kexalgorithms",
		"ciphers", "macs", "hashknownhosts", "visualhostkey", "checkhostip", "exitonforwardfailure", "forwardagent", "forwardx11",
		"kbdinteractiveauthentication", "updatehostkeys", "warnweakcrypto", "gssapiauthentication", "pubkeyacceptedalgorithms", "logverbose":
	case "identityfile", "certificatefile", "globalknownhostsfile":
		c.access(ReadFile, val, -1, false, false)
	case "userknownhostsfile":
		if t, ok := val.Text(); !ok || t != "/dev/null" && t != "none" {
			c.access(WriteFile, val, -1, false, false)
		}
	case "proxycommand", "localcommand", "knownhostscommand":
		if t, ok := val.Text(); !ok || t != "none" {
			c.use.Runs = append(c.use.Runs, Run{Kind: RunScript, Script: val, Via: "ssh -o " + head[:k]})
		}
	case "permitlocalcommand":
		if t, _ := val.Text(); !strings.EqualFold(t, "no") {
			c.unread("ssh may run a local command that its settings name")
		}
	case "proxyjump", "hostname":
		c.net(true, val, -1)
	default:
		c.unread("the setting " + head[:k] + " can change what ssh runs or where it goes")
	}
}

// readSCP describes scp and sftp.
func readSCP(c *call) {
	c.apply()
	c.each(func(s seen) { c.sshOption(s.val) }, "-o")
}

// readSSHKeygen describes ssh-keygen, which writes the public half beside the
// key that -f names.
func readSSHKeygen(c *call) {
	c.apply()
	if s, ok := c.last("-f"); ok && s.has {
		c.access(WriteFile, value.Concat(s.val, value.Exact(".pub")), s.arg, false, true)
	}
}
