package entry

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMask(t *testing.T) {
	key := "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\nAAAA\n-----END OPENSSH PRIVATE KEY-----"
	for _, tt := range []struct{ in, want string }{
		// Nothing to hide.
		{"", ""},
		{"ls -la /desktop", "ls -la /desktop"},
		{"git commit -m 'tokenise the input'", "git commit -m 'tokenise the input'"},
		{"grep -rn password src/", "grep -rn password src/"},
		{"curl https://example.org/a?page=2", "curl https://example.org/a?page=2"},
		{"git clone ssh://git@github.com/a/b", "git clone ssh://git@github.com/a/b"},
		{"git clone git@github.com:a/b.git", "git clone git@github.com:a/b.git"},
		{"PATH=/usr/bin:/bin ls", "PATH=/usr/bin:/bin ls"},
		{"echo sk-1 AKIA ghp_", "echo sk-1 AKIA ghp_"},
		{"ssh -p 2222 host", "ssh -p 2222 host"},
		{"mkdir -p a/b", "mkdir -p a/b"},
		{"docker run -p 80:80 nginx", "docker run -p 80:80 nginx"},
		// References are not secrets.
		{"curl -H \"Authorization: Bearer x\" --password=$PW", "curl -H \"Authorization: Bearer ***\" --password=$PW"},
		{"TOKEN=\"$GH_TOKEN\" make", "TOKEN=\"$GH_TOKEN\" make"},
		{"TOKEN=${GH_TOKEN} make", "TOKEN=${GH_TOKEN} make"},
		{"TOKEN=$a$b make", "TOKEN=*** make"},
		{"TOKEN=${x:-secret} make", "TOKEN=*** make"},
		// Assignments, options, structured text.
		{"PASSWORD=hunter2 ./run", "PASSWORD=*** ./run"},
		{"export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG+bPx", "export AWS_SECRET_ACCESS_KEY=***"},
		{"X_API_KEY='a b c' y", "X_API_KEY=*** y"},
		{`DB_PASS="a \" b" y`, `DB_PASS=*** y`},
		{"MYSQL_PWD=x mysql", "MYSQL_PWD=*** mysql"},
		{"pwd=hunter2", "pwd=***"},
		{"a --password=hunter2 b", "a --password=*** b"},
		{"a --password hunter2 b", "a --password *** b"},
		{"a --db-password 'hunter 2' b", "a --db-password *** b"},
		{"a --pass hunter2", "a --pass ***"},
		{"a --token=abc;ls", "a --token=***;ls"},
		{"a --api-key abc", "a --api-key ***"},
		{"a -password abc", "a -password ***"},
		{"PASSWORD=ab'c d'\"e f\"g h", "PASSWORD=*** h"},
		{`{"password": "hunter2", "user": "ann"}`, `{"password": ***, "user": "ann"}`},
		{`{'client_secret':'abc'}`, `{'client_secret':***}`},
		{"password: hunter2", "password: ***"},
		{"curl 'https://h/x?access_token=abc&y=1'", "curl 'https://h/x?access_token=***&y=1'"},
		{"token := abc", "token := ***"},
		// URLs.
		{"git clone https://ann:hunter2@example.org/a", "git clone https://ann:***@example.org/a"},
		{"psql postgres://ann:p%40ss:w@db/x", "psql postgres://ann:***@db/x"},
		{"redis-cli -u redis://:hunter2@h", "redis-cli -u redis://:***@h"},
		{"git push https://abcdefghij0123456789abcd@h/a", "git push https://***@h/a"},
		{"curl https://a:p@ss@h/", "curl https://a:***@h/"},
		// Headers.
		{"curl -H 'Authorization: Bearer abc.def' u", "curl -H 'Authorization: Bearer ***' u"},
		{"curl -H 'authorization: Basic YTpi' u", "curl -H 'authorization: Basic ***' u"},
		{"curl -H 'Authorization: abc def' u", "curl -H 'Authorization: ***' u"},
		{"curl -H 'X-Api-Key: abc' u", "curl -H 'X-Api-Key: ***' u"},
		{"curl -H 'Cookie: a=b; c=d' u", "curl -H 'Cookie: ***' u"},
		{"curl -H 'PRIVATE-TOKEN: abc' u", "curl -H 'PRIVATE-TOKEN: ***' u"},
		{"bearer abcdefgh", "bearer ***"},
		// Known shapes, anywhere.
		{"echo AKIAIOSFODNN7EXAMPLE", "echo ***"},
		{"echo ghp_abcdefghijklmnopqrstuvwxyz0123456789", "echo ***"},
		{"echo github_pat_11ABCDEFG0abcdefghij_x", "echo ***"},
		{"echo glpat-abcdefghijklmnopqrst", "echo ***"},
		{"echo xoxb-123456789012-abc", "echo ***"},
		{"echo sk-proj-abcdefghij0123456789", "echo ***"},
		{"echo sk_live_abcdefghij0123456789", "echo ***"},
		{"echo AIzaSyA0123456789abcdefghijklmnopqrstuv", "echo ***"},
		{"echo npm_abcdefghijklmnopqrstuvwxyz", "echo ***"},
		{"echo eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSMeKKF2QT4", "echo ***"},
		{"echo '" + key + "' > k", "echo '***' > k"},
		{"echo '" + key[:60], "echo '***"},
		// Programs.
		{"curl -u ann:hunter2 https://h", "curl -u ann:*** https://h"},
		{"curl -sS --user 'ann:hunter2' https://h", "curl -sS --user 'ann:***' https://h"},
		{"mysql -u root -phunter2 db", "mysql -u root -p*** db"},
		{"sshpass -p hunter2 ssh h", "sshpass -p *** ssh h"},
		{"docker login -u a -p hunter2 h", "docker login -u a -p *** h"},
		{"redis-cli -h x -a hunter2 ping", "redis-cli -h x -a *** ping"},
		{"openssl enc -k hunter2 -in a", "openssl enc -k *** -in a"},
		{"openssl rsa -passin pass:hunter2", "openssl rsa -passin pass:***"},
	} {
		m := NewMasker()
		got := m.Mask(tt.in)
		if got != tt.want {
			t.Errorf("Mask(%q)\n got %q\nwant %q", tt.in, got, tt.want)
		}
	}
}

// A secret in any of the known places is gone, whatever stands around it.
func TestPropertyMaskHides(t *testing.T) {
	m := NewMasker()
	templates := []string{
		"--password=%", "--password %", "PASSWORD=%", "MY_TOKEN='%'", `API_KEY="%"`, `{"secret": "%"}`, "https://u:%@h/x",
		"Authorization: Bearer %", "-H 'Authorization: Basic %'", "x-api-key: %", "?token=%&a=b", "client_secret: %",
		"curl -u u:% h", "mysql -p% db", "sshpass -p % ssh",
	}
	rapid.Check(t, func(rt *rapid.T) {
		secret := rapid.StringMatching(`[A-Za-z0-9][A-Za-z0-9_.~+=-]{7,40}`).Draw(rt, "secret")
		text := strings.Replace(rapid.SampledFrom(templates).Draw(rt, "template"), "%", secret, 1)
		before := rapid.SampledFrom([]string{"", "ls; ", "a && ", "x | ", "echo \"a\"\n", "\u00e4 "}).Draw(rt, "before")
		after := rapid.SampledFrom([]string{"", " && b", "\nls", " # c"}).Draw(rt, "after")
		if got := m.Mask(before + text + after); strings.Contains(got, secret) {
			rt.Fatalf("Mask(%q) = %q", before+text+after, got)
		}
	})
}

func FuzzMask(f *testing.F) {
	for _, s := range []string{"--password=x", "https://a:b@c", "Authorization: Bearer abcdef", "a='b", "token: \"x\\\"y\" z",
		"-----BEGIN PRIVATE KEY-----x", "\xff=secret:\x00", "echo AKIAIOSFODNN7EXAMPLE token=x", "xox glpat-abcdefghijklmnopqrst", "curl -u a:b@c", "TOKEN=$X"} {
		f.Add(s)
	}
	m := NewMasker()
	f.Fuzz(func(t *testing.T, s string) {
		once := m.Mask(s)
		for _, shape := range append(blockShapes(), tokenShapes()...) {
			if left := regexp.MustCompile(shape.expr).FindString(once); left != "" {
				t.Fatalf("Mask(%q) = %q still holds %q", s, once, left)
			}
		}
		if strings.Count(once, "\n") > strings.Count(s, "\n") || len(once) > 3*len(s)+8 {
			t.Fatalf("Mask(%q) grew to %q", s, once)
		}
	})
}
