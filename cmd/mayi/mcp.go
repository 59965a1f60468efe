package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"mayi/internal/assembly"
	"mayi/internal/hook"
	"mayi/internal/mcp/server"
	"mayi/internal/mcp/web"
	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/tools"
)

// mcpFlags are what the server and the proxy have in common.
type mcpFlags struct {
	http, tokenFile, cert, key string
	wait                       time.Duration
}

func (f *mcpFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.http, "http", "", "serve streamable HTTP at HOST:PORT instead of standard input and output")
	fl.StringVar(&f.tokenFile, "token-file", "", "with --http: the file that holds the bearer token (default: MAYI_MCP_TOKEN, else a new one that is printed)")
	fl.StringVar(&f.cert, "tls-cert", "", "with --http: the certificate (PEM); needed where HOST is not loopback")
	fl.StringVar(&f.key, "tls-key", "", "with --http: the certificate's key (PEM)")
	fl.DurationVar(&f.wait, "wait", 50*time.Second, "how long a call waits for mayi approvals where the client cannot ask its user")
}

func (c *command) mcpCommand() *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Offer mayi's tools to MCP clients, or stand before another server",
		Long: `Serves the tools read, write, edit, exec, grep, find, ls, tool_search, web_fetch
and request_permission over standard input and output, or with --http over
streamable HTTP with a bearer token. A client is a remote caller: it gets the mode
remote_default_mode, and at most remote_max_mode.

What a person must decide is asked by the client where it can show a form
(elicitation), else it waits for mayi approvals.

The tool approve answers the permission prompt of Claude Code:
  claude -p --mcp-config mayi.json --permission-prompt-tool mcp__mayi__approve

mayi mcp proxy stands before another server; see mayi mcp proxy --help.`,
		Example: `  claude mcp add mayi -- mayi mcp
  mayi mcp --http 127.0.0.1:8722 --token-file ~/.config/mayi/token`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.mcp(cmd.Context(), f) },
	}
	f.add(cmd)
	c.sandboxFlag(cmd)
	cmd.AddCommand(c.mcpProxyCommand())
	return cmd
}

func (c *command) mcp(ctx context.Context, f mcpFlags) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	list := environment()
	open := func(mode permissions.Mode) (*assembly.App, error) {
		o, err := c.configOptions()
		if err != nil {
			return nil, err
		}
		if mode != "" {
			o.Mode = mode
		}
		return assembly.Open(assembly.Options{Config: o, Env: config.ByName(list)})
	}
	app, err := open("")
	if err != nil {
		return failure("", err)
	}
	sandbox, err := c.confinement(app)
	app.Close()
	if err != nil {
		return err
	}
	c.notices(app)
	host, err := server.New(server.Options{
		Open: open, Harness: permissions.Mode(c.flags.Mode), Session: c.mcpSession(), Env: list, Version: version,
		Confine: func(app *assembly.App, asker approval.Asker) func(context.Context, gate.Verdict, tools.Confined) (int, error) {
			return tools.Confiner(app.Gate, sandbox, asker)
		},
		Queue:   func(app *assembly.App) approval.Asker { return c.queue(app, f.wait, "an MCP client") },
		Approve: c.prompt(f, open).Approve,
	})
	if err != nil {
		return failure("", err)
	}
	if f.http != "" {
		defer host.Close()
		return c.serveMCP(ctx, f, host.Handler())
	}
	if err := host.Run(ctx, c.in, c.out); err != nil && ctx.Err() == nil {
		return failure("", err)
	}
	return nil
}

// mcpSession is the session that is asked for, "" for one of its own: an MCP
// client shares no answers with the terminal that it was started in.
func (c *command) mcpSession() string {
	if c.flags.Session != "" {
		return c.flags.Session
	}
	return os.Getenv("MAYI_SESSION")
}

// prompt decides permission prompts as the hook does. Over HTTP they are a
// remote caller's, and no command is rewritten to run on this machine.
func (c *command) prompt(f mcpFlags, open func(permissions.Mode) (*assembly.App, error)) server.Prompt {
	_, env := config.Environ()
	cwd, _ := os.Getwd()
	if c.flags.Cwd != "" {
		cwd = c.flags.Cwd
	}
	p := server.Prompt{
		Cwd: cwd, Env: env, Within: f.wait, Notify: hook.Desktop(env),
		Open: func(hook.Place) (*hook.Door, error) {
			app, err := open("")
			if f.http != "" && err == nil {
				app.Close()
				app, err = server.OpenRemote(open, permissions.Mode(c.flags.Mode))
			}
			if err != nil {
				return nil, err
			}
			return doorOf(app), nil
		},
	}
	if f.http == "" {
		p.Self, _ = os.Executable() // without it commands are left as they are
	}
	return p
}

// queue asks by mayi approvals; nil where there is no store.
func (c *command) queue(app *assembly.App, wait time.Duration, who string) approval.Asker {
	if app.Store == nil {
		return nil
	}
	o := approval.QueueOptions{Wait: wait, How: "a person answers it with: mayi approvals"}
	_, env := config.Environ()
	if tell := hook.Desktop(env); tell != nil && app.Settings.Hooks.Notify {
		o.Notify = func(q approval.Question) {
			tell(who+" asks for permission", approval.Clip(q.Command, 300)+"\n\nmayi approvals")
		}
	}
	next := approval.NewQueue(app.Store.Questions(), o)
	return approval.AskerFunc(func(ctx context.Context, q approval.Question) (approval.Answer, error) {
		if err := keep(ctx, app, q.Session); err != nil {
			return approval.Denied("the question could not be kept"), err
		}
		return next.Ask(ctx, q)
	})
}

// serveMCP serves h over HTTP until ctx ends.
func (c *command) serveMCP(ctx context.Context, f mcpFlags, h http.Handler) error {
	secure := f.cert != "" || f.key != ""
	if err := web.Listen(f.http, secure); err != nil {
		return usage("--http: %v", err)
	}
	token, said, err := f.token()
	if err != nil {
		return failure("", err)
	}
	l, err := net.Listen("tcp", f.http)
	if err != nil {
		return failure("", err)
	}
	host, _, _ := net.SplitHostPort(f.http)
	s := &http.Server{Handler: web.Guard(token, []string{host}, h), ReadHeaderTimeout: 10 * time.Second}
	scheme := "http"
	if secure {
		scheme = "https"
	}
	fmt.Fprintf(c.err, "mayi mcp listens at %s://%s\n%s", scheme, l.Addr(), said)
	done := make(chan error, 1)
	go func() {
		if secure {
			done <- s.ServeTLS(l, f.cert, f.key)
			return
		}
		done <- s.Serve(l)
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		_ = s.Close()
		err = <-done
	}
	if err == nil || errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return failure("", err)
}

// token is the bearer token that clients need, and what to say about it.
func (f mcpFlags) token() (token, said string, err error) {
	if f.tokenFile != "" {
		raw, err := os.ReadFile(f.tokenFile)
		if err != nil {
			return "", "", fmt.Errorf("the token cannot be read: %w", err)
		}
		token = strings.TrimSpace(string(raw))
	} else if token = os.Getenv("MAYI_MCP_TOKEN"); token == "" {
		token = approval.NewID()
		return token, "token: " + token + "\n", nil
	}
	if len(token) < 16 {
		return "", "", errors.New("the token is shorter than 16 characters")
	}
	return token, "", nil
}
