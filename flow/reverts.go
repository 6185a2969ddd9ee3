package flow

import (
	"reflect"
	"slices"

	"github.com/git-liza/git-liza/flow/board"
)

// unmetNeed refuses a task that needs a reverted one.
func unmetNeed(b *board.Board, id board.TaskID, needed *board.Task) *Refusal {
	hint := "git liza undo " + string(needed.ID) + " --reopen"
	if open := board.OutstandingReverts(b, needed, map[board.TaskID]bool{}); len(open) > 0 {
		hint = "git liza show " + string(open[0])
	}
	return refuse(RuleDependencies, hint, "%s needs %s, which was reverted by %s", id, needed.ID, needed.Reverted)
}

// freesReverts reports whether an edit of a task in work does nothing but remove dependencies on
// tasks that were reverted and not done again.
func freesReverts(b *board.Board, before, after board.TaskInput) bool {
	rest := slices.DeleteFunc(slices.Clone(before.DependsOn), func(id board.TaskID) bool {
		d := b.Task(id)
		return !slices.Contains(after.DependsOn, id) && d != nil && d.Status == board.Merged && !board.Stands(b, d)
	})
	if len(rest) == len(before.DependsOn) || !slices.Equal(rest, after.DependsOn) {
		return false
	}
	after.DependsOn = before.DependsOn
	return reflect.DeepEqual(before, after)
}

// checkReverted refuses to merge a task on top of what was taken away.
func checkReverted(b *board.Board, t *board.Task) *Refusal {
	for _, id := range t.DependsOn {
		if d := b.Task(id); d != nil && d.Status == board.Merged && !board.Stands(b, d) {
			return unmetNeed(b, t.ID, d)
		}
	}
	return nil
}

// describeReverts returns what is wrong with the tasks that a task reverts.
func describeReverts(b *board.Board, t *board.Task) (wrong []*Refusal) {
	for i, id := range t.Reverts {
		d := b.Task(id)
		show := "git liza show " + string(id)
		switch {
		case d == nil:
			wrong = append(wrong, refuse(RuleNotFound, "git liza list --all", "there is no task %s", board.Clip(string(id))))
		case slices.Contains(t.Reverts[:i], id):
			wrong = append(wrong, refuse(RuleForm, "git liza help task add", "%s names %s twice among what it reverts", t.ID, id))
		case slices.Contains(t.DependsOn, id):
			wrong = append(wrong, refuse(RuleCycle, show, "%s needs %s, and would revert it", t.ID, id))
		case d.Status != board.Merged:
			wrong = append(wrong, refuse(RuleState, show, "%s is %s: only merged work is reverted", id, d.Status))
		case d.Reverted != nil:
			wrong = append(wrong, refuse(RuleState, show, "%s is reverted already by %s", id, d.Reverted))
		}
	}
	if len(wrong) == 0 && len(t.Reverts) > 0 {
		if needing := board.MergedDependants(b, t.Reverts, false); len(needing) > 0 {
			wrong = append(wrong, RefuseDependants(t.Reverts, needing))
		}
	}
	return wrong
}

// CheckReverts returns what is wrong with taking back the work of merged tasks together.
func CheckReverts(b *board.Board, list []board.TaskID) []*Refusal {
	return describeReverts(b, &board.Task{Reverts: list})
}

// RefuseDependants is the refusal to take work back without the merged work that builds
// on it.
func RefuseDependants(list, needing []board.TaskID) *Refusal {
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
func checkMarked(b *board.Board, list []board.TaskID) *Refusal {
	for i, id := range list {
		d := b.Task(id)
		switch {
		case d == nil || slices.Contains(list[:i], id):
			return refuse(RuleNotFound, "git liza list --all", "there is no task %s, or it is named twice", board.Clip(string(id)))
		case d.Status != board.Merged:
			return refuse(RuleState, "git liza show "+string(id), "%s is %s: only merged work is reverted", id, d.Status)
		case d.Reverted != nil:
			return refuse(RuleState, "git liza show "+string(id), "%s is reverted already by %s", id, d.Reverted)
		}
	}
	return nil
}

// checkReopens refuses a task that would do the work of another one again which nothing takes
// back. batch are the tasks of the same move.
func checkReopens(b *board.Board, in *board.TaskInput, batch []*board.Task) *Refusal {
	t := b.Task(in.Reopens)
	switch {
	case t == nil:
		return refuse(RuleNotFound, "git liza list --all", "there is no task %s", board.Clip(string(in.Reopens)))
	case t.Status != board.Merged:
		return refuse(RuleState, "git liza show "+string(t.ID), "%s is %s: only merged work is done again", t.ID, t.Status)
	case len(t.SupersededBy) >= board.MaxList:
		return refuse(RuleLimit, "git liza show "+string(t.ID), "%s has %d successors already", t.ID, len(t.SupersededBy))
	case t.Reverted != nil:
		return nil
	}
	var by []board.TaskID
	look := func(other board.TaskID, reverts []board.TaskID) {
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
	case !slices.ContainsFunc(by, func(id board.TaskID) bool { return slices.Contains(in.DependsOn, id) }):
		return refuse(RuleState, "git liza help task add", "%s comes after %s, which reverts %s: --depends-on %[2]s", in.ID, by[0], t.ID)
	}
	return nil
}

// checkSucceeds makes a new task the successor of the one that its description reopens.
func checkSucceeds(p *play, t *board.Task, in *board.TaskInput) *Refusal {
	if in.Reopens == "" {
		return nil
	}
	if p.move.Act != board.ActAdd && p.move.Act != board.ActConvert {
		return refuse(RuleForm, "git liza help task add", "only tasks that are added, or a discovery that is converted, do the work of a reverted one again")
	}
	if r := checkReopens(p.board, in, p.added); r != nil {
		return r
	}
	t.Supersedes, t.Generation = []board.TaskID{in.Reopens}, p.board.Task(in.Reopens).Generation
	return nil
}

// putReverted writes a task where it stands, live or archived.
func putReverted(p *effect, t *board.Task) {
	if p.board.Load(board.Key{Folder: board.Archive, ID: string(t.ID)}) == nil {
		p.keep(t)
		return
	}
	if g := p.board.Goal(t.Goal); t.Reverted != nil && t.Level > 0 && g != nil && g.Status == board.InProgress {
		p.put(board.Key{Folder: board.Archive, ID: string(t.ID)}, nil) // it holds its level again
		countArchived(p, t, -1)
		p.keep(t)
		return
	}
	t.Changed = p.move.At
	p.put(board.Key{Folder: board.Archive, ID: string(t.ID)}, t)
}

// markReverted records of merged tasks that they were taken back. What they had taken back
// themselves stands again.
func markReverted(p *effect, list []board.TaskID, by board.Reverted) {
	for _, id := range list {
		t := p.board.Task(id)
		if t == nil || t.Status != board.Merged || t.Reverted != nil {
			continue
		}
		t = t.Clone()
		t.Reverted = &by
		putReverted(p, t)
		clearLevels(p, t.Goal, t.Level)
		for _, earlier := range t.Reverts {
			if r := p.board.Task(earlier); r != nil && r.Reverted != nil && r.Reverted.Task == id {
				r = r.Clone()
				r.Reverted = nil
				putReverted(p, r)
			}
		}
	}
}

// reopenReverted enters new tasks as successors of those that they reopen.
func reopenReverted(p *effect, list ...board.TaskInput) {
	for _, in := range list {
		if in.Reopens != "" {
			succeedReverted(p, in.Reopens, p.board.Task(in.ID))
		}
	}
}

// succeedReverted enters a new task as successor of a reverted one, and lets tasks that nobody
// has begun need the successor.
func succeedReverted(p *effect, id board.TaskID, by *board.Task) {
	t := p.board.Task(id).Clone()
	t.SupersededBy = append(slices.Clip(t.SupersededBy), by.ID)
	putReverted(p, t)
	for _, s := range p.board.Summaries() {
		if !board.AnyOf(board.Draft, board.Unclaimed, board.Blocked).Has(s.Status) || s.ID == by.ID || !slices.Contains(s.DependsOn, id) {
			continue
		}
		other := p.board.Task(s.ID).Clone()
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
		for _, t := range (levelling{p.board, p.prior}).raise([]*board.Task{other}) {
			p.keep(t)
		}
	}
}

// checkReverts are the demands on tasks that take work back, or were taken back,
// and on what questions leave of the state of their task.
func checkReverts(b *board.Board, t *board.Task) []demand {
	unknown := func(id board.TaskID) bool { return b.Task(id) == nil }
	return []demand{
		{t.Reverted != nil && t.Status != board.Merged, "was reverted without being MERGED"},
		{slices.ContainsFunc(t.Reverts, unknown), "reverts a task that does not exist"},
		{t.Block != nil && t.Block.From != 0 && (t.Block.Limit != "" || len(t.Block.Asked) == 0), "waits for answers without questions"},
		{t.Block != nil && t.Block.From != 0 && !board.AnyOf(board.Unclaimed, board.Rejected, board.IntegrationFailed).Has(t.Block.From), "returns to a state that no work is taken from"},
	}
}
