package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mayi/pkg/agent/model"
	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/tools"
)

// Options are what an [Instance] is made of. Settings, Gate, Session, Cwd and
// Model are needed.
type Options struct {
	Settings *config.Settings
	// Gate decides every call, under the same settings.
	Gate tools.Gatekeeper
	// Caches holds the sessions' answers, where the gate's grants are theirs;
	// nil where the gate keeps them elsewhere.
	Caches *Caches
	// Session separates this agent's grants, questions and processes from all
	// others; Caller names the program for the record.
	Session, Caller string
	// Remote: the one who speaks to the agent is a remote caller.
	Remote bool
	// Cwd is the absolute working directory, Home the person's.
	Cwd, Home string
	// Env is the environment for the programs that are run, as "NAME=value".
	Env []string
	// Asker reaches the person; nil where nobody can be asked.
	Asker approval.Asker
	// Discard is called before each question and throws away what the person
	// has typed and not yet entered; see approval.DiscardInput. nil where the
	// input is no terminal.
	Discard func() error

	// Confine runs the agent's commands inside what was granted; nil runs them
	// as they are. See tools.Options.
	Confine func(ctx context.Context, v gate.Verdict, c tools.Confined) (code int, err error)

	Model    model.Model
	Renderer Renderer
	// MaxSteps bounds the model turns of one line; 0 is 50.
	MaxSteps int
}

// Instance is one agent: settings, tools and gate wired together for one
// session.
type Instance struct {
	// Conversation is the agent's conversation.
	Conversation *Conversation
	// Tools are what it can call.
	Tools *tools.Registry
	// Notices say what is not as the settings ask for, for the person.
	Notices []string

	opts   Options
	person *person
}

// New wires an agent. The tools are those that the settings switch on;
// request_permission is among them where shell commands are on and may be asked
// for. Close the instance to end what it has running.
func New(o Options) (*Instance, error) {
	switch {
	case o.Settings == nil:
		return nil, errors.New("an agent needs settings")
	case o.Gate == nil:
		return nil, errors.New("an agent needs a gate")
	case o.Model == nil:
		return nil, errors.New("an agent needs a model")
	case o.Session == "":
		return nil, errors.New("an agent needs a session of its own")
	case o.Cwd == "":
		return nil, errors.New("an agent needs a working directory")
	}
	i := &Instance{opts: o}
	so := tools.SessionOptions{
		Gate: o.Gate, ID: o.Session, Caller: o.Caller, Remote: o.Remote,
		Cwd: o.Cwd, Home: o.Home, Env: o.Env,
	}
	if o.Asker != nil {
		i.person = newPerson(o.Asker, o.Discard)
		so.Asker = i.person
	}
	session := tools.NewSession(so)
	i.Tools = tools.NewRegistry(session)
	if err := i.register(session); err != nil {
		return nil, errors.Join(err, i.Tools.Close())
	}
	i.Conversation = NewConversation(ConversationOptions{
		Model: model.Retry(o.Model), Tools: toolbox{i.Tools}, Renderer: o.Renderer,
		System: instructions(o, i.Tools), MaxSteps: o.MaxSteps,
	})
	return i, nil
}

// register adds the tools that the settings switch on.
func (i *Instance) register(s *tools.Session) error {
	web, err := tools.NewWebFetch(tools.WebOptions{Session: s, AllowPrivate: named(i.opts.Settings.NetworkAllowHosts)})
	if err != nil {
		return fmt.Errorf("wire the agent: %w", err)
	}
	all := append(tools.FileTools(s), web, tools.NewToolSearch(i.Tools))
	all = append(all, i.shell(s)...)
	for _, t := range all {
		if err := i.Tools.Register(t); err != nil {
			return fmt.Errorf("wire the agent: %w", err)
		}
	}
	return nil
}

// named reports whether the settings name exactly this host: only such a one may
// be at a private address.
func named(hosts []string) func(string) bool {
	return func(host string) bool { return permissions.NamesHost(hosts, host) }
}

// shell is the exec tool with its request_permission; nothing where shell
// commands are off or cannot be had. An agent without a shell is still one.
func (i *Instance) shell(s *tools.Session) []tools.Tool {
	cfg := i.opts.Settings.Tools.Exec
	if !cfg.Enabled {
		return nil
	}
	exec, err := tools.NewExecTool(tools.Options{
		Session:             s,
		Roots:               i.opts.Settings.Policy().Workspace,
		AskPermission:       cfg.AskPermission,
		EnableDenyPatterns:  cfg.EnableDenyPatterns,
		CustomDenyPatterns:  cfg.CustomDenyPatterns,
		CustomAllowPatterns: cfg.CustomAllowPatterns,
		AllowRemote:         cfg.AllowRemote,
		Timeout:             time.Duration(cfg.TimeoutSeconds) * time.Second,
		Confine:             i.opts.Confine,
		ConfineAll:          i.opts.Settings.Sandbox == "required",
	})
	if err != nil {
		i.Notices = append(i.Notices, "shell commands are not available: "+err.Error())
		return nil
	}
	out := []tools.Tool{exec}
	if cfg.AskPermission {
		out = append(out, tools.NewRequestPermissionTool(i.cache(), tools.WithSession(s)))
	}
	return out
}

// cache is the session's permission cache. Where the gate keeps the grants
// elsewhere, nothing is ever in it.
func (i *Instance) cache() *tools.PermissionCache {
	if i.opts.Caches == nil {
		return tools.NewPermissionCache()
	}
	return i.opts.Caches.Cache(i.opts.Session)
}

// Chat is the agent's chat with its person; take is the asker's Offer, or nil.
func (i *Instance) Chat(take func(line string) bool) *Chat {
	return &Chat{Conversation: i.Conversation, Renderer: i.opts.Renderer, Take: take, HangUp: i.HangUp}
}

// Ask brings a question to the session's person as the tools do: what was typed
// before it is no answer, and nobody answers once the person is gone. It is for
// what a running command reaches for.
func (i *Instance) Ask(ctx context.Context, q approval.Question) (approval.Answer, error) {
	if i.person == nil {
		return approval.Denied("nobody can be asked here"), approval.ErrUnavailable
	}
	return i.person.Ask(ctx, q)
}

// HangUp says that the person is gone: open and later questions are refused,
// and say so.
func (i *Instance) HangUp() {
	if i.person != nil {
		i.person.hangUp()
	}
}

// Close ends the session: what runs in the background is killed, what was
// answered in memory is forgotten.
func (i *Instance) Close() error {
	i.HangUp()
	err := i.Tools.Close()
	if i.opts.Caches != nil {
		i.opts.Caches.Forget(i.opts.Session)
	}
	return err
}
