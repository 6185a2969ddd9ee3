package acp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"
)

const (
	// A message is not longer than this: the SDK gives its connection up at
	// 10 MiB.
	maxLine = 8 << 20
	// So many notifications are with the SDK at a time: it gives its connection
	// up when 1024 wait.
	maxUpdates = 256
	// So many requests are: it starts a goroutine for each, and an answer may
	// hold a file.
	maxRequests = 8
)

// last is the method of the notification that the wire itself sends when
// nothing more will come: the SDK hands it over when it is through with all
// that came before, and only then may it see the end of its input, or it
// would forget an answer that it has got.
const last = "_liza/last"

// A wire takes an agent's standard output and passes the messages in it on to
// the SDK's connection, no faster than they are dealt with. A request waits
// for the notifications before it: they may say what it is about. Whatever is
// no message is dropped and counted.
type wire struct {
	out  *io.PipeWriter
	in   *io.PipeReader
	end  chan struct{} // closed when the last notification was dealt with
	drop func()        // is told of every line that is no message

	mu   sync.Mutex // of what is being written
	line []byte
	long bool // the line is too long and is skipped to its end

	flow     sync.Mutex // of what follows
	moved    *sync.Cond
	updates  int // notifications and requests that are not dealt with
	requests int
	gone     bool
}

func newWire(drop func()) *wire {
	w := &wire{end: make(chan struct{}), drop: drop}
	w.in, w.out = io.Pipe()
	w.moved = sync.NewCond(&w.flow)
	return w
}

// errGone is what is left to say to a process whose end has been seen.
var errGone = errors.New("the agent is gone")

// Write takes the next piece of output; it blocks while too much waits.
func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(p)
	for len(p) > 0 {
		head, rest, ended := bytes.Cut(p, []byte{'\n'})
		if w.long = w.long || len(w.line)+len(head) > maxLine; w.long {
			w.line = nil
		} else {
			w.line = append(w.line, head...)
		}
		if ended {
			if err := w.pass(); err != nil {
				return 0, err
			}
		}
		p = rest
	}
	return n, nil
}

// A message is as the SDK reads it: what this cannot be read into, it cannot
// either.
type message struct {
	JSONRPC string            `json:"jsonrpc"`
	ID      *json.RawMessage  `json:"id,omitempty"`
	Method  string            `json:"method,omitempty"`
	Params  json.RawMessage   `json:"params,omitempty"`
	Result  json.RawMessage   `json:"result,omitempty"`
	Error   *sdk.RequestError `json:"error,omitempty"`
}

// pass hands the line that is complete to the SDK.
func (w *wire) pass() error {
	line, long := bytes.TrimSpace(w.line), w.long
	w.line, w.long = w.line[:0], false
	if len(line) == 0 && !long {
		return nil
	}
	var m message
	if long || line[0] != '{' || json.Unmarshal(line, &m) != nil {
		w.drop()
		return nil
	}
	update := m.Method == sdk.ClientMethodSessionUpdate
	switch {
	case m.Method == "" && m.ID == nil, update && m.ID != nil:
		w.drop()
		return nil
	case m.Method == "": // an answer, which the SDK keeps to itself
	case update:
		if !w.admit(&w.updates, func() bool { return w.updates < maxUpdates }) {
			return errGone
		}
	case m.ID == nil: // a notification that nobody here listens to
		return nil
	default:
		if !w.admit(&w.requests, func() bool { return w.updates == 0 && w.requests < maxRequests }) {
			return errGone
		}
	}
	_, err := w.out.Write(append(line, '\n'))
	return err
}

// admit counts a message when there is room for it; false if the agent is
// gone before.
func (w *wire) admit(count *int, room func() bool) bool {
	w.flow.Lock()
	defer w.flow.Unlock()
	for !room() && !w.gone {
		w.moved.Wait()
	}
	*count++
	return !w.gone
}

// done says that a message was dealt with.
func (w *wire) done(count *int) {
	w.flow.Lock()
	defer w.flow.Unlock()
	*count--
	w.moved.Broadcast()
}

// over reports whether the agent is gone.
func (w *wire) over() bool {
	w.flow.Lock()
	defer w.flow.Unlock()
	return w.gone
}

// Close says that the agent is gone. It returns when the SDK has got all that
// the agent has said, and sees the end of its input.
func (w *wire) Close() {
	w.flow.Lock()
	w.gone = true
	w.moved.Broadcast()
	w.flow.Unlock()
	stuck := time.AfterFunc(leaving, func() { w.in.Close() })
	defer stuck.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.out.Write([]byte(`{"jsonrpc":"2.0","method":"` + last + `"}` + "\n")); err == nil {
		within(leaving, w.end, nil)
	}
	w.out.Close()
}

// A voice is what the SDK writes to the agent with. A request of the agent's
// has been dealt with when its answer is written: an agent that asks and never
// listens is listened to no longer.
type voice struct {
	io.Writer
	wire *wire
}

func (v voice) Write(p []byte) (int, error) {
	n, err := v.Writer.Write(p)
	var m message
	if json.Unmarshal(p, &m) == nil && m.Method == "" {
		v.wire.done(&v.wire.requests)
	}
	return n, err
}
