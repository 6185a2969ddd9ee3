package flow

import (
	"slices"

	"github.com/git-liza/git-liza/flow/board"
)

// FinalizeMove turns drafts into claimable tasks.
type FinalizeMove struct {
	Tasks board.TaskIDs `yaml:"tasks"`
	Texts texts         `yaml:"texts"` // new ones that the tasks stand on
}

func (f *FinalizeMove) subject() string { return f.Tasks.Subject() }

func (f *FinalizeMove) ask(_ Move, b *board.Board) Query {
	var list []board.TaskInput
	for _, id := range f.Tasks {
		if t := b.Task(id); t != nil {
			list = append(list, board.TaskInput{Spec: t.Spec, BasedOn: t.BasedOn})
		}
	}
	return askTextsOf(b, list)
}

func (f *FinalizeMove) fill(p *play) { f.Texts = enteredTexts(p) }

func (f *FinalizeMove) already(p *play) bool {
	lacks := func(id board.TaskID) bool { t := p.board.Task(id); return t == nil || t.Status != board.Unclaimed }
	return len(f.Tasks) > 0 && !slices.ContainsFunc(f.Tasks, lacks)
}

func (f *FinalizeMove) check(p *play) *Refusal {
	if len(f.Tasks) == 0 {
		return refuse(RuleForm, "git liza help task finalize", "there is no task to finalize")
	}
	finalized := make(map[board.TaskID]bool, len(f.Tasks))
	for _, id := range f.Tasks {
		t := p.board.Task(id)
		if t == nil {
			return refuse(RuleNotFound, "git liza list --all", "there is no task %s", id)
		}
		t = t.Clone()
		if finalized[id] {
			t.Status = board.Unclaimed
		}
		if t.Status.Final() {
			return refuse(RuleFinal, "git liza show "+string(id), "%s is %s, and nothing leaves a final state", id, t.Status)
		}
		if t.Status != board.Draft {
			return refuse(RuleState, "git liza show "+string(id), "finalize applies to drafts, %s is %s", id, t.Status)
		}
		t.Status = board.Unclaimed
		if wrong := p.describe(t, "git liza task edit "+string(id)); len(wrong) > 0 {
			return wrong[0]
		}
		finalized[id] = true
	}
	return checkRecorded(p, f.Texts)
}

func (f *FinalizeMove) apply(p *effect) {
	for _, id := range f.Tasks {
		t := p.board.Task(id).Clone()
		t.Status = board.Unclaimed
		p.keep(t)
	}
}
