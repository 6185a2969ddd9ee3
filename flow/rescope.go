package flow

import (
	"cmp"
	"slices"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// SupersedeMove replaces a task that was framed wrong.
type SupersedeMove struct {
	Reason string        `yaml:"reason"` // with the root cause
	By     board.TaskIDs `yaml:"by_tasks"`
	Add    inputs        `yaml:"add"`
	Saved  *board.Save   `yaml:"saved"`
	Texts  texts         `yaml:"texts"` // new ones that the tasks stand on
}

func rescopable(p *play) *Refusal {
	depth := p.board.Settings().Config.SupersedeDepth
	if p.task.Generation >= depth && !p.move.By.IsHuman() {
		return refuse(RuleDepth, "git liza show "+string(p.task.ID), "%s comes from %d rescopes already, the next one is for a human", p.task.ID, p.task.Generation)
	}
	return nil
}

func (s *SupersedeMove) replacements() []board.TaskID {
	added := lists.Of(s.Add, func(in board.TaskInput) board.TaskID { return in.ID })
	return lists.Add(lists.Add(nil, s.By...), added...)
}

func (s *SupersedeMove) already(p *play) bool {
	return p.from == board.Superseded && p.task.Rescope == s.Reason
}

func (s *SupersedeMove) fill(p *play) { s.Texts = enteredTexts(p) }

func (s *SupersedeMove) ask(_ Move, b *board.Board) Query {
	q := askTextsOf(b, s.Add)
	q.Saves = askSave(s.Saved).Saves
	return q
}

func (s *SupersedeMove) refs(m Move, _ *board.Board) []RefMove { return saved(m.Task, s.Saved) }

func (s *SupersedeMove) check(p *play) *Refusal {
	hint := "git liza task supersede " + string(p.task.ID) + " --by FILE --reason R"
	if r := cmp.Or(present("the reason", s.Reason, hint), p.checkSave(s.Saved)); r != nil {
		return r
	}
	list := s.replacements()
	if len(list) == 0 || len(list) > board.MaxList {
		return refuse(RuleForm, hint, "a task is replaced by 1 to %d tasks, not %d", board.MaxList, len(list))
	}
	for _, id := range s.By {
		t := p.board.Task(id)
		if t == nil || t.ID == p.task.ID || t.Status == board.Superseded || t.Status == board.Abandoned {
			return refuse(RuleNotFound, "git liza list", "%s cannot replace %s", id, p.task.ID)
		}
	}
	if r := cmp.Or(p.enterTasks(s.Add, p.task), checkRecorded(p, s.Texts)); r != nil {
		return r
	}
	return p.repoint(list)
}

// admit refuses a single replacement that is the same work under another name; people may hand out
// again what nobody failed.
func (s *SupersedeMove) admit(p *play) *Refusal {
	list := slices.Concat(s.Add, lists.Of(s.By, func(id board.TaskID) board.TaskInput { return p.board.Task(id).Input() }))
	if len(list) == 1 && (!p.move.By.IsHuman() || len(p.task.Failures) > 0) && list[0].IsSameWork(p.task.Input()) {
		return refuse(RuleExhausted, "git liza task supersede "+string(p.task.ID)+" --by FILE --reason R",
			"what replaces %s differs from it in nothing that says what the work is: another framing is needed, not another name", p.task.ID)
	}
	return boundOwns(p, s.Add)
}

// repoint lets the dependants of the subject depend on its replacements.
func (p *play) repoint(to []board.TaskID) *Refusal {
	entered := board.WithTasks(p.board, p.added...)
	defer func() { p.board.Fail(entered.Err()) }()
	for _, s := range dependantsOf(entered, p.task.ID) {
		t := entered.Task(s.ID).Clone()
		var deps []board.TaskID
		for _, d := range t.DependsOn {
			if d == p.task.ID {
				deps = append(deps, to...)
				continue
			}
			deps = append(deps, d)
		}
		t.DependsOn = lists.Add(nil, deps...)
		for _, id := range to {
			if by := entered.Task(id); by != nil && by.Goal == t.Goal && t.Level > 0 {
				t.Level = max(t.Level, by.Level)
			}
		}
		if len(t.DependsOn) > board.MaxList {
			return refuse(RuleLimit, "git liza show "+string(t.ID), "%s would depend on more than %d tasks", t.ID, board.MaxList)
		}
		p.repointed = append(p.repointed, t)
	}
	with := board.WithTasks(entered, p.repointed...)
	p.repointed = append(p.repointed, levelling{with, p.prior}.raise(p.repointed)...)
	p.board.Fail(with.Err())
	repointed := board.WithTasks(entered, p.repointed...)
	defer func() { p.board.Fail(repointed.Err()) }()
	return firstRefusal(p.repointed, func(t *board.Task) *Refusal { return checkAcyclic(repointed, t) })
}

func (s *SupersedeMove) apply(p *effect) {
	t := p.task
	clearHolders(p, s.Saved)
	t.SupersededBy, t.Rescope = s.replacements(), s.Reason
	for _, id := range s.By {
		r := p.board.Task(id).Clone()
		if !r.Status.Final() && !slices.Contains(r.Supersedes, t.ID) && len(r.Supersedes) < board.MaxList {
			r.Supersedes = append(slices.Clip(r.Supersedes), t.ID)
			r.Generation = max(r.Generation, t.Generation+1)
			p.keep(r)
		}
	}
}

// AbandonMove gives a task up.
type AbandonMove struct {
	Reason  string      `yaml:"reason"`
	Cascade bool        `yaml:"cascade"` // block the unclaimed tasks that need it
	Saved   *board.Save `yaml:"saved"`
}

func (a *AbandonMove) ask(Move, *board.Board) Query { return askSave(a.Saved) }

func (a *AbandonMove) refs(m Move, _ *board.Board) []RefMove { return saved(m.Task, a.Saved) }

func (a *AbandonMove) already(p *play) bool {
	return p.from == board.Abandoned && p.task.Abandoned == a.Reason
}

func (a *AbandonMove) check(p *play) *Refusal {
	id := string(p.task.ID)
	if r := present("the reason", a.Reason, "git liza task abandon "+id+" --reason R"); r != nil {
		return r
	}
	for _, d := range dependantsOf(p.board, p.task.ID) {
		switch {
		case !a.Cascade:
			return refuse(RuleDependants, "git liza task abandon "+id+" --reason R --cascade", "%s needs %s", d.ID, id)
		case d.Status != board.Unclaimed && d.Status != board.Draft:
			return refuse(RuleDependants, "git liza show "+string(d.ID), "%s needs %s and is %s already", d.ID, id, d.Status)
		}
	}
	return p.checkSave(a.Saved)
}

func (a *AbandonMove) apply(p *effect) {
	for _, d := range dependantsOf(p.board, p.task.ID) {
		if d.Status != board.Unclaimed {
			continue
		}
		t := p.board.Task(d.ID).Clone()
		t.Status = board.Blocked
		blockTask(t, p, board.Block{Reason: "dependency_abandoned", Questions: []string{string(p.task.ID) + " was abandoned: what replaces it for this task?"}})
		p.keep(t)
	}
	clearHolders(p, a.Saved)
	p.task.Abandoned = a.Reason
	p.task.AbandonedBy = p.move.By
}
