package flow

import (
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/board"
)

// checkPrincipal refuses moves that no principal of the board may make. On a board
// without principals a move may name any principal, with no effect: a clone can
// be configured with its principal before the first one is entered.
func (p *play) checkPrincipal() *Refusal {
	m, known := p.move, p.board.Principals()
	if len(known.List) == 0 {
		return nil
	}
	who := known.Find(m.Principal)
	switch {
	case m.Principal == "":
		return refuse(RulePrincipal, "git config liza.principal NAME", "the board has principals, and %s by %s names none", m.Act, m.By)
	case who == nil:
		return refuse(RulePrincipal, "git liza principal list", "there is no principal %s", board.Clip(m.Principal))
	case !who.MayAct(m.By):
		return refuse(RulePrincipal, "git liza principal list", "%s does not act as %s", who.Name, m.By)
	}
	return checkRegistrant(p)
}

// checkRegistrant refuses moves of an agent by a principal that did not register it. If
// that principal has been removed, any principal that may act as the agent can
// register it anew.
func checkRegistrant(p *play) *Refusal {
	m, id := p.move, p.move.By.Agent()
	if id == "" {
		return nil
	}
	a := p.board.Agent(id)
	if a == nil || a.Principal == "" || a.Principal == m.Principal {
		return nil
	}
	if p.board.Principals().Find(a.Principal) != nil {
		return refuse(RulePrincipal, "git liza agents remove "+string(id), "%s is registered by %s and acts for no other principal: not for %s", id, a.Principal, m.Principal)
	}
	if m.Act != board.ActRegister {
		return refuse(RulePrincipal, "git liza agents add "+string(id), "%s was registered by %s, who is no longer a principal", id, a.Principal)
	}
	if held, until := heldBy(p, a); held != "" {
		return refuse(RuleHeld, releaseHint(p, a, held), "%s holds %s until %s for %s", id, held, until, a.Principal)
	}
	return nil
}

// checkFence refuses agents of roles that the board lacks, and generations that a
// newer registration replaced.
func (p *play) checkFence() *Refusal {
	m := p.move
	id := m.By.Agent()
	if !p.prior.Empty() && id != "" && p.board.Role(id.Role()) == nil {
		return refuse(RuleNotFound, "git liza role list", "the board has no role %s, which %s names", id.Role(), id)
	}
	if id == "" {
		if m.Generation != "" {
			return refuse(RuleStale, "git liza agents", "a human's move carries no generation")
		}
		return nil
	}
	if m.Act == board.ActRegister {
		return nil
	}
	var known board.Generation
	agent := p.board.Agent(id)
	if agent != nil {
		known = agent.Generation
	}
	if m.Generation != known && (known == "" || m.Generation != known.Child()) {
		return refuse(RuleStale, "git liza agents", "%s is registered with another generation: a newer registration has replaced this one, or it has ended", id)
	}
	return nil
}

// standingOf is every capacity that the actor has towards the subject.
func standingOf(p *play) standing {
	s := anybody
	by := p.move.By
	if p.task != nil && holdsSubject(p) {
		s |= holder
	}
	if p.task != nil && p.task.IsReviewedBy(by) {
		s |= reviewHolder
	}
	if by.IsHuman() {
		return s | human
	}
	capacity := p.board.CapacityOf(by)
	if capacity == board.Plans {
		s |= planner
	}
	if p.move.Generation.Spawned() {
		if ownsReturnedTask(p) {
			s |= coder
		}
		return s
	}
	s |= supervisor
	switch capacity {
	case board.Does:
		s |= coder
	case board.Judges:
		s |= reviewer
	}
	return s
}

// ownsReturnedTask reports whether the task is an attempt of the actor that was rejected
// or failed to merge. An agent that waited in its session for the verdict
// continues with that task; it may choose no other.
func ownsReturnedTask(p *play) bool {
	t := p.task
	return t != nil && t.Attempt != nil && t.Attempt.Coder == p.move.By && (t.Status == board.Rejected || t.Status == board.IntegrationFailed)
}

// refuseStanding is the refusal of an actor that no row of the act admits.
func refuseStanding(p *play, r *rule) *Refusal {
	m := *p.move
	if m.Generation.Spawned() {
		above := m
		above.Generation = ""
		asked := play{board: p.board, move: &above, task: p.task}
		if r.by&standingOf(&asked) != 0 {
			return refuse(RuleSupervisor, "git liza show "+string(m.Task), "%s is for the supervisor of %s, not for the agent that it spawned", m.Act, m.By)
		}
	}
	switch {
	case r.by&holder != 0 && p.task.Claim != nil && p.task.Claim.By == m.By:
		return refuse(RuleHolder, "git liza show "+string(m.Task), "%s is held by %s for %s until %s, not for %s",
			m.Task, m.By, p.task.Claim.Principal, p.task.Claim.Lease.Format(time.RFC3339), m.Principal)
	case r.by&holder != 0 && p.task.Claim != nil:
		return refuse(RuleHolder, showHeldCommand(p, func(a *board.Agent) board.TaskID { return a.Task }), "%s is held by %s until %s, not by %s",
			m.Task, p.task.Claim.By, p.task.Claim.Lease.Format(time.RFC3339), m.By)
	case r.by&reviewHolder != 0 && p.task.Review() != nil:
		return refuse(RuleHolder, showHeldCommand(p, func(a *board.Agent) board.TaskID { return a.Review }), "the review of %s is held by %s until %s, not by %s",
			m.Task, p.task.Review().By, p.task.Review().Lease.Format(time.RFC3339), m.By)
	case r.by&reviewHolder != 0 && (p.task.IsCodedBy(m.By, m.Principal) || !m.By.IsHuman() && p.board.CapacityOf(m.By) != board.Judges):
		return refuse(RuleHolder, "git liza show "+string(m.Task), "%s has not claimed the review of %s, and cannot", m.By, m.Task)
	case r.by&reviewHolder != 0:
		return refuse(RuleHolder, "git liza review "+string(m.Task)+" --as "+string(m.By), "%s has not claimed the review of %s", m.By, m.Task)
	}
	return refuse(RuleRole, "git liza help "+m.Act.Command(), "%s is for %s, not for %s", m.Act, r.by, m.By)
}

// showHeldCommand is the command that shows the task or review that the agent holds, or
// the task of the move if the agent holds none.
func showHeldCommand(p *play, held func(*board.Agent) board.TaskID) string {
	if a := p.board.Agent(p.move.By.Agent()); a != nil && held(a) != "" {
		return "git liza show " + string(held(a))
	}
	return "git liza show " + string(p.move.Task)
}

// holdsSubject reports whether the claim belongs to the actor. The name of a human is
// not enough: several principals may work under it.
func holdsSubject(p *play) bool {
	c, m := p.task.Claim, p.move
	return c != nil && c.By == m.By &&
		(c.Principal == "" || c.Principal == m.Principal || len(p.board.Principals().List) == 0)
}

func workerOf(p *play) board.Worker { return board.Worker{By: p.move.By, Principal: p.move.Principal} }

// heldBy is the task or review that an agent holds with a live lease, and the
// time when that lease ends; "" if there is none.
func heldBy(p *play, a *board.Agent) (board.TaskID, string) {
	const layout = "2006-01-02T15:04:05Z"
	if t := p.board.Task(a.Task); t != nil && t.Claim != nil && t.Claim.By == board.Actor(a.ID) && t.Claim.Live(p.move.At) {
		return t.ID, t.Claim.Lease.Format(layout)
	}
	if t := p.board.Task(a.Review); t != nil {
		if _, held := t.HeldReview(board.Actor(a.ID)); held.Live(p.move.At) {
			return t.ID, held.Lease.Format(layout)
		}
	}
	return "", ""
}

// releaseHint is the command by which a person gives back what an agent holds. Of several
// reviews of a submission it names the role.
func releaseHint(p *play, a *board.Agent, held board.TaskID) string {
	hint := "git liza release " + string(held)
	if t := p.board.Task(held); held == a.Review && held != a.Task && t != nil && t.Submission != nil && len(t.Submission.ReviewBy) > 1 {
		hint += " --role " + string(a.ID.Role())
	}
	return hint
}

// recordsAbout is the task that a record of the actor names. An agent that names none, and holds a task or a review, means that.
func recordsAbout(p *play, named board.TaskID) board.TaskID {
	if named != "" {
		return named
	}
	return p.board.Agent(p.move.By.Agent()).Work()
}

// ownAgent is a registered agent that the actor may speak for.
func ownAgent(p *play, id board.AgentID, verb string) (*board.Agent, *Refusal) {
	if by := p.move.By.Agent(); by != "" && by != id {
		return nil, refuse(RuleRole, "git liza agents", "%s does not %s %s", by, verb, id)
	}
	a := p.board.Agent(id)
	if a == nil {
		return nil, refuse(RuleNotFound, "git liza agents", "%s is not registered", id)
	}
	return a, nil
}

// checkSteering refuses a move that affects everybody if an account of a machine
// without the right merge makes it, unless by a planner.
func checkSteering(p *play) *Refusal {
	known := p.board.Principals()
	who := known.Find(p.move.Principal)
	if p.move.By.IsHuman() || who == nil || who.Kind == "human" || p.board.CapacityOf(p.move.By) == board.Plans || slices.Contains(who.Rights, "merge") {
		return nil
	}
	return refuse(RuleAdmin, "git liza note TEXT --for all", "%s is a machine's account without the right merge: %s makes no %s, which affects everybody; only humans, planners and agents of an account with that right do",
		who.Name, p.move.By, p.move.Act)
}

// checkCoders refuses one worker more than the list of coders of a task can hold.
func checkCoders(t *board.Task, w board.Worker) *Refusal {
	if len(t.Coders) >= board.MaxList && !slices.Contains(t.Coders, w) {
		return refuse(RuleLimit, "git liza task supersede "+string(t.ID)+" --by FILE --reason R", "%d coders have held %s already", len(t.Coders), t.ID)
	}
	return nil
}
