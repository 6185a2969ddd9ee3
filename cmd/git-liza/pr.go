package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/codehost"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/secret"
)

type prCommands struct {
	Push   prPushCommand   `cmd:"" help:"Push a submission, or what was merged for a goal, as the branch of a pull request, and say how to make it."`
	Import prImportCommand `cmd:"" help:"Take verdicts from the reviews that a code host's command exports as JSON."`
}

type prPushCommand struct {
	ID   board.TaskID `arg:"" optional:"" name:"task" help:"The task whose submission is pushed."`
	Goal whichGoal    `placeholder:"[G]" help:"In place of a task: the integration branch, for people to merge what was done for a goal, the current one without G."`
}

// whichGoal is the value of a flag with an optional goal.
type whichGoal struct {
	given bool
	id    board.GoalID
}

// Decode takes the next word if it is no flag.
func (w *whichGoal) Decode(ctx *kong.DecodeContext) error {
	w.given = true
	word, ok := ctx.Scan.Peek().Value.(string)
	if ctx.Scan.Peek().IsEOL() || !ok || strings.HasPrefix(word, "-") {
		return nil
	}
	ctx.Scan.Pop()
	return w.id.UnmarshalText([]byte(word))
}

func (c *prPushCommand) Run(inv *invocation) error {
	if (c.ID == "") != c.Goal.given {
		return usagef("git liza help pr push", "name a task, or a goal with --goal")
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	b, tip, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return err
	}
	var pushed work.Requested
	var text view.Request
	if c.ID != "" {
		t, lookErr := lookOf(clone, b, tip).task(c.ID)
		switch {
		case lookErr != nil:
			return lookErr
		case t.Submission == nil:
			return &flow.Refusal{Rule: flow.RuleState, Hint: "git liza show " + string(c.ID), Reason: string(c.ID) + " has no submission to be reviewed"}
		}
		text = view.RequestOf(t)
		pushed, err = work.PushSubmission(inv.ctx, clone, t)
	} else {
		c.Goal.id = cmp.Or(c.Goal.id, clone.Usual, b.Settings().Goal)
		if err := checkGoal(b, c.Goal.id); err != nil {
			return err
		}
		if failed := flow.FailedLevel(b, c.Goal.id); failed != nil {
			return failed
		}
		text = view.RequestOfGoal(b, b.Goal(c.Goal.id))
		pushed, err = work.PushIntegration(inv.ctx, clone, b)
	}
	if err = errors.Join(err, b.Err()); err != nil {
		return err
	}
	mask := secret.New(inv.environ)
	return c.answer(inv, clone, pushed, view.Request{Title: mask.String(text.Title), Body: mask.String(text.Body)})
}

// answer says what was pushed, and the commands that make and export the request.
func (c *prPushCommand) answer(inv *invocation, clone *work.Clone, p work.Requested, text view.Request) error {
	file, err := work.WriteRequest(clone, p.Branch, text.Body)
	if err != nil {
		return err
	}
	create, export := view.RequestBranch{Host: p.Host, Project: p.Project, Name: p.Branch, Base: p.Base}.Commands(text.Title, file)
	data := map[string]any{"task": c.ID, "goal": c.Goal.id, "remote": p.Remote, "branch": p.Branch, "base": p.Base, "commit": p.Commit,
		"title": text.Title, "body": text.Body, "file": file, "command": create, "export": export}
	branch := fmt.Sprintf("%s of %s at %s", p.Branch, p.Remote, p.Commit.Short())
	if p.Base != "" {
		branch += ", for " + plaintext.Line(p.Base)
	}
	var rows view.Table
	rows.Add("branch", branch)
	rows.Add("title", text.Title)
	rows.Add("text", file)
	said := rows.WrappedText(inv.width())
	switch remote := plaintext.Line(p.Remote); {
	case p.Base == "":
		said += remote + " has no branch yet that it could be merged into: git push " + shell.Quote(remote) + " BRANCH\n"
	case create == "":
		said += "no command is known that makes a pull request at " + remote + ": make it there, of this branch\n"
	default:
		said += "next: " + create + "\n"
		if c.ID != "" {
			said += "then: " + export + " | git liza pr import -\n"
		}
	}
	return inv.result(gitstore.Result{Already: p.Already}, data, "%s", said)
}

type prImportCommand struct {
	File string     `arg:"" help:"The export; - for standard input."`
	Role board.Role `placeholder:"ROLE" help:"For whom the reviews judge; default: human, where its verdict is missing, else all that remain and take people."`
}

func (c *prImportCommand) Run(inv *invocation) error {
	data, err := inv.readInput(c.File)
	if err != nil {
		return err
	}
	if len(data) > gitstore.MaxMove {
		return usagef("git liza help pr import", "the export is longer than %d bytes: leave out the requests of other tasks", gitstore.MaxMove)
	}
	export, err := codehost.Read(data)
	if err != nil {
		return usagef("git liza help pr import", "%s", plaintext.Line(err.Error()))
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	list, err := work.ImportReviews(inv.ctx, clone, export, c.Role)
	if list == nil && err != nil {
		return err
	}
	return c.report(inv, clone, export, list, err)
}

// report says what became of the reviews. It fails with the first refusal, if the rules
// refused one, and with what ended the import.
func (c *prImportCommand) report(inv *invocation, clone *work.Clone, x codehost.Export, list []work.Imported, ended error) error {
	rows, changed := []view.ReviewRow{}, false
	for _, one := range list {
		row := view.ReviewRow{Account: one.Account, Review: one.ID, State: one.State, URL: one.URL, Task: one.Task, Already: one.Already, Why: one.Why}
		if one.Task != "" {
			row.Status = one.Status.String()
		}
		if one.Made != 0 {
			row.Made = one.Made.Command()
			changed = changed || !one.Already
		}
		switch {
		case one.Refusal != nil:
			row.Hint = one.Refusal.Hint
			if ended == nil {
				ended = one.Refusal
			}
		case one.State == codehost.Approved && one.Commit == "" && one.Task != "":
			row.Hint = "git liza approve " + string(one.Task) + " --commit " + shell.Quote(one.Head) + " --for " + shell.Quote(one.Account) + " --review " + shell.Quote(one.ID) + " --url " + shell.Quote(one.URL)
		}
		rows = append(rows, row)
	}
	if b, _, err := clone.Store.Board(inv.ctx); err == nil && changed && len(b.Principals().List) == 0 {
		inv.progress("warning: the board has no principals: nobody checks who these accounts are, nor that they did not code this")
	}
	data := map[string]any{"reviews": rows, "merged": append([]string{}, x.Merged...), "lost": x.Lost}
	text := view.ReviewsText(rows, x.Merged, x.Lost, inv.width())
	if ended == nil {
		return inv.result(gitstore.Result{Already: !changed}, data, "%s", text)
	}
	return inv.partly(classify(ended), data, text)
}
