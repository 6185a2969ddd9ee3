package flow

import (
	"reflect"
	"slices"

	"github.com/git-liza/git-liza/flow/lists"
)

// Stands reports whether a task that needs another one may count it as merged: it is, and
// was not reverted, or what does its work again is merged and stands.
func Stands(b *Board, t *Task) bool {
	return t != nil && t.Status == Merged && (t.Reverted == nil || doneAgain(b, t, map[TaskID]bool{}))
}

// Outstanding returns the open tasks that have to be merged before a reverted task counts
// as merged again, none if nobody does its work again.
func Outstanding(b *Board, t *Task) []TaskID {
	return outstandingReverts(b, t, map[TaskID]bool{})
}

// doneAgain reports whether each of the successors of a task stands, of those that were
// not given up; of a superseded one, whether its replacements do. known are the tasks
// that were looked at, so that each is looked at once.
func doneAgain(b *Board, t *Task, known map[TaskID]bool) (done bool) {
	if was, looked := known[t.ID]; looked {
		return was
	}
	known[t.ID] = false
	for _, id := range t.SupersededBy {
		switch by := b.Task(id); {
		case by == nil:
			return false
		case by.Status == Abandoned:
			continue
		case by.Status == Merged && by.Reverted == nil:
		case !in(Merged, Superseded).has(by.Status) || !doneAgain(b, by, known):
			return false
		}
		done = true
	}
	known[t.ID] = done
	return done
}

// outstandingReverts are the tasks that have to be merged before a reverted one stands again,
// in the order of its successors. known are the tasks that were looked at.
func outstandingReverts(b *Board, t *Task, known map[TaskID]bool) (open []TaskID) {
	if known[t.ID] {
		return nil
	}
	known[t.ID] = true
	for _, id := range t.SupersededBy {
		switch next := b.Task(id); {
		case next == nil || next.Status == Abandoned || Stands(b, next):
		case in(Merged, Superseded).has(next.Status):
			open = append(open, outstandingReverts(b, next, known)...)
		default:
			open = append(open, id)
		}
	}
	return open
}

// unmetNeed refuses a task that needs a reverted one.
func unmetNeed(b *Board, id TaskID, needed *Task) *Refusal {
	hint := "git liza undo " + string(needed.ID) + " --reopen"
	if open := outstandingReverts(b, needed, map[TaskID]bool{}); len(open) > 0 {
		hint = "git liza show " + string(open[0])
	}
	return refuse(RuleDependencies, hint, "%s needs %s, which was reverted by %s", id, needed.ID, needed.Reverted)
}

// String names what took the work back.
func (r *Reverted) String() string {
	if r.Task != "" {
		return string(r.Task)
	}
	return string(r.By) + " with " + r.Commit.Short()
}

// freesReverts reports whether an edit of a task in work does nothing but remove dependencies on
// tasks that were reverted and not done again.
func freesReverts(b *Board, before, after TaskInput) bool {
	rest := slices.DeleteFunc(slices.Clone(before.DependsOn), func(id TaskID) bool {
		d := b.Task(id)
		return !slices.Contains(after.DependsOn, id) && d != nil && d.Status == Merged && !Stands(b, d)
	})
	if len(rest) == len(before.DependsOn) || !slices.Equal(rest, after.DependsOn) {
		return false
	}
	after.DependsOn = before.DependsOn
	return reflect.DeepEqual(before, after)
}

// checkReverted refuses to merge a task on top of what was taken away.
func checkReverted(b *Board, t *Task) *Refusal {
	for _, id := range t.DependsOn {
		if d := b.Task(id); d != nil && d.Status == Merged && !Stands(b, d) {
			return unmetNeed(b, t.ID, d)
		}
	}
	return nil
}

// describeReverts returns what is wrong with the tasks that a task reverts.
func describeReverts(b *Board, t *Task) (wrong []*Refusal) {
	for i, id := range t.Reverts {
		d := b.Task(id)
		show := "git liza show " + string(id)
		switch {
		case d == nil:
			wrong = append(wrong, refuse(RuleNotFound, "git liza list --all", "there is no task %s", clip(string(id))))
		case slices.Contains(t.Reverts[:i], id):
			wrong = append(wrong, refuse(RuleForm, "git liza help task add", "%s names %s twice among what it reverts", t.ID, id))
		case slices.Contains(t.DependsOn, id):
			wrong = append(wrong, refuse(RuleCycle, show, "%s needs %s, and would revert it", t.ID, id))
		case d.Status != Merged:
			wrong = append(wrong, refuse(RuleState, show, "%s is %s: only merged work is reverted", id, d.Status))
		case d.Reverted != nil:
			wrong = append(wrong, refuse(RuleState, show, "%s is reverted already by %s", id, d.Reverted))
		}
	}
	if len(wrong) == 0 && len(t.Reverts) > 0 {
		if needing := MergedDependants(b, t.Reverts, false); len(needing) > 0 {
			wrong = append(wrong, RefuseDependants(t.Reverts, needing))
		}
	}
	return wrong
}

// CheckReverts returns what is wrong with taking back the work of merged tasks together.
func CheckReverts(b *Board, list []TaskID) []*Refusal {
	return describeReverts(b, &Task{Reverts: list})
}

// MergedDependants returns the merged tasks that need one of the list, directly or
// indirectly, are not in it and were not reverted, the oldest first. Those in the
// archive are read only if archived is true: there can be very many.
func MergedDependants(b *Board, list []TaskID, archived bool) (found []TaskID) {
	type need struct {
		id TaskID
		on []TaskID
	}
	var merged []need
	add := func(id TaskID, on []TaskID) {
		if len(on) > 0 && !slices.Contains(list, id) {
			merged = append(merged, need{id, on})
		}
	}
	if archived {
		for _, id := range b.IDs(Archive) {
			if t := b.Task(TaskID(id)); t != nil && t.Status == Merged {
				add(t.ID, t.DependsOn)
			}
		}
	}
	for _, s := range b.Summaries() {
		if s.Status == Merged {
			add(s.ID, s.DependsOn)
		}
	}
	taken := lists.Set(list, func(id TaskID) TaskID { return id })
	for n := -1; n < len(found); { // each pass may find who needs what the last one found
		n = len(found)
		for _, m := range merged {
			if !taken[m.id] && slices.ContainsFunc(m.on, func(id TaskID) bool { return taken[id] }) && Stands(b, b.Task(m.id)) {
				taken[m.id], found = true, append(found, m.id)
			}
		}
	}
	return found
}

// RefuseDependants is the refusal to take work back without the merged work that builds
// on it.
func RefuseDependants(list, needing []TaskID) *Refusal {
	hint := "git liza undo " + string(list[0]) + " --with " + joinIDs(append(slices.Clone(list[1:]), needing...))
	if len(needing) == 1 {
		return refuse(RuleDependants, hint, "%s is merged and needs %s: revert it too", needing[0], joinIDs(list))
	}
	names := joinIDs(needing[:min(len(needing), 5)])
	if len(needing) > 5 {
		names += " and others"
	}
	return refuse(RuleDependants, hint, "%s are merged and build on %s: revert them too", names, joinIDs(list))
}

// checkMarked refuses an adoption that says of other tasks than merged ones that it takes
// them back.
func checkMarked(b *Board, list []TaskID) *Refusal {
	for i, id := range list {
		d := b.Task(id)
		switch {
		case d == nil || slices.Contains(list[:i], id):
			return refuse(RuleNotFound, "git liza list --all", "there is no task %s, or it is named twice", clip(string(id)))
		case d.Status != Merged:
			return refuse(RuleState, "git liza show "+string(id), "%s is %s: only merged work is reverted", id, d.Status)
		case d.Reverted != nil:
			return refuse(RuleState, "git liza show "+string(id), "%s is reverted already by %s", id, d.Reverted)
		}
	}
	return nil
}

// checkReopens refuses a task that would do the work of another one again which nothing takes
// back. batch are the tasks of the same move.
func checkReopens(b *Board, in *TaskInput, batch []*Task) *Refusal {
	t := b.Task(in.Reopens)
	switch {
	case t == nil:
		return refuse(RuleNotFound, "git liza list --all", "there is no task %s", clip(string(in.Reopens)))
	case t.Status != Merged:
		return refuse(RuleState, "git liza show "+string(t.ID), "%s is %s: only merged work is done again", t.ID, t.Status)
	case len(t.SupersededBy) >= MaxList:
		return refuse(RuleLimit, "git liza show "+string(t.ID), "%s has %d successors already", t.ID, len(t.SupersededBy))
	case t.Reverted != nil:
		return nil
	}
	var by []TaskID
	look := func(other TaskID, reverts []TaskID) {
		if slices.Contains(reverts, t.ID) {
			by = append(by, other)
		}
	}
	for _, other := range batch {
		look(other.ID, other.Reverts)
	}
	for _, s := range b.Summaries() {
		if !s.Status.Final() {
			look(s.ID, s.Reverts)
		}
	}
	switch {
	case len(by) == 0:
		return refuse(RuleState, "git liza undo "+string(t.ID)+" --reopen", "%s stands: nothing reverts it", t.ID)
	case !slices.ContainsFunc(by, func(id TaskID) bool { return slices.Contains(in.DependsOn, id) }):
		return refuse(RuleState, "git liza help task add", "%s comes after %s, which reverts %s: --depends-on %[2]s", in.ID, by[0], t.ID)
	}
	return nil
}

// checkSucceeds makes a new task the successor of the one that its description reopens.
func checkSucceeds(p *play, t *Task, in *TaskInput) *Refusal {
	if in.Reopens == "" {
		return nil
	}
	if p.move.Act != ActAdd && p.move.Act != ActConvert {
		return refuse(RuleForm, "git liza help task add", "only tasks that are added, or a discovery that is converted, do the work of a reverted one again")
	}
	if r := checkReopens(p.board, in, p.added); r != nil {
		return r
	}
	t.Supersedes, t.Generation = []TaskID{in.Reopens}, p.board.Task(in.Reopens).Generation
	return nil
}

// putReverted writes a task where it stands, live or archived.
func putReverted(p *effect, t *Task) {
	if p.board.Load(Key{Archive, string(t.ID)}) == nil {
		p.keep(t)
		return
	}
	if g := p.board.Goal(t.Goal); t.Reverted != nil && t.Level > 0 && g != nil && g.Status == InProgress {
		p.put(Key{Archive, string(t.ID)}, nil) // it holds its level again
		countArchived(p, t, -1)
		p.keep(t)
		return
	}
	t.Changed = p.move.At
	p.put(Key{Archive, string(t.ID)}, t)
}

// markReverted records of merged tasks that they were taken back. What they had taken back
// themselves stands again.
func markReverted(p *effect, list []TaskID, by Reverted) {
	for _, id := range list {
		t := p.board.Task(id)
		if t == nil || t.Status != Merged || t.Reverted != nil {
			continue
		}
		t = t.clone()
		t.Reverted = &by
		putReverted(p, t)
		clearLevels(p, t.Goal, t.Level)
		for _, earlier := range t.Reverts {
			if r := p.board.Task(earlier); r != nil && r.Reverted != nil && r.Reverted.Task == id {
				r = r.clone()
				r.Reverted = nil
				putReverted(p, r)
			}
		}
	}
}

// reopenReverted enters new tasks as successors of those that they reopen.
func reopenReverted(p *effect, list ...TaskInput) {
	for _, in := range list {
		if in.Reopens != "" {
			succeedReverted(p, in.Reopens, p.board.Task(in.ID))
		}
	}
}

// succeedReverted enters a new task as successor of a reverted one, and lets tasks that nobody
// has begun need the successor.
func succeedReverted(p *effect, id TaskID, by *Task) {
	t := p.board.Task(id).clone()
	t.SupersededBy = append(slices.Clip(t.SupersededBy), by.ID)
	putReverted(p, t)
	for _, s := range p.board.Summaries() {
		if !in(Draft, Unclaimed, Blocked).has(s.Status) || s.ID == by.ID || !slices.Contains(s.DependsOn, id) {
			continue
		}
		other := p.board.Task(s.ID).clone()
		if other.Submission != nil || precedes(p.board, s.ID, by.ID) {
			continue
		}
		i := slices.Index(other.DependsOn, id)
		other.DependsOn = slices.Clone(other.DependsOn)
		if slices.Contains(other.DependsOn, by.ID) {
			other.DependsOn = slices.Delete(other.DependsOn, i, i+1)
		} else {
			other.DependsOn[i] = by.ID
		}
		raised := other.Level < by.Level && other.Goal == by.Goal
		if raised {
			other.Level = by.Level
		}
		p.keep(other)
		if !raised {
			continue
		}
		for _, t := range (levelling{p.board, p.prior}).raise([]*Task{other}) {
			p.keep(t)
		}
	}
}
