package flow

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
)

// An effect is a play that has passed all guards and may change the board.
type effect struct{ *play }

// put writes a document to the board; nil removes the one that is there.
func (p *effect) put(key board.Key, doc board.Document) { p.board.Put(key, doc) }

// keep writes a task's new state to the board.
func (p *effect) keep(t *board.Task) {
	enter(p, t)
	dropAnswered(p, t)
	if t.Status.Final() {
		dropAsking(t, p)
	}
	p.put(board.Key{Folder: board.Tasks, ID: string(t.ID)}, t)
}

// enter dates a task's new state.
func enter(p *effect, t *board.Task) {
	t.Changed = p.move.At
	if was := p.prior.Task(t.ID); was == nil || was.Status != t.Status {
		t.Entered = p.move.At
	}
}

// change puts the board's settings back after edit has changed a copy of them.
func (p *effect) change(edit func(*board.Settings)) {
	s := p.board.Settings()
	edit(&s)
	p.put(board.Key{Folder: board.SettingsDoc}, &s)
}

func (p *effect) run() {
	for _, t := range p.added {
		p.keep(t)
		passNumber(p, t.ID)
	}
	if len(p.added) > 0 {
		editGoal(p, func(g *board.Goal) { g.Added += len(p.added) })
	}
	for _, t := range p.repointed {
		p.keep(t)
	}
	reviseLevels(p)
	for _, t := range p.texts {
		trackText(p, t, p.origin)
	}
	if p.task != nil && p.rule.to != 0 {
		p.task.Status = p.rule.to
	}
	p.register()
	p.bind()
	p.move.Detail.apply(p)
	if p.task != nil && p.rule.from != anywhere {
		p.keep(p.task)
	}
}

// passNumber lets the next proposed number follow that of a new task.
func passNumber(p *effect, id board.TaskID) {
	digits, numbered := strings.CutPrefix(string(id), "task-")
	n, err := strconv.Atoi(digits)
	if numbered && err == nil && n >= p.board.Settings().Next.Task && n < 1<<40 {
		p.change(func(s *board.Settings) { s.Next.Task = n + 1 })
	}
}

// register registers an agent whose first move is made without a supervisor.
func (p *effect) register() {
	id := p.move.By.Agent()
	if id == "" || p.move.Act == board.ActRegister || p.board.Agent(id) != nil {
		return
	}
	p.put(board.Key{Folder: board.Agents, ID: string(id)}, &board.Agent{ID: id, Role: id.Role(), Principal: p.move.Principal, Registered: p.move.At})
}

func editGoal(p *effect, edit func(*board.Goal)) {
	g := *p.board.Goal(p.goalID())
	edit(&g)
	p.put(board.Key{Folder: board.Goals, ID: string(g.ID)}, &g)
}

func setControl(p *effect, to board.Control, reason string) {
	p.change(func(s *board.Settings) {
		s.Control = board.ControlState{State: to, Reason: reason, By: p.move.By, At: p.move.At}
	})
}

func editAgent(p *effect, by board.Actor, edit func(*board.Agent)) {
	id := by.Agent()
	if id == "" {
		return
	}
	if found := p.board.Agent(id); found != nil {
		a := *found
		edit(&a)
		p.put(board.Key{Folder: board.Agents, ID: string(id)}, &a)
	}
}

// hold and free update the document of the agent with the claim of the task.
func (p *effect) hold(by board.Actor, id board.TaskID) {
	editAgent(p, by, func(a *board.Agent) { a.Task = id })
}

func (p *effect) free(by board.Actor) { editAgent(p, by, func(a *board.Agent) { a.Task = "" }) }

// continueAttempt continues the attempt: the same coder in its folder, another coder in a
// new folder from the last saved commit.
func (p *effect) continueAttempt(c *ClaimMove) {
	t, a := p.task, p.task.Attempt
	switch {
	case a.Saved != "" && a.Coder != p.move.By: // what this clone has of the work may be older
		a.Start = a.Saved
	case c.Saved != nil:
		a.Start = c.Saved.Commit
	case t.Submission != nil && !a.Keep:
		a.Start = t.Submission.Commit
	}
	if a.Coder != p.move.By {
		t.Attempts++
		a.Number, a.Coder = t.Attempts, p.move.By
	}
	if t.Integration != nil && (a.Keep || p.from == board.IntegrationFailed) {
		a.Fix = t.Integration.Onto
	}
	a.Iteration++
	a.Keep, a.Saved = false, ""
}

// clearRounds drops the results of earlier rounds. It keeps what the coder has to
// answer now, and what a release needs to restore the state from.
func (p *effect) clearRounds(from board.Status) {
	t := p.task
	t.Intent, t.Submission = nil, nil
	t.JudgeAll(func(j *board.Judgement) { j.Verdict = nil })
	if from != board.IntegrationFailed && t.Attempt.Fix == "" {
		t.Integration = nil
	}
}

// record writes a small document with the next number into the folder of a
// sprint of the move's goal.
func (p *effect) record(folder board.Folder, make func(board.RecordID) board.Document) {
	recordFor(p, p.goalID(), folder, make)
}

// recordFor is record for a goal that need not be the move's.
func recordFor(p *effect, goal board.GoalID, folder board.Folder, make func(board.RecordID) board.Document) {
	id := board.RecordID(string(sprintForRecords(p.board, goal)) + "/" + strconv.Itoa(p.board.Settings().Next.Record))
	p.put(board.Key{Folder: folder, ID: string(id)}, make(id))
	p.change(func(s *board.Settings) { s.Next.Record++ })
}

// recordAnomaly records an anomaly about a task. One of type [board.GuardKilled] or [board.SealChanged] is the doubt about it.
func (p *effect) recordAnomaly(what board.AnomalyType, about board.TaskID, details map[string]string) {
	p.record(board.Anomalies, func(id board.RecordID) board.Document {
		if what == board.GuardKilled || what == board.SealChanged {
			doubt(p, about, "", id)
		}
		return &board.Anomaly{ID: id, Type: what, Task: about, Details: details, By: p.move.By, At: p.move.At}
	})
}

// blockAtLimit blocks the subject with one standard question, in the same move that
// reached a limit. The role is that of the reviews that reached it, "" if it is
// not about reviews.
func (p *effect) blockAtLimit(limit string, role board.Role, question string) {
	t := p.task
	coder := lastCoder(p)
	p.unclaim()
	t.Status = board.Blocked
	blockTask(t, p, board.Block{Reason: limit, Limit: limit, Questions: []string{question}})
	details := map[string]string{"limit": limit}
	if role != "" {
		details["role"] = string(role)
	}
	p.recordAnomaly(board.LimitReached, t.ID, details)
	if limit == board.LimitIterations || limit == board.LimitCycles {
		recordFailure(p, coder, limit)
	}
	recordReplacement(p, limit)
}

// recordFailure records the failure of a coder. If that exhausts the task, the same
// move records the anomaly.
func recordFailure(p *effect, coder board.Actor, reason string) {
	t := p.task
	if coder == "" || len(t.Failures) >= board.MaxList {
		return
	}
	t.Failures = append(t.Failures[:len(t.Failures):len(t.Failures)], board.Failure{Coder: coder, Reason: reason, At: p.move.At})
	if !t.Exhausted(p.limits()) {
		return
	}
	p.recordAnomaly(board.HypothesisExhaustion, t.ID, map[string]string{"failures": strconv.Itoa(len(t.Failures)), "last_reason": board.Clean(board.Clip(reason))})
}

// lastCoder is the holder of the task or the coder of its attempt; "" if there
// is neither.
func lastCoder(p *effect) board.Actor {
	if p.task.Claim != nil {
		return p.task.Claim.By
	}
	if p.task.Attempt != nil {
		return p.task.Attempt.Coder
	}
	return ""
}

// unclaim removes the claim and all reviews, of any holders.
func (p *effect) unclaim() {
	t := p.task
	if t.Claim != nil {
		p.free(t.Claim.By)
		t.Claim = nil
	}
	endReviews(p, t)
}

// endReviews ends all reviews of a task.
func endReviews(p *effect, t *board.Task) {
	for _, r := range t.Reviewers() {
		endReview(p, t, r)
	}
}

// endReview ends the review of a task that a role holds, if there is one.
func endReview(p *effect, t *board.Task, r board.Role) {
	if held := t.Judgement(r).Review; held != nil {
		editAgent(p, held.By, func(a *board.Agent) { a.Review = "" })
		t.Judge(r, func(j *board.Judgement) { j.Review = nil })
	}
}

// dropReview ends an agent's earlier review, whose lease has ended, when the
// agent takes another one.
func dropReview(p *effect, by board.Actor) {
	id := by.Agent()
	if id == "" {
		return
	}
	a := p.board.Agent(id)
	if a == nil || a.Review == "" || a.Review == p.task.ID {
		return
	}
	old := p.board.Task(a.Review)
	if old == nil || !old.IsReviewedBy(by) {
		return
	}
	old = old.Clone()
	as, _ := old.HeldReview(by)
	old.Judge(as, func(j *board.Judgement) {
		j.Review = nil
		j.NoVerdicts++
	})
	p.keep(old)
}

// clearHolders removes the claim, review and block of a task that becomes final.
func clearHolders(p *effect, s *board.Save) {
	p.unclaim()
	dropBlock(p.task, p)
	if s != nil {
		p.task.Saves = s.Number
	}
}

// keepBranch lets the next claim continue from the saved commit.
func keepBranch(p *effect, s *board.Save) {
	a := board.CopyOf(p.task.Attempt)
	a.Keep = true
	switch {
	case s != nil:
		a.Start, a.Saved = s.Commit, "" // what a question saved is older
	case p.task.Submission != nil:
		a.Start = p.task.Submission.Commit
	}
	p.task.Attempt = a
}

// bind enters the principal of the move in the agent and the claim if they date
// from before the board had principals.
func (p *effect) bind() {
	m := p.move
	if len(p.board.Principals().List) == 0 {
		return
	}
	editAgent(p, m.By, func(a *board.Agent) { a.Principal = cmp.Or(a.Principal, m.Principal) })
	if t := p.task; t != nil && t.Claim != nil && t.Claim.By == m.By && t.Claim.Principal == "" {
		t.Claim.Principal = m.Principal
		if checkCoders(t, workerOf(p.play)) == nil {
			t.AddCoder(workerOf(p.play))
		}
	}
}
