package notify

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/gitstore/secret"
)

const (
	// gather is how long a first call waits for others that come at the same time.
	gather = 3 * time.Second
	// mostTries is after how many failures the pause between two tries grows no more.
	mostTries = 5
)

// A Notifier tells calls to a command. Its methods are for one goroutine, except that
// another one may call Add.
type Notifier struct {
	Command string        // a shell command line, "" for none: then calls go nowhere
	Every   time.Duration // the shortest time between two messages
	Common  string        // the shared git directory of the clone
	Dir     string        // where the command runs
	Environ []string
	Now     func() time.Time
	Folder  string // the name of the repository's folder
	Bound   bool   // the command ends with this process

	limit time.Duration // for the command; 0 is commandTime
}

// Add lets calls wait. After an error none of them waits.
func (n *Notifier) Add(ctx context.Context, items []Item) error {
	if len(items) == 0 || n.Command == "" {
		return nil
	}
	return queue{n.Common}.change(ctx, func(w *waiting) { w.add(items) })
}

// Deliver tells what waits and is due, unless another process is at it. What is not on any
// more is not told: active reports whether a call that came before is. With last it does
// not wait for more to come. Deliver returns when to call it again, zero if nothing waits.
// A command that fails is tried again, and what it is to be told waits; errors are those
// of the file.
func (n *Notifier) Deliver(ctx context.Context, active func(Item) bool, last bool) (again time.Time, err error) {
	if n.Command == "" {
		return time.Time{}, nil
	}
	q := queue{n.Common}
	w, err := q.read()
	if err != nil || w.count() == 0 {
		return time.Time{}, err
	}
	release, err := git.TryHoldLock(q.common, "deliver.lock") // one process delivers; the others do not wait
	if err != nil {
		return time.Time{}, err
	}
	if release == nil {
		return n.Now().Add(gather), nil
	}
	defer release()
	if w, err = q.read(); err != nil { // another process may have told it meanwhile
		return time.Time{}, err
	}
	items := slices.DeleteFunc(slices.Clone(w.Items), func(i Item) bool { return !active(i) })
	if len(items) == 0 {
		return time.Time{}, q.forget(ctx, w.Items, func(w *waiting) { w.More = 0 })
	}
	if due := n.due(w, items, last); due.After(n.Now()) {
		return due, nil
	}
	return n.tell(ctx, w, items)
}

// tell tells some of the calls that wait, which are those that are on.
func (n *Notifier) tell(ctx context.Context, w *waiting, items []Item) (again time.Time, err error) {
	mask := secret.New(n.Environ)
	message := Message{Folder: n.Folder, More: w.More + max(0, len(items)-mostItems)}
	for _, i := range items[:min(len(items), mostItems)] {
		message.Items = append(message.Items, plainItem(i, mask))
	}
	failure := n.send(ctx, message)
	if failure != nil && ctx.Err() != nil {
		return time.Time{}, nil // this process ends; the next one tells it
	}
	at, q := n.Now(), queue{n.Common}
	if failure != nil {
		pause := time.Minute << (min(w.Failed+1, mostTries) - 1)
		return at.Add(pause), q.change(context.WithoutCancel(ctx), func(w *waiting) {
			w.Failed, w.Next, w.Error = w.Failed+1, at.Add(pause), plain(mask.String(failure.Error()))
		})
	}
	told := w.More
	return time.Time{}, q.forget(ctx, w.Items, func(w *waiting) {
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

// A Trouble says that the command does not take what it is told.
type Trouble struct {
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
	return fmt.Sprintf("the command failed %s, and %s: %s", tries, calls, t.Error)
}

// TroubleOf returns the trouble of a clone's command, if it failed the last time; else nil.
func TroubleOf(common string) (*Trouble, error) {
	w, err := queue{common}.read()
	if err != nil || w.Failed == 0 {
		return nil, err
	}
	return &Trouble{w.count(), w.Failed, w.Error}, nil
}
