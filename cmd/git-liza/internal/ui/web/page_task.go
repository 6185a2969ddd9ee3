package web

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/markdown"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A taskPage is one task: what it waits for, what it must fulfil, what was handed in and
// what was said of it.
type taskPage struct {
	Story view.Object

	Task        *board.Task
	Why         view.Why
	Questions   []*board.Question
	Spec        specText
	Submissions []view.Submission
	Earlier     int // moves of its history that are left out
	History     []view.Entry
	Changes     *diffPage // of the last submission; nil if there is none

	Answers         []questionForm  // nil without forms
	Approve, Reject *Form           // nil where the rules do not let the person
	Prior           []board.Finding // earlier blockers, of which a rejection says what became
	Note            *Form
}

// MarshalJSON writes what show --json answers with.
func (t taskPage) MarshalJSON() ([]byte, error) { return t.Story.MarshalJSON() }

// A questionForm answers a question.
type questionForm struct {
	Question *board.Question
	Form     Form
}

// glanceHistory is how many moves of a task's history its page shows.
const glanceHistory = 200

// findTask returns the reading of a page about a task, and the task.
func (v *visit) findTask() (view.Reading, *board.Task, error) {
	var id board.TaskID
	if id.UnmarshalText([]byte(v.id)) != nil {
		return view.Reading{}, nil, errNothing
	}
	r, err := v.look()
	if err != nil {
		return r, nil, err
	}
	t := r.Board.Task(id)
	if t == nil {
		err = cmp.Or(r.Board.Err(), error(&flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza list --all", Reason: "there is no task " + string(id)}))
	}
	return r, t, err
}

func showTask(v *visit) (any, error) {
	r, t, err := v.findTask()
	if err != nil {
		return nil, err
	}
	history, err := historyOf(v, t.ID)
	if err != nil {
		return nil, err
	}
	r.Asker = r.FreeAgent(board.Coder)
	page := taskPage{Story: r.Story(t, history), Task: t, Why: r.WhyOf(t), Questions: board.QuestionsAbout(r.Board, t.ID),
		Spec: v.readSpec(r, t.Spec, 1), Submissions: view.Submissions(history)}
	page.Earlier = max(0, len(history)-glanceHistory)
	page.History = history[page.Earlier:]
	if n := len(page.Submissions); n > 0 {
		if page.Changes, err = v.changesOf(t.ID, history, n, 0, 1); err != nil {
			return nil, err
		}
	}
	if v.Acts() {
		page.offer(r)
	}
	return page, r.Board.Err()
}

// offer adds the forms that the rules let the person send.
func (page *taskPage) offer(r view.Reading) {
	t := page.Task
	for _, q := range view.OpenQuestions(r.Board, t.ID) {
		page.Answers = append(page.Answers, questionForm{q, Form{Act: board.ActAnswer, Subject: string(q.ID)}})
	}
	page.Note = &Form{Act: board.ActNote, Subject: string(t.ID)}
	if t.Submission == nil || !flow.Allows(t.Status, board.ActApprove) {
		return
	}
	verdict := func(act board.Act) *Form {
		if flow.Opens(r.Board, act, t.ID, r.Person, r.Board.At()) != nil {
			return nil
		}
		return &Form{Act: act, Subject: string(t.ID), Commit: t.Submission.Commit, Texts: board.ShownTexts(r.Board, t, r.Person.By)}
	}
	page.Approve, page.Reject = verdict(board.ActApprove), verdict(board.ActReject)
	if page.Reject == nil || t.Attempt == nil || t.Attempt.Cycles == 0 {
		return
	}
	role := flow.RejectsAs(r.Board, r.Person.Move(board.ActReject, t.ID, &flow.RejectMove{Commit: t.Submission.Commit}))
	if last := t.Judgement(role).Rejection; last != nil {
		page.Prior = last.Blockers
	}
}

// A specText is a part of the text that a task is done by.
type specText struct {
	Ref   string
	Text  string        // as it stands in the file
	Shown template.HTML // as Markdown; "" of a later part
	From  int           // the number of its first line in the section
	Next  int           // of the line after it, 0 if that was all
	Wrong string        // why there is none
}

// readSpec returns the section that a spec names, as integration has it, from a line on.
func (v *visit) readSpec(r view.Reading, ref string, from int) specText {
	spec := specText{Ref: ref, From: from}
	path, anchor, _ := strings.Cut(ref, "#")
	text, err := v.readFile(r.Board.Settings().Integration.Tip, path)
	if err == nil && anchor != "" {
		part, _, found := markdown.Section(text, anchor)
		if text = part; !found {
			err = fmt.Errorf("%s has no heading #%s", path, anchor)
		}
	}
	if err != nil {
		spec.Wrong = err.Error()
		return spec
	}
	spec.Text, spec.Next = firstLines(text, from)
	if from == 1 {
		if spec.Shown, err = renderMarkdown(spec.Text); err != nil {
			spec.Wrong = err.Error()
		}
	}
	return spec
}

// largestFile is how many bytes of a file are shown.
const largestFile = 1 << 20

// readFile returns a file as a commit has it.
func (v *visit) readFile(commit board.ObjectID, path string) (string, error) {
	repo := v.server.Clone.Repo
	blob, err := repo.BlobAt(v.request.Context(), commit, path)
	if err == nil && blob == "" {
		err = errors.New("integration has no " + path)
	}
	if err != nil {
		return "", err
	}
	text, err := repo.Objects(v.request.Context()).ReadKind(blob, "blob", largestFile)
	if large, is := errors.AsType[*git.TooLarge](err); is {
		err = fmt.Errorf("%s has %d bytes, too many for a page", path, large.Size)
	}
	return string(text), err
}

// showSpec shows the spec of a task from a line on, as it stands in the file.
func showSpec(v *visit) (any, error) {
	r, t, err := v.findTask()
	if err != nil {
		return nil, err
	}
	from, _ := strconv.Atoi(v.query.Get("from"))
	return v.readSpec(r, t.Spec, max(1, from)), r.Board.Err()
}
