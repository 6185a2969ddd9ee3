package notify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/secret"
)

// A Config says where calls go on this machine. Without command and address they go
// nowhere.
type Config struct {
	Command string        // a shell command line, "" for none
	URL     string        // an address, "" for none
	Secret  string        // the file of the key that signs what is posted, "" for none
	Every   time.Duration // the shortest time between two messages
}

// IsSet reports whether calls go anywhere.
func (c Config) IsSet() bool { return c.Command != "" || c.URL != "" }

// Check returns an error if the key that signs what is posted cannot be read.
func (c Config) Check() error {
	if c.URL == "" || c.Secret == "" {
		return nil
	}
	_, err := readSecret(c.Secret)
	return err
}

// String says for people where calls go.
func (c Config) String() string {
	switch {
	case c.URL == "":
		return "a command"
	case c.Command == "":
		return "an address"
	}
	return "a command and an address"
}

const (
	// gather is how long a first call waits for others that come at the same time.
	gather = 3 * time.Second
	// mostTries is after how many failures the pause between two tries grows no more.
	mostTries = 5
)

// A Notifier tells calls. Its methods are for one goroutine, except that another one may
// call Add and SetAbout.
type Notifier struct {
	Config
	Common  string // the shared git directory of the clone
	Dir     string // where the command runs
	Environ []string
	Now     func() time.Time
	Folder  string // the name of the repository's folder
	Bound   bool   // the command ends with this process
	// Post sends something to an address, and returns the code of the answer. It follows
	// no redirect, and its errors do not show the address, which may hold a token.
	Post func(context.Context, Posting) (code int, err error)

	about atomic.Pointer[Message] // what each message has beside its items
	mask  *secret.Mask
	sinks []sink
}

// open prepares the receivers.
func (n *Notifier) open() {
	if n.mask != nil {
		return
	}
	n.mask = secret.New(n.Environ, nil)
	if n.Command != "" {
		n.sinks = append(n.sinks, command{n.Command, n.Dir, n.Environ, n.Bound, commandTime, commandGrace})
	}
	if n.URL != "" {
		n.sinks = append(n.sinks, webhook{n.URL, n.Secret, webhookTime, n.Post})
	}
}

// SetAbout says of which board the next messages tell, by its id, and whom they call.
func (n *Notifier) SetAbout(board, person string) {
	n.about.Store(&Message{Board: board, Folder: n.Folder, Person: person})
}

// Add lets calls wait for each receiver. After an error they wait for none.
func (n *Notifier) Add(ctx context.Context, items []Item) error {
	if len(items) == 0 || !n.IsSet() {
		return nil
	}
	return queue{n.Common}.change(ctx, func(all queued) {
		if n.Command != "" {
			all.of(command{}.name()).add(items)
		}
		if n.URL != "" {
			all.of(webhook{}.name()).add(items)
		}
	})
}

// Deliver tells what waits and is due, unless another process is at it. What is not on any
// more is not told: active reports whether a call that came before is. With last it does
// not wait for more to come. Deliver returns when to call it again, zero if nothing waits.
// A receiver that fails is tried again, and what it is to be told waits; errors are those
// of the file.
func (n *Notifier) Deliver(ctx context.Context, active func(Item) bool, last bool) (again time.Time, err error) {
	n.open()
	if len(n.sinks) == 0 {
		return time.Time{}, nil
	}
	q := queue{n.Common}
	all, err := q.read()
	if err != nil || all.isEmpty() {
		return time.Time{}, err
	}
	release, err := q.deliver()
	if err != nil {
		return time.Time{}, err
	}
	if release == nil {
		return n.Now().Add(gather), nil
	}
	defer release()
	var failed []error
	for _, s := range n.sinks {
		due, err := n.deliverTo(ctx, s, active, last)
		failed = append(failed, err)
		if !due.IsZero() && (again.IsZero() || due.Before(again)) {
			again = due
		}
	}
	return again, errors.Join(failed...)
}

func (q queued) isEmpty() bool {
	for _, w := range q {
		if len(w.Items)+w.More > 0 {
			return false
		}
	}
	return true
}

// deliverTo tells one receiver.
func (n *Notifier) deliverTo(ctx context.Context, s sink, active func(Item) bool, last bool) (again time.Time, err error) {
	q := queue{n.Common}
	all, err := q.read()
	if err != nil {
		return time.Time{}, err
	}
	w := all.of(s.name())
	items := slices.DeleteFunc(slices.Clone(w.Items), func(i Item) bool { return !active(i) })
	if len(items) == 0 {
		return time.Time{}, n.forget(ctx, s, w.Items, func(w *waiting) { w.More = 0 })
	}
	if due := n.due(w, items, last); due.After(n.Now()) {
		return due, nil
	}
	message := Message{Folder: n.Folder}
	if about := n.about.Load(); about != nil {
		message = *about
	}
	message.More = w.More
	for i := range items {
		if i < mostItems {
			message.Items = append(message.Items, plainItem(items[i], n.mask))
		} else {
			message.More++
		}
	}
	err = s.send(ctx, message)
	at := n.Now()
	if err != nil && ctx.Err() != nil {
		return time.Time{}, nil // this process ends; the next one tells it
	}
	if err != nil {
		pause := time.Minute << (min(w.Failed+1, mostTries) - 1)
		return at.Add(pause), q.change(context.WithoutCancel(ctx), func(all queued) {
			w := all.of(s.name())
			w.Failed, w.Next, w.Error = w.Failed+1, at.Add(pause), plain(n.mask.String(err.Error()))
		})
	}
	told := w.More
	return time.Time{}, n.forget(ctx, s, w.Items, func(w *waiting) {
		w.More, w.Last, w.Failed, w.Next, w.Error = max(0, w.More-told), at, 0, time.Time{}, ""
	})
}

// due returns when the next message is to be sent: a moment after the first call came, and
// not sooner than the shortest time after the last message or the pause after a failure.
func (n *Notifier) due(w *waiting, items []Item, last bool) time.Time {
	if last {
		return time.Time{}
	}
	due := items[0].At.Add(gather)
	if w.Failed > 0 {
		due = w.Next
	}
	if next := w.Last.Add(n.Every); next.After(due) {
		due = next
	}
	if latest := n.Now().Add(max(n.Every, time.Minute<<(mostTries-1))); due.After(latest) {
		return time.Time{} // a clock went back
	}
	return due
}

// forget takes calls off the list of a receiver: they were told, or are over.
func (n *Notifier) forget(ctx context.Context, s sink, items []Item, edit func(*waiting)) error {
	gone := map[string]bool{}
	for _, i := range items {
		gone[i.Key] = true
	}
	return queue{n.Common}.change(context.WithoutCancel(ctx), func(all queued) {
		w := all.of(s.name())
		w.Items = slices.DeleteFunc(w.Items, func(i Item) bool { return gone[i.Key] })
		edit(w)
	})
}

// A Trouble is a receiver that does not take what it is told.
type Trouble struct {
	Sink    string // command or webhook
	Waiting int    // calls that it was not told
	Failed  int    // tries
	Error   string // of the last one
}

// String describes the trouble for people.
func (t Trouble) String() string {
	calls, tries := "1 call waits", "once"
	if t.Waiting != 1 {
		calls = fmt.Sprintf("%d calls wait", t.Waiting)
	}
	if t.Failed != 1 {
		tries = fmt.Sprintf("%d times", t.Failed)
	}
	return fmt.Sprintf("the %s failed %s, and %s: %s", t.Sink, tries, calls, t.Error)
}

// Troubles returns the receivers of a clone that failed the last time.
func Troubles(common string) (list []Trouble, err error) {
	all, err := queue{common}.read()
	for _, name := range []string{command{}.name(), webhook{}.name()} {
		if w := all[name]; w != nil && w.Failed > 0 {
			list = append(list, Trouble{name, len(w.Items) + w.More, w.Failed, w.Error})
		}
	}
	return list, err
}
