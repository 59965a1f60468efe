package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// readCloud describes command lines of clouds and services by their verb: one
// that only looks is a read from the network, every other one writes.
func readCloud(c *call) {
	ops := c.operands
	c.operands = nil
	c.apply()
	reads, depth := false, verbDepth(c.via())
	for _, op := range ops[:min(depth, len(ops))] {
		c.steps = append(c.steps, op.arg)
	}
	for k, op := range ops {
		text, ok := op.val.Text()
		if !ok || k >= depth || cloudChanges(text) || c.plain > 0 && k >= c.plain-1 {
			break
		}
		if cloudLooks(text) {
			reads = true
			c.use.Name = k + 2
			break
		}
	}
	if len(ops) > 1 && c.via() == "aws" {
		group, _ := ops[0].val.Text()
		verb, _ := ops[1].val.Text()
		if group == "configure" && verb != "list" && verb != "get" && verb != "list-profiles" {
			c.access(WriteFile, home("/.aws"), -1, true, false)
		}
	}
	for _, op := range ops {
		c.fileURL(op.val, op.arg)
		head := op.val.Prefix()
		if strings.HasPrefix(head, "/") || strings.HasPrefix(head, "./") || strings.HasPrefix(head, "../") || strings.HasPrefix(head, "~") {
			c.access(ReadFile, op.val, op.arg, true, true)
			c.access(WriteFile, op.val, op.arg, true, true)
		}
	}
	c.net(!reads, value.Unknown("the service stands in the settings"), -1)
	for k, op := range ops {
		text, ok := op.val.Text()
		if reads && cloudSecret(text) {
			c.use.Executes = "shows secrets"
		}
		if k < depth && (!ok || text == "run" || text == "exec" || text == "ssh" || text == "exec-env" || text == "exec-file") {
			c.use.ArgsMayRun = true // op run -- COMMAND
		}
	}
	if !reads {
		c.use.Executes = "changes something at a service"
	}
}

// verbDepth is within how many words the verb stands: after a service for
// aws, after one group or more for gcloud, first for most.
func verbDepth(program string) int {
	switch program {
	case "gcloud", "az", "oci", "ibmcloud", "openstack", "doctl", "linode-cli":
		return 4
	case "aws", "consul", "nomad", "fly", "flyctl", "supabase", "firebase", "op":
		return 2
	}
	return 1
}

// cloudChanges: the word is a verb that changes something, so that what
// follows is a name, whatever it looks like.
func cloudChanges(w string) bool {
	verb, _, _ := strings.Cut(w, "-")
	switch verb {
	case "create", "delete", "remove", "rm", "destroy", "update", "set", "unset", "put", "add", "attach", "detach", "apply", "deploy",
		"start", "stop", "restart", "reboot", "reset", "run", "exec", "invoke", "execute", "write", "edit", "cp", "mv", "mb", "rb", "sync",
		"copy", "move", "import", "export", "enable", "disable", "terminate", "register", "deregister", "modify", "patch", "replace",
		"scale", "rollback", "release", "publish", "send", "sign", "login", "logout", "auth", "configure", "config", "init", "ssh",
		"purge", "clear", "cancel", "approve", "associate", "disassociate", "grant", "revoke", "assume", "upload", "join", "leave":
		return true
	}
	return false
}

// cloudLooks: the word is a verb that changes nothing.
func cloudLooks(w string) bool {
	for _, p := range []string{"describe-", "list-", "get-", "head-", "lookup-", "search-", "filter-", "batch-get-"} {
		if strings.HasPrefix(w, p) {
			return !strings.Contains(w, "session-token") && !strings.Contains(w, "secret-value") && !strings.Contains(w, "password")
		}
	}
	switch w {
	case "list", "ls", "describe", "show", "get", "status", "help", "version", "info", "whoami", "logs", "tail":
		return true
	}
	return false
}

// cloudSecret: the word stands for something that opens other things.
func cloudSecret(w string) bool {
	for _, part := range []string{"secret", "credential", "access-token", "keyvault", "get-parameter"} {
		if strings.Contains(w, part) {
			return true
		}
	}
	return false
}

// readKubectlGet describes kubectl get and describe, which show secrets, too.
func readKubectlGet(c *call) {
	c.apply()
	if len(c.operands) > 0 {
		if kind, ok := c.operands[0].val.Text(); !ok || cloudSecret(strings.ToLower(kind)) {
			c.use.Executes = "shows secrets"
		}
	}
}

// fileURL: file://path and fileb://path are read.
func (c *call) fileURL(v value.Value, arg int) {
	head := v.Prefix()
	for _, p := range []string{"file://", "fileb://"} {
		if k := strings.Index(head, p); k >= 0 {
			c.access(ReadFile, cut(v, k+len(p)), arg, false, false)
		}
	}
}

// readGhAPI describes gh api: a request is a read unless it has a method or
// fields.
func readGhAPI(c *call) {
	c.apply()
	sends := c.has("--input", "-f", "--raw-field", "-F", "--field")
	if s, ok := c.last("-X", "--method"); ok {
		text, known := s.val.Text()
		sends = !known || !strings.EqualFold(text, "GET")
	}
	for _, op := range c.operands {
		if text, ok := op.val.Text(); !ok || strings.HasSuffix(text, "graphql") {
			sends = true
		}
	}
	c.each(func(s seen) {
		if head := s.val.Prefix(); strings.Contains(head, "=@") {
			c.access(ReadFile, cut(s.val, strings.Index(head, "=@")+2), s.arg, false, false)
		}
	}, "-F", "--field")
	c.net(sends, value.Unknown("the service stands in the settings"), -1)
}

// readYq describes yq: an expression, then files, which -i changes.
func readYq(c *call) {
	ops := c.operands
	c.operands = nil
	c.apply()
	if len(ops) > 0 {
		if text, ok := ops[0].val.Text(); ok && (text == "eval" || text == "e" || text == "eval-all" || text == "ea") {
			ops = ops[1:]
		}
	}
	for k, op := range ops {
		if k > 0 {
			c.role(role{kind: roleRead}, op.val, op.arg, false)
			if c.has("-i", "--inplace") {
				c.access(WriteFile, op.val, op.arg, false, false)
			}
			continue
		}
		text, ok := op.val.Text()
		for _, word := range []string{"load", "env", "strenv", "system", "eval("} {
			if !ok || strings.Contains(text, word) {
				c.unread("the expression of yq may open files or the environment")
				break
			}
		}
		c.use.Inline = append(c.use.Inline, Inline{Language: "yq", Code: op.val, Read: ok})
		c.access(ReadFile, op.val, op.arg, false, true) // the expression may be left out
	}
	if len(ops) < 2 {
		c.stdin(StdinData)
	}
}
