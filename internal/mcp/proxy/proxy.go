// Package proxy stands between an MCP client and a third-party server. Every
// tools/call is decided, and the list of tools is shown as far as the policy
// lets any of their calls run; whatever else passes is passed as it came, byte
// for byte and in its order.
package proxy

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"mayi/internal/mcp/elicit"
	"mayi/internal/mcp/frame"
	"mayi/internal/mcp/pins"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
)

// Options say what the proxy stands before, and who decides. Name and Gate are
// needed.
type Options struct {
	// Name is the server's name in rules: mcp(NAME.tool).
	Name string
	Gate *gate.Gate
	// Session separates the answers given in it from all others; Caller names the
	// program for the record. Cwd is where relative paths of arguments start.
	Session, Caller, Cwd string
	// Remote: the client is a remote caller.
	Remote bool
	// Trusted: the server's annotations may also loosen (trustedServers).
	Trusted bool
	// Pins are the approved tools, nil to remember none.
	Pins *pins.Store
	// Queue reaches the person where the client cannot show a form; nil: nobody.
	Queue approval.Asker
	// Sessions says that only the protocol's versions with an initialize are
	// spoken, as over HTTP here; a server/discover is refused, so that the client
	// falls back.
	Sessions bool
	// Say is told what the operator should know; nil tells nobody.
	Say func(text string)
}

// slots bounds how many messages may wait for their turn to the server.
const slots = 1024

// drain bounds how long answers are waited for when the client is gone.
const drain = 5 * time.Second

// session is one client with one server.
type session struct {
	o              Options
	client, server frame.Conn
	asker          approval.Asker
	tools          table

	// line is what goes to the server, in order.
	line chan *slot
	// decisions are the calls that are being decided; asking ends with hangup.
	decisions sync.WaitGroup
	hangup    context.CancelFunc
	asking    context.Context
	// alive ends with the server.
	alive context.Context
	ends  *ends

	mu       sync.Mutex
	deciding map[string]*deciding
	pending  map[string]*pending
	changed  *sync.Cond // of pending
	// lists and forms are mayi's own requests to the server and to the client; nil
	// where nobody waits for the answer any more.
	lists, forms map[string]chan frame.Message
	peer         peer
}

// slot is one message to the server in its turn. ready, where it is not nil,
// says whether it goes at all.
type slot struct {
	raw   []byte
	ready chan bool
}

// pending is a request of the client's that the server has not answered yet.
type pending struct {
	method string
	token  string
	// cancelled: the client does not wait for the answer any more.
	cancelled bool
	end       func(outcome string)
}

// Run passes messages until one side is gone or ctx ends, and closes both. An
// end of the client's side is no error.
func Run(ctx context.Context, client, server frame.Conn, o Options) error {
	if o.Say == nil {
		o.Say = func(string) {}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &session{
		o: o, client: client, server: server, line: make(chan *slot, slots), ends: newEnds(),
		deciding: map[string]*deciding{}, pending: map[string]*pending{},
		lists: map[string]chan frame.Message{}, forms: map[string]chan frame.Message{},
	}
	s.changed = sync.NewCond(&s.mu)
	s.asking, s.hangup = context.WithCancel(ctx)
	defer s.hangup()
	s.asker = approval.NewLimits(approval.First(elicit.New(forms{s}), o.Queue), approval.LimitOptions{})

	alive, lost := context.WithCancel(ctx)
	defer lost()
	s.alive = alive
	serverGone := make(chan error, 1)
	go func() {
		err := s.fromServer(ctx)
		lost()
		s.changed.Broadcast()
		serverGone <- err
	}()
	written := make(chan error, 1)
	go func() { written <- s.toServer(ctx) }()
	clientGone := make(chan error, 1)
	go func() { clientGone <- s.fromClient(ctx) }()

	var err error
	select {
	case err = <-clientGone:
		s.finish(written)
		if alive.Err() != nil {
			s.abandon("the server has ended")
		}
	case err = <-serverGone:
		s.abandon("the server has ended")
	case err = <-written:
		s.abandon("the server cannot be written to")
	case <-ctx.Done():
	}
	s.hangup()
	err = errors.Join(ignoreEnd(err), ctx.Err(), server.Close())
	if errors.Is(err, context.Canceled) {
		err = nil // that is how one ends it
	}
	select {
	case <-serverGone: // what it had still said is passed on
	case <-time.After(time.Second):
	}
	cancel()
	client.Close()
	s.decisions.Wait()
	s.endAll("no answer")
	s.ends.close()
	return err
}

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
		return nil
	}
	return err
}

// finish lets what the client has sent before it went reach the server, and the
// answers come back. Nobody is asked any more.
func (s *session) finish(written <-chan error) {
	s.hangup()
	s.decisions.Wait()
	close(s.line)
	select {
	case <-written:
	case <-s.alive.Done():
	}
	limit := time.AfterFunc(drain, s.changed.Broadcast)
	defer limit.Stop()
	end := time.Now().Add(drain)
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.waited() && time.Now().Before(end) && s.alive.Err() == nil {
		s.changed.Wait()
	}
}

// waited reports whether the client waits for an answer; mu is held.
func (s *session) waited() bool {
	for _, p := range s.pending {
		if !p.cancelled {
			return true
		}
	}
	return false
}

// abandon answers what will not be answered any more.
func (s *session) abandon(why string) {
	s.mu.Lock()
	open := s.pending
	s.pending = map[string]*pending{}
	s.mu.Unlock()
	for key, p := range open {
		s.ended(p, "no answer")
		s.toClient(context.Background(), frame.Packet{Raw: frame.Failure(idOf(key), frame.CodeInternal, "mayi: "+why, nil), About: key, Answer: true})
	}
}

// toServer writes the line in its order, waiting for each decision in it.
func (s *session) toServer(ctx context.Context) error {
	for next := range s.line {
		if next.ready != nil {
			select {
			case goes := <-next.ready:
				if !goes {
					continue
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if err := s.server.Write(ctx, frame.Packet{Raw: next.raw}); err != nil {
			return err
		}
	}
	return nil
}

// put gives a message its turn.
func (s *session) put(ctx context.Context, next *slot) {
	select {
	case s.line <- next:
	case <-ctx.Done():
	}
}

func (s *session) toClient(ctx context.Context, p frame.Packet) {
	if err := s.client.Write(ctx, p); err != nil && ctx.Err() == nil {
		s.o.Say("the client cannot be written to: " + err.Error())
	}
}
