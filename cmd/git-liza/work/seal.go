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
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

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

func (c *Clone) sealPath(folder string) string {
	return filepath.Join(c.Repo.CommonDir(), "liza", "seals", folder)
}

// readSeal is nil if there is none, or none of this review.
func (c *Clone) readSeal(t *flow.Task) *seal {
	text, err := git.ReadSmall(c.sealPath(reviewFolder(t.ID, t.Submission.Number)))
	var s seal
	if err != nil || json.Unmarshal(text, &s) != nil || s.By != t.Review.By || !s.Since.Equal(t.Review.Since) {
		return nil
	}
	return &s
}

// Seal notes what a reviewer's checkout and the task's branch are like, once
// when the review is claimed and once more when the project's post_worktree
// has run: what the reviewer did since is never sealed.
func (c *Clone) Seal(ctx context.Context, t *flow.Task, prepared bool) error {
	if old := c.readSeal(t); old != nil && (old.Prepared || !prepared) {
		return nil
	}
	now := seal{By: t.Review.By, Since: t.Review.Since, Prepared: prepared}
	folder := reviewFolder(t.ID, t.Submission.Number)
	status, err := c.Trees.Status(ctx, c.Trees.Path(folder))
	if err != nil {
		return err
	}
	now.Changed = status.Changed()
	if now.Print, err = c.Trees.Fingerprint(ctx, c.Trees.Path(folder)); err != nil {
		return err
	}
	if now.Branch, err = c.Repo.Resolve(ctx, "refs/heads/"+t.ID.Branch()); err != nil {
		return err
	}
	return c.writeSeal(folder, now)
}

// writeSeal puts the whole seal in place, or leaves the one that is there.
func (c *Clone) writeSeal(folder string, s seal) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	path := c.sealPath(folder)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	// Whatever an agent has put there goes: to write into a fifo takes for ever.
	whole := path + ".new"
	if err := errors.Join(os.RemoveAll(whole), c.unseal(folder)); err != nil {
		return err
	}
	if err := os.WriteFile(whole, text, 0o666); err != nil {
		return err
	}
	return os.Rename(whole, path)
}

// unseal forgets a review that is over.
func (c *Clone) unseal(folder string) error {
	return os.RemoveAll(c.sealPath(folder))
}

// Untouched refuses the verdict of an agent that has changed what it was to
// judge: its checkout, the commit that is checked out there, or the task's
// branch. Of a review that was claimed elsewhere, or by a human, nothing can
// be known; of one here that has lost its seal, nothing is believed.
func (c *Clone) Untouched(ctx context.Context, t *flow.Task) error {
	if c.Trees == nil || t == nil || t.Review == nil || t.Submission == nil || t.Review.By.Agent() == "" {
		return nil
	}
	dir := c.Trees.Path(reviewFolder(t.ID, t.Submission.Number))
	s := c.readSeal(t)
	if s == nil {
		if _, err := os.Lstat(dir); err != nil && !c.Generation.Spawned() {
			return nil
		}
		return c.unsealed(ctx, t)
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); errors.Is(err, fs.ErrNotExist) {
		return touched(t, "the worktree of the review was removed: "+dir)
	}
	tip, err := c.Repo.Resolve(ctx, "refs/heads/"+t.ID.Branch())
	if err != nil {
		return err
	}
	if tip != s.Branch {
		return touched(t, fmt.Sprintf("the branch %s was moved from %s to %s", t.ID.Branch(), short(s.Branch), short(tip)))
	}
	status, err := c.Trees.Status(ctx, dir)
	if err != nil {
		return touched(t, fmt.Sprintf("the worktree of the review cannot be read: %v", err))
	}
	if status.Branch != "" {
		return touched(t, "the worktree of the review is on the branch "+status.Branch)
	}
	if status.Head != t.Submission.Commit {
		return touched(t, fmt.Sprintf("the worktree of the review is at %s, not at the submission %s", short(status.Head), t.Submission.Commit.Short()))
	}
	now, err := c.Trees.Fingerprint(ctx, dir)
	if err != nil {
		return touched(t, fmt.Sprintf("the worktree of the review cannot be read: %v", err))
	}
	if now != s.Print {
		return touched(t, "files in the worktree of the review were changed: "+some(differences(s.Changed, status.Changed())))
	}
	return nil
}

// unsealed refuses a verdict where there is no seal. A review that was killed
// before it wrote one is taken again by its holder, which does not count as
// ended without a verdict.
func (c *Clone) unsealed(ctx context.Context, t *flow.Task) error {
	refusal := touched(t, "what its worktree was like when the review began is not known any more")
	if pristine, err := c.pristine(ctx, t); err == nil && pristine && !c.Generation.Spawned() {
		refusal.Reason += "; taking it again notes that"
		refusal.Hint = "git liza review " + string(t.ID) + " --as " + shell.Quote(string(t.Review.By))
	}
	return refusal
}

// pristine reports whether the checkout of a review is as in the commit.
func (c *Clone) pristine(ctx context.Context, t *flow.Task) (bool, error) {
	status, err := c.Trees.Status(ctx, c.Trees.Path(reviewFolder(t.ID, t.Submission.Number)))
	return err == nil && status.Clean() && status.Branch == "" && status.Head == t.Submission.Commit, err
}

// differences are the paths that are on one list only; if there are none, the
// content of one on both differs.
func differences(before, after []string) []string {
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

func short(id flow.ObjectID) string {
	if id == "" {
		return "nothing"
	}
	return id.Short()
}

func touched(t *flow.Task, what string) *flow.Refusal {
	return &flow.Refusal{Rule: flow.RuleReviewWorktree, Hint: "git liza release " + string(t.ID) + " --no-verdict",
		Reason: "a reviewer changes nothing, and " + what}
}
