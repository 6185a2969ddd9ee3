package work

import (
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
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// Seals say what reviewers' checkouts were like when their reviews began.
type Seals struct {
	repo  *git.Repo
	trees *worktrees.Trees // nil in a bare repository
	mover *mover
}

// A seal says what there was before a reviewer got it. It is a file in the
// repository's own folder, one for each review's checkout.
type seal struct {
	By       flow.Actor    `json:"by"`
	Since    time.Time     `json:"since"`            // when the review was claimed
	Prepared bool          `json:"prepared"`         // the project's post_worktree has run
	Branch   flow.ObjectID `json:"branch,omitempty"` // where the task's branch was; "" if it is not here
	Print    string        `json:"fingerprint"`
	Changed  []string      `json:"changed"` // what was not as in the commit
}

func (s *Seals) path(folder string) string {
	return filepath.Join(s.repo.CommonDir(), layout.Private, "seals", folder)
}

// read is nil if there is none, or none of this review.
func (s *Seals) read(t *flow.Task) *seal {
	text, err := git.ReadSmall(s.path(t.ID.ReviewFolder(t.Submission.Number)))
	var kept seal
	if err != nil || json.Unmarshal(text, &kept) != nil || kept.By != t.Review.By || !kept.Since.Equal(t.Review.Since) {
		return nil
	}
	return &kept
}

// Seal notes what a reviewer's checkout and the task's branch are like, once
// when the review is claimed and once more when the project's post_worktree
// has run: what the reviewer did since is never sealed.
func (s *Seals) Seal(ctx context.Context, t *flow.Task, prepared bool) error {
	if old := s.read(t); old != nil && (old.Prepared || !prepared) {
		return nil
	}
	now := seal{By: t.Review.By, Since: t.Review.Since, Prepared: prepared}
	folder := t.ID.ReviewFolder(t.Submission.Number)
	status, err := s.trees.Contents.Status(ctx, s.trees.Path(folder))
	if err != nil {
		return err
	}
	now.Changed = status.Changed()
	if now.Print, err = s.trees.Contents.Fingerprint(ctx, s.trees.Path(folder)); err != nil {
		return err
	}
	if now.Branch, err = s.repo.Resolve(ctx, t.ID.BranchRef()); err != nil {
		return err
	}
	return s.write(folder, now)
}

// write puts the whole seal in place, or leaves the one that is there.
func (s *Seals) write(folder string, whole seal) error {
	text, err := json.Marshal(whole)
	if err != nil {
		return err
	}
	path := s.path(folder)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	// Whatever an agent has put there goes: to write into a fifo takes for ever.
	next := path + ".new"
	if err := errors.Join(os.RemoveAll(next), s.remove(folder)); err != nil {
		return err
	}
	if err := os.WriteFile(next, text, 0o666); err != nil {
		return err
	}
	return os.Rename(next, path)
}

// remove forgets a review that is over.
func (s *Seals) remove(folder string) error {
	return os.RemoveAll(s.path(folder))
}

// CheckUntouched refuses the verdict of an agent that has changed what it was to
// judge: its checkout, the commit that is checked out there, or the task's
// branch. Of a review that was claimed elsewhere, or by a human, nothing can
// be known; of one here that has lost its seal, nothing is believed.
func (s *Seals) CheckUntouched(ctx context.Context, t *flow.Task) error {
	if s.trees == nil || t == nil || t.Review == nil || t.Submission == nil || t.Review.By.Agent() == "" {
		return nil
	}
	dir := s.trees.Path(t.ID.ReviewFolder(t.Submission.Number))
	begun := s.read(t)
	if begun == nil {
		if _, err := os.Lstat(dir); err != nil && !s.mover.Generation.Spawned() {
			return nil
		}
		return s.refuseUnsealed(ctx, t)
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); errors.Is(err, fs.ErrNotExist) {
		return touchedReview(t, "the worktree of the review was removed: "+dir)
	}
	tip, err := s.repo.Resolve(ctx, t.ID.BranchRef())
	if err != nil {
		return err
	}
	if tip != begun.Branch {
		return touchedReview(t, fmt.Sprintf("the branch %s was moved from %s to %s", t.ID.Branch(), shortID(begun.Branch), shortID(tip)))
	}
	status, err := s.trees.Contents.Status(ctx, dir)
	if err != nil {
		return touchedReview(t, fmt.Sprintf("the worktree of the review cannot be read: %v", err))
	}
	if status.Branch != "" {
		return touchedReview(t, "the worktree of the review is on the branch "+status.Branch)
	}
	if status.Head != t.Submission.Commit {
		return touchedReview(t, fmt.Sprintf("the worktree of the review is at %s, not at the submission %s", shortID(status.Head), t.Submission.Commit.Short()))
	}
	now, err := s.trees.Contents.Fingerprint(ctx, dir)
	if err != nil {
		return touchedReview(t, fmt.Sprintf("the worktree of the review cannot be read: %v", err))
	}
	if now != begun.Print {
		return touchedReview(t, "files in the worktree of the review were changed: "+someOf(pathDifferences(begun.Changed, status.Changed())))
	}
	return nil
}

// refuseUnsealed refuses a verdict where there is no seal. A review that was killed
// before it wrote one is taken again by its holder, which does not count as
// ended without a verdict.
func (s *Seals) refuseUnsealed(ctx context.Context, t *flow.Task) error {
	refusal := touchedReview(t, "what its worktree was like when the review began is not known any more")
	if pristine, err := s.isPristine(ctx, t); err == nil && pristine && !s.mover.Generation.Spawned() {
		refusal.Reason += "; taking it again notes that"
		refusal.Hint = "git liza review " + string(t.ID) + " --as " + shell.Quote(string(t.Review.By))
	}
	return refusal
}

// isPristine reports whether the checkout of a review is as in the commit.
func (s *Seals) isPristine(ctx context.Context, t *flow.Task) (bool, error) {
	status, err := s.trees.Contents.Status(ctx, s.trees.Path(t.ID.ReviewFolder(t.Submission.Number)))
	return err == nil && status.Clean() && status.Branch == "" && status.Head == t.Submission.Commit, err
}

// pathDifferences are the paths that are on one list only; if there are none, the
// content of one on both differs.
func pathDifferences(before, after []string) []string {
	var only []string
	for _, path := range slices.Concat(before, after) {
		if slices.Contains(before, path) != slices.Contains(after, path) {
			only = append(only, path)
		}
	}
	if only == nil {
		return after
	}
	return only
}

func shortID(id flow.ObjectID) string {
	if id == "" {
		return "nothing"
	}
	return id.Short()
}

func touchedReview(t *flow.Task, what string) *flow.Refusal {
	return &flow.Refusal{Rule: flow.RuleReviewWorktree, Hint: "git liza release " + string(t.ID) + " --no-verdict",
		Reason: "a reviewer changes nothing, and " + what}
}
