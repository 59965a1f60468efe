package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"mayi/internal/assembly"
	"mayi/internal/mcp/child"
	"mayi/internal/mcp/frame"
	"mayi/internal/mcp/ledger"
	"mayi/internal/mcp/pins"
	"mayi/internal/mcp/proxy"
	"mayi/internal/mcp/reload"
	"mayi/internal/mcp/server"
	"mayi/internal/mcp/web"
	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/permissions"
)

// proxyFlags say which server the proxy stands before.
type proxyFlags struct {
	mcpFlags
	name, url, upstream string
}

func (c *command) mcpProxyCommand() *cobra.Command {
	var f proxyFlags
	cmd := &cobra.Command{
		Use:   "proxy [--name SERVER] (-- COMMAND [ARG]... | --url URL)",
		Short: "Stand before a third-party MCP server and decide its calls",
		Long: `Starts a server, or speaks to the one at a URL, and passes everything between it
and the client but its tool calls: each of those is decided. In rules the tool is
mcp(SERVER.TOOL); what it does is what tools."SERVER.TOOL".effects declares. Paths
and URLs among its arguments are checked like those of mayi's own tools.

A tool whose description, schema or annotations have changed since it was approved
is asked about again, and the change is shown. Tools that the policy denies
altogether are not listed.`,
		Example: `  mayi mcp proxy --name fs -- npx -y @modelcontextprotocol/server-filesystem .
  mayi mcp proxy --name docs --url https://docs.example/mcp --url-token-env DOCS_TOKEN
  mayi mcp proxy --name fs --http 127.0.0.1:8723 -- ./server`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.mcpProxy(cmd.Context(), f, args) },
	}
	f.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.name, "name", "", "the server's name in rules (default: from the command or the URL)")
	fl.StringVar(&f.url, "url", "", "the server's URL, for streamable HTTP")
	fl.StringVar(&f.upstream, "url-token-env", "", "with --url: the environment variable that holds the server's bearer token")
	return cmd
}

func (c *command) mcpProxy(ctx context.Context, f proxyFlags, argv []string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if (f.url == "") == (len(argv) == 0) {
		return usage("name either the server's command behind -- or its --url")
	}
	name, identity, err := f.server(argv)
	if err != nil {
		return err
	}
	connect, err := c.upstream(f, argv)
	if err != nil {
		return err
	}
	app, err := c.proxyApp(f.http != "")
	if err != nil {
		return err
	}
	defer app.Close()
	c.notices(app)
	o := proxy.Options{
		Name: name, Gate: app.Gate, Caller: "mcp proxy " + name, Cwd: app.Config.Cwd, Remote: f.http != "",
		Trusted:  slices.Contains(app.Settings.TrustedServers, name),
		Sessions: f.http != "" || f.url != "",
		Queue:    c.queue(app, f.wait, "a client of the MCP server "+name),
		Say:      func(text string) { fmt.Fprintln(c.err, "mayi mcp proxy "+name+": "+approval.Line(text)) },
	}
	if dir := app.Config.StateDir; dir != "" {
		if o.Pins, err = pins.Open(filepath.Join(dir, "mcp", "pins"), identity); err != nil {
			return failure("", err)
		}
	} else {
		return failure("set HOME or XDG_STATE_HOME", fmt.Errorf("there is no folder to remember approved tools in"))
	}
	go reload.Watch(ctx, app.Gate, app.Config, reload.Every, o.Say)
	if f.http != "" {
		front := web.NewFront(func(ctx context.Context, conn frame.Conn) {
			mine := o
			mine.Session = first(c.mcpSession(), web.SessionOf(conn))
			c.carry(ctx, conn, connect, mine)
		})
		defer front.Close()
		return c.serveMCP(ctx, f.mcpFlags, front)
	}
	o.Session = first(c.mcpSession(), "mcp-"+approval.NewID())
	return c.carry(ctx, frame.NewLines(c.in, c.out, nil), connect, o)
}

// carry connects one client to the server until one of them is gone.
func (c *command) carry(ctx context.Context, client frame.Conn, connect func() (frame.Conn, error), o proxy.Options) error {
	upstream, err := connect()
	if err != nil {
		client.Close()
		o.Say(err.Error())
		return failure("", err)
	}
	if err := proxy.Run(ctx, client, upstream, o); err != nil && ctx.Err() == nil {
		o.Say(err.Error())
		return failure("", err)
	}
	return nil
}

// proxyApp is the gate of the proxy. A client that comes over HTTP is a remote
// caller.
func (c *command) proxyApp(remote bool) (*assembly.App, error) {
	open := func(mode permissions.Mode) (*assembly.App, error) {
		o, err := c.configOptions()
		if err != nil {
			return nil, err
		}
		if mode != "" {
			o.Mode = mode
		}
		return assembly.Open(assembly.Options{Config: o, Env: config.ByName(environment()), Append: ledger.Append})
	}
	var app *assembly.App
	var err error
	if remote {
		app, err = server.OpenRemote(open, permissions.Mode(c.flags.Mode))
	} else {
		app, err = open("")
	}
	if err != nil {
		return nil, failure("", err)
	}
	return app, nil
}

// upstream says how the server is reached, for each client anew.
func (c *command) upstream(f proxyFlags, argv []string) (func() (frame.Conn, error), error) {
	if f.url == "" {
		// It is the person's own program, so that it gets the whole environment.
		env, _ := config.Environ()
		return func() (frame.Conn, error) { return child.Start(argv, "", env, c.err) }, nil
	}
	header := http.Header{}
	if f.upstream != "" {
		token := os.Getenv(f.upstream)
		if token == "" {
			return nil, usage("--url-token-env: the variable %s is not set", f.upstream)
		}
		header.Set("Authorization", "Bearer "+token)
	}
	return func() (frame.Conn, error) { return web.NewBack(f.url, header), nil }, nil
}

// server is the server's name in rules, and what it is known by.
func (f proxyFlags) server(argv []string) (name, identity string, err error) {
	if f.url != "" {
		u, err := url.Parse(f.url)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return "", "", usage("--url %q is no http or https URL", f.url)
		}
		name, identity = u.Hostname(), f.url
	} else {
		name, identity = filepath.Base(argv[0]), strings.Join(argv, "\x00")
	}
	if f.name != "" {
		name = f.name
	}
	if strings.ContainsAny(name, ".*()") {
		if f.name != "" {
			return "", "", usage("--name %q: a name in rules holds no dot, star or parenthesis", f.name)
		}
		name = strings.NewReplacer(".", "-", "*", "-", "(", "-", ")", "-").Replace(name)
	}
	return name, identity, nil
}
