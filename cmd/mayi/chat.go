package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mayi/internal/assembly"
	"mayi/internal/ui"
	"mayi/pkg/agent"
	"mayi/pkg/agent/anthropic"
	"mayi/pkg/agent/model"
	"mayi/pkg/agent/openai"
	"mayi/pkg/agent/scripted"
	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/tools"
)

// chatFlags say which model to talk to.
type chatFlags struct {
	provider, model, baseURL string
	maxTokens                int64
	acp                      bool
}

func (c *command) chatCommand() *cobra.Command {
	var f chatFlags
	cmd := &cobra.Command{
		Use:   "chat [MESSAGE]",
		Short: "Talk to an agent whose every call goes through the gate",
		Long: `Starts an agent with the tools read, write, edit, exec, grep, find, ls,
tool_search, web_fetch and request_permission. What it may not do without you is
asked here: once, session, always or no. Answers hold for this chat alone, but for
always, which writes a rule into your settings.

The model is any OpenAI-compatible endpoint (--provider openai, OPENAI_API_KEY,
OPENAI_BASE_URL, OPENAI_MODEL) or Anthropic's (--provider anthropic,
ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, ANTHROPIC_MODEL). With no key, or with
--provider scripted, an embedded model turns lines such as "exec ls /",
"read notes.txt" and "write a.txt hello" into tool calls: no network is needed.

Ctrl-c stops what is running, twice in a row leaves; so do ctrl-d and /quit.

With --acp the agent is served to an editor that speaks the Agent Client Protocol,
over standard input and output. The editor is then a remote caller.`,
		Example: `  mayi chat
  mayi chat 'exec ls ~'
  mayi chat --provider openai --base-url http://localhost:11434/v1 --model llama3
  mayi chat --provider anthropic --model claude-sonnet-4-5`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.chat(cmd.Context(), f, strings.Join(args, " "))
		},
	}
	c.sandboxFlag(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.provider, "provider", "", "openai, anthropic or scripted (default: the one whose key is set)")
	fl.StringVar(&f.model, "model", "", "the model's name")
	fl.StringVar(&f.baseURL, "base-url", "", "the API's address")
	fl.Int64Var(&f.maxTokens, "max-tokens", 0, "the longest reply, in tokens (0: the provider's default)")
	fl.BoolVar(&f.acp, "acp", false, "serve the agent to an editor over ACP instead of talking here")
	complete(cmd, "provider", "openai", "anthropic", "scripted")
	return cmd
}

// pick is the model that flags and environment ask for.
func (f chatFlags) pick(getenv func(string) string) (model.Model, error) {
	provider := f.provider
	if provider == "" {
		switch {
		case f.baseURL != "" || getenv("OPENAI_API_KEY") != "" || getenv("OPENAI_BASE_URL") != "":
			provider = "openai"
		case getenv("ANTHROPIC_API_KEY") != "":
			provider = "anthropic"
		default:
			provider = "scripted"
		}
	}
	prefix := strings.ToUpper(provider) + "_"
	cfg := model.Config{
		BaseURL: first(f.baseURL, getenv(prefix+"BASE_URL")), Key: getenv(prefix + "API_KEY"),
		Model: first(f.model, getenv(prefix+"MODEL")), MaxTokens: f.maxTokens,
	}
	switch provider {
	case "openai":
		return openai.New(cfg)
	case "anthropic":
		return anthropic.New(cfg)
	case "scripted":
		return scripted.Model{}, nil
	}
	return nil, usage("--provider %q is not known; it is openai, anthropic or scripted", provider)
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

func (c *command) chat(ctx context.Context, f chatFlags, message string) error {
	m, err := f.pick(os.Getenv)
	if err != nil {
		if code, _ := codeOf(err); code == exitUsage {
			return err
		}
		return failure("mayi chat --help names the flags and variables", err)
	}
	if f.acp {
		return c.chatACP(ctx, m, message)
	}
	o, err := c.configOptions()
	if err != nil {
		return err
	}
	caches := agent.NewCaches()
	list := environment()
	app, err := assembly.Open(assembly.Options{Config: o, Env: config.ByName(list), Grants: caches.Grants})
	if err != nil {
		return failure("", err)
	}
	defer app.Close()
	mode, err := c.confinement(app)
	if err != nil {
		return err
	}
	c.notices(app)

	style := c.style(c.out)
	tty := term.IsTerminal(int(c.in.Fd())) && term.IsTerminal(int(c.out.Fd()))
	var renderer agent.Renderer
	if c.flags.json {
		renderer = agent.NewJSONRenderer(c.out)
	} else {
		prompt := ""
		if tty {
			prompt = style.Bold("> ")
		}
		renderer = agent.NewTextRenderer(c.out, agent.TextOptions{Color: style.Color, Prompt: prompt})
	}
	asker := approval.NewChat(agent.Show(renderer))
	session := c.flags.Session
	if session == "" {
		session = "chat-" + approval.NewID()
	}
	limited := approval.NewLimits(asker, approval.LimitOptions{})
	options := agent.Options{
		Settings: app.Settings, Gate: app.Gate, Caches: caches, Session: session, Caller: "chat",
		Cwd: app.Config.Cwd, Home: app.Config.Home, Env: list,
		Asker: limited, Model: m, Renderer: renderer,
	}
	var instance *agent.Instance
	options.Confine = tools.Confiner(app.Gate, mode, approval.AskerFunc(func(ctx context.Context, q approval.Question) (approval.Answer, error) {
		return instance.Ask(ctx, q)
	}))
	if term.IsTerminal(int(c.in.Fd())) {
		// What was half typed before a question must not become its answer.
		options.Discard = func() error { return approval.DiscardInput(c.in) }
	}
	instance, err = agent.New(options)
	if err != nil {
		return failure("", err)
	}
	defer instance.Close()
	if !c.flags.json {
		c.greet(app, m, instance.Notices, style)
	}
	chat := &agent.Chat{
		Conversation: instance.Conversation, Renderer: renderer,
		Take: asker.Offer, HangUp: instance.HangUp,
	}
	if tty && !c.flags.json {
		chat.Break = func() { fmt.Fprintln(c.out) }
	}
	interrupts, stop := interrupted(asker)
	defer stop()
	var in io.Reader = c.in
	if message != "" {
		in = io.MultiReader(strings.NewReader(message+"\n"), c.in)
	}
	if err := chat.Run(ctx, in, interrupts); err != nil && !errors.Is(err, agent.ErrAbandoned) {
		return failure("", err)
	}
	return nil
}

// interrupted turns ctrl-c into interrupts of the turn. While a question is
// open, it answers that with no instead.
func interrupted(asker *approval.Chat) (<-chan struct{}, func()) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt)
	out := make(chan struct{}, 4)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-signals:
				if asker.Interrupt() {
					continue
				}
				select {
				case out <- struct{}{}:
				default:
				}
			}
		}
	}()
	return out, func() { signal.Stop(signals); close(done) }
}

func (c *command) greet(app *assembly.App, m model.Model, notices []string, style ui.Style) {
	roots := app.Settings.Policy().Workspace
	fmt.Fprintf(c.out, "%s  model %s · mode %s · workspace %s\n", style.Bold("mayi chat"), m.Name(), app.Settings.ExecutionMode, strings.Join(roots, ", "))
	if m.Name() == (scripted.Model{}).Name() {
		fmt.Fprintln(c.out, style.Dim(`A scripted model listens: no key, no network. Try "exec ls ~", "read README.md" or "help"; /quit leaves.`))
	}
	for _, n := range notices {
		fmt.Fprintln(c.out, style.Yellow(n))
	}
}
