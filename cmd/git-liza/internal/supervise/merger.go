package supervise

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/worktrees"
)

// busyRetry is how long a supervisor waits before it looks again at approved work that
// another one is merging.
const busyRetry = 500 * time.Millisecond

// mergeApproved merges one approved task, or sends it back to its judges if a text
// that they read has changed. Only one supervisor of a clone merges at a time; the
// others go on with their own work.
func mergeApproved(ctx context.Context, s *supervisor, b *board.Board, t *lookResult) error {
	tasks := slices.DeleteFunc(b.Tasks(), func(task board.Summary) bool {
		return !flow.Allows(task.Status, board.ActMerge) || !s.rush.merges(task.Goal)
	})
	for _, task := range tasks {
		if r := flow.Opens(b, board.ActMerge, task.ID, s.clone.Caller, s.boardTime(b)); r != nil && r.Rule == flow.RuleSpecChanged {
			return recheckTask(ctx, s, task.ID, r, t)
		} else if r != nil {
			s.rush.troubles.note(task.ID, r)
			continue
		}
		if !sealsHold(s, b.Task(task.ID)) {
			t.wakeBy(time.Now().Add(busyRetry))
			continue
		}
		if at := s.rush.troubles.at(task.ID).next; time.Now().Before(at) {
			t.wakeBy(at)
			continue
		}
		if o := waitsForGate(s, b, task.ID, len(tasks)); o != nil {
			if s.rush.troubles.note(task.ID, refuseOutage(*o)) {
				s.ask("%s waits: %s", task.ID, refuseOutage(*o).Reason)
			}
			t.wakeBy(s.rush.gates.gates.at(o.Gate).next)
			continue
		}
		return mergeTask(ctx, s, b, task.ID, t)
	}
	return nil
}

// sealsHold reports whether the seals of the reviews of a submission whose sessions still run
// are as they were made. Where one is not, its supervisor puts doubt on the task.
func sealsHold(s *supervisor, t *board.Task) bool {
	return !slices.ContainsFunc(t.Submission.ReviewBy, func(role board.Role) bool {
		folder := t.ID.ReviewFolder(role, t.Submission.Number)
		return !s.clone.Seals.Holds(folder, s.rush.seals.at(folder))
	})
}

// recheckTask takes the verdicts on a task back that were given for other texts than
// the board has.
func recheckTask(ctx context.Context, s *supervisor, id board.TaskID, because *flow.Refusal, t *lookResult) error {
	r, err := s.clone.Make(ctx, board.ActRecheck, id, &flow.RecheckMove{})
	switch {
	case flow.IsRefused(err, flow.RuleState, flow.RuleFinal): // another supervisor was faster
	case err != nil:
		return err
	case !r.Already:
		s.say("%s is judged anew: %s", id, because.Reason)
	}
	s.rush.troubles.drop(id)
	t.moved = true
	return nil
}

func mergeTask(ctx context.Context, s *supervisor, b *board.Board, id board.TaskID, t *lookResult) error {
	release, err := beginAlone(s, mergeLock, t)
	if release == nil {
		return err
	}
	defer release()
	s.presence.setDoing(merging, id, "")
	merged, _, err := s.clone.Integration.Merge(ctx, id)
	var dirty *worktrees.Dirty
	var obstacle *worktrees.Obstacle
	var outage *work.Outage
	switch {
	case errors.As(err, &outage):
		err = s.recordOutage(ctx, b, outage)
	case err == nil || isSetback(err):
		s.rush.troubles.drop(id)
		if err = endOutages(ctx, s, b, id, merged.Gate, merged.Status.IsMerged()); err == nil && merged.Warning != "" {
			s.ask("warning: %s", merged.Warning)
		}
	case merged.Status.IsMerged():
		s.rush.troubles.drop(id)
		s.ask("%s is merged, but %s", id, s.describeUnfinishedMerge(err))
		err = nil
	case flow.IsRefused(err, flow.RuleStale):
	case flow.IsRefused(err, flow.RuleState, flow.RuleFinal):
		err = nil // another supervisor was faster
	case flow.IsRefused(err), gitstore.IsDeclined(err), errors.As(err, &dirty), errors.As(err, &obstacle):
		if flow.IsRefused(err) && !flow.IsRefused(err, flow.RuleTrust, flow.RuleTip) {
			gitstore.Declined{At: s.clone.Store.Now(), Task: id, Said: err.Error(), Hint: hintOf(err)}.Note(s.clone.Repo)
		}
		if s.rush.troubles.addFailure(id, err, s.rush.Limits) {
			s.ask("%s cannot be merged here: %v", id, err)
		}
		t.retry = s.rush.troubles.at(id).next
		return nil
	}
	t.moved = err == nil
	return err
}

// describeUnfinishedMerge says what a merge could not finish after its move was made.
func (s *supervisor) describeUnfinishedMerge(err error) string {
	var dirty *worktrees.Dirty
	var obstacle *worktrees.Obstacle
	var unlanded *work.Unlanded
	what := "what it leaves could not be cleared away"
	switch {
	case errors.As(err, &unlanded):
		return fmt.Sprintf("not seen on the remote: %v; git liza merge %s", unlanded.Cause, unlanded.Task)
	case errors.As(err, &dirty):
		what = "a checkout of integration could not follow"
	case errors.As(err, &obstacle) && filepath.Dir(obstacle.Path) == filepath.Dir(s.clone.Checkouts.Trees.Path("x")):
		what = "its worktree could not be removed"
	}
	return strings.TrimSuffix(what+": "+err.Error()+"; "+hintOf(err), "; ")
}
