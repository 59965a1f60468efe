//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// runaways are jobs that try to outlive whoever supervises them.
var runaways = map[string]string{
	"stays":  `trap '' TERM INT HUP; (setsid sh -c 'while :; do sleep 0.01; done' &); while :; do sleep 0.01; done`,
	"forks":  `trap '' TERM INT HUP; (setsid sh -c 'while :; do (sleep 0.05 &); done' &); while :; do (: &); done`,
	"leaps":  `for i in 1 2 3 4 5 6 7 8; do /usr/bin/perl -e 'setpgrp; while (1) { exit if fork }' & done; sleep 60`,
	"hops":   `/usr/bin/python3 -c "import os` + "\n" + `os.setsid()` + "\n" + `while True:` + "\n" + ` if os.fork(): os._exit(0)"; sleep 60`,
	"adopts": `/usr/bin/python3 -c "import ctypes,os,time` + "\n" + `ctypes.CDLL(None).prctl(36,1,0,0,0)` + "\n" + `for i in range(9):` + "\n" + ` if os.fork(): time.sleep(60)` + "\n" + ` os.setsid()"`,
}

// TestNothingOutlivesTheSupervisor kills the supervisor at random moments, from
// before the program begins, and looks at /proc afterwards.
func TestNothingOutlivesTheSupervisor(t *testing.T) {
	if way := os.Getenv("MAYI_TEST_WAY"); way != "" {
		s := spec(os.Getenv("MAYI_TEST_SPACE"))
		c := Command{Env: append(env(), "MARK="+os.Getenv("MAYI_TEST_MARK")), Shell: runaways[os.Getenv("MAYI_TEST_JOB")]}
		j, err := start(context.Background(), s, c, ways(t, &s, &c)[way], nil)
		if err != nil {
			os.Exit(3)
		}
		os.Exit(j.Wait().Code)
	}
	ws, _ := space(t)
	exe := filepath.Join(filepath.Dir(ws), "supervisor")
	if err := copyFile("/proc/self/exe", exe); err != nil {
		t.Fatal(err)
	}
	rounds := 6
	if n, err := strconv.Atoi(os.Getenv("MAYI_TEST_ROUNDS")); err == nil {
		rounds = n
	}
	s := spec(ws)
	for way := range ways(t, &s, &Command{}) {
		for job := range runaways {
			t.Run(way+" "+job, func(t *testing.T) {
				for i := range rounds {
					mark := "mark-" + strconv.FormatUint(rand.Uint64(), 36)
					c := exec.Command(exe, "-test.run=TestNothingOutlivesTheSupervisor$")
					c.Env = append(os.Environ(), "MAYI_TEST_WAY="+way, "MAYI_TEST_JOB="+job, "MAYI_TEST_SPACE="+ws, "MAYI_TEST_MARK="+mark)
					if err := c.Start(); err != nil {
						t.Fatal(err)
					}
					pause := time.Duration(rand.Int64N(int64(150 * time.Millisecond)))
					if i == 0 {
						for range 200 { // once when it surely runs
							if len(marked(exe, mark)) > 3 {
								break
							}
							time.Sleep(5 * time.Millisecond)
						}
						pause = 0
					}
					time.Sleep(pause)
					_ = c.Process.Kill()
					_ = c.Wait()
					var left []string
					for range 400 {
						if left = marked(exe, mark); len(left) == 0 {
							break
						}
						time.Sleep(10 * time.Millisecond)
					}
					if len(left) > 0 {
						t.Errorf("killed after %s: %d are left: %q", pause, len(left), left[:min(len(left), 9)])
						for _, l := range left {
							if pid, err := strconv.Atoi(strings.Fields(l)[0]); err == nil {
								if p, err := os.FindProcess(pid); err == nil {
									_ = p.Kill()
								}
							}
						}
					}
				}
			})
		}
	}
}

// TestNothingOutlivesTheJob: a job that ends, or is ended, takes everything with
// it where there is no pid namespace, too.
func TestNothingOutlivesTheJob(t *testing.T) {
	ws, _ := space(t)
	for job, script := range runaways {
		for _, how := range []string{"ends", "is ended", "ends its helper"} {
			mark := "mark-" + strconv.FormatUint(rand.Uint64(), 36)
			s := spec(ws)
			c := Command{Env: append(env(), "MARK="+mark), Shell: "(" + script + ") & sleep 0.3; kill -9 $PPID; exit 7"}
			if how != "ends its helper" {
				c.Shell = strings.Replace(c.Shell, "kill -9 $PPID;", "", 1)
			}
			l, ok := ways(t, &s, &c)["landlock"]
			if !ok {
				t.Skip("no Landlock here")
			}
			j, err := start(context.Background(), s, c, l, nil)
			if err != nil {
				t.Fatal(err)
			}
			if how == "is ended" {
				time.Sleep(100 * time.Millisecond)
				j.Kill()
			}
			if r := j.Wait(); r.Code != map[string]int{"ends": 7, "is ended": 137, "ends its helper": 137}[how] && how != "ends its helper" {
				t.Errorf("%s, %s: %+v", job, how, r)
			}
			if left := marked("", mark); len(left) > 0 {
				t.Errorf("%s, %s: %d are left: %q", job, how, len(left), left[:min(len(left), 9)])
			}
		}
	}
}

// marked are the processes of a program, or with a word in their environment.
func marked(exe, mark string) []string {
	names, _ := os.ReadDir("/proc")
	var out []string
	for _, n := range names {
		if _, err := strconv.Atoi(n.Name()); err != nil {
			continue
		}
		dir := "/proc/" + n.Name()
		b, _ := os.ReadFile(dir + "/environ")
		is, _ := os.Readlink(dir + "/exe")
		if exe != "" && (is == exe || strings.Contains(is, "bwrap") && strings.Contains(cmdline(dir), filepath.Dir(exe))) || slices.Contains(strings.Split(string(b), "\x00"), "MARK="+mark) {
			out = append(out, n.Name()+" "+cmdline(dir))
		}
	}
	return out
}

func cmdline(dir string) string {
	line, _ := os.ReadFile(dir + "/cmdline")
	return strings.ReplaceAll(string(line), "\x00", " ")
}
