package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"mayi/internal/mcp/frame"
)

// stream reads the events of an answer, and takes the stream up again where it
// breaks off before the request with this key is answered.
func (b *Back) stream(res *http.Response, key string) error {
	last, pause := "", time.Second
	for try := 0; ; try++ {
		answered := false
		err := readEvents(res.Body, func(e event) error {
			if e.id != "" {
				last = e.id
			}
			if e.retry > 0 {
				pause = e.retry
			}
			if len(e.data) == 0 {
				return nil
			}
			answered = b.deliver(e.data, key) || answered
			return nil
		})
		res.Body.Close()
		switch {
		case answered || b.ctx.Err() != nil:
			return nil
		case last == "" || try >= resumes:
			return errors.Join(errors.New("the stream ended without it"), err)
		}
		select {
		case <-time.After(pause):
		case <-b.ctx.Done():
			return nil
		}
		if res, err = b.send(b.ctx, http.MethodGet, nil, last); err != nil {
			return err
		}
		if res.StatusCode != http.StatusOK {
			res.Body.Close()
			return fmt.Errorf("it cannot be taken up again: HTTP status %s", res.Status)
		}
	}
}

// deliver hands on what came on the stream of the request with this key, and
// reports whether the answer to it was among it.
func (b *Back) deliver(raw []byte, key string) (answered bool) {
	list, batch := frame.Elements(raw)
	if !batch {
		list = []json.RawMessage{raw}
	}
	for _, one := range list {
		m, err := frame.Parse(one)
		if err == nil && !m.HasMethod && m.Key() == key {
			answered = true
			b.learn(m)
		}
		b.push(frame.Packet{Raw: one, About: key})
	}
	return answered
}

// learn notes the version that the answer to initialize settles.
func (b *Back) learn(m frame.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.greeting == nil || b.version != "" {
		return
	}
	var r struct {
		Version string `json:"protocolVersion"`
	}
	if json.Unmarshal(m.Result, &r) == nil {
		b.version = r.Version
	}
}

func (b *Back) greeted() {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-b.greeting:
	default:
		close(b.greeting)
	}
}

func (b *Back) push(p frame.Packet) {
	select {
	case b.in <- p:
	case <-b.ctx.Done():
	}
}

// tune listens for what the server sends on its own, for as long as it lets.
func (b *Back) tune() {
	b.mu.Lock()
	tuned := b.tuned
	b.tuned = true
	b.mu.Unlock()
	if tuned {
		return
	}
	b.work.Go(func() {
		last, pause := "", time.Second
		for failures := 0; failures < resumes; failures++ {
			res, err := b.send(b.ctx, http.MethodGet, nil, last)
			if err == nil && res.StatusCode == http.StatusOK {
				failures = 0
				_ = readEvents(res.Body, func(e event) error {
					if e.id != "" {
						last = e.id
					}
					if e.retry > 0 {
						pause = e.retry
					}
					if len(e.data) > 0 {
						b.push(frame.Packet{Raw: e.data})
					}
					return nil
				})
			}
			if err == nil {
				res.Body.Close()
				if c := res.StatusCode; c == http.StatusMethodNotAllowed || c == http.StatusNotFound {
					return // it sends nothing on its own
				}
			}
			select {
			case <-time.After(pause):
			case <-b.ctx.Done():
				return
			}
		}
	})
}
