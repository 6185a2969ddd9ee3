package flow

import (
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/shell"
)

// submodule is the mode of a link to a commit of another repository.
const submodule = 0o160000

// checkBrought refuses what any commit changes that a submission adds to integration, also
// where a later one takes it back: integration keeps them all. Replay does not ask.
func checkBrought(p *play, undo func(path string) string) *Refusal {
	if p.facts == nil {
		return nil
	}
	strict := p.move.Act != board.ActMerge || !p.move.By.IsHuman() // what others own meanwhile a person may change
	for list := p.facts.Brought; len(list) > 0; {
		commit := list[0].Commit
		n := slices.IndexFunc(list, func(c PathChange) bool { return c.Commit != commit })
		if n < 0 {
			n = len(list)
		}
		paths := make([]string, n)
		var r *Refusal
		for i, c := range list[:n] {
			if paths[i] = c.Path; r == nil {
				r = p.content(c, undo)
			}
		}
		if r == nil {
			r = checkWritable(p.board, p.task, p.task.Attempt.Coder.Role(), paths, undo, strict)
		}
		if r != nil && r.Rule == RuleScope && !slices.ContainsFunc(p.facts.Changes, func(c PathChange) bool { return slices.Contains(paths, c.Path) }) {
			r.Hint = undo(paths[0]) // in one commit it is gone
		}
		if r != nil {
			r.Reason = "in commit " + commit.Short() + ": " + r.Reason
			return r
		}
		list = list[n:]
	}
	return checkFound(p, undo)
}

// checkFound refuses keys and conflicts that no person means.
func checkFound(p *play, undo func(path string) string) *Refusal {
	const meant = "; if it is meant, a person says so: git liza task edit %s --meant %s"
	t := p.task
	switch k, m := p.facts.Key, p.facts.Marker; {
	case k != nil && k.Blob == "":
		return refuse(RuleSecret, undo(""), "the message of commit %s has in line %d a text in the form of a key or token"+meant, k.Commit.Short(), k.Line, t.ID, k.Commit)
	case k != nil:
		return refuse(RuleSecret, undo(k.Path), "%s:%d in commit %s is a text in the form of a key or token"+meant, shown(k.Path), k.Line, k.Commit.Short(), t.ID, k.Blob)
	case m != nil:
		return refuse(RuleContent, undo(m.Path), "%s:%d begins a conflict that is not resolved"+meant, shown(m.Path), m.Line, t.ID, m.Blob)
	}
	return nil
}

// mostUndone is how many paths a hint takes out of the work: nobody copies a longer one.
const mostUndone = 1000

// undo is the command that commits the work since base again, in one commit without the
// change of a path: in a later commit of its own integration would get what it takes back. It
// leaves out the other paths too that the hook of the commit refuses.
func (p *play) undo(base board.ObjectID, path string) string {
	commit := "git commit -q -C ORIG_HEAD"
	if path == "" { // what is wrong is in a message
		commit = "git commit -q -m " + shell.Quote("Work on "+string(p.task.ID))
	}
	var removed, restored, links string
	for _, c := range undoneChanges(p, path) {
		switch spec := " " + shell.Pathspec(c.Path); {
		case c.Mode == submodule && c.Was == 0:
			links += spec
		case c.Was == 0: // from the worktree too, or it would be added again
			removed += spec
		default:
			restored += spec
		}
	}
	words := []string{"git reset -q --soft " + string(base)}
	for _, step := range [][2]string{{"git rm -q --cached --", links}, {"git rm -qf --", removed}, {"git checkout -q " + string(base) + " --", restored}} {
		if step[1] != "" {
			words, commit = append(words, step[0]+step[1]), "git commit -q --allow-empty -C ORIG_HEAD" // the next submission says so if nothing is left
		}
	}
	return strings.Join(append(words, commit), " && ")
}

// undoneChanges are the changes of the work that undo takes out of it.
func undoneChanges(p *play, path string) (list []PathChange) {
	if p.facts == nil {
		return []PathChange{{Path: path, Was: 1}}
	}
	for _, c := range p.facts.Changes {
		if len(list) < mostUndone && (c.Path == path || Writable(p.board, p.task, p.task.Attempt.Coder.Role(), []string{c.Path}, strings.Clone) != nil) {
			list = append(list, c)
		}
	}
	return list
}

// broughtNow refuses what a merge brings and may no longer be written, by rules that changed since
// the work was submitted.
func broughtNow(p *play) *Refusal { return checkBrought(p, rejecting(p.task)) }

// Barred refuses to merge approved work that changes what it may not any more, as far as
// the board itself knows.
func Barred(b *board.Board, id board.TaskID) *Refusal {
	t := b.Task(id)
	if t == nil || t.Submission == nil || t.Attempt == nil {
		return nil
	}
	return checkWritable(b, t, t.Attempt.Coder.Role(), t.Submission.Paths, rejecting(t), false)
}

// rejecting gives the command with which a person sends submitted work back for a path.
func rejecting(t *board.Task) func(path string) string {
	return func(path string) string {
		r := RejectMove{Commit: t.Submission.Commit, Feedback: board.Feedback{Blockers: []board.Finding{{File: path, Issue: "its work may not bring this"}}}}
		blank, said := shell.Quote("- [blocker] FILE:LINE — ISSUE"), shell.Quote(r.Feedback.Lines()[0])
		return strings.Replace(r.hint(t, t.Rejection()), blank, said, 1)
	}
}
