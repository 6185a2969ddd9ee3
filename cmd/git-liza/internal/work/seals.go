package work

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// Seals record the state of reviewers' checkouts when their reviews began.
type Seals struct {
	repo  *git.Repo
	trees *worktrees.Trees // nil in a bare repository
	mover *mover
	Loads []string // patterns of what reviewers' programs obey or run by themselves, see [Withheld]
}

// A seal records the state of a review's checkout before the reviewer got it.
// It is a file in the repository's own folder.
type seal struct {
	By       board.Actor    `json:"by"`
	Since    time.Time      `json:"since"`            // when the review was claimed
	Prepared bool           `json:"prepared"`         // the project's post_worktree has run
	Branch   board.ObjectID `json:"branch,omitempty"` // where the task's branch was; "" if it is not here
	Print    string         `json:"fingerprint"`      // of what is tracked
	Changed  []string       `json:"changed"`          // paths that differed from the commit
}

func (s *Seals) path(folder string) string {
	return filepath.Join(s.repo.CommonDir(), layout.Private, "seals", folder)
}

// read returns nil if there is no seal of the review that a role holds.
func (s *Seals) read(t *board.Task, role board.Role) *seal {
	kept, err := git.ReadJSON[seal](s.path(t.ID.ReviewFolder(role, t.Submission.Number)))
	review := t.Judgement(role).Review
	if err != nil || kept.By != review.By || !kept.Since.Equal(review.Since) {
		return nil
	}
	return &kept
}

// Seal records the state of the checkout in which a role reviews, and of the
// task's branch: once when the review is claimed, and again when the project's
// post_worktree has run. Later changes of the reviewer are never sealed. It returns the seal
// for [Seals.Holds].
func (s *Seals) Seal(ctx context.Context, t *board.Task, role board.Role, prepared bool) (text []byte, err error) {
	folder := t.ID.ReviewFolder(role, t.Submission.Number)
	if old := s.read(t, role); old != nil && (old.Prepared || !prepared) {
		return git.ReadSmall(s.path(folder))
	}
	review := t.Judgement(role).Review
	now := seal{By: review.By, Since: review.Since, Prepared: prepared}
	status, err := s.trees.Contents.Status(ctx, s.trees.Path(folder))
	if err != nil {
		return nil, err
	}
	now.Changed = append(status.Changed(), status.Left...)
	status.Untracked = nil
	if now.Print, err = s.trees.Contents.FingerprintOf(ctx, status); err != nil {
		return nil, err
	}
	if now.Branch, err = s.repo.Refs.Resolve(ctx, t.ID.BranchRef()); err != nil {
		return nil, err
	}
	if text, err = json.Marshal(now); err != nil {
		return nil, err
	}
	return text, s.Put(folder, text)
}

// Put writes the whole seal of a checkout, or none.
func (s *Seals) Put(folder string, text []byte) error {
	if err := os.RemoveAll(s.path(folder)); err != nil { // an agent may have put a folder there
		return err
	}
	return git.ReplaceFile(s.path(folder), text)
}

// Holds reports whether the seal of a checkout is still the one that [Seals.Seal] returned, or
// none is known.
func (s *Seals) Holds(folder string, text []byte) bool {
	now, err := git.ReadSmall(s.path(folder))
	return text == nil || err == nil && bytes.Equal(now, text)
}

// CheckUntouched refuses the verdict of an agent that reviews for a role and
// has changed what it judges: tracked files of its checkout, the commit that is checked out
// there, or the task's branch. It returns the untracked files that
// the agent left, which do not count. A review that was claimed on another host or by a human has no seal
// and is not checked. A review of this clone that has lost its seal is refused.
func (s *Seals) CheckUntouched(ctx context.Context, t *board.Task, role board.Role) (left worktrees.Strays, err error) {
	if s.trees == nil || t == nil || t.Submission == nil {
		return left, nil
	}
	if review := t.Judgement(role).Review; review == nil || review.By.Agent() == "" {
		return left, nil
	}
	dir := s.trees.Path(t.ID.ReviewFolder(role, t.Submission.Number))
	begun := s.read(t, role)
	if begun == nil {
		if _, err := os.Lstat(dir); err != nil && !s.mover.Generation.Spawned() {
			return left, nil
		}
		return left, s.refuseUnsealed(ctx, t, role)
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); errors.Is(err, fs.ErrNotExist) {
		return left, touchedReview(t, "the worktree of the review was removed: "+dir)
	}
	tip, err := s.repo.Refs.Resolve(ctx, t.ID.BranchRef())
	if err != nil {
		return left, err
	}
	if tip != begun.Branch {
		return left, touchedReview(t, fmt.Sprintf("the branch %s was moved from %s to %s", t.ID.Branch(), shortID(begun.Branch), shortID(tip)))
	}
	status, err := s.trees.Contents.Status(ctx, dir)
	if err != nil {
		return left, touchedReview(t, fmt.Sprintf("the worktree of the review cannot be read: %v", err))
	}
	if status.Branch != "" {
		return left, touchedReview(t, "the worktree of the review is on the branch "+status.Branch)
	}
	if status.Head != t.Submission.Commit {
		return left, touchedReview(t, fmt.Sprintf("the worktree of the review is at %s, not at the submission %s", shortID(status.Head), t.Submission.Commit.Short()))
	}
	added := slices.DeleteFunc(status.Untracked, func(path string) bool { return slices.Contains(begun.Changed, path) })
	status.Untracked = nil
	now, err := s.trees.Contents.FingerprintOf(ctx, status)
	if err != nil {
		return left, touchedReview(t, fmt.Sprintf("the worktree of the review cannot be read: %v", err))
	}
	if now != begun.Print {
		return left, touchedReview(t, "files in the worktree of the review were changed: "+someOf(status.Changed()))
	}
	return worktrees.Strays{Dir: dir, Names: added}, nil
}

// Sweep removes what a reviewer left beside the submission, as CheckUntouched has returned it,
// and says so.
func (s *Seals) Sweep(left worktrees.Strays) {
	if swept := left.Sweep(); len(swept) > 0 && s.repo.Notice != nil {
		s.repo.Notice("swept away, since a reviewer left it: " + someOf(swept))
	}
}

// refuseUnsealed refuses a verdict where there is no seal. If the review command
// was killed before it wrote the seal, its holder claims the review again. That
// does not count as an end without a verdict.
func (s *Seals) refuseUnsealed(ctx context.Context, t *board.Task, role board.Role) error {
	refusal := touchedReview(t, "what its worktree was like when the review began is not known any more")
	if pristine, err := s.isPristine(ctx, t, role); err == nil && pristine && !s.mover.Generation.Spawned() {
		refusal.Reason += "; taking it again notes that"
		refusal.Hint = "git liza review " + string(t.ID) + " --as " + shell.Quote(string(t.Judgement(role).Review.By))
	}
	return refusal
}

// isPristine reports whether the checkout of a review equals the commit.
func (s *Seals) isPristine(ctx context.Context, t *board.Task, role board.Role) (bool, error) {
	status, err := s.trees.Contents.Status(ctx, s.trees.Path(t.ID.ReviewFolder(role, t.Submission.Number)))
	return err == nil && status.Clean() && status.Branch == "" && status.Head == t.Submission.Commit, err
}

func shortID(id board.ObjectID) string { return cmp.Or(id, "nothing").Short() }

func touchedReview(t *board.Task, what string) *flow.Refusal {
	return &flow.Refusal{Rule: flow.RuleReviewWorktree, Hint: "git liza release " + string(t.ID) + " --no-verdict",
		Reason: "a reviewer changes nothing, and " + what}
}
