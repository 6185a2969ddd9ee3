package work

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// An Adoption is what a person adopts.
type Adoption struct {
	Commit  board.ObjectID
	Reason  string
	Tasks   []board.TaskID // whose submissions the commit contains; they become merged
	Reverts []board.TaskID // merged tasks that the commit takes back
	Accept  bool           // the person approves what nobody has judged: these tasks, and texts that goals or tasks stand on
}

// Adopt moves integration to a commit from outside.
func (i *Integration) Adopt(ctx context.Context, a Adoption) (gitstore.Result, error) {
	commit, tasks := a.Commit, a.Tasks
	if err := i.checkFollow(ctx, commit); err != nil {
		return gitstore.Result{}, err
	}
	r, err := i.mover.Move(ctx, board.ActAdopt, "", func(b *board.Board) (flow.Detail, error) {
		return &flow.AdoptMove{Commit: commit, Onto: b.Settings().Integration.Tip, Reason: a.Reason, Tasks: tasks, Reverts: a.Reverts, Accept: a.Accept}, nil
	})
	if err != nil {
		return r, err
	}
	if err := i.store.Mirror.CheckLanded(ctx, commit); err != nil {
		return r, err
	}
	if err := i.bringCheckouts(ctx, r.After, r.Move.Detail.(*flow.AdoptMove).Onto); err != nil {
		return r, err
	}
	for _, id := range tasks {
		if err := i.checkouts.clearTask(ctx, r.After.Task(id)); err != nil {
			return r, err
		}
	}
	return r, nil
}

// A FoundRevert is a merged task that a commit takes back by its own words.
type FoundRevert struct {
	Task   board.TaskID
	Commit board.ObjectID // of the task, which the words name
}

// revertWords are those with which git revert names what it takes back.
var revertWords = pattern.Late(`This reverts commit ([0-9a-f]{40}(?:[0-9a-f]{24})?)\b`)

// FindReverts returns the merged tasks that the commits between integration and a commit
// take back by their own words, and of which nothing says so yet.
func (i *Integration) FindReverts(ctx context.Context, commit board.ObjectID) ([]FoundRevert, error) {
	b, _, err := i.store.Board(ctx)
	if err != nil {
		return nil, err
	}
	undone, err := i.revertedCommits(ctx, b.Settings().Integration.Tip, commit)
	if err != nil || len(undone) == 0 {
		return nil, err
	}
	var list []FoundRevert
	for _, folder := range []board.Folder{board.Tasks, board.Archive} {
		for _, id := range b.IDs(folder) {
			t := b.Task(board.TaskID(id))
			switch {
			case t == nil || !t.Status.IsMerged() || t.Reverted != nil:
			case undone[t.Merge.Commit]:
				list = append(list, FoundRevert{t.ID, t.Merge.Commit})
			case undone[t.Submission.Commit]:
				list = append(list, FoundRevert{t.ID, t.Submission.Commit})
			}
		}
	}
	return list, b.Err()
}

// revertedCommits returns the commits that those between two commits revert. What a
// reverted revert had reverted stands again.
func (i *Integration) revertedCommits(ctx context.Context, from, to board.ObjectID) (map[board.ObjectID]bool, error) {
	out, err := i.repo.Git(ctx, "log", "--topo-order", "-z", "--format=%H%n%B", string(to), "^"+string(from), "--")
	if err != nil {
		return nil, err
	}
	undone := map[board.ObjectID]bool{}
	for _, one := range strings.Split(string(out), "\x00") { // the newest first
		id, message, _ := strings.Cut(one, "\n")
		if undone[board.ObjectID(id)] {
			continue
		}
		for _, words := range revertWords().FindAllStringSubmatch(message, -1) {
			undone[board.ObjectID(words[1])] = true
		}
	}
	return undone, nil
}

// Affected is what an adoption changes beside integration.
type Affected struct {
	Approvals []string       `json:"approvals"` // paths whose approval ends
	Tasks     []board.TaskID `json:"tasks"`     // in work, that stand on a text which changes
	Gone      []GoneText     `json:"gone,omitempty"`
}

// A GoneText is a path on which open goals or tasks stand and which is no file any more.
type GoneText struct {
	Path   string   `json:"path"`
	UsedBy []string `json:"used_by"` // ids of goals and tasks, goals first
}

// AffectedBy returns what the adoption of a commit would change.
func (i *Integration) AffectedBy(ctx context.Context, commit board.ObjectID) (Affected, error) {
	b, _, err := i.store.Board(ctx)
	if err != nil {
		return Affected{}, err
	}
	tip := b.Settings().Integration.Tip
	facts, err := i.store.Commits.Facts(ctx, flow.Query{Texts: flow.QueryTexts(b), At: commit, Onto: tip, Tip: tip})
	if err != nil {
		return Affected{}, err
	}
	var texts []board.Text
	var gone []GoneText
	users := board.TextUsers(b)
	for _, asked := range flow.QueryTexts(b) {
		fact, changed := facts.Texts[asked.Path]
		if !changed {
			continue
		}
		texts = append(texts, fact.Text)
		if doc := b.Tracked(asked.Path); fact.Blob == "" && doc != nil && doc.Blob != "" {
			gone = append(gone, GoneText{asked.Path, users[asked.Path]})
		}
	}
	approvals, tasks := board.AffectedBy(b, texts)
	return Affected{append([]string{}, approvals...), append([]board.TaskID{}, tasks...), gone}, b.Err()
}

// GoneSpecs returns the paths on which a task stands and which the board knows as no
// file on integration.
func GoneSpecs(b *board.Board, id board.TaskID) (paths []string) {
	t := b.Task(id)
	for _, ref := range append([]string{t.Spec}, t.BasedOn...) {
		path, _, _ := strings.Cut(ref, "#")
		if doc := b.Tracked(path); doc != nil && doc.Blob == "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// Accept gives the verdict of a person for texts at the integration tip. Texts that
// change while the move is made are not accepted.
func (i *Integration) Accept(ctx context.Context, paths []string, reason string) (gitstore.Result, error) {
	seen := map[string]board.ObjectID{}
	return i.mover.Move(ctx, board.ActAccept, "", func(b *board.Board) (flow.Detail, error) {
		for _, path := range paths {
			var blob board.ObjectID
			if doc := b.Tracked(path); doc != nil {
				blob = doc.Blob
			}
			if was, read := seen[path]; read && was != blob {
				return nil, &flow.Refusal{Rule: flow.RuleTip, Hint: "git liza artifact show " + shell.Quote(path),
					Reason: fmt.Sprintf("%s changed while it was accepted: it is %s now, not %s", git.Visible(path), blob.Short(), was.Short())}
			}
			seen[path] = blob
		}
		return &flow.AcceptMove{Paths: paths, Reason: reason}, nil
	})
}

// Outside returns the tip of the integration branch itself, not that of the
// board. If a remote holds the branch, it is the tip last read from there.
func (i *Integration) Outside(ctx context.Context, b *board.Board) (board.ObjectID, error) {
	remote, err := i.store.Authority(ctx)
	if err != nil {
		return "", err
	}
	if remote != "" {
		if tip, err := i.repo.Refs.Resolve(ctx, layout.RemoteRef(remote, "integration")); err != nil || tip != "" {
			return tip, err
		}
	}
	return i.repo.Refs.Direct(ctx, b.Settings().Integration.Ref())
}

// explainStray explains a merge that could not be pushed because the remote's
// integration branch was moved without git liza. Other causes are returned
// unchanged.
func (i *Integration) explainStray(ctx context.Context, cause error) error {
	remote, err := i.store.Authority(ctx)
	if err != nil || remote == "" || errors.Is(cause, errTipMoved) || errors.Is(cause, gitstore.ErrOffline) || errors.Is(cause, context.DeadlineExceeded) || errors.Is(cause, context.Canceled) || flow.IsRefused(cause) {
		return cause
	}
	b, _, err := i.store.Board(ctx)
	if err != nil {
		return cause
	}
	ref := layout.RemoteRef(remote, "integration")
	now, err := i.repo.Refs.Resolve(ctx, ref)
	tip := b.Settings().Integration
	if err != nil || now == "" || now == tip.Tip {
		return cause
	}
	return fmt.Errorf("%w: %w", gitstore.ErrForeignRef, &flow.Refusal{Rule: flow.RuleTip, Hint: i.store.Settler.RemoteStrayHint(ctx, b, remote, now),
		Reason: fmt.Sprintf("%s of %s is at %s, the board says %s", tip.Name, remote, now.Short(), tip.Tip.Short())})
}

// An Unlanded merge is on the board, but was not seen on the remote's
// integration branch. Repeating the merge looks again.
type Unlanded struct {
	Task  board.TaskID
	Cause error
}

// Error names the task and the cause.
func (u *Unlanded) Error() string {
	return fmt.Sprintf("%s is recorded as merged, but it was not seen on the remote: %v", u.Task, u.Cause)
}

// Unwrap returns the cause.
func (u *Unlanded) Unwrap() error { return u.Cause }
