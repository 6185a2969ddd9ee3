package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/flow/shell"
)

// A Request is the text of a pull request.
type Request struct {
	Title string `json:"title"`
	Body  string `json:"body"` // Markdown
}

// RequestOf is the text of a pull request for the submission of a task.
func RequestOf(t *board.Task) Request {
	var body strings.Builder
	paragraph := func(heading, text string) {
		if text = board.Clean(text); text != "" {
			fmt.Fprintf(&body, "**%s**\n\n%s\n\n", heading, text)
		}
	}
	paragraph("Done when", t.DoneWhen)
	paragraph("Scope", t.Scope)
	if t.Intent != nil {
		paragraph("What the author did", t.Intent.Summary)
		paragraph("How it was checked", t.Intent.Validation)
		paragraph("Why it has no tests", t.Intent.TestsNotNeeded)
	}
	specs := ""
	for _, spec := range append([]string{t.Spec}, t.BasedOn...) {
		if spec != "" {
			specs += "- " + plaintext.Line(spec) + "\n"
		}
	}
	paragraph("Specs", specs)
	receipts := ""
	if r := t.Submission.Receipt; r != nil {
		receipts = fmt.Sprintf("- %s: exit %d after %s, by %s\n", plaintext.Line(r.Command), r.Exit, r.Duration, r.By)
	}
	for _, line := range receiptLines(t.Submission) {
		receipts += "- " + plaintext.Line(line) + "\n"
	}
	paragraph("Receipts", receipts)
	fmt.Fprintf(&body, "Task %s of git liza, submission %d. A review counts for the commit %s alone, once somebody imports it. Merging this request is no merge of the task, which follows its verdicts.\n",
		t.ID, t.Submission.Number, t.Submission.Commit)
	return Request{string(t.ID) + ": " + plaintext.Line(t.Title), body.String()}
}

// RequestOfGoal is the text of a pull request with which people bring what was merged for
// a goal to their own branch.
func RequestOfGoal(b *board.Board, g *board.Goal) Request {
	var body strings.Builder
	fmt.Fprintf(&body, "Spec: %s\n\n**Merged**\n\n", plaintext.Line(g.Spec))
	open := 0
	for _, t := range b.Tasks() {
		switch {
		case t.Goal != g.ID:
		case t.Status.IsMerged() && t.Reverted:
			fmt.Fprintf(&body, "- %s: %s (reverted)\n", t.ID, plaintext.Line(t.Title))
		case t.Status.IsMerged():
			fmt.Fprintf(&body, "- %s: %s\n", t.ID, plaintext.Line(t.Title))
		case !t.Status.Final():
			open++
		}
	}
	if open > 0 {
		fmt.Fprintf(&body, "\n%s %s of the goal open.\n", Count(open, "task"), verb(open, "is", "are"))
	}
	fmt.Fprintf(&body, "\nGoal %s of git liza. Every task here was approved for exactly the commit that was merged.\n", g.ID)
	return Request{string(g.ID) + ": " + plaintext.Line(g.Title), body.String()}
}

// A RequestBranch is a branch on a code host that a pull request can be made of.
type RequestBranch struct {
	Host    string // "" if it is a folder
	Project string // on that host, such as owner/name
	Name    string
	Base    string // the branch that it is to be merged into, "" if the host has none
}

// Commands are the commands of the host that make a pull request of the branch, with a
// title and the text in a file, and export its reviews; "" for a host whose command is not
// known, and without a branch to merge it into.
func (b RequestBranch) Commands(title, file string) (create, export string) {
	project, name, base := b.Project, shell.Quote(b.Name), shell.Quote(b.Base)
	title, file = shell.Quote(title), shell.Quote(file)
	switch {
	case b.Base == "":
	case strings.Contains(b.Host, "github"):
		if b.Host != "github.com" {
			project = b.Host + "/" + project
		}
		return "gh pr create --repo " + project + " --base " + base + " --head " + name + " --title " + title + " --body-file " + file,
			"gh pr view " + name + " --repo " + project + " --json url,state,reviews"
	case strings.Contains(b.Host, "gitlab"):
		project = "https://" + b.Host + "/" + project
		return "glab mr create --repo " + project + " --target-branch " + base + " --source-branch " + name + " --title " + title + ` --description "$(cat ` + file + `)"`,
			"glab mr view " + name + " --repo " + project + " -F json --comments"
	}
	return "", ""
}

// A ReviewRow is a review of a code host, and what became of it.
type ReviewRow struct {
	Account string       `json:"account"`
	Review  string       `json:"review"`
	State   string       `json:"state"`
	URL     string       `json:"url"`
	Task    board.TaskID `json:"task"`
	Status  string       `json:"status"` // of the task then
	Made    string       `json:"made"`   // approve, reject or note; "" if it was left out
	Already bool         `json:"already"`
	Why     string       `json:"why"`  // it was left out, or became a note
	Hint    string       `json:"hint"` // to type
}

// result says on one line what became of a review.
func (r ReviewRow) result() string {
	text := "left out"
	if r.Made != "" {
		text = fmt.Sprintf("%s → %s", r.Task, r.Status)
		if r.Made == board.ActNote.Command() {
			text = "a note for " + string(r.Task)
		}
		if r.Already {
			text += ", already"
		}
	}
	if r.Why != "" {
		text += ": " + plaintext.Line(r.Why)
	}
	return text
}

// ReviewsText formats what became of reviews for people, and what merged pull requests are.
func ReviewsText(list []ReviewRow, merged []string, lost, width int) string {
	var rows Table
	for _, r := range list {
		rows.Add(Cut(plaintext.Line(cmp.Or(r.Account, "nobody")), 60), Cut(plaintext.Line(r.State), 20), r.result())
		if r.Hint != "" {
			rows.Add("", "", r.Hint)
		}
	}
	text := rows.WrappedText(width)
	if len(list) == 0 {
		text = "there is no review in it\n"
	}
	if slices.ContainsFunc(list, func(r ReviewRow) bool { return r.Made != "" && !r.Already }) {
		text += Wrapped("The export was taken at its word: that these reviews were given is yours.", width)
	}
	if lost > 0 {
		text += Wrapped(Count(lost, "comment")+" on lines left out: their reviews are not in the export", width)
	}
	for _, at := range merged {
		id := "TASK"
		for _, r := range list {
			if r.Task != "" && strings.HasPrefix(r.URL, at) {
				id = string(r.Task)
			}
		}
		text += Wrapped(plaintext.Line(at)+" is merged there, which is no merge here; if integration has its work: git liza adopt --tasks "+id, width)
	}
	return text
}
