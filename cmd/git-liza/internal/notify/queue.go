package notify

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

const (
	// mostWaiting is how many calls wait by name; of more only the number is kept.
	mostWaiting = 500
	// maxLock is how long a process waits for another that writes the file.
	maxLock = 5 * time.Second
)

// A queue is the file of what waits, liza/notify.json below the shared git directory. It is
// safe to delete: then what waits is not told.
type queue struct{ common string }

// A waiting holds the calls that the command is to be told.
type waiting struct {
	Items  []Item    `json:"waiting"`
	More   int       `json:"more,omitempty"` // calls beside them
	Last   time.Time `json:"last,omitzero"`  // when the last message was sent
	Failed int       `json:"failed,omitempty"`
	Next   time.Time `json:"next,omitzero"` // when it is tried again after a failure
	Error  string    `json:"error,omitempty"`
}

// count returns how many calls wait.
func (w *waiting) count() int { return len(w.Items) + w.More }

// add adds calls that do not wait yet.
func (w *waiting) add(items []Item) {
	for _, i := range items {
		if slices.ContainsFunc(w.Items, func(known Item) bool { return known.Key == i.Key }) {
			continue
		}
		if len(w.Items) >= mostWaiting {
			w.More++
			continue
		}
		w.Items = append(w.Items, i)
	}
}

func (q queue) path() string { return filepath.Join(q.common, layout.Private, "notify.json") }

// read returns what waits. A file that cannot be read is put aside.
func (q queue) read() (*waiting, error) {
	w, err := git.ReadJSON[waiting](q.path())
	if errors.Is(err, fs.ErrNotExist) {
		return &waiting{}, nil
	}
	if err != nil {
		if err := os.Rename(q.path(), q.path()+".bad"); err != nil {
			return nil, err
		}
		return &waiting{}, nil
	}
	w.More, w.Failed = max(0, w.More), max(0, w.Failed) // agents can write the file
	return &w, nil
}

// change changes what waits. Two processes do so one after the other.
func (q queue) change(ctx context.Context, edit func(*waiting)) error {
	ctx, cancel := context.WithTimeout(ctx, maxLock)
	defer cancel()
	unlock, err := git.HoldLock(ctx, q.common, "notify.lock")
	if err != nil {
		return err
	}
	defer unlock()
	w, err := q.read()
	if err != nil {
		return err
	}
	edit(w)
	return git.ReplaceJSON(q.path(), w)
}

// forget takes calls off the list: they were told, or are over.
func (q queue) forget(ctx context.Context, items []Item, edit func(*waiting)) error {
	gone := lists.Set(items, func(i Item) string { return i.Key })
	return q.change(context.WithoutCancel(ctx), func(w *waiting) {
		w.Items = slices.DeleteFunc(w.Items, func(i Item) bool { return gone[i.Key] })
		edit(w)
	})
}
