package supervise

import (
	"errors"
	"sync"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// troubles holds why tasks cannot go on here until a person mends something.
type troubles struct {
	mu   sync.Mutex
	list map[flow.TaskID]trouble
}

type trouble struct {
	text  string
	hint  string // a command to type, "" if none is known
	tries int
	next  time.Time
}

// addFailure notes a failed try and when to try again. It returns true if this trouble
// is new.
func (t *troubles) addFailure(id flow.TaskID, err error, l Limits) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	old, now := t.list[id], troubleOf(err)
	now.tries, now.next = old.tries+1, time.Now().Add(l.pause(old.tries))
	t.list[id] = now
	return old.text != now.text
}

// note notes a trouble that sets no time for the next try. It returns true if this
// trouble is new.
func (t *troubles) note(id flow.TaskID, err error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	old, now := t.list[id], troubleOf(err)
	t.list[id] = now
	return old.text != now.text
}

func troubleOf(err error) trouble {
	var refusal *flow.Refusal
	if errors.As(err, &refusal) {
		return trouble{text: err.Error(), hint: refusal.Hint}
	}
	return trouble{text: err.Error()}
}

func (t *troubles) clear(id flow.TaskID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.list, id)
}

func (t *troubles) nextTry(id flow.TaskID) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.list[id].next
}

// reason returns the trouble of a task, "" if there is none, and a command that helps,
// "" if none is known.
func (t *troubles) reason(id flow.TaskID) (text, hint string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.list[id].text, t.list[id].hint
}
