package flow

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// AdoptMove advances integration to work that came from outside: main, a
// hotfix, a merge by a human.
type AdoptMove struct {
	Commit board.ObjectID `yaml:"commit"`
	Onto   board.ObjectID `yaml:"onto"`
	Reason string         `yaml:"reason"`
	Tasks  []board.TaskID `yaml:"tasks"` // whose submissions it contains
	// Accept gives the verdict of the actor where one is missing: for the tasks,
	// and for the tracked paths that the commit changes.
	Accept bool  `yaml:"accept"`
	Texts  texts `yaml:"texts"` // of the tracked paths that the commit changes

	Reverts []board.TaskID `yaml:"reverts"` // merged tasks that the commit takes back
}

func (a *AdoptMove) subject() string { return a.Commit.Short() }

func (a *AdoptMove) ask(_ Move, b *board.Board) Query {
	q := Query{Descendant: a.Commit, Behind: []board.ObjectID{a.Onto}, Texts: QueryTexts(b), Match: workflowPatterns(b)}
	if len(q.Texts)+len(q.Match) > 0 {
		q.At, q.Onto = a.Commit, a.Onto
	}
	for _, id := range a.Tasks {
		if t := b.Task(id); t != nil && t.Submission != nil {
			q.Behind = append(q.Behind, t.Submission.Commit)
		}
	}
	return q
}

func (a *AdoptMove) fill(p *play) { a.Texts = enteredTexts(p) }

func (a *AdoptMove) refs(_ Move, b *board.Board) []RefMove {
	if a.Commit == a.Onto {
		return nil
	}
	return []RefMove{{Name: b.Settings().Integration.Ref(), Old: a.Onto, New: a.Commit}}
}

func (a *AdoptMove) already(p *play) bool {
	lacks := func(id board.TaskID) bool { t := p.board.Task(id); return t == nil || t.Status != board.Merged }
	keeps := func(id board.TaskID) bool { t := p.board.Task(id); return t == nil || t.Reverted == nil }
	return !slices.ContainsFunc(a.Tasks, lacks) && !slices.ContainsFunc(a.Reverts, keeps) &&
		a.Commit != "" && p.board.Settings().Integration.Tip == a.Commit && (!a.Accept || len(a.pending(p)) == 0)
}

// pending are the tracked paths that the actor has adopted and not accepted.
func (a *AdoptMove) pending(p *play) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(pathsInUse(p.board))), func(path string) bool {
		doc := p.board.Tracked(path)
		return doc == nil || doc.By != p.move.By || doc.Blob == "" || doc.Approved()
	})
}

// flags are those of the command that gave the move, without its reason.
func (a *AdoptMove) flags() string {
	words := ""
	if len(a.Tasks) > 0 {
		words += " --tasks " + joinIDs(a.Tasks)
	}
	if len(a.Reverts) > 0 {
		words += " --reverts " + joinIDs(a.Reverts)
	}
	if a.Accept {
		words += " --accept"
	}
	return words
}

func (a *AdoptMove) check(p *play) *Refusal {
	hint := "git liza adopt " + cmp.Or(string(a.Commit), "COMMIT") + " --reason R" + a.flags()
	if r := present("the reason", a.Reason, hint); r != nil {
		return r
	}
	tip := p.board.Settings().Integration.Tip
	if a.Onto != tip || a.Commit == "" || a.Commit == tip && len(a.Tasks)+len(a.Reverts) == 0 {
		if pending := a.pending(p); a.Accept && len(pending) > 0 {
			hint = acceptCommand(pending)
		}
		return refuse(RuleTip, hint, "integration is at %s, the move leads from %s to %s", tip.Short(), a.Onto.Short(), a.Commit.Short())
	}
	if f := p.facts; f != nil && (!f.Exists || a.Commit != a.Onto && !f.Behind[a.Onto]) {
		return refuse(RuleAncestry, "git merge "+string(tip), "%s does not descend from the integration tip %s", a.Commit.Short(), tip.Short())
	}
	for i, id := range a.Tasks {
		t := p.board.Task(id)
		if t == nil || slices.Contains(a.Tasks[:i], id) {
			return refuse(RuleNotFound, "git liza list", "there is no task %s, or it is named twice", id)
		}
		if !board.AnyOf(board.ReadyForReview, board.Rejected, board.Approved, board.IntegrationFailed).Has(t.Status) || t.Submission == nil {
			return refuse(RuleState, "git liza show "+string(id), "%s is %s and cannot be merged by adoption", id, t.Status)
		}
		if f := p.facts; f != nil && !f.Behind[t.Submission.Commit] {
			return refuse(RuleAncestry, "git liza show "+string(id), "%s does not contain the submission %s of %s", a.Commit.Short(), t.Submission.Commit.Short(), id)
		}
	}
	if r := checkMarked(p.board, a.Reverts); r != nil {
		return r
	}
	for _, id := range a.Tasks {
		if r := a.judged(p, p.board.Task(id)); r != nil {
			return r
		}
		of := *p
		of.task = p.board.Task(id)
		if r := checkPhase(&of); r != nil {
			return r
		}
	}
	if r := checkRecorded(p, a.Texts); r != nil || !a.Accept {
		return r
	}
	for _, text := range a.Texts {
		if r := checkVouch(p, text); r != nil && text.Blob != "" {
			return r
		}
	}
	return nil
}

// brought is a copy of the board that knows the texts that the move brings. What the
// submission of the task changes itself stays as it was: its judges have read that.
// The copy keeps its own reading error.
func (a *AdoptMove) brought(p *play, t *board.Task) *board.Board {
	b, s := board.WithTasks(p.prior), t.Submission
	for _, text := range a.Texts {
		if s.Changed > len(s.Paths) || !slices.Contains(s.Paths, text.Path) {
			trackText((&effect{&play{board: b, move: p.move}}), text, origin{})
		}
	}
	return b
}

// judged refuses work that its roles have not approved for the texts that the
// move brings, unless the actor may approve it and does so.
func (a *AdoptMove) judged(p *play, t *board.Task) *Refusal {
	brought := a.brought(p, t)
	defer func() { p.board.Fail(brought.Err()) }()
	lacking := unconvinced(brought, t)
	accept := "git liza adopt " + string(a.Commit) + " --reason R --tasks " + joinIDs(a.Tasks) + " --accept"
	switch {
	case t.Status == board.Approved && len(lacking) == 0:
		return nil
	case !a.Accept && t.Status == board.Approved:
		r := checkVerdicts(brought, t)
		if checkVerdicts(p.board, t) == nil {
			r.Hint = accept // the commit itself changes the text, so that no judge can read it before
		}
		return r
	case !a.Accept:
		return refuse(RuleState, accept,
			"%s is %s: adopting it would merge work without a verdict", t.ID, t.Status)
	}
	judging := *p
	judging.task = t
	if r := independent(&judging); r != nil {
		return r
	}
	if role := lists.Find(lacking, func(r board.Role) bool { return notHuman(p, r) }); role != nil {
		return refuseHuman(p, *role)
	}
	return nil
}

func joinIDs(list []board.TaskID) string {
	return strings.Join(lists.Of(list, func(id board.TaskID) string { return string(id) }), ",")
}

func (a *AdoptMove) apply(p *effect) {
	m := p.move
	for _, id := range a.Tasks {
		t := p.board.Task(id).Clone()
		endReviews(p, t)
		if a.Accept {
			brought := a.brought(p.play, t)
			lacking := unconvinced(brought, t)
			p.board.Fail(brought.Err())
			for _, role := range lacking {
				t.Judge(role, func(j *board.Judgement) {
					j.Rejection = nil
					j.Verdict = &board.Verdict{Commit: t.Submission.Commit, Tree: t.Submission.Tree, By: m.By, Principal: m.Principal,
						Message: a.Reason, At: m.At, Texts: board.TextRefsOf(p.board, t)}
				})
			}
		}
		t.Status = board.Merged
		t.Merge = &board.Merge{Commit: a.Commit, Onto: a.Onto, Tree: t.Submission.Tree, Adopted: true, By: m.By, At: m.At}
		p.keep(t)
		countMerged(p, t.Goal)
	}
	for _, id := range a.Tasks {
		markReverted(p, p.board.Task(id).Reverts, board.Reverted{By: m.By, Task: id, Commit: a.Commit, At: m.At})
	}
	markReverted(p, a.Reverts, board.Reverted{By: m.By, Commit: a.Commit, At: m.At})
	if a.Accept {
		for _, text := range a.Texts {
			if text.Blob != "" {
				p.vouch(text.Path)
			}
		}
	}
	p.change(func(s *board.Settings) { s.Integration.Tip = a.Commit })
}
