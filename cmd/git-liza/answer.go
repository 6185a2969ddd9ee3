package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

type answerCommand struct {
	About      taskOrRecord `arg:"" optional:"" name:"task|question" help:"A question, or a task that asks one; default: every open question."`
	Text       *string      `arg:"" optional:"" help:"The answer; - for standard input; default: from your editor."`
	Unblock    bool         `help:"After the last answer, send the task back to work."`
	KeepBranch bool         `help:"With --unblock: the next claim continues the saved branch."`
}

func (c *answerCommand) Run(inv *invocation) error {
	if c.KeepBranch && !c.Unblock {
		return usagef("git liza help answer", "--keep-branch goes with --unblock")
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	b, tip, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return err
	}
	a := &answering{c, inv, clone, lookOf(clone, b, tip)}
	open, err := a.find()
	if err != nil {
		return err
	}
	d := openDialog(inv)
	one := c.About.record != "" || len(open) == 1 && c.About.task != ""
	switch {
	case c.Text != nil && one:
		text, err := inv.text(*c.Text)
		if err != nil {
			return err
		}
		return a.answer(nil, open[0], text)
	case c.Text == nil && one:
		return a.edit(d, open[0])
	case c.Text == nil && d != nil:
		return a.goThrough(d, open)
	case c.About.task != "":
		return &usageError{fmt.Sprintf("%s asks %d questions: answer each by its id", c.About.task, len(open)), "git liza record list questions --task " + string(c.About.task)}
	}
	return a.list()
}

// answering answers questions of a board.
type answering struct {
	*answerCommand
	inv   *invocation
	clone *work.Clone
	look  look
}

// find returns the open questions that the command line is about. It refuses a
// question that is closed and a task that asks none.
func (a *answering) find() ([]*board.Question, error) {
	b := a.look.reading.Board
	load := func(id board.RecordID) *board.Question {
		q, _ := b.Load(board.Key{Folder: board.Questions, ID: string(id)}).(*board.Question)
		return q
	}
	switch id := a.About.task; {
	case a.About.record != "":
		q := load(a.About.record)
		if q == nil { // the rules say so
			q = &board.Question{ID: a.About.record}
		}
		if a.Text != nil {
			return []*board.Question{q}, nil
		}
		if refusal := flow.CheckOpen(b, q.ID); refusal != nil {
			return nil, refusal
		}
		return []*board.Question{q}, b.Err()
	case id != "":
		t, err := a.look.task(id)
		if err != nil {
			return nil, err
		}
		open := view.OpenQuestions(b, id)
		if len(open) == 0 {
			hint := "git liza show " + string(id)
			if t.Block != nil && flow.Opens(b, board.ActUnblock, id, a.clone.Caller, a.look.reading.At) == nil {
				hint = "git liza task unblock " + string(id)
			}
			return nil, &flow.Refusal{Rule: flow.RuleNotFound, Reason: "no question of " + string(id) + " is open", Hint: hint}
		}
		return open, b.Err()
	}
	if a.Text != nil {
		return nil, usagef("git liza help answer", "the text answers no question: name one")
	}
	records := view.RecordFilter{Kind: "question"}.Records(a.look.reading)
	return lists.Of(records, func(one view.Record) *board.Question { return load(one.ID) }), b.Err()
}

// list prints the open questions, each with the command that answers it.
func (a *answering) list() error {
	list := view.RecordFilter{Kind: "question"}.Records(a.look.reading)
	if len(list) == 0 {
		a.inv.progress("no question is open")
	}
	return a.inv.answer("", map[string]any{"questions": view.RecordsValue(list)}, view.RecordsText(list, a.look.reading.At, a.inv.width()))
}

// goThrough asks the person at the terminal for the answers, one after the other.
func (a *answering) goThrough(d *dialog, open []*board.Question) error {
	if len(open) == 0 {
		return a.list()
	}
	if d.marksPastes() {
		fmt.Fprintln(a.inv.stderr, "A pasted text of several lines is one answer; Enter ends it.")
	}
	for i, q := range open {
		fmt.Fprintf(a.inv.stderr, "\n(%d of %d) %s", i+1, len(open), view.QuestionText(a.look.reading, q, a.inv.width()))
		line, err := d.askText("Answer (Enter: later, e: in your editor, q: quit):", "e takes them in your editor")
		switch {
		case errors.Is(err, io.EOF) || line == "q" && err == nil:
			return nil
		case err != nil:
			return err
		case line == "":
			continue
		case line == "e":
			err = a.edit(d, q)
		default:
			err = a.answer(d, q, line)
		}
		if a.inv.ctx.Err() != nil {
			return err
		}
		if err != nil {
			a.inv.fail(err) // somebody else may have answered it; the others still wait
		}
	}
	return nil
}

// edit answers a question with what the user writes in their editor.
func (a *answering) edit(d *dialog, q *board.Question) error {
	id := string(q.ID)
	return draft{
		command: "answer", ending: ".md", notes: "The answer stands above; these lines are left out of it.\n\n" + view.QuestionText(a.look.reading, q, 0),
		otherwise: "type the answer: git liza answer " + id + " TEXT", again: "git liza answer " + id + " - <",
	}.edit(a.inv, a.clone.Repo, func(text []byte) error { return a.answer(d, q, strings.TrimSpace(string(text))) })
}

// answer answers a question. After the last one of a task it sends the task back
// to work if the command line or the person in the dialog says so; the dialog may
// be nil.
func (a *answering) answer(d *dialog, q *board.Question, text string) error {
	r, err := a.clone.Make(a.inv.ctx, board.ActAnswer, "", &flow.AnswerMove{Question: q.ID, Text: text})
	if err != nil {
		return err
	}
	q, _ = r.After.Load(board.Key{Folder: board.Questions, ID: string(q.ID)}).(*board.Question)
	t := r.After.Task(q.Task)
	open := len(view.OpenQuestions(r.After, t.ID))
	data := map[string]any{"question": q.ID, "task": t.ID, "open": open, "status": t.Status}
	said := fmt.Sprintf("%s of %s answered", q.ID, t.ID)
	if open > 0 || t.Block == nil {
		if open > 0 {
			said += fmt.Sprintf(", %d of its questions left", open)
		} else if before := r.Before.Task(t.ID); before != nil && before.Block != nil {
			data["returned"] = t.Status
			said += " → " + t.Status.String()
		}
		return a.inv.result(r, data, "%s", said)
	}
	stuck := flow.Opens(r.After, board.ActUnblock, t.ID, a.clone.Caller, a.clone.Store.Now())
	unblock, keep := a.Unblock, a.KeepBranch
	if !unblock && stuck == nil && d != nil {
		if unblock, keep, err = d.goOn(said, t); err != nil {
			return err
		}
		if unblock {
			said = ""
		}
	}
	switch {
	case unblock:
		return a.unblock(t.ID, keep, data, said)
	case stuck != nil:
		return a.inv.result(r, data, "%s; %s: %s", said, stuck.Reason, stuck.Hint)
	}
	return a.inv.result(r, data, "%s, it can go on: git liza task unblock %s", said, t.ID)
}

// goOn asks whether a task whose questions are answered goes back to work, and
// whether its branch is continued. Later is the answer if there is none.
func (d *dialog) goOn(said string, t *board.Task) (unblock, keep bool, err error) {
	question := said + "\nsend it back to work? [y]es, [N]ot yet"
	if t.Attempt != nil {
		question = said + "\nsend it back to work? [k]eep its branch, [y]es and start anew, [N]ot yet"
	}
	line, err := d.ask(question)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	line = strings.ToLower(line)
	keep = t.Attempt != nil && line == "k"
	return keep || line == "y" || line == "yes", keep, err
}

// unblock sends a task back to work after the answer to its last question. The
// answer stands if that fails.
func (a *answering) unblock(id board.TaskID, keep bool, data map[string]any, said string) error {
	r, err := unblockTask(a.inv, a.clone, id, keep)
	if err != nil {
		f := classify(err)
		f.code, f.outcome, f.reason = exitFailed, "changed", fmt.Sprintf("%v is answered, and %s is still blocked: %s", data["question"], id, f.reason)
		return &partial{f, data}
	}
	t := r.After.Task(id)
	data["status"] = t.Status
	return a.inv.result(r, data, "%s", strings.TrimSpace(fmt.Sprintf("%s\n%s unblocked → %s", said, id, t.Status)))
}

// An answerTool is an answer without a terminal.
type answerTool struct {
	Question board.RecordID `arg:"" help:"The question, as show names it."`
	Text     string         `arg:"" help:"The answer."`
}

// Run answers.
func (c *answerTool) Run(inv *invocation) error {
	return (&answerCommand{About: taskOrRecord{record: c.Question}, Text: &c.Text}).Run(inv)
}
