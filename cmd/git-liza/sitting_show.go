package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// show prints what the person needs for a verdict, in the pager: the task, how its texts
// have changed, what is new since the person's last verdict, and the diff. Files that the
// person has seen so before are left out unless all is true. The task stands above the
// question for the verdict, too.
func (s *sitting) show(all bool) error {
	base, commit := s.got.Base, s.got.Commit
	if err := s.clone.Store.Mirror.BringCommits(s.ctx, s.got.Task, commit, base); err != nil {
		return err
	}
	l, err := s.look()
	if err != nil {
		return err
	}
	changed, texts, err := s.changedTexts(l)
	if err != nil {
		return err
	}
	since, err := s.sinceLastVerdict()
	if err != nil {
		return err
	}
	files, err := s.clone.Repo.Changes(s.ctx, base, commit)
	if err != nil {
		return err
	}
	seen := s.seen()
	judged, err := s.judgedBefore()
	if err != nil {
		return err
	}
	args := []string{string(base), string(commit), "--"}
	left := lists.Where(files, func(file git.Change) bool {
		id, known := seen[file.Path]
		return known && id == file.New && slices.Contains(judged, file) && !all
	})
	if len(left) == len(files) || len(left) > work.MaxPaths {
		left = nil // then there would be nothing to look at, or git takes no more words
	}
	args = append(args, lists.Of(left, func(file git.Change) string { return ":(top,exclude,literal)" + file.Path })...)
	out, err := s.clone.Repo.Differ.Diff(s.ctx, args...)
	if err != nil {
		return err
	}
	head := l.reading.ReviewText(s.task, changed, s.width())
	if len(left) > 0 {
		head += fmt.Sprintf("  left out of the diff, seen before: %s; d shows all\n", view.Count(len(left), "file"))
	}
	document := view.PatchText(texts+since+string(out), s.color)
	if !(pager{s.invocation}).show(head + "\n" + document) {
		if err := s.answer("", nil, document); err != nil {
			return err
		}
	}
	if err := s.answer("", nil, head); err != nil { // what the pager showed is gone
		return err
	}
	for _, file := range files {
		seen[file.Path] = file.New
	}
	return git.ReplaceJSON(s.viewed(), seen)
}

// changedTexts returns the paths of the task's texts that differ from those with which it
// was planned, and how.
func (s *sitting) changedTexts(l look) (paths []string, diff string, err error) {
	if len(s.history) == 0 {
		return nil, "", nil
	}
	then, err := l.clone.Store.BoardAt(s.history[0].State)
	if err != nil {
		return nil, "", err
	}
	was, is := then.Settings().Integration.Tip, l.reading.Board.Settings().Integration.Tip
	for _, ref := range append([]string{s.task.Spec}, s.task.BasedOn...) {
		path, _, _ := strings.Cut(ref, "#")
		out, err := s.clone.Repo.Differ.Diff(s.ctx, string(was), string(is), "--", ":(top,literal)"+path)
		if err != nil {
			return nil, "", err
		}
		if len(out) > 0 {
			paths = append(paths, path)
			diff += string(out)
		}
	}
	if diff != "" {
		diff = "What changed in the specs since " + string(s.got.Task) + " was planned:\n\n" + diff + "\n"
	}
	return paths, diff, l.reading.Board.Err()
}

// lastJudged returns the submission that this person judged last. found is false if there
// is none.
func (s *sitting) lastJudged() (old view.Submission, found bool, err error) {
	n := view.JudgedBefore(s.history, s.clone.By)
	if n == 0 {
		return old, false, nil
	}
	old = view.Submissions(s.history)[n-1]
	if !view.HasJudged(s.history, s.clone.By, old.Commit) {
		return old, false, nil
	}
	return old, true, s.clone.Store.Mirror.BringCommits(s.ctx, s.got.Task, old.Commit, old.Base)
}

// judgedBefore returns the changes of the submission that this person judged last. What
// [sitting.seen] says counts only for these: the file can be written by agents, too.
func (s *sitting) judgedBefore() ([]git.Change, error) {
	old, found, err := s.lastJudged()
	if !found || err != nil {
		return nil, err
	}
	return s.clone.Repo.Changes(s.ctx, old.Base, old.Commit)
}

// sinceLastVerdict returns the range-diff from the submission that this person judged
// last, "" if there is none.
func (s *sitting) sinceLastVerdict() (string, error) {
	old, found, err := s.lastJudged()
	if !found || err != nil {
		return "", err
	}
	list := view.Submissions(s.history)
	now := list[len(list)-1]
	out, err := rangeDiff(s.invocation, s.clone.Repo, old, now)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("What changed since your verdict on %s:\n\n%s\n", old.Commit.Short(), out), nil
}

// showSpec shows the file of the task's spec.
func (s *sitting) showSpec() error {
	l, err := s.look()
	if err != nil {
		return err
	}
	path, _, _ := strings.Cut(s.task.Spec, "#")
	out, err := s.clone.Repo.Git(s.ctx, "cat-file", "blob", string(l.reading.Board.Settings().Integration.Tip)+":"+path)
	if err != nil {
		return err
	}
	return pager{s.invocation}.present(nil, view.PatchText(string(out), false))
}

// viewed is the file that says which files of the task's submissions this person has
// seen, by their blobs.
func (s *sitting) viewed() string {
	return privateFile(s.clone.Repo, "viewed", filepath.Base(s.findings().path()))
}

// seen returns which blobs were shown, by path. It may be deleted at any time.
func (s *sitting) seen() map[string]board.ObjectID {
	if seen, err := git.ReadJSON[map[string]board.ObjectID](s.viewed()); err == nil && seen != nil {
		return seen
	}
	return map[string]board.ObjectID{}
}
