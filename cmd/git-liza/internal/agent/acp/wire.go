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
	// maxLine is the maximum size of a message in bytes: the SDK closes its connection
	// at 10 MiB.
	maxLine = 8 << 20
	// maxUpdates is how many notifications the SDK gets at a time: it closes its
	// connection when 1024 wait.
	maxUpdates = 256
	// maxRequests is how many requests the SDK gets at a time: it starts a goroutine
	// for each, and an answer may hold a file.
	maxRequests = 8
)

// endOfMessages is the method of the notification that the wire itself sends after the last
// message. The SDK delivers it after all messages before it. Only then may the SDK see
// the end of its input, or it would forget an answer that it has received.
const endOfMessages = "_liza/last"

// A wire takes an agent's standard output and passes its messages on to the SDK's
// connection, no faster than they are handled. A request waits for the notifications
// before it, which may describe its subject. A line that is not a message is dropped
// and counted.
type wire struct {
	out  *io.PipeWriter
	in   *io.PipeReader
	end  chan struct{} // closed when the last notification was handled
	drop func()        // called for every line that is not a message

	mu   sync.Mutex // guards the line that is being written
	line []byte
	long bool // the line is too long and is skipped to its end

	flow     sync.Mutex // guards what follows
	moved    *sync.Cond
	updates  int // notifications and requests that are not handled yet
	requests int
	gone     bool
}

func newWire(drop func()) *wire {
	w := &wire{end: make(chan struct{}), drop: drop}
	w.in, w.out = io.Pipe()
	w.moved = sync.NewCond(&w.flow)
	return w
}

// errGone is the error of a write after the agent has ended.
var errGone = errors.New("the agent is gone")

// Write takes the next piece of output; it blocks while too many messages wait.
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

// A message has the fields that the SDK reads. A line that does not fit it is not a
// message for the SDK either.
type message struct {
	JSONRPC string            `json:"jsonrpc"`
	ID      *json.RawMessage  `json:"id,omitempty"`
	Method  string            `json:"method,omitempty"`
	Params  json.RawMessage   `json:"params,omitempty"`
	Result  json.RawMessage   `json:"result,omitempty"`
	Error   *sdk.RequestError `json:"error,omitempty"`
}

// pass passes the complete line on to the SDK.
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
	case m.Method == "": // an answer, which the SDK does not pass on
	case update:
		if !w.admit(&w.updates, func() bool { return w.updates < maxUpdates }) {
			return errGone
		}
	case m.ID == nil: // a notification without a handler here
		return nil
	default:
		if !w.admit(&w.requests, func() bool { return w.updates == 0 && w.requests < maxRequests }) {
			return errGone
		}
	}
	_, err := w.out.Write(append(line, '\n'))
	return err
}

// admit counts a message when there is room for it. It is false if the agent ends
// first.
func (w *wire) admit(count *int, room func() bool) bool {
	w.flow.Lock()
	defer w.flow.Unlock()
	for !room() && !w.gone {
		w.moved.Wait()
	}
	*count++
	return !w.gone
}

// done counts a message as handled.
func (w *wire) done(count *int) {
	w.flow.Lock()
	defer w.flow.Unlock()
	*count--
	w.moved.Broadcast()
}

// over reports whether the agent has ended.
func (w *wire) over() bool {
	w.flow.Lock()
	defer w.flow.Unlock()
	return w.gone
}

// Close marks the agent as ended. It returns when the SDK has handled all that the
// agent sent and sees the end of its input.
func (w *wire) Close() {
	w.flow.Lock()
	w.gone = true
	w.moved.Broadcast()
	w.flow.Unlock()
	stuck := time.AfterFunc(maxDrain, func() { w.in.Close() })
	defer stuck.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.out.Write([]byte(`{"jsonrpc":"2.0","method":"` + endOfMessages + `"}` + "\n")); err == nil {
		waitEither(maxDrain, w.end, nil)
	}
	w.out.Close()
}

// A agentWriter is the writer of the SDK's messages to the agent. A request counts as handled
// when its answer is written, so an agent that does not read its answers cannot send
// more requests.
type agentWriter struct {
	io.Writer
	wire *wire
}

func (v agentWriter) Write(p []byte) (int, error) {
	n, err := v.Writer.Write(p)
	var m message
	if json.Unmarshal(p, &m) == nil && m.Method == "" {
		v.wire.done(&v.wire.requests)
	}
	return n, err
}
