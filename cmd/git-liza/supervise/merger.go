package supervise

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/worktrees"
)

// busyRetry is when a supervisor looks again at approved work that another one
// is merging.
const busyRetry = 500 * time.Millisecond

// merge brings one approved task to integration. Only one supervisor of a
// clone does so at a time; the others go on with their own work.
func (s *supervisor) merge(ctx context.Context, b *flow.Board, tasks []flow.Summary) (turn, error) {
	var t turn
	for _, task := range tasks {
		if !task.Status.Allows(flow.ActMerge) {
			continue
		}
		if r := b.Opens(flow.ActMerge, task.ID, s.clone.Caller, s.at(b)); r != nil {
			s.rush.troubles.set(task.ID, r)
			continue
		}
		if at := s.rush.troubles.retry(task.ID); time.Now().Before(at) {
			if t.retry.IsZero() || at.Before(t.retry) {
				t.retry = at
			}
			continue
		}
		return s.mergeOne(ctx, task.ID, t)
	}
	return t, nil
}

func (s *supervisor) mergeOne(ctx context.Context, id flow.TaskID, t turn) (turn, error) {
	release, err := tryLock(s.clone.Repo.CommonDir(), "merge")
	if err != nil {
		return t, err
	}
	if release == nil {
		t.soon(time.Now().Add(busyRetry))
		return t, nil
	}
	defer release()
	s.rush.roll.busy(s)
	s.presence.doing(merging, id, "")
	merged, _, err := s.clone.Merge(ctx, id)
	var refusal *flow.Refusal
	var dirty *worktrees.Dirty
	var obstacle *worktrees.Obstacle
	switch {
	case err == nil || setback(err):
		s.rush.troubles.clear(id)
		t.moved = true
		return t, nil
	case merged.Status.IsMerged():
		s.rush.troubles.clear(id)
		s.say("%s is merged, but %s", id, s.remains(err))
		t.moved = true
		return t, nil
	case errors.As(err, &refusal) && refusal.Rule == flow.RuleStale:
		return t, err
	case errors.As(err, &refusal) && (refusal.Rule == flow.RuleState || refusal.Rule == flow.RuleFinal):
		t.moved = true // somebody else was faster
		return t, nil
	case errors.As(err, &refusal), errors.As(err, &dirty), errors.As(err, &obstacle):
		if s.rush.troubles.put(id, err, s.rush.Limits) {
			s.say("%s cannot be merged here: %v", id, err)
		}
		t.retry = s.rush.troubles.retry(id)
		return t, nil
	}
	return t, err
}

// remains says what a merge left undone after its move was made.
func (s *supervisor) remains(err error) string {
	var dirty *worktrees.Dirty
	var obstacle *worktrees.Obstacle
	var unlanded *work.Unlanded
	what, hint := "what it leaves could not be cleared away", ""
	switch {
	case errors.As(err, &unlanded):
		return fmt.Sprintf("not seen on the remote: %v; git liza merge %s", unlanded.Cause, unlanded.Task)
	case errors.As(err, &dirty):
		what, hint = "a checkout of integration could not follow", dirty.Hint
	case errors.As(err, &obstacle):
		if hint = obstacle.Hint; filepath.Dir(obstacle.Path) == filepath.Dir(s.clone.Trees.Path("x")) {
			what = "its worktree could not be removed"
		}
	}
	if hint != "" {
		hint = "; " + hint
	}
	return what + ": " + err.Error() + hint
}

// troubles are what keeps tasks from going on here until a person mends it.
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

// put notes a failed try and when the next is; it is true if this trouble is
// news.
func (t *troubles) put(id flow.TaskID, err error, l Limits) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	old, now := t.list[id], troubleOf(err)
	now.tries, now.next = old.tries+1, time.Now().Add(l.pause(old.tries))
	t.list[id] = now
	return old.text != now.text
}

// set notes a trouble that has no time of its own for the next try; it is true
// if this trouble is news.
func (t *troubles) set(id flow.TaskID, err error) bool {
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

func (t *troubles) retry(id flow.TaskID) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.list[id].next
}

// why is what the trouble is, "" if there is none, and a command that helps, ""
// if none is known.
func (t *troubles) why(id flow.TaskID) (text, hint string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.list[id].text, t.list[id].hint
}
