// Command sandboxtest runs a command in a sandbox around the working
// directory, for the escape suite and for measurements. It is no part of mayi.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"

	"mayi/pkg/sandbox"
)

func main() {
	sandbox.Main()
	ahead := sandbox.Prepare()
	probe := flag.Bool("probe", false, "try every level and end")
	show := flag.Bool("show", false, "print the Spec as JSON and end")
	names := flag.Bool("names", false, "judge names only, not every open")
	asking := flag.Bool("ask", false, "ask on the terminal")
	network := flag.Bool("net", false, "a proxy that lets allowed.test and its subdomains through")
	flag.Parse()
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(125)
	}
	if *probe {
		b, _ := json.MarshalIndent(sandbox.Probes(), "", "  ")
		fmt.Println(string(b))
		return
	}
	home, _ := os.UserHomeDir()
	s := sandbox.Workspace(dir, home)
	s.Required = true
	s.Denied = append(s.Denied, sandbox.Pattern{Glob: "**/.env", Firm: true})
	if *names {
		s.Denied = nil
	}
	if *show {
		b, _ := json.MarshalIndent(s, "", "  ")
		fmt.Println(string(b))
		ahead.Release()
		return
	}
	c := sandbox.Command{Prepared: ahead, Args: flag.Args(), Env: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	if term.IsTerminal(0) && term.IsTerminal(1) {
		c.Tty = os.Stdin
		if *asking {
			c.Ask = ask
		}
	}
	if *network {
		s.Network.Proxy = true
		c.Host = func(_ context.Context, host string, _ int) error {
			if host == "allowed.test" || strings.HasSuffix(host, ".allowed.test") {
				return nil
			}
			return errors.New("not on the list")
		}
	}
	os.Exit(run(s, c))
}

func run(s sandbox.Spec, c sandbox.Command) int {
	j, err := sandbox.Start(context.Background(), s, c)
	var bad *sandbox.RunError
	if errors.As(err, &bad) {
		fmt.Fprintln(os.Stderr, "sandboxtest:", bad.Text)
		return bad.Code
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sandboxtest:", err)
		return 125
	}
	sig := make(chan os.Signal, 8)
	signal.Notify(sig, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	go func() {
		for x := range sig {
			_ = j.Signal(x)
		}
	}()
	r := j.Wait()
	if r.Stopped != "" {
		fmt.Fprintln(os.Stderr, "sandboxtest: stopped:", r.Stopped)
	}
	for _, v := range r.Violations {
		fmt.Fprintln(os.Stderr, "sandboxtest:", v.Text)
	}
	return r.Code
}

// ask is a person's answer on the terminal, without any of the care that
// pkg/approval takes.
func ask(_ context.Context, a sandbox.Access) sandbox.Answer {
	fmt.Printf("\r\nALLOW %s to %s %q%s? once, session or no: ", a.Program, a.Op, a.Path, a.Host)
	line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	switch strings.TrimSpace(line) {
	case "once":
		return sandbox.Once
	case "session":
		return sandbox.Session
	}
	return sandbox.No
}
