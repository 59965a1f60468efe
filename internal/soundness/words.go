package soundness

// file is a word that names a file that may be there.
func (g *maker) file() string {
	if n := len(g.inLoop); n > 0 && g.chance(50) {
		return g.inLoop[g.r.IntN(n)]
	}
	if n := len(g.vars); n > 0 && g.chance(25) {
		v := g.vars[g.r.IntN(n)]
		return g.pick("$"+v, `"$`+v+`"`, "${"+v+"}", "${"+v+":-b.txt}", "${"+v+"%.txt}.md", "\"${"+v+"##*/}\"", "${"+v+"/a/b}")
	}
	return g.pick("a.txt", "b.txt", "words.txt", "people.csv", "data.json", "log/app.log", "src/main.go", "docs/guide.md", "README.md",
		"./a.txt", "src/../a.txt", `"with space.txt"`, `with\ space.txt`, "'a.txt'", "link.txt", "outlink", "srclink/lib.c", "dangling", "nofile",
		"~/notes.txt", `"$HOME/notes.txt"`, "../notes.txt", `"$OUT"/secret.txt`, "$OUT/target.txt", "../../out/secret.txt", "outdir/x.txt",
		"*.txt", "[ab].txt", "log/*.log", "src/*.c", "{a,b}.txt", "src/deep/**/*.txt", "?.txt", "outdir/*", "$(echo a.txt)", "`echo b.txt`", "$'a\\x2etxt'", "a.t\"x\"t",
		"<(cat a.txt)", "<(sort "+g.pick("a.txt", "b.txt")+")", "$PWD/a.txt", "${UNSET:-a.txt}", "old/nums.csv", ".env")
}

// newFile is a word that names a file to be made.
func (g *maker) newFile() string {
	if n := len(g.inLoop); n > 0 && g.chance(30) {
		return "build/$(basename -- " + g.inLoop[g.r.IntN(n)] + ")"
	}
	if n := len(g.vars); n > 0 && g.chance(20) {
		return "build/${" + g.vars[g.r.IntN(n)] + "##*/}"
	}
	return g.pick("build/new", "build/out.txt", "new.txt", `"build/new file"`, "build/$((3*4))", "build/$(date +%Y)", `"$OUT/new"`, "../made.txt", "~/made.txt", "docs/new.md", "srclink/new.c", "outdir/new", "build/{x,y}", "build/../top.txt", "link.txt", "outlink")
}

func (g *maker) anyFile() string {
	if g.chance(50) {
		return g.file()
	}
	return g.newFile()
}

func (g *maker) folder() string {
	return g.pick("docs", "src", "log", ".", "src/deep", "srclink", "outdir", "build", "old", "$OUT", "~", "..", "empty", "./docs/", "nodir", `"$HOME/ws"`, "../ws/src")
}
