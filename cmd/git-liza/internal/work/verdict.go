package work

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// SubmittedCommit returns the full id of the commit that a verdict names: given, if it is
// one; the submitted commit of which given is the only abbreviation; and if given is "",
// what is checked out in the checkout of the task's review that the command runs in.
// named is false if it is "" elsewhere. Another id of full length is returned as it is,
// and the rules refuse it.
func (c *Clone) SubmittedCommit(ctx context.Context, id board.TaskID, given string) (commit board.ObjectID, named bool, err error) {
	given = strings.TrimSpace(given)
	if given == "" {
		at, _, review := board.ParseFolder(worktrees.NameOf(c.Repo))
		if at != id || review == "" {
			return "", false, nil
		}
		commit, err = ParseCommit(ctx, c, "HEAD")
		return commit, true, err
	}
	b, _, err := c.Store.Board(ctx)
	if err != nil {
		return "", true, err
	}
	t := b.Task(id)
	short := strings.ToLower(given)
	if t == nil || t.Submission == nil || len(given) == len(t.Submission.Commit) {
		return board.ObjectID(given), true, b.Err()
	}
	if !abbreviation().MatchString(short) {
		return "", true, &flow.Refusal{Rule: flow.RuleCommit, Hint: "git liza show " + string(id) + " --patch",
			Reason: fmt.Sprintf("%s submitted %s, and %q is neither that id nor its first digits, at least four", id, t.Submission.Commit, board.Excerpt(given, 80))}
	}
	meant := strings.HasPrefix(string(t.Submission.Commit), short)
	switch found, err := ParseCommit(ctx, c, short); {
	case err == nil && strings.HasPrefix(string(found), short):
		return found, true, nil
	case meant && err != nil && !isAmbiguous(ctx, c.Repo, short):
		return t.Submission.Commit, true, nil // it is not here
	}
	return board.ObjectID(given), true, nil
}

// abbreviation is the form of the beginning of an object id, as short as git takes it.
var abbreviation = pattern.Late(`^[0-9a-f]{4,63}$`)

// isAmbiguous reports whether several objects begin so.
func isAmbiguous(ctx context.Context, repo *git.Repo, short string) bool {
	out, err := repo.Git(ctx, "rev-parse", "--disambiguate="+short)
	return err != nil || strings.Count(string(out), "\n") > 1
}

// mostNewer bounds the lines about what a newer submission changed.
const mostNewer = 20

// explainNewer adds to the refusal of a verdict on an earlier commit what was changed
// since.
func (c *Clone) explainNewer(ctx context.Context, id board.TaskID, detail flow.Detail, err error) error {
	var named board.ObjectID
	switch d := detail.(type) {
	case *flow.ApproveMove:
		named = d.Commit
	case *flow.RejectMove:
		named = d.Commit
	}
	refusal, is := errors.AsType[*flow.Refusal](err)
	if !is || refusal.Rule != flow.RuleCommit {
		return err
	}
	b, _, failed := c.Store.Board(ctx)
	if failed != nil || b.Task(id) == nil || b.Task(id).Submission == nil {
		return err
	}
	now := b.Task(id).Submission.Commit
	old, failed := ParseCommit(ctx, c, string(named))
	if failed != nil || old != named || c.Store.Mirror.BringCommits(ctx, id, now) != nil {
		return err
	}
	out, failed := c.Repo.Differ.Diff(ctx, "--stat=72", string(old), string(now), "--")
	if failed != nil || len(out) == 0 {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if n := len(lines); n > mostNewer {
		lines = append(lines[:mostNewer-1:mostNewer-1], lines[n-1])
	}
	found := *refusal
	found.Reason += fmt.Sprintf("; from %s to %s:\n%s", old.Short(), now.Short(), strings.Join(lines, "\n"))
	return &found
}

// filesOf are the files that findings name, each once.
func filesOf(list []board.Finding) []string {
	files := slices.Sorted(maps.Keys(lists.Set(list, func(one board.Finding) string { return one.File })))
	return slices.DeleteFunc(files, func(file string) bool { return file == "" })
}

// CheckPlaces refuses findings that name a line which neither the submission nor its base
// has.
func (c *Clone) CheckPlaces(ctx context.Context, t *board.Task, f board.Feedback) error {
	all := slices.Concat(f.Blockers, f.Concerns)
	files := filesOf(all)
	if len(files) == 0 {
		return nil
	}
	if err := c.Store.Mirror.BringCommits(ctx, t.ID, t.Submission.Commit, t.Submission.Base); err != nil {
		return err
	}
	lines := map[string]int{}
	for _, commit := range []board.ObjectID{t.Submission.Commit, t.Submission.Base} {
		facts, err := c.Store.Commits.Facts(ctx, flow.Query{Submission: commit, Lines: files})
		if err != nil {
			return err
		}
		for _, file := range files {
			if was, read := lines[file]; !read || was < 0 {
				n, found := facts.Lines[file]
				if !found {
					n = -1
				}
				lines[file] = n
			}
		}
	}
	for _, one := range all {
		if one.File != "" && one.Line > lines[one.File] || one.File != "" && lines[one.File] < 0 {
			return &flow.Refusal{Rule: flow.RuleFinding, Hint: "git liza show " + string(t.ID) + " --patch",
				Reason: fmt.Sprintf("there is no %s:%d in %s: the finding says %q", git.Visible(one.File), one.Line, t.Submission.Commit.Short(), board.Excerpt(one.Issue, 80))}
		}
	}
	return nil
}

// isWithin reports whether a folder is another one or below it.
func isWithin(dir, folder string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return false
	}
	rel, err := filepath.Rel(folder, dir)
	return err == nil && filepath.IsLocal(rel)
}
