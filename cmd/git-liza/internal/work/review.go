package work

import (
	"context"
	"errors"
	"os"
	"reflect"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// Reviewing is the result of claiming a review.
type Reviewing struct {
	Task     board.TaskID   `json:"task"`
	Role     board.Role     `json:"role"` // that judges
	Commit   board.ObjectID `json:"commit"`
	Base     board.ObjectID `json:"base_commit"`
	Worktree string         `json:"worktree"`
	Author   board.Actor    `json:"author"`
	Lease    time.Time      `json:"lease_expires"`
	Texts    []Text         `json:"texts"`              // that the task stands on
	Withheld []string       `json:"withheld,omitempty"` // paths that the checkout has as integration has them, see [Withheld]
	Warning  string         `json:"warning,omitempty"`  // a failure of the user's own post-checkout hook
}

// A Text is a text, or a section of one, as a review reads it.
type Text struct {
	Path    string `json:"path"`
	Anchor  string `json:"anchor"`
	Hash    string `json:"hash"`    // of the section, else of the blob
	Changed bool   `json:"changed"` // since the same review began
}

// Review takes the review of a task, the best one if id is "", and checks the
// submitted commit out beside the work. A lease of 0 means the board's.
// Repeating it repairs the checkout. A review that reaches the limit is a
// *Setback.
func (c *Clone) Review(ctx context.Context, id board.TaskID, asked flow.ReviewMove) (Reviewing, gitstore.Result, error) {
	trees, err := c.Checkouts.requireTrees()
	if err != nil {
		return Reviewing{}, gitstore.Result{}, err
	}
	var left *leftReview
	move := func(b *board.Board, at time.Time) (flow.Move, []git.RefUpdate, error) {
		named := id
		if a := b.Agent(c.By.Agent()); named == "" && a != nil {
			if held := heldReview(b.Task(a.Review), c.By); held != nil && held.Lease.After(at) {
				named = a.Review
			}
		}
		target, err := c.taskFor(b, board.ActReview, at, named)
		if err != nil {
			return flow.Move{}, nil, err
		}
		if left = leftByPerson(b.Task(target), at); left != nil {
			return flow.Move{}, nil, errLeft
		}
		d := asked
		if d.Lease == 0 {
			d.Lease = b.Settings().Config.ReviewLease
		}
		return c.Caller.Move(board.ActReview, target, &d), nil, nil
	}
	r, err := c.Store.Do(ctx, move)
	for errors.Is(err, errLeft) {
		if _, err = c.Make(ctx, board.ActRelease, left.task, &flow.ReleaseMove{Role: left.role}); err == nil {
			r, err = c.Store.Do(ctx, move)
		}
	}
	if err != nil {
		return Reviewing{}, r, err
	}
	t := r.After.Task(r.Move.Task)
	got := Reviewing{Task: t.ID, Commit: t.Submission.Commit, Base: t.Submission.Base, Author: t.Attempt.Coder}
	if err := blockedSetback(r, t.ID, got); err != nil {
		return got, r, err
	}
	role, review := takenReview(r)
	got.Role, got.Lease, got.Texts = role, review.Lease, textsOf(review, r.Before.Task(t.ID).Judgement(role).Review)
	got.Worktree = trees.Path(t.ID.ReviewFolder(role, t.Submission.Number))
	got.Warning, got.Withheld, err = c.checkOutReview(ctx, trees, r, role)
	return got, r, missingWorktree(r, got, err)
}

// A leftReview is the review of a person whose lease has ended.
type leftReview struct {
	task board.TaskID
	role board.Role
}

// errLeft says that a review of a person is given back before somebody takes it.
var errLeft = errors.New("a person left the review")

// leftByPerson returns a review that a person left: nobody else's taking it counts as one
// without a verdict. It is nil if there is none.
func leftByPerson(t *board.Task, at time.Time) *leftReview {
	if t == nil {
		return nil
	}
	for _, j := range t.Judgements {
		if j.Review != nil && j.Review.By.IsHuman() && !j.Review.Lease.After(at) {
			left := &leftReview{task: t.ID, role: j.Role}
			if t.Submission != nil && len(t.Submission.ReviewBy) < 2 {
				left.role = ""
			}
			return left
		}
	}
	return nil
}

// textsOf are the texts of a review. If it was held before, those are changed that
// were others then.
func textsOf(review, before *board.Review) []Text {
	list := []Text{}
	for _, ref := range review.Texts {
		again := before != nil && before.By == review.By && before.Texts != nil
		list = append(list, Text{ref.Path, ref.Anchor, ref.Hash, again && !slices.Contains(before.Texts, ref)})
	}
	return list
}

// takenReview is the review that a review move took or repeats, and for which
// role.
func takenReview(r gitstore.Result) (board.Role, *board.Review) {
	t, named := r.After.Task(r.Move.Task), r.Move.Detail.(*flow.ReviewMove).Role
	for _, j := range t.Judgements {
		taken := j.Review != nil && j.Review.By == r.Move.By && !r.Already && !reflect.DeepEqual(j.Review, r.Before.Task(t.ID).Judgement(j.Role).Review)
		if j.Role == named || named == "" && taken {
			return j.Role, j.Review
		}
	}
	return t.HeldReview(r.Move.By)
}

// heldReview is the review of a task that an actor holds; nil if it holds none.
// The task may be nil.
func heldReview(t *board.Task, by board.Actor) *board.Review {
	if t == nil {
		return nil
	}
	_, held := t.HeldReview(by)
	return held
}

// checkOutReview makes the checkout of a review that a move took or repeats, and seals it.
// warning is the failure of a user's hook.
func (c *Clone) checkOutReview(ctx context.Context, trees *worktrees.Trees, r gitstore.Result, role board.Role) (warning string, withheld []string, err error) {
	t := r.After.Task(r.Move.Task)
	if err := c.Store.Mirror.BringCommits(ctx, t.ID, t.Submission.Commit); err != nil {
		return "", nil, err
	}
	folder := t.ID.ReviewFolder(role, t.Submission.Number)
	_ = os.Remove(c.Checkouts.leftPath(folder)) // it is wanted again
	before := r.Before.Task(t.ID).Judgement(role).Review
	if isNew := before == nil || before.By != c.By; isNew && !c.Checkouts.isStoodIn(folder) {
		// Who reviewed before may not have cleared it yet, and its files are not the submission's.
		held := t.Judgement(role).Review
		err := c.Checkouts.dropFolder(ctx, folder, func(b *board.Board) bool {
			now := heldReview(b.Task(t.ID), c.By)
			return now != nil && now.Since.Equal(held.Since)
		})
		if err != nil {
			return "", nil, err
		}
	}
	_, err = trees.Detached(ctx, folder, t.Submission.Commit)
	if warning, err = hookWarning(err); err != nil {
		return "", nil, err
	}
	if c.Generation.Spawned() {
		return warning, nil, nil // a session only repeats its supervisor's review, and would seal its own changes
	}
	pristine := true
	if r.Already {
		pristine, err = c.Seals.isPristine(ctx, t, role)
	}
	if err == nil {
		withheld, err = c.Seals.withhold(ctx, t, role, r.After.Settings().Integration.Tip, pristine)
	}
	if err == nil && pristine {
		_, err = c.Seals.Seal(ctx, t, role, false)
	}
	return warning, withheld, err
}

// Verdict makes an approve or reject move and removes the review's checkout. That of a
// session stays for its supervisor, see [Clone.LeaveReview]: the session stands in it, and
// its sandbox may keep it from removing one.
// It refuses before the move if the agent has changed what it judges, because
// another process may merge immediately. A rejection that reaches the limit
// is a *Setback.
func (c *Clone) Verdict(ctx context.Context, act board.Act, id board.TaskID, detail flow.Detail) (gitstore.Result, error) {
	b, _, err := c.Store.Board(ctx)
	if err != nil {
		return gitstore.Result{}, err
	}
	var left worktrees.Strays
	if t := b.Task(id); heldReview(t, c.By) != nil {
		role, _ := t.HeldReview(c.By)
		if left, err = c.Seals.CheckUntouched(ctx, t, role); err != nil {
			return gitstore.Result{}, err
		}
	}
	r, err := c.Make(ctx, act, id, detail)
	if err != nil {
		return r, c.explainNewer(ctx, id, detail, err)
	}
	c.Seals.Sweep(left)
	if c.Generation.Spawned() {
		return r, blockedSetback(r, id, nil)
	}
	before := r.Before.Task(id)
	err = c.dropReviews(ctx, r.After.Task(id), func(role board.Role) bool {
		review := before.Judgement(role).Review
		return review == nil || review.By == c.By // the supervisors of others end their sessions first
	})
	if err != nil {
		return r, uncleared(r, err)
	}
	return r, blockedSetback(r, id, nil)
}

// takeOver makes what was committed in the checkout of a claimed task the clone's.
func takeOver(ctx context.Context, c *Checkouts, t *board.Task) {
	if t != nil && t.Claim != nil && c.Trees != nil {
		if err := c.Trees.Take(ctx, t.ID.Folder(t.Attempt.Number)); err != nil {
			c.say(err.Error()) // it stays in the worktree
		}
	}
}

// HandOff leaves word for the next session on a task. What is committed there is the clone's.
func HandOff(ctx context.Context, c *Clone, id board.TaskID, h board.Handoff) (gitstore.Result, error) {
	return c.Move(ctx, board.ActHandoff, id, func(b *board.Board) (flow.Detail, error) {
		takeOver(ctx, c.Checkouts, b.Task(id))
		return &flow.HandoffMove{Handoff: h}, nil
	})
}

// Release gives a claim or review back. The worktree of a claim stays for its
// coder, and what is committed there is the clone's. The worktree of a review is removed, by the
// supervisor if a session gives it back.
func (c *Clone) Release(ctx context.Context, id board.TaskID, asked flow.ReleaseMove) (gitstore.Result, error) {
	r, err := c.Move(ctx, board.ActRelease, id, func(b *board.Board) (flow.Detail, error) {
		takeOver(ctx, c.Checkouts, b.Task(id))
		return &asked, nil
	})
	if err != nil {
		return r, err
	}
	if t := r.After.Task(id); flow.Allows(t.Status, board.ActReview) && !c.Generation.Spawned() {
		err = c.dropReviews(ctx, t, func(board.Role) bool { return true })
	}
	return r, uncleared(r, err)
}

// dropReviews is [Checkouts.dropReviews] after a move of this clone's actor: the checkout
// that a person's command runs in stays.
func (c *Clone) dropReviews(ctx context.Context, t *board.Task, which func(board.Role) bool) error {
	return c.Checkouts.dropReviews(ctx, t, func(role board.Role) bool {
		if !which(role) || c.Specs.Dir == "" {
			return which(role)
		}
		stays, err := c.Checkouts.leaveStanding(c.By, t.ID.ReviewFolder(role, t.Submission.Number), c.Specs.Dir)
		return err == nil && !stays
	})
}

// LeaveReview removes the checkout of a review that has ended, by a move of its session or
// of somebody else, unless a review of that role goes on in it or somebody else is in it.
func (c *Clone) LeaveReview(ctx context.Context, id board.TaskID, role board.Role, submission int) error {
	b, _, err := c.Store.Board(ctx)
	if err != nil || c.Checkouts.Trees == nil {
		return err
	}
	if t := b.Task(id); t != nil && t.Judgement(role).Review != nil {
		return nil
	}
	return c.Checkouts.dropUnused(ctx, id.ReviewFolder(role, submission))
}

// Renew prolongs the lease of a claim or review. A lease of 0 means the
// board's.
func (c *Clone) Renew(ctx context.Context, id board.TaskID, asked flow.RenewMove) (gitstore.Result, error) {
	return c.Move(ctx, board.ActRenew, id, func(b *board.Board) (flow.Detail, error) {
		d := asked
		if t := b.Task(id); d.Lease == 0 && t != nil {
			d.Lease = b.Settings().Config.Lease
			if t.Claim == nil {
				d.Lease = b.Settings().Config.ReviewLease
			}
		}
		return &d, nil
	})
}
