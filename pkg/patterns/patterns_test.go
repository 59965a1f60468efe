package patterns

import (
	"math/rand/v2"
	"strings"
	"testing"

	"mayi/pkg/permissions"
)

func compiled(t *testing.T, c Config) Patterns {
	t.Helper()
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// simple is a call whose one part has the words of parts.
func simple(command, parts string) permissions.Call {
	var p permissions.Part
	for w := range strings.FieldsSeq(parts) {
		p.Words = append(p.Words, permissions.Word{Text: w, Known: true})
	}
	return permissions.Call{Shell: true, Command: command, Parts: []permissions.Part{p}}
}

func TestBuiltinPatterns(t *testing.T) {
	blocked := []string{
		"rm -rf /", "rm -r -f /", "rm -fr /*", "rm --recursive --force /", "rm -rf --no-preserve-root /x", "rm -rf ~", "rm -rf ~/",
		"rm -rf $HOME", "rm / -rf", "rm -rf /etc", "rm -Rf /usr/", "rm -rf //", "rm -rf /.", "/bin/rm -rf /",
		":(){ :|:& };:", "bomb() { bomb | bomb & }; bomb", "mkfs.ext4 /dev/sda1", "mkfs -t ext4 x", "dd if=/dev/zero of=/dev/sda", "dd of=/dev/nvme0n1 if=x",
		"shutdown -h now", "reboot", "halt", "poweroff", "init 0", "systemctl poweroff", "chmod -R 777 /", "chown -R x /etc", "kill -9 -1",
		"fdisk /dev/sda", "shred /dev/sda", "wipefs -a x", "cp x /dev/sda", "newfs_apfs x", "mke2fs x",
	}
	free := []string{
		"rm -rf build", "rm -rf ./x", "rm -rf /tmp/x/y", "rm -rf ~/projects/x", "rm -f /x", "echo mkfs", "dd if=a of=b", "ls /dev/sda", "grep -r reboot .",
		"cat shutdown.txt", "chmod -R 755 build", "kill -9 123", "git rm -rf x", "systemctl status", "f() { g | h & }; f", "rm -rf /home/me/x",
	}
	on, off := compiled(t, Config{Builtin: true}), compiled(t, Config{})
	for _, c := range blocked {
		if on.Blocks(simple(c, c)) == "" {
			t.Errorf("not blocked: %s", c)
		}
		if why := off.Blocks(simple(c, c)); why != "" {
			t.Errorf("the patterns are off, and still %s: %s", c, why)
		}
	}
	for _, c := range free {
		if why := on.Blocks(simple(c, c)); why != "" {
			t.Errorf("%s: %s", c, why)
		}
	}
	if on.Blocks(permissions.Call{Shell: true, Command: "rm -rf /"}) == "" {
		t.Error("a command that could not be read is not tried as it stands")
	}
}

func TestCustomPatterns(t *testing.T) {
	p := compiled(t, Config{Builtin: true, Deny: []string{`curl\s+.*evil`, `^git push`}, Allow: []string{`^reboot --dry$`, `evil`}})
	for _, tt := range []struct {
		command, parts string
		blocked        bool
	}{
		{"curl http://evil", "curl http://evil", true}, // an allow pattern lifts no custom deny
		{"true; git push", "git push", true},           // a part of the command
		{"reboot --dry", "reboot --dry", false},
		{"reboot", "reboot", true},
	} {
		if got := p.Blocks(simple(tt.command, tt.parts)) != ""; got != tt.blocked {
			t.Errorf("%q blocked = %v", tt.command, got)
		}
	}
	for _, c := range []Config{{Deny: []string{"("}}, {Allow: []string{"["}}} {
		if _, err := New(c); err == nil {
			t.Errorf("made from %+v", c)
		}
	}
}

func TestWritingOntoADisk(t *testing.T) {
	call := simple("echo x > /dev/../dev/sda", "echo x")
	call.Effects = []permissions.Effect{{Kind: permissions.FSWrite, Path: "/dev/../dev/sda", Place: permissions.Place{Real: "/dev/sda"}}}
	if compiled(t, Config{Builtin: true}).Blocks(call) == "" {
		t.Error("a redirection onto a disk is not blocked")
	}
}

// TestAnAllowPatternIsAboutOneCommand: what stands beside it on the line is
// blocked as if it stood alone.
func TestAnAllowPatternIsAboutOneCommand(t *testing.T) {
	p := compiled(t, Config{Builtin: true, Allow: []string{`^mkfs\.ext4 disk\.img$`, `^dd of=/dev/loop0`}})
	call := simple("mkfs.ext4 disk.img", "mkfs.ext4 disk.img")
	if why := p.Blocks(call); why != "" {
		t.Error(why)
	}
	call.Command += "; mkfs.ext4 /dev/sda1"
	call.Parts = append(call.Parts, simple("", "mkfs.ext4 /dev/sda1").Parts...)
	if p.Blocks(call) == "" {
		t.Error("a command beside an exempted one is let through")
	}
	write := simple("dd of=/dev/loop0 if=a", "dd of=/dev/loop0 if=a")
	write.Effects = []permissions.Effect{{Kind: permissions.FSWrite, Path: "/dev/loop0", Part: 0}}
	if why := p.Blocks(write); why != "" {
		t.Error(why)
	}
	write.Effects = append(write.Effects, permissions.Effect{Kind: permissions.FSWrite, Path: "/dev/sda", Part: 0, Origin: permissions.FromRedirect})
	if p.Blocks(write) == "" {
		t.Error("a write beside an exempted one is let through")
	}
}

// TestNothingIsMissedBeforeTheExpression: what is looked at before an
// expression is compiled rules out nothing that it matches.
func TestNothingIsMissedBeforeTheExpression(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	list := builtin()
	for i := range list {
		d, matched := &list[i], 0
		for range 20_000 {
			text := strings.TrimSuffix(pick(strings.Fields(d.programs)...), "*")
			for range r.IntN(4) {
				text += pick(" ", " ", " ", "\t", "\n", "\v", "\u00a0", "  ")
				for range 1 + r.IntN(2) {
					text += pick("-", "-r", "-R", "--recursive", "/", "/", "*", ".", "~", "$HOME", "${HOME}", "/etc", "/usr", "etc", "x", "--no-preserve-root",
						"/dev/sda", "of=/dev/loop0", "erase", "6", "0", "poweroff", "-1", "-9", "-KILL")
				}
			}
			if d.expression().MatchString(text) {
				matched++
				if !d.may(text) {
					t.Fatalf("%q matches %s and is not tried", text, d.re)
				}
			}
		}
		if matched == 0 {
			t.Errorf("nothing matched %s", d.re)
		}
	}
}

func TestMultiplies(t *testing.T) {
	for text, want := range map[string]bool{
		":(){ :|:& };:": true, "b ( )\n{\nb | b &\n}": true, "f() { g | h & }; f": false, "(a | b) & { c; }": false, "x(){ y|y& }; y(){ y|y&}": true,
	} {
		if multiplies(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
