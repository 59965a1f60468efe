package sandbox

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"mayi/pkg/permissions"
)

func TestFromCall(t *testing.T) {
	policy := permissions.Policy{Workspace: []string{"/ws"}, Home: "/home/u", Network: permissions.NetworkAllowlist, NetworkHosts: []string{"a.test"},
		Rules: []permissions.Rule{
			{Action: permissions.ActionDeny, Kind: permissions.ReadRule, Glob: "**/.env", Text: "read(**/.env)"},
			{Action: permissions.ActionDeny, Kind: permissions.WriteRule, Glob: "gen/", Text: "write(gen/)"},
			{Action: permissions.ActionAllow, Kind: permissions.ReadRule, Glob: "/etc/x"},
		}}
	place := func(zone permissions.Zone, real string) permissions.Place {
		return permissions.Place{Zone: zone, Real: real}
	}
	rows := []struct {
		name    string
		call    permissions.Call
		read    []string
		write   []string
		open    []string
		proxied bool
	}{
		{"a read keeps the workspace read-only and closes the network",
			permissions.Call{Effects: []permissions.Effect{{Kind: permissions.Read, Certainty: permissions.Exact, Path: "/ws/a", Place: place(permissions.Inside, "/ws/a")}}},
			[]string{"/ws"}, nil, nil, false},
		{"a read outside is granted for reading",
			permissions.Call{Effects: []permissions.Effect{{Kind: permissions.Read, Certainty: permissions.Exact, Path: "/d/a", Place: place(permissions.Outside, "/d/a")}}},
			[]string{"/d/a", "/ws"}, nil, nil, false},
		{"a program may write in the workspace and use the network",
			permissions.Call{Effects: []permissions.Effect{{Kind: permissions.Exec, Program: "make", Certainty: permissions.Exact}}},
			nil, []string{"/ws"}, nil, true},
		{"a protected path that was allowed is open",
			permissions.Call{Effects: []permissions.Effect{{Kind: permissions.FSWrite, Certainty: permissions.Exact, Path: "/ws/.envrc", Place: permissions.Place{Zone: permissions.Inside, Real: "/ws/.envrc", Protected: ".envrc"}}}},
			nil, []string{"/ws"}, []string{"/ws/.envrc"}, false},
		{"what could not be resolved is not granted",
			permissions.Call{Effects: []permissions.Effect{{Kind: permissions.Read, Certainty: permissions.Exact, Path: "/d/a"}, {Kind: permissions.Read, Certainty: permissions.Unknown, Why: "x", Place: place(permissions.Outside, "/d/b")}}},
			nil, []string{"/ws"}, nil, false},
		{"mayi's own is not granted",
			permissions.Call{Effects: []permissions.Effect{{Kind: permissions.FSWrite, Certainty: permissions.Exact, Path: "/o", Place: permissions.Place{Real: "/o", Own: true}}}},
			nil, []string{"/ws"}, nil, false},
		{"an undeclared call may do no more than a program", permissions.Call{}, nil, []string{"/ws"}, nil, true},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			s := FromCall(r.call, Options{Dir: "/ws", Policy: policy, Own: []string{"/home/u/.config/mayi"}})
			if !reflect.DeepEqual(s.Read, r.read) || !reflect.DeepEqual(s.Write, r.write) || !reflect.DeepEqual(s.Unprotected, r.open) || s.Network.Proxy != r.proxied {
				t.Errorf("read %q write %q open %q proxy %v, wanted %q %q %q %v", s.Read, s.Write, s.Unprotected, s.Network.Proxy, r.read, r.write, r.open, r.proxied)
			}
			if err := s.Check(); err != nil {
				t.Error(err)
			}
			j := newJudge(&s, planOf(&s))
			if f := j.read("/ws/sub/.env"); f.OK || !f.Firm {
				t.Error("the denied name is open")
			}
			b, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			var again Spec
			if err := json.Unmarshal(b, &again); err != nil || !reflect.DeepEqual(s, again) {
				t.Errorf("printing and reading gives another Spec: %v", err)
			}
		})
	}
}

// TestWhatTheDecisionRestsOn: where nobody is asked about what is not known,
// reading stays reading, and everything protected is closed.
func TestWhatTheDecisionRestsOn(t *testing.T) {
	call := permissions.Call{Shell: true, Effects: []permissions.Effect{
		{Kind: permissions.Read, Certainty: permissions.Unknown, Origin: permissions.FromCommand, Why: "$F is not known"},
	}}
	redirect := permissions.Effect{Kind: permissions.NetWrite, Certainty: permissions.Unknown, Origin: permissions.FromRedirect, Why: "the name may be /dev/tcp/…"}
	o := Options{Dir: "/ws", Policy: permissions.Policy{Workspace: []string{"/ws"}}, Protected: []string{".env"}, Held: true}
	if s := FromCall(call, o); len(s.Write) > 0 || s.Network.Proxy {
		t.Errorf("a command that reads may write %q, and has a network: %v", s.Write, s.Network.Proxy)
	}
	call.Effects = []permissions.Effect{{Kind: permissions.FSWrite, Certainty: permissions.Unknown, Origin: permissions.FromRedirect}, redirect}
	s := FromCall(call, o)
	if len(s.Write) != 1 || s.Network.Proxy {
		t.Errorf("a redirection may write %q, and has a network: %v", s.Write, s.Network.Proxy)
	}
	j := newJudge(&s, planOf(&s))
	for _, p := range []string{"/ws/.git/info/attributes", "/ws/node_modules/x/.env", "/ws/.env", "/ws/.git/hooks/x", "/ws/.vscode/tasks.json"} {
		if j.write(p, false).OK {
			t.Errorf("%s can be written", p)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, s := range []Spec{{}, {Dir: "x"}, {Dir: "/a/../b"}, {Dir: "/a", Write: []string{"b"}}, {Dir: "/a", Read: []string{"/x\x00"}}, {Dir: "/a", Denied: []Pattern{{}}}} {
		if s.Check() == nil {
			t.Errorf("%+v passes", s)
		}
	}
}

func TestPatterns(t *testing.T) {
	rows := []struct {
		glob  string
		exact bool
		path  string
		want  hit
	}{
		{"**/.env", false, "/ws/.env", covered},
		{"**/.env", false, "/ws/a/b/.env", covered},
		{"**/.env", false, "/ws/a/.ENV", covered},
		{"**/.env", false, "/ws/.env/x", covered},
		{"**/.env", false, "/ws/.envrc", miss},
		{"**/.env", false, "/ws/x.env", miss},
		{".env", false, "/ws/a/.env", covered},
		{"/ws/.vscode/tasks.json", false, "/ws/.vscode", above},
		{"/ws/.vscode/tasks.json", false, "/ws/.vscode/tasks.json", covered},
		{"/ws/.vscode/tasks.json", false, "/ws/a/.vscode/tasks.json", miss},
		{"**/.git/hooks", false, "/ws/sub/.git", above},
		{"**/.git/hooks", false, "/ws/sub/.git/hooks/pre-commit", covered},
		{"**/.git/hooks", false, "/ws/sub/git/hooks", miss},
		{"**/.git", true, "/ws/.git", covered},
		{"**/.git", true, "/ws/.git/index", miss},
		{"**/.git/modules/**/config", false, "/ws/.git/modules/a/b/config", covered},
		{"**/*.pem", false, "/ws/k/a.pem", covered},
		{"**/.env", false, "/ws/.e\u200bnv", covered},
		{"**/.idea", false, "/ws/.\u0130dea", covered},
		{"**/\u0130.txt", false, "/ws/\u0130.txt", covered},
		// Folding makes a slash of one letter, nothing of another and two of a third.
		{"**/*.pem", false, "/ws/\u2100.pem", covered},
		{"**/*.pem", false, "/ws/\u2100.PEM", covered},
		{"**/q?", false, "/ws/q\u200b", covered},
		{"**/?.txt", false, "/ws/\ufb01.txt", covered},
		{"/a/[", false, "/a/[", covered},
	}
	for _, r := range rows {
		if got, _ := compile([]Pattern{{Glob: r.glob, Exact: r.exact}}).match(r.path); got != r.want {
			t.Errorf("%s on %q: %d, wanted %d", r.glob, r.path, got, r.want)
		}
	}
}

func TestJudge(t *testing.T) {
	s := Workspace("/home/u/ws", "/home/u")
	s.Denied = append(s.Denied, Pattern{Glob: "**/.env", Firm: true})
	s.Read = append(s.Read, "/data")
	s.Unprotected = []string{"/home/u/ws/new/.git"}
	j := newJudge(&s, planOf(&s))
	rows := []struct {
		path        string
		folder      bool
		read, write bool
	}{
		{"/home/u/ws/a", false, true, true},
		{"/home/u/ws/.env", false, false, false},
		{"/home/u/ws/.git/config", false, true, false},
		{"/home/u/ws/.git/index", false, true, true},
		{"/home/u/ws/a/b/.git/hooks/x", false, true, false},
		{"/home/u/ws/new/.git/config", false, true, true},
		{"/home/u/ws/.vscode", true, true, false},
		{"/home/u/ws/.vscode", false, true, true},
		{"/home/u/ws/sub/.vscode/tasks.json", false, true, false},
		{"/home/u/ws/node_modules/a/.vscode/tasks.json", false, true, true},
		{"/home/u/ws/node_modules/a/.git/config", false, true, false},
		{"/home/u/ws/.mayi/settings.json", false, true, false},
		{"/home/u/.cache/x", false, true, true},
		{"/home/u/notes.txt", false, true, false},
		{"/home/u2/x", false, false, false},
		{"/home/u/ws2/x", false, true, false},
		{"/data/x", false, true, false},
		{"/data2/x", false, false, false},
		{"/usr/bin/ls", false, true, false},
		{"/etc/shadow", false, false, false},
		{"/tmp/x", false, true, true},
		{"/var/x", false, false, false},
	}
	for _, r := range rows {
		if got := j.read(r.path).OK; got != r.read {
			t.Errorf("read %s: %v", r.path, got)
		}
		if got := j.write(r.path, r.folder).OK; got != r.write {
			t.Errorf("write %s: %v", r.path, got)
		}
	}
}

func TestEnvironment(t *testing.T) {
	in := []string{"PATH=/bin", "GITHUB_TOKEN=x", "my_secret=x", "AWS_REGION=x", "HOME=/h", "KEEP_TOKEN=y", "bad", "=x", "N=a\x00b", "LD_PRELOAD=x", "MONKEY=1"}
	got := environment(in, Environment{Mask: SecretVariables(), Keep: []string{"KEEP_TOKEN"}})
	if want := []string{"PATH=/bin", "HOME=/h", "KEEP_TOKEN=y", "MONKEY=1"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, wanted %q", got, want)
	}
}

// TestSecretsInTheEnvironment: by their names, and by a password in an address.
func TestSecretsInTheEnvironment(t *testing.T) {
	for _, kv := range []string{
		"MY_TOKEN_2=x", "TOKEN_FILE=x", "NPM_TOKENS=x", "STRIPE_SK=x", "CI_JOB_JWT=x", "SESSION_COOKIE=x", "MYSQL_PWD=x", "GPG_PASSPHRASE=x", "ACCESS_KEY_ID=x",
		"API_KEYS=x", "KEY=x", "DB_PASSWD1=x", "CREDS=x", "DOCKER_AUTH_CONFIG=x", "SLACK_WEBHOOK_URL=x", "BEARER=x", "LDAP_BINDPW=x",
		"REDIS_URL=redis://:pass@h:1/0", "MONGO_URI=mongodb://u:p@a,b/x", "PIP_INDEX_URL=https://u:p@h/simple", "X=a https://h/ https://u:p@h", "FTP_PROXY=http://u:p@h:1",
	} {
		if got := environment([]string{kv}, Environment{Mask: SecretVariables()}); len(got) != 0 {
			t.Errorf("%s is passed on", kv)
		}
		name, _, _ := strings.Cut(kv, "=")
		if got := environment([]string{kv}, Environment{Mask: SecretVariables(), Keep: []string{name}}); len(got) != 1 {
			t.Errorf("%s is not kept where it is granted", kv)
		}
	}
	plain := []string{
		"TOKENIZERS_PARALLELISM=false", "KEYBOARD=de", "PWD=/x", "OLDPWD=/x", "AUTHOR=a", "GIT_AUTHOR_EMAIL=a@b", "URL=https://u@h/x:y@z", "U=https://h:80/a@b", "V=ssh://git@h:22/x", "W=a:b@c", "LINES=3", "GOFLAGS=-x",
	}
	if got := environment(plain, Environment{Mask: SecretVariables()}); !reflect.DeepEqual(got, plain) {
		t.Errorf("left %q of %q", got, plain)
	}
}

func TestSeatbelt(t *testing.T) {
	s := Workspace("/Users/u/w \"x\"", "/Users/u")
	s.Denied = append(s.Denied, Pattern{Glob: "**/.env", Firm: true})
	s.Network.Proxy = true
	text := Seatbelt(s, 4242)
	for _, want := range []string{"(deny default)", `(subpath "/Users/u/w \"x\"")`, `(/[^/]+)*/\.[eE][nN][vV](/|$)`, `"localhost:4242"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	if strings.Count(text, "(") != strings.Count(text, ")") {
		t.Error("the parentheses are not balanced")
	}
	if grant, deny := strings.Index(text, "file-write* (subpath"), strings.LastIndex(text, "(deny file-read* file-write*"); deny < grant {
		t.Error("what is closed must come after what is granted")
	}
}
