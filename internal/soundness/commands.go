package soundness

import (
	"strings"
)

// simple is a simple command, made of a template: F is a file that may be
// there, N a new one, A either, D a folder.
func (g *maker) simple() string {
	var t string
	switch {
	case g.chance(12):
		return g.known()
	case g.chance(70):
		t = templates[g.r.IntN(len(templates))]
	default:
		t = g.pick("cat F", "cp F N", "mv F N", "rm -f F", "touch A", "echo x", "cat F F", "cp F F build", "ls D")
	}
	s := g.fill(t)
	if g.chance(8) {
		s = g.pick("X=1 ", "LC_ALL=C ", "V="+g.pick("a.txt", "b.txt")+" ") + s
	}
	return s
}

// fill puts words in the places of a template.
func (g *maker) fill(t string) string {
	words := strings.Split(t, " ")
	for i, w := range words {
		switch w {
		case "F":
			words[i] = g.file()
		case "N":
			words[i] = g.newFile()
		case "A":
			words[i] = g.anyFile()
		case "D":
			words[i] = g.folder()
		}
	}
	return strings.Join(words, " ")
}

// filter is a command that reads its standard input.
func (g *maker) filter() string {
	return g.fill(g.pick("cat", "sort", "sort -u", "uniq -c", "head -n 2", "tail -1", "wc -l", "grep a", "grep -v x", "sed s/a/b/", "tr a-z A-Z", "cut -c1-3", "tee N", "tee -a N", "awk '{print $1}'",
		"awk '{print > \"build/awk\"}'", "sed -n 'w build/sed'", "xargs echo", "xargs ls", "cat - F", "diff - F", "gzip -c", "while read -r l; do echo \"$l\"; done", "cat > N", "sort -o N", "dd of=build/dd status=none",
		"md5sum", "nl", "tac", "rev", "python3 -c 'import sys; sys.stdin.read()'", "bash -c 'cat > build/in'", "paste - -", "comm -12 - F", "join - F", "jq .", "xxd", "base64", "rg a", "perl -ne print", "split -l 1 - build/sp."))
}

var templates = []string{
	"cat F", "cat -n F", "head -n 1 F", "tail -n 1 F F", "wc -l F", "sort F", "sort -o N F", "sort -u F F", "uniq F N", "uniq F", "cut -d, -f1 F", "paste F F", "join F F", "comm F F", "nl F", "tac F", "fold F", "od -c F",
	"cp F N", "cp F D", "cp -r D build/cpd", "cp -a F D", "cp -t D F", "cp -P F N", "cp -L F N", "cp --parents F build", "cp -n F A", "cp -b F A", "cp -u F A", "cp -l F N", "cp -s F N", "cp -T F N",
	"mv F N", "mv F D", "mv -t D F", "mv -n F A", "mv -b F A", "mv D build/moved", "rm F", "rm -f F", "rm -rf D", "rm -r D F", "rm -d D", "rmdir D", "rmdir -p D", "unlink F", "shred -u F",
	"mkdir build/m", "mkdir -p build/m/n", "mkdir -p N", "touch N", "touch -c F", "touch -r F N", "ln F N", "ln -s F N", "ln -sf F N", "ln -s D build/dl", "ln -sr F N", "ln -st build F", "ln -sfn D srclink", "link F build/lk", "install F N", "install -d build/i", "install -D F build/q/r", "install -t D F",
	"truncate -s 3 A", "dd if=a.txt of=build/dd status=none", "chmod 600 F", "chmod -R u+w D", "chmod +x A", "chown 0 F", "chgrp -R 0 D", "tee N", "split -l 1 F build/s.", "csplit -f build/c. F 2", "mktemp -p D", "mktemp build/XXXX", "realpath F", "readlink -f F", "stat F", "file F", "du -s D", "ls -l F", "ls -R D", "ls D",
	"grep a F", "grep -r a D", "grep -R a D", "grep -l apple F F", "grep -f F a.txt", "grep -rn --include='*.txt' e D", "rg a D", "rg -l a F", "rg --files D", "rg -f F a.txt", "rg -L x D",
	"sed -n 1p F", "sed -i s/a/b/ F", "sed -i.bak s/a/b/ F", "sed -i --follow-symlinks s/t/T/ F", "sed -n 'w build/w' F", "sed -f fix.sed F", "sed 'r b.txt' F", "sed -e 's/a/b/w build/sw' F", "sed -s -n '$w build/last' F F",
	"awk '{print $1}' F", "awk '{print > \"build/a\"}' F", "awk -f second.awk F", "awk 'NR==FNR{a[$0];next} $0 in a' F F", "awk 'BEGIN{while((getline l < \"a.txt\")>0) print l}'", "gawk '{print > (\"build/\" NR)}' F", "mawk '{print >> \"build/m\"}' F", "gawk -i inplace 1 F", "awk '{print | \"cat > build/pipe\"}' F",
	"diff F F", "diff -r D docs", "diff -u F F", "cmp F F", "patch --dry-run a.txt a.patch", "patch a.txt a.patch", "patch -p0 -i a.patch", "patch -o N a.txt a.patch",
	"tar cf build/t.tar F", "tar cf build/t.tar D", "tar czf build/t.tgz -C D .", "tar xf pack.tar -C D", "tar tf pack.tar", "tar xzf pack.tgz -C build words.txt", "tar rf pack.tar F", "tar cf build/t.tar --remove-files F", "tar chf build/h.tar D", "tar xf pack.tar -O",
	"gzip -k F", "gzip F", "gzip -c F", "gzip -d words.gz", "gunzip -c words.gz", "zcat words.gz", "gzip -r D", "bzip2 -k F", "xz -k F", "zip -q build/z.zip F F", "zip -qr build/z.zip D", "zip -qm build/z.zip F", "zip -qj pack.zip F", "unzip -qo pack.zip -d D", "unzip -p pack.zip", "unzip -l pack.zip", "unzip -oqj pack.zip -d build",
	"rsync -a D build/", "rsync -a docs/ D", "rsync -a --delete docs/ build/", "rsync -n -a D build", "rsync F D", "rsync -aL D build/", "rsync -R F build/", "rsync -b F D",
	"git status -s", "git diff F", "git log --oneline -2", "git show HEAD", "git add F", "git add D", "git rm -f F", "git rm -r --cached D", "git mv F N", "git checkout -- F", "git checkout feature", "git restore F", "git stash", "git commit -qam x", "git commit -q -m y F", "git reset -q --hard", "git clean -fdq", "git clean -fdxq D", "git branch b2", "git tag t2", "git diff --output=build/gd", "git log --output=N", "git -C D status", "git grep a D", "git archive -o build/ar.tar HEAD", "git format-patch -q -1 -o D", "git merge -q feature", "git init -q build/gi", "git clone -q . build/gc", "git worktree add -q build/gw feature", "git hash-object -w F", "git apply a.patch", "git show HEAD:a.txt", "git diff --no-index F F", "git push -q", "git fetch -q", "git config user.name z", "git config --global user.name z", "git config -f build/gitcfg a.b c", "git bundle create build/bu HEAD", "git diff --stat", "git blame F", "git ls-files D", "git notes add -m n", "git rebase -q feature",
	"jq . data.json", "jq -r .name F", "jq -n --rawfile x F '$x'", "jq --slurpfile x F -n '$x'", "sqlite3 build/n.db 'create table t(a)'", "sqlite3 data.db 'select * from t'", "sqlite3 data.db '.output build/sq' 'select 1'", "sqlite3 data.db '.read query.sql'", "sqlite3 data.db '.backup build/bk.db'", "sqlite3 data.db '.import a.txt t2'",
	"curl -s http://example.com/", "curl -s -o N http://example.com/", "curl -sO http://api.example.com/f", "curl -s file://$PWD/a.txt", "curl -s -T F http://example.com/", "curl -s -d @a.txt http://example.com/", "curl -s -o N file:///etc/hostname", "wget -q --tries=1 http://example.com/x", "wget -q --tries=1 -O N http://example.com/", "curl -s -F f=@a.txt http://registry.example.org/", "curl -s -c build/cj -D build/hd file://$PWD/a.txt",
	"openssl dgst F", "openssl rand -out build/rnd 4", "openssl enc -base64 -in F -out N", "md5sum F", "sha256sum F F", "md5sum -c F", "base64 F", "xxd F N", "xxd F", "cksum F", "strings F", "iconv -f utf-8 F -o N", "python3 -m json.tool F N", "python3 src/tool.py", "perl -pe s/a/b/ F", "perl -i -pe s/a/b/ F", "perl -i.o -pe s/a/b/ F", "node -e 1", "make -n", "gcc -c src/lib.c -o N", "gcc -E src/lib.c -o N", "gcc -MMD -c src/lib.c -o build/lib.o", "gofmt -l D", "gofmt -w F", "bash run.sh F", "./run.sh F", ". ./lib.sh", "bash lib.sh", "ed -s F",
	"find D -type f", "find D -name '*.txt' -delete", "find D -type f -exec cat {} +", "find D -empty -fprint build/fp", "find -L D -type f -exec head -1 {} \\;", "find F -newer a.txt", "find D -maxdepth 1 -type f -exec cp {} build \\;",
	"echo x", "printf '%s\\n' F", "true", "pwd", "read -r l", "test -f F", "date", "seq 3", "basename F", "dirname F", "env", "id -u", "export Q=1", "mapfile -t M", "printf -v P %s F", "let n=1+1", "set -- F F", "shift", "type cat", "umask 022", "local z 2>/dev/null", "hash -r", "pushd D", "popd", "cd D", "exec 3< a.txt", "exec 5> build/five", "unset V", "declare -A H", "wait", "times", "alias q=cat", "shopt -s nullglob", "trap - EXIT", "xargs -a list.txt cat", "xargs -a list.txt -I{} cp {} build/", "flock build/lk cat F", "tsort F", "expand F", "numfmt 1", "shuf -o N F", "sum F", "fmt F", "pr F", "column F", "rev F", "look a F", "cat < F > N", "cat <> N", "bc -q F", "ar rc build/x.a F", "cpio -o < list.txt", "cpio -pd build/cp < list.txt", "script -qc 'cat a.txt' build/ts", "watch -g true", "tree D", "msort F", "logger x", "nohup cat F",
}
