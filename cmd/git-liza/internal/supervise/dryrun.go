package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// A DryRun is what a rush would begin with if nobody else made a move.
type DryRun struct {
	Board  *board.Board   // as it would be after these first steps
	Merges []board.TaskID // approved work that can be merged
	Steps  []Step         // of the agents, in the order of the slots
}

// A Step is what an agent would do first.
type Step struct {
	Agent board.AgentID
	Slot  Slot
	Does  string       // answer, plan, claim, review or wait
	Task  board.TaskID // of a claim or review, or whose question is answered
	Why   string       // it plans or waits
	Hint  string       // the command that ends the waiting, "" if none is known
}

// RunDry tries the first moves of a rush on a copy of the board. It makes none of them.
func RunDry(ctx context.Context, r *Rush, slots []Slot) (*DryRun, error) {
	b, _, err := r.Clone.Store.Board(ctx)
	if err != nil {
		return nil, err
	}
	allowed, err := r.Clone.Trust.Allowed(ctx)
	if err != nil {
		return nil, err
	}
	at := timeOn(b, r.Clone.Store.Now().UTC().Truncate(time.Second))
	t := trial{Rush: r, board: b, at: at, allowed: allowed, callers: map[board.AgentID]flow.Caller{}}
	var team []*supervisor
	f := &DryRun{}
	for n, slot := range slots {
		s := newSupervisor(r, slot, rowOf(b, slot.Role))
		s.clone, s.generation = r.Clone, board.Generation(fmt.Sprintf("%016x", n))
		step, err := t.register(ctx, s)
		if err != nil {
			return nil, err
		}
		team, f.Steps = append(team, s), append(f.Steps, step)
	}
	running := b.Settings().Control.State.IsRunning()
	for _, task := range b.Tasks() {
		if running && flow.Allows(task.Status, board.ActMerge) && r.merges(task.Goal) && flow.Opens(b, board.ActMerge, task.ID, flow.Caller{By: "human:anybody"}, at) == nil {
			f.Merges = append(f.Merges, task.ID)
		}
	}
	for i, s := range team {
		if f.Steps[i].Does != "" {
			continue // it could not be registered
		}
		if err := t.begin(ctx, s, &f.Steps[i]); err != nil {
			return nil, err
		}
	}
	f.Board = t.board
	return f, b.Err()
}

// A trial is a rush on a copy of the board.
type trial struct {
	*Rush
	board    *board.Board
	at       time.Time
	allowed  work.Allowed // commands of the board
	callers  map[board.AgentID]flow.Caller
	planning bool // a planner has begun
}

// move makes a move on the copy, and returns why the rules refuse it.
func (t *trial) move(m flow.Move) error {
	m.At, m.Request = t.at, "0000000000000000"
	m.Goal = flow.GoalOf(t.board, m)
	after, err := flow.Apply(t.board, m, nil)
	if err == nil {
		t.board = after
	}
	return err
}

// register registers the agent of a supervisor on the copy. It waits with the reason if
// the rules refuse that.
func (t *trial) register(ctx context.Context, s *supervisor) (Step, error) {
	step := Step{Agent: s.slot.ID, Slot: s.slot}
	id, err := s.chooseID(ctx, t.board)
	if err == nil {
		s.id, step.Agent = id, id
		var principal string
		if principal, err = work.PrincipalOf(ctx, t.Clone.Repo, board.Actor(id)); err != nil {
			return step, err
		}
		host, _ := os.Hostname()
		c := flow.Caller{By: board.Actor(id), Principal: principal}
		err = t.move(c.Move(board.ActRegister, "", &flow.RegisterMove{Agent: id, Provider: s.slot.Provider.Name, Host: host, Generation: s.generation, Format: board.NewestFormat}))
		c.Generation = s.generation
		t.callers[id] = c
	}
	return step, step.wait(err)
}

// wait has the agent wait because of a refusal. Any other error is returned.
func (p *Step) wait(err error) error {
	var refusal *flow.Refusal
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &refusal):
		return err
	}
	p.Does, p.Why, p.Hint = "wait", refusal.Reason, refusal.Hint
	if refusal.Rule == flow.RuleNothing && p.Hint == "git liza list" {
		p.Hint = "" // it ends no waiting
	}
	return nil
}

// begin finds what the agent does first, and does it on the copy.
func (t *trial) begin(ctx context.Context, s *supervisor, step *Step) error {
	if c := t.board.Settings().Control; !c.State.IsRunning() {
		return step.wait(&flow.Refusal{Reason: fmt.Sprintf("the board is %s (%s)", c.State, c.Reason), Hint: c.Onward(t.board)})
	}
	if why := t.checkProvider(ctx, s); why != (Unfit{}) {
		return step.wait(&flow.Refusal{Reason: why.Reason, Hint: cmp.Or(why.Hint, why.Override)})
	}
	paused := provider.Paused(t.Clone.Repo.CommonDir(), s.provider.Name, t.at)
	switch {
	case paused != nil:
		return step.wait(&flow.Refusal{Reason: fmt.Sprintf("%s is paused, %s", s.provider.Name, paused), Hint: s.resumeCommand(*paused)})
	case t.answer(s, step):
		return nil
	case s.capacity == board.Plans:
		return step.wait(t.plan(s, step))
	case s.capacity == board.Does:
		if paused := work.CheckPause(ctx, t.Clone.Repo); paused != nil {
			return step.wait(paused)
		}
		return step.wait(t.take(s, board.ActClaim, step, &flow.ClaimMove{Lease: t.board.Settings().Config.Lease}))
	}
	return step.wait(t.take(s, board.ActReview, step, &flow.ReviewMove{Lease: t.board.Settings().Config.ReviewLease}))
}

// answer has the agent take the oldest question that it may look for an answer to, and
// reports whether there was one.
func (t *trial) answer(s *supervisor, step *Step) bool {
	if s.provider.RunsGates() {
		return false
	}
	c := t.callers[s.id]
	q, _ := flow.NextQuestion(t.board, c, t.at, func(q *board.Question) bool {
		of := t.board.Task(q.Task)
		return of == nil || !t.serves(t.board, of.Goal) || s.refuseSession(t.board, of.Goal, of.ID) != nil
	})
	if q == nil || t.move(c.Move(board.ActTake, "", &flow.TakeMove{Question: q.ID, Lease: t.board.Settings().Config.ReviewLease})) != nil {
		return false
	}
	step.Does, step.Task = "answer", q.Task
	return true
}

// checkProvider says why an agent has no work for its program. A slot without a provider
// is one whose provider is not chosen yet.
func (t *trial) checkProvider(ctx context.Context, s *supervisor) Unfit {
	if s.provider.Name == "" {
		return Unfit{}
	}
	return cmp.Or(checkRow(t.board, s.slot.Role, s.provider), checkProgram(ctx, t.Rush, s.provider))
}

// plan has one planner answer what asks for one.
func (t *trial) plan(s *supervisor, step *Step) error {
	triggers := flow.Triggers(t.board, t.goals()...)
	switch {
	case len(triggers) == 0:
		return &flow.Refusal{Reason: "nothing asks for a planner"}
	case t.planning:
		return &flow.Refusal{Reason: "another planner works"}
	}
	if refusal := s.refuseSession(t.board, triggers[0].Goal, ""); refusal != nil {
		return refusal
	}
	t.planning, step.Does, step.Why = true, "plan", triggersText(triggers)
	return nil
}

// take has the agent take the best task for an act, as [supervisor.pickTask] chooses it.
func (t *trial) take(s *supervisor, act board.Act, step *Step, detail flow.Detail) error {
	c := t.callers[s.id]
	var barred *flow.Refusal // the first task that this machine alone keeps from the agent
	id, none := flow.Best(t.board, act, c, t.at, func(of board.Summary) bool {
		if !t.serves(t.board, of.Goal) || of.Coder != c.By && t.board.LeftUntil(of).After(t.at) {
			return true
		}
		why := cmp.Or(s.checkBounds(t.board, of.ID), t.checkCommands(s, act, of.ID))
		barred = cmp.Or(barred, why)
		return why != nil
	})
	if none != nil {
		return cmp.Or(barred, none)
	}
	if out := s.outagesAt(t.board, board.AtSubmit); act == board.ActClaim && len(out) > 0 {
		return refuseOutage(out[0])
	}
	m := flow.Fill(t.board, c.Move(act, id, detail), nil)
	if err := t.move(m); err != nil {
		return err
	}
	step.Does, step.Task = act.String(), id
	return nil
}

// checkCommands refuses an act that needs commands which may not run on this machine.
func (t *trial) checkCommands(s *supervisor, act board.Act, id board.TaskID) *flow.Refusal {
	gates, err := neededGates(s.provider, t.board, act, t.board.Task(id))
	if own := t.board.Settings().Config.PostWorktree; own != "" {
		gates = append(gates, board.Gate{Command: own})
	}
	for _, g := range gates {
		if err == nil {
			err = t.allowed.Check(g.Command)
		}
	}
	refusal, _ := errors.AsType[*flow.Refusal](err)
	return refusal
}
