package agent

// Renderer shows a conversation. Render is safe for concurrent use: a question
// to the person may appear while a tool runs.
type Renderer interface {
	Render(Event)
}

// Kind says what an event is.
type Kind string

// The kinds of events.
const (
	// Text is a piece of the model's text.
	Text Kind = "text"
	// Calling: a tool call begins; Tool and Args.
	Calling Kind = "call"
	// Returned: a tool call has ended; Tool, Args and Result.
	Returned Kind = "result"
	// Notice is a word of the loop itself.
	Notice Kind = "notice"
	// Question is text of an asker: every fact in it is mayi's own, and it has
	// been made visible already.
	Question Kind = "question"
	// TurnEnded: the model has nothing more to do, or Err says why not.
	TurnEnded Kind = "end"
	// Ready: the person's next line is waited for.
	Ready Kind = "ready"
)

// Event is one thing that happens in a conversation. Everything in it is raw,
// but for a Question: who shows it makes control characters visible.
type Event struct {
	Kind Kind
	Text string
	Tool string
	Args map[string]any
	// Result goes with Returned.
	Result Result
	// Err goes with TurnEnded.
	Err error
}

// Show returns the function that an asker in the conversation (approval.Chat)
// shows its questions with.
func Show(r Renderer) func(text string) {
	return func(text string) { r.Render(Event{Kind: Question, Text: text}) }
}

// discard shows nothing.
type discard struct{}

// Render implements [Renderer].
func (discard) Render(Event) {}
