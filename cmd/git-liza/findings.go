package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// findings are what a person writes about a submission in the editor. They are kept in
// one file of this clone until they are sent.
type findings struct {
	clone *work.Clone
	id    board.TaskID
	move  flow.RejectMove // without its feedback
}

// path is the file in which this person's findings on the task are kept.
func (f findings) path() string {
	by := strings.ReplaceAll(string(f.clone.By), ":", "-")
	return privateFile(f.clone.Repo, "findings", string(f.id)+"@"+by+".txt")
}

// kept returns the findings that were written and not sent, without comments.
func (f findings) kept(inv *invocation) string {
	text, err := git.ReadSmall(f.path())
	if err != nil {
		return ""
	}
	out, err := f.clone.Repo.Run(inv.ctx, git.Cmd{Args: []string{"stripspace", "--strip-comments"}, Stdin: text})
	if err != nil {
		return string(text)
	}
	return string(out)
}

// drop forgets the findings.
func (f findings) drop() { _ = os.Remove(f.path()) }

// edit lets the person write the findings, and rejects the submission with them. start is
// what the text begins with beside the kept findings.
func (f findings) edit(inv *invocation, start string) error {
	return f.write(inv, start, func(said board.Feedback, changed bool) error {
		if err := f.confirm(inv, changed); err != nil {
			return err
		}
		m := f.move
		m.Feedback = said
		return reject(inv, f.clone, f.id, m)
	})
}

// confirm asks on a terminal before kept findings are sent that were left unchanged: an
// editor that is left with :q! ends as one in which all was well.
func (f findings) confirm(inv *invocation, changed bool) error {
	d := openDialog(inv)
	if changed || d == nil {
		return nil
	}
	yes, err := d.confirm("nothing was changed: send the findings as they were kept?")
	if err == nil && !yes {
		err = &partial{failure{code: exitFailed, outcome: "failed", rule: flow.RuleEditor, hint: f.again(),
			reason: "nothing was sent: " + string(f.id) + " is as it was"}, nil}
	}
	return err
}

// again is the command that goes on with the kept findings.
func (f findings) again() string {
	command := "git liza reject " + string(f.id) + " --commit " + string(f.move.Commit) + " -e"
	if v := f.move.For; v != nil {
		command += " --for " + shell.Quote(v.Account) + " --review " + shell.Quote(v.Review) + " --url " + shell.Quote(v.URL)
	}
	return command
}

// errKeep keeps findings that are in order for later.
var errKeep = errors.New("the findings are kept")

// write lets the person write the findings, and hands them to take, with whether kept ones
// were changed. It refuses those at lines that are not there, and a text that says
// nothing. What is not taken stays kept.
func (f findings) write(inv *invocation, start string, take func(said board.Feedback, changed bool) error) error {
	b, _, err := f.clone.Store.Board(inv.ctx)
	if err != nil {
		return err
	}
	if refusal := flow.Opens(b, board.ActReject, f.id, f.clone.Caller, b.At()); refusal != nil {
		return refusal
	}
	t := b.Task(f.id)
	if now := t.Submission.Commit; now != f.move.Commit {
		return &flow.Refusal{Rule: flow.RuleCommit, Hint: "git liza show " + string(f.id) + " --patch",
			Reason: fmt.Sprintf("%s submitted %s, the verdict names %s", f.id, now, board.Excerpt(string(f.move.Commit), 80))}
	}
	last := f.last(b, t)
	diff, err := f.diff(inv, t)
	if err != nil {
		return err
	}
	unlock, err := f.lock()
	if err != nil {
		return err
	}
	defer unlock()
	kept := strings.TrimSpace(f.kept(inv))
	begun := begin(strings.TrimSpace(kept+"\n"+start), last)
	d := draft{command: "reject", ending: ".txt", text: []byte(begun), notes: f.notes(t, last) + diff, path: f.path(), kept: kept != "", again: f.again() + " #",
		otherwise: "--reason-file FILE takes the findings from a file, - from standard input"}
	return d.edit(inv, f.clone.Repo, func(text []byte) error {
		if strings.TrimSpace(string(text)) == strings.TrimSpace(begin("", last)) {
			return f.none()
		}
		said, wrong := f.read(inv, t, last, string(text))
		if wrong != nil {
			return wrong
		}
		return take(said, kept == "" || !slices.Equal(strings.Fields(string(text)), strings.Fields(begun)))
	})
}

// read reads findings on the submission of t, and checks that their lines are there. last is
// the rejection before.
func (f findings) read(inv *invocation, t *board.Task, last *board.Rejection, text string) (board.Feedback, error) {
	said, wrong := board.ParseRemarks(text)
	if wrong != nil {
		return said, &flow.Refusal{Rule: flow.RuleReason, Reason: "the findings: " + wrong.Error(), Hint: f.again()}
	}
	if len(said.Blockers)+len(said.Concerns)+len(said.Prior) == 0 && said.Overall == "" {
		return said, f.none()
	}
	if said = said.WithOpen(last); len(said.Blockers) > 0 {
		wrong = f.clone.CheckPlaces(inv.ctx, t, said)
	}
	return said, wrong
}

// none says that there are no findings.
func (f findings) none() error {
	return &partial{failure{code: exitFailed, outcome: "failed", rule: flow.RuleEditor, hint: f.again(),
		reason: "no findings were written: " + string(f.id) + " is as it was"}, nil}
}

// last is the rejection that findings come after, nil if there is none.
func (f findings) last(b *board.Board, t *board.Task) *board.Rejection {
	if t.Attempt == nil || t.Attempt.Cycles == 0 {
		return nil
	}
	return t.Judgement(flow.RejectsAs(b, f.clone.Caller.Move(board.ActReject, f.id, &f.move))).Rejection
}

// send rejects the submission that the move names with findings that were written
// elsewhere. Of another submission the rules say that it is not the newest.
func (f findings) send(inv *invocation, text string) error {
	b, _, err := f.clone.Store.Board(inv.ctx)
	if err != nil {
		return err
	}
	m, t := f.move, b.Task(f.id)
	if t != nil && t.Submission != nil && t.Submission.Commit == m.Commit {
		if m.Feedback, err = f.read(inv, t, f.last(b, t), text); err != nil {
			return err
		}
	}
	return reject(inv, f.clone, f.id, m)
}

// lock keeps the findings for one editor: of two terminals of a person each would write
// the file, and the last one alone would be kept.
func (f findings) lock() (unlock func(), err error) {
	path := f.path() + ".lock"
	file, err := git.OpenLock(f.clone.Repo.CommonDir(), filepath.Join("findings", filepath.Base(path)))
	if err != nil {
		return nil, err
	}
	if !git.LocksAt(file, path) {
		file.Close()
		return nil, &partial{failure{code: exitFailed, outcome: "failed", rule: flow.RuleEditor, hint: f.again(),
			reason: "your findings on " + string(f.id) + " are open in another terminal: end the editor there"}, nil}
	}
	return func() {
		os.Remove(path)
		git.Unlock(file)
	}, nil
}

// priorOf finds the answers to earlier blockers in kept findings.
var priorOf = pattern.Late(`(?m)^- (RESOLVED|STILL_PRESENT|PARTIAL): (.*)$`)

// begin is the text that the person begins with: the kept findings, and below them each
// earlier blocker with its status. A status that was given for another blocker is left
// out.
func begin(kept string, last *board.Rejection) string {
	said := map[string]string{}
	for _, m := range priorOf().FindAllStringSubmatch(kept, -1) {
		said[m[2]] = m[1]
	}
	kept = strings.TrimSpace(strings.ReplaceAll(priorOf().ReplaceAllString(kept, ""), board.PriorHeading, ""))
	text := kept + "\n"
	if last == nil || len(last.Blockers) == 0 {
		return text
	}
	text += "\n" + board.PriorHeading + "\n"
	for i, b := range last.Blockers {
		words := fmt.Sprintf("%d %s", i+1, view.FindingLine(b))
		status := board.StillPresent.String()
		if was, given := said[words]; given {
			status = was
		}
		text += "- " + status + ": " + words + "\n"
	}
	return text
}

// notes are the comments below the text, without the diff.
func (f findings) notes(t *board.Task, last *board.Rejection) string {
	text := fmt.Sprintf(`Findings on %s (%s) at %s, each on a line of its own:
    FILE:LINE: TEXT             a blocker, which the coder must mend
    FILE:LINE: concern: TEXT    to be weighed
    Overall: TEXT               the judgement in a sentence
Lines with a comment sign are left out. Without findings nothing happens.
`, t.ID, plaintext.Line(t.Title), t.Submission.Commit.Short())
	if last != nil && len(last.Blockers) > 0 {
		text += "Say of each earlier blocker whether it is RESOLVED, STILL_PRESENT or PARTIAL.\n"
	}
	return text + "\n"
}

// mostDiff bounds the diff in the editor, in bytes.
const mostDiff = 128 << 10

// diff is what the submission changes, with the numbers of its lines.
func (f findings) diff(inv *invocation, t *board.Task) (string, error) {
	if err := f.clone.Store.Mirror.BringCommits(inv.ctx, f.id, t.Submission.Commit, t.Submission.Base); err != nil {
		return "", err
	}
	out, cut, err := f.clone.Repo.Differ.DiffStart(inv.ctx, mostDiff, string(t.Submission.Base), string(t.Submission.Commit), "--")
	if cut {
		out = append(out, "\nThe rest: git liza show "+string(f.id)+" --patch\n"...)
	}
	return view.PatchNotes(string(out)), err
}
