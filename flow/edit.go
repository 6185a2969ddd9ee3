package flow

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// EditMove replaces the description of a task; its id stays.
type EditMove struct {
	Input board.TaskInput `yaml:"input"`
	Texts texts           `yaml:"texts"` // new ones that the task stands on
}

func (e *EditMove) ask(m Move, b *board.Board) Query {
	t := b.Task(m.Task)
	return askTextsOf(b, []board.TaskInput{{Spec: e.Input.Spec, BasedOn: e.Input.BasedOn, Draft: t == nil || !board.AnyOf(board.Unclaimed, board.Blocked).Has(t.Status)}})
}

func (e *EditMove) fill(p *play) { e.Texts = enteredTexts(p) }

// editable lets only humans edit a task in work: only its budget can change
// then, and only humans change budgets. They also remove dependencies
// on what was taken back.
func editable(p *play) *Refusal {
	if board.Described.Has(p.from) || p.move.By.IsHuman() {
		return nil
	}
	return p.refuseEdit()
}

// refuseEdit is the refusal of an edit in a state that fixes the description. Its
// hint leads to a state that does not, if the caller may type it.
func (p *play) refuseEdit() *Refusal {
	return refuse(RuleState, p.toDescribe(), "edit does not apply to %s, which is %s; only its budget, and what is meant in it, can change, by a human", p.task.ID, p.from)
}

// toDescribe is the command to type before an edit. Submitted work is rejected
// first, by an actor that may judge it, or the task is replaced.
func (p *play) toDescribe() string {
	id, human := string(p.task.ID), p.move.By.IsHuman()
	block := "git liza block " + id + " --reason R --question Q"
	switch {
	case p.from == board.Rejected, p.from == board.IntegrationFailed:
		return block
	case p.from == board.ReadyForReview && (!human || independent(p) != nil):
		return "git liza task supersede " + id + " --by FILE --reason R"
	case !human:
		return "git liza show " + id
	case p.from == board.Claimed && p.task.Claim.Live(p.move.At) && !p.task.Claim.By.IsHuman():
		return "git liza note TEXT --for " + id // a release would throw the session away
	case p.from == board.Claimed && p.task.Claim.From == board.Unclaimed:
		return "git liza release " + id
	case p.from == board.Claimed:
		return "git liza release " + id + " && " + block
	}
	reject := (&RejectMove{Commit: p.task.Submission.Commit}).hint(p.task, p.task.Rejection()) + " && " + block
	if p.from == board.Approved || len(openToPeople(p)) == 0 { // a person may reject where none may review
		return reject
	}
	if !p.task.Review().Live(p.move.At) {
		return "git liza review " + id + " && " + reject
	}
	if p.task.IsReviewedBy(p.move.By) {
		return reject
	}
	return "git liza release " + id + " && git liza review " + id + " && " + reject
}

func (e *EditMove) check(p *play) *Refusal {
	hint := "git liza help task edit"
	if e.Input.ID != p.task.ID {
		return refuse(RuleForm, hint, "an id does not change: %s is not %s", e.Input.ID, p.task.ID)
	}
	if e.Input.Reopens != "" {
		return refuse(RuleForm, hint, "only a new task does the work of a reverted one again")
	}
	t := p.task.Clone()
	t.SetInput(&e.Input)
	t.Level, t.Phase = cmp.Or(t.Level, p.task.Level), cmp.Or(t.Phase, p.task.Phase)
	if r := checkNewPhase(p, t, p.task.Phase, hint); r != nil && board.Described.Has(p.from) {
		return r
	}
	if r := cmp.Or(p.checkBudget(p.task.Budget, t, hint), p.checkWithout(p.task, t, hint)); r != nil {
		return r
	}
	if !board.Described.Has(p.from) {
		return p.onlyBudget(t)
	}
	var found faults
	for _, r := range p.describe(t, hint) {
		found.add(0, r)
	}
	edited := board.WithTasks(p.board, t)
	defer func() { p.board.Fail(edited.Err()) }()
	if r := checkAcyclic(edited, t); r != nil {
		return r
	}
	p.repointed = levelling{edited, p.prior}.assign([]*board.Task{t}, nil, &found)
	p.level = t.Level
	return cmp.Or(found.refusal(), checkRecorded(p, e.Texts))
}

// onlyBudget refuses an edit that keeps the budget and what is meant, or changes anything
// else, but for dependencies on what was taken back.
func (p *play) onlyBudget(is *board.Task) *Refusal {
	before, after := p.task.Input(), is.Input()
	if p.move.By.IsHuman() && freesReverts(p.board, before, after) {
		return nil
	}
	after.Budget, after.Meant = before.Budget, before.Meant
	if reflect.DeepEqual(before, is.Input()) || !reflect.DeepEqual(before, after) {
		return p.refuseEdit()
	}
	return nil
}

// checkBudget refuses a budget out of bounds, and a change of the budget by an
// agent.
func (p *play) checkBudget(was *board.Budget, t *board.Task, hint string) *Refusal {
	switch {
	case reflect.DeepEqual(was, t.Budget):
	case !p.move.By.IsHuman():
		return refuse(RuleRole, hint, "only a human sets the budget of a task: %s changes that of %s", p.move.By, t.ID)
	case t.Budget != nil && !t.Budget.Sound():
		return refuse(RuleForm, hint, "a budget of %s is negative or too large", t.ID)
	}
	return nil
}

func (e *EditMove) apply(p *effect) {
	level, phase := p.task.Level, p.task.Phase
	p.task.SetInput(&e.Input)
	p.task.Phase = cmp.Or(p.task.Phase, phase)
	if p.task.Level = cmp.Or(p.level, level); p.task.Level != level {
		clearLevels(p, p.task.Goal, min(p.task.Level, cmp.Or(level, p.task.Level)))
	}
	if board.Described.Has(p.from) && p.task.Submission != nil {
		judgeAnew(p, p.task)
	}
}

// judgeAnew takes back the verdicts on a submission whose task is described anew,
// which waits for its judges again once it is unblocked. It has the roles judge it
// that the new description asks for, and those that judged it before. The board knows
// only the first paths of a large submission: it counts as touching all.
func judgeAnew(p *effect, t *board.Task) {
	s := board.CopyOf(t.Submission)
	touches := touching(p.play, s.Changed, s.Paths)
	s.ReviewBy = lists.Add(slices.Clone(s.ReviewBy), neededWhere(p.play, t, touches)...)
	t.Submission = s
	t.JudgeAll(func(j *board.Judgement) { j.Verdict = nil })
}
