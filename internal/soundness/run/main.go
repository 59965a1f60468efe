// Command run checks the predictions of pkg/shell against real runs and prints
// what it found; see package soundness. It fails when something was not
// predicted.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"time"

	"mayi/internal/soundness"
	"mayi/pkg/shell"
	"mayi/pkg/shell/knowledge"
)

func main() {
	var (
		dir      = flag.String("scripts", "internal/soundness/testdata", "folder of the scripts")
		only     = flag.String("only", "", "run the scripts whose name or text matches this `pattern` alone")
		count    = flag.Int("random", 150, "how many random scripts to make")
		seed     = flag.Int64("seed", time.Now().UnixNano(), "where the random scripts begin")
		parallel = flag.Int("parallel", 2, "how many scripts to run at a time")
		limit    = flag.Duration("limit", 10*time.Second, "how long one script may run")
		quiet    = flag.Bool("quiet", false, "print the figures alone")
		show     = flag.Bool("show", false, "print the random scripts and run nothing")
	)
	flag.Parse()
	if *show {
		for _, s := range soundness.Random(*seed, *count) {
			fmt.Printf("-- %s --\n%s\n", s.Name, s.Text)
		}
		return
	}
	ok, err := check(*dir, *only, *count, *seed, *parallel, *limit, *quiet)
	if err != nil {
		fmt.Fprintln(os.Stderr, "soundness:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

func check(dir, only string, count int, seed int64, parallel int, limit time.Duration, quiet bool) (bool, error) {
	if why := soundness.Missing(); why != "" {
		return false, fmt.Errorf("nothing can be traced: %s", why)
	}
	want, err := regexp.Compile(only)
	if err != nil {
		return false, fmt.Errorf("-only: %w", err)
	}
	scripts, err := soundness.Load(os.DirFS(dir))
	if err != nil {
		return false, fmt.Errorf("%s: %w", dir, err)
	}
	c, err := soundness.NewChecker(shell.New(knowledge.Load()).Analyze, limit)
	if err != nil {
		return false, err
	}
	defer c.Close()
	fmt.Printf("seed %d, %d random scripts\n", seed, count)
	var written, random soundness.Report
	c.CheckAll(pick(scripts, want), parallel, written.Add)
	c.CheckAll(pick(soundness.Random(seed, count), want), parallel, random.Add)
	if !quiet {
		written.Details(os.Stdout)
		random.Details(os.Stdout)
	}
	written.Summary(os.Stdout, "scripts from "+dir)
	random.Summary(os.Stdout, fmt.Sprintf("random scripts (-seed %d -random %d)", seed, count))
	return written.Sound() && random.Sound(), nil
}

func pick(scripts []soundness.Script, want *regexp.Regexp) []soundness.Script {
	var out []soundness.Script
	for _, s := range scripts {
		if want.MatchString(s.Name) || want.MatchString(s.Text) {
			out = append(out, s)
		}
	}
	return out
}
