package supervise

import (
	"errors"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/worktrees"
)

// troubles holds why tasks cannot go on here until a person mends something.
type troubles struct {
	sharedMap[board.TaskID, trouble]
}

type trouble struct {
	text  string
	hint  string // a command to type, "" if none is known
	tries int
	next  time.Time
}

// addFailure notes a failed try and when to try again. It returns true if this trouble
// is new.
func (t *troubles) addFailure(id board.TaskID, err error, l Limits) bool {
	now := troubleOf(err)
	old := t.change(id, func(old trouble) trouble {
		now.tries, now.next = old.tries+1, time.Now().Add(l.pauseAfter(err, old.tries))
		return now
	})
	return old.text != now.text
}

// note notes a trouble that sets no time for the next try. It returns true if this
// trouble is new.
func (t *troubles) note(id board.TaskID, err error) bool {
	now := troubleOf(err)
	return t.put(id, now).text != now.text
}

func troubleOf(err error) trouble {
	return trouble{text: err.Error(), hint: hintOf(err)}
}

// hintOf is the command to type that an error has, "" if it has none.
func hintOf(err error) string {
	var obstacle *worktrees.Obstacle
	var dirty *worktrees.Dirty
	var refusal *flow.Refusal
	switch {
	case errors.As(err, &refusal):
		return refusal.Hint
	case errors.As(err, &obstacle):
		return obstacle.Hint
	case errors.As(err, &dirty):
		return dirty.Hint
	}
	return ""
}
