package web

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view/patch"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// A diffPage is what a submission changes, or what changed from one to another, with the
// findings at their lines.
type diffPage struct {
	Task   board.TaskID   `json:"task"`
	Number int            `json:"number"` // of the submission
	Since  int            `json:"since"`  // of the one that it is compared with, 0: with its base
	From   board.ObjectID `json:"from"`
	To     board.ObjectID `json:"to"`
	Patch  string         `json:"patch"`
	Cut    string         `json:"cut"` // the command that shows all, "" if this is all

	Files   []diffFile `json:"-"`
	Changed int        `json:"-"` // how many files the patch changes
	Added   int        `json:"-"`
	Gone    int        `json:"-"`
	Line    int        `json:"-"` // the first line of the patch that is shown
	Next    int        `json:"-"` // the line after the last one, 0 if that was all
	Loose   []remark   `json:"-"` // findings on no file of the patch
}

// mostPatch bounds what is read of a patch for a page, in bytes.
const mostPatch = 4 << 20

// A diffFile is one file of a patch.
type diffFile struct {
	patch.File
	Remarks []remark // on the file, or on lines that the patch does not show
	Rows    []diffRow
}

// A diffRow is a line of a patch with the findings on it.
type diffRow struct {
	patch.Line
	Remarks []remark
}

// A remark is a finding of a reviewer.
type remark struct {
	board.Finding
	Kind string // blocker or concern
	By   board.Actor
}

// Place is where the finding is, "" if it is about the whole submission.
func (r remark) Place() string {
	if r.File == "" || r.Line == 0 {
		return r.File
	}
	return r.File + ":" + strconv.Itoa(r.Line)
}

func showDiff(v *visit) (any, error) {
	r, t, err := v.findTask()
	if err != nil {
		return nil, err
	}
	history, err := historyOf(v, t.ID)
	if err != nil {
		return nil, err
	}
	query := v.query
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(query.Get(name)); err == nil && n > 0 {
			return n
		}
		return otherwise
	}
	page, err := v.changesOf(t.ID, history, number("n", len(view.Submissions(history))), number("since", 0), number("line", 1))
	if err == nil {
		err = r.Board.Err()
	}
	return page, err
}

// changesOf returns what submission n changes, since another one if that is not 0, from a
// line of the patch on.
func (v *visit) changesOf(id board.TaskID, history []view.Entry, n, since, line int) (*diffPage, error) {
	list := view.Submissions(history)
	if n < 1 || n > len(list) || since > len(list) {
		return nil, &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza show " + string(id),
			Reason: fmt.Sprintf("%s has %s, none of them has the number asked for", id, view.Count(len(list), "submission"))}
	}
	c, to := v.reader.clone, list[n-1]
	page := &diffPage{Task: id, Number: n, Since: since, From: to.Base, To: to.Commit, Line: line}
	pairs := [][2]board.ObjectID{{to.Base, to.Commit}}
	if since > 0 {
		page.From = list[since-1].Commit
		pairs = append(pairs, [2]board.ObjectID{list[since-1].Base, list[since-1].Commit})
	}
	for _, pair := range pairs {
		if err := c.Store.Mirror.BringCommits(v.request.Context(), id, pair[0], pair[1]); err != nil {
			return nil, err
		}
	}
	args := []string{string(page.From), string(page.To), "--"}
	if since > 0 {
		paths, err := work.PathsOf(v.request.Context(), c.Repo, pairs...)
		if err != nil {
			return nil, err
		}
		args = append(args, paths...)
	}
	out, cut, err := c.Repo.Differ.DiffStart(v.request.Context(), mostPatch, args...)
	if cut { // at the end of a line
		out = out[:bytes.LastIndexByte(out, '\n')+1]
		page.Cut = fmt.Sprintf("git liza show %s --patch %d", id, n)
		if since > 0 {
			page.Cut = fmt.Sprintf("git liza show %s --interdiff %d %d", id, since, n)
		}
	}
	page.Patch = string(out)
	page.place(remarksOn(history, to.Commit))
	return page, err
}

// remarksOn returns the findings on a commit in a task's history.
func remarksOn(history []view.Entry, commit board.ObjectID) (list []remark) {
	for _, e := range history {
		d, ok := e.Move.Detail.(*flow.RejectMove)
		if !ok || d.Commit != commit {
			continue
		}
		for _, f := range d.Feedback.Blockers {
			list = append(list, remark{f, "blocker", e.Move.By})
		}
		for _, f := range d.Feedback.Concerns {
			list = append(list, remark{f, "concern", e.Move.By})
		}
	}
	return list
}

// place fills the files of the page with the part of the patch that is shown, and puts
// each finding at its line, at the head of its file, or before all files.
func (page *diffPage) place(remarks []remark) {
	at, shown := 0, 0
	files := patch.Parse(page.Patch)
	page.Changed = len(files)
	for _, f := range files {
		page.Added, page.Gone = page.Added+f.Added, page.Gone+f.Gone
	}
	for _, f := range files {
		file := diffFile{File: f}
		var own []remark
		own, remarks = splitRemarks(remarks, func(r remark) bool { return r.File == f.Path })
		for _, l := range f.Lines {
			if at++; at < page.Line {
				continue
			}
			if shown == mostLines {
				page.Next = at
				break
			}
			shown++
			row := diffRow{Line: l}
			row.Remarks, own = splitRemarks(own, func(r remark) bool { return r.Line == l.New && r.Line > 0 })
			file.Rows = append(file.Rows, row)
		}
		file.Remarks = own
		if len(file.Rows) > 0 || page.Line == 1 {
			page.Files = append(page.Files, file)
		}
		if page.Next > 0 {
			break
		}
	}
	page.Loose = remarks
}

// splitRemarks parts the findings of a place from the others.
func splitRemarks(list []remark, isThere func(remark) bool) (own, rest []remark) {
	for _, r := range list {
		if isThere(r) {
			own = append(own, r)
		} else {
			rest = append(rest, r)
		}
	}
	return own, rest
}
