package soundness

// planting makes the files of the tree. Links are relative, so that a copy of
// the tree holds together.
const planting = `
mkdir -p "$OUT/dir" "$BIN" "$HOME/.ssh" src/deep/er log tests docs build old empty
printf 'the secret\n' >"$OUT/secret.txt"; printf 'x\n' >"$OUT/dir/x.txt"; printf 'target\n' >"$OUT/target.txt"
printf 'alias ll="ls -l"\n' >"$HOME/.bashrc"; printf 'notes\nmore notes\n' >"$HOME/notes.txt"; printf 'KEY\n' >"$HOME/.ssh/id"
printf '[user]\n\tname = dev\n\temail = dev@example.com\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n' >"$HOME/.gitconfig"
printf 'banana\napple\ncherry\napple\n' >a.txt; printf 'apple\ndate\n' >b.txt; printf 'one two three\nfour five six\n' >words.txt
printf 'name,age,city\nann,31,Oslo\nbob,27,Rome\ncid,45,Oslo\n' >people.csv; printf 'k=v\nport=8080\n' >app.conf; printf 'TOKEN=s3cret\n' >.env
printf '{"name":"demo","version":"1.2.3","deps":{"a":"1","b":"2"},"list":[3,1,2]}\n' >data.json
printf '# Demo\n\nTODO: write docs\nSee docs/guide.md.\n' >README.md; printf '# Guide\n' >docs/guide.md; printf 'with a space\n' >'with space.txt'
printf 'INFO start\nERROR disk full\nWARN slow\nERROR timeout after 30s\n' >log/app.log; printf 'INFO old\n' >log/old.log
printf 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("hi") } // TODO\n' >src/main.go; printf 'module demo\n\ngo 1.21\n' >go.mod
printf '#include <stdio.h>\nint main(void){puts("hi");return 0;}\n' >src/hello.c; printf 'int add(int a,int b){return a+b;}\n' >src/lib.c
printf 'import json, sys\nprint(json.load(open("data.json"))["name"])\n' >src/tool.py; printf 'console.log(1+1)\n' >src/app.js; printf 'print "perl\\n";\n' >src/x.pl
printf 'def test_ok():\n    assert True\n' >tests/test_a.py; printf 'deep\n' >src/deep/er/leaf.txt; printf 'TODO deep\n' >src/deep/mid.txt
printf 'all: build/out.txt\nbuild/out.txt: a.txt\n\tcp a.txt build/out.txt\nclean:\n\trm -f build/out.txt\n.PHONY: all clean\n' >Makefile
printf '#!/bin/bash\necho ran "$@" >build/ran.txt\n' >run.sh; printf 'echo sourced; export SOURCED=1\n' >lib.sh; chmod +x run.sh
printf 'a.txt\nb.txt\n' >list.txt; printf 's/apple/APPLE/\n' >fix.sed; printf '{print $2}\n' >second.awk; printf 'apple\n' >patterns.txt
printf '1,2\n3,4\n' >old/nums.csv; printf 'gone\n' >old/gone.txt; printf 'SELECT count(*) FROM t;\n' >query.sql
printf -- '--- a.txt\n+++ a.txt\n@@ -1,4 +1,4 @@\n-banana\n+BANANA\n apple\n cherry\n apple\n' >a.patch
ln -s a.txt link.txt; ln -s ../../out/target.txt outlink; ln -s ../../out/dir outdir; ln -s src srclink; ln -s nowhere dangling
tar cf pack.tar docs words.txt; tar czf pack.tgz docs words.txt; zip -q pack.zip docs/guide.md words.txt; gzip -k -c words.txt >words.gz
sqlite3 data.db 'create table t(a int, b text); insert into t values(1,"x"),(2,"y");'
printf '#!/bin/bash\ncat "$1"; echo noted >>"$HOME/ws/$1.note"\n' >"$BIN/notetaker"; chmod +x "$BIN/notetaker"
git init -q .; rm -f .git/hooks/*; printf 'build/\n*.o\n' >.gitignore
git add -A >/dev/null 2>&1; git commit -qm first; git branch feature; printf 'more\n' >>README.md; git commit -qam second; git tag v1
git checkout -q feature; printf 'feature\n' >feature.txt; git add feature.txt; git commit -qm feature; git checkout -q main
printf 'changed\n' >>b.txt; printf 'new\n' >untracked.txt
git init -q --bare "$OUT/remote.git"; git remote add origin ../../out/remote.git; git push -q origin main; git branch -q --set-upstream-to=origin/main main
`
