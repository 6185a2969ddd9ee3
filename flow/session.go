package flow

import (
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/board"
)

// SessionOutcomes are the words for how a session ended.
func SessionOutcomes() []string {
	return []string{"submitted", "approved", "rejected", "blocked", "handoff", "planned", "nothing", "failed", "hung",
		"budget", "quota", "called_off", "lost", "answered", "killed", "loop"}
}

// SessionMove records a session that has ended: its provider, its outcome and
// its usage. By is the agent. The move is made on a task in any state,
// including the final ones, or without a task for a planner. It changes the usage of
// the task, and ends the claim or review that it was for if the agent holds it still.
type SessionMove struct {
	Provider string         `yaml:"provider"`
	Model    string         `yaml:"model"`
	Role     board.Role     `yaml:"role"`
	Outcome  string         `yaml:"outcome"` // one of SessionOutcomes
	Usage    board.Usage    `yaml:"usage"`   // of this session alone, see [board.Usage.Bounded] and [SessionMove.Counted]
	Record   board.ObjectID `yaml:"record"`  // the commit below refs/liza/sessions, "" if nothing was kept

	Of    time.Time `yaml:"of"`    // when the claim or the review began that it was for, and that it ends; zero: it ends none
	Error string    `yaml:"error"` // by which it failed, at most 1 KiB
}

// maxSessionError bounds the error of a session, in bytes.
const maxSessionError = 1024

// Counted reports whether the usage of the session is known. If not, the move
// says 0 sessions and its other numbers are meaningless zeros. The board counts
// one session for it.
func (s *SessionMove) Counted() bool { return s.Usage.Sessions > 0 }

func (s *SessionMove) subject() string { return "" }

func (s *SessionMove) check(p *play) *Refusal {
	hint := "git liza help session"
	by := p.move.By
	switch id := by.Agent(); {
	case id != "" && p.prior.Agent(id) == nil:
		return refuse(RuleNotFound, "git liza agents", "%s is not registered", id)
	case s.Role == "" || id != "" && s.Role != id.Role():
		return refuse(RuleForm, hint, "a session of %s has that agent's role, not %s", by, s.Role)
	case p.board.Role(s.Role) == nil:
		return refuse(RuleNotFound, "git liza role list", "the board has no role %s", s.Role)
	case p.task == nil && p.board.Role(s.Role).Capacity != board.Plans:
		return refuse(RuleForm, hint, "only a session of a planner has no task")
	case !slices.Contains(SessionOutcomes(), s.Outcome):
		return refuse(RuleForm, hint, "%q is not one of %v", board.Clip(s.Outcome), SessionOutcomes())
	}
	if r := present("the provider", s.Provider, hint); r != nil {
		return r
	}
	if len(s.Error) > maxSessionError {
		return refuse(RuleLimit, hint, "the error of a session has at most %d bytes, not %d", maxSessionError, len(s.Error))
	}
	if s.Usage != s.Usage.Bounded() {
		return refuse(RuleLimit, hint, "a session reads and writes at most %d tokens each, costs at most %s dollars and lasts at most %d seconds, none of it negative, and reads no more from a cache than it reads",
			int64(board.MaxSessionTokens), board.MaxSessionCost, int64(board.MaxSessionSeconds))
	}
	return nil
}

func (s *SessionMove) apply(p *effect) {
	used := s.Usage
	used.Sessions = 1
	payer := p.task
	if payer == nil {
		payer = &board.Task{Goal: p.goalID()}
	}
	goal, sprint := payersOf(p.board, payer)
	if g := p.board.Goal(goal); g != nil {
		paid := *g
		paid.Usage = g.Usage.Plus(used)
		p.put(board.Key{Folder: board.Goals, ID: string(goal)}, &paid)
	}
	if in := p.board.Sprint(sprint); in != nil {
		paid := *in
		paid.Usage = in.Usage.Plus(used)
		p.put(board.Key{Folder: board.Sprints, ID: string(sprint)}, &paid)
	}
	if p.task == nil || p.board.Load(board.Key{Folder: board.Tasks, ID: string(p.task.ID)}) == nil {
		return // an archived task stays as it was
	}
	p.task.Usage = p.task.Usage.Plus(used)
	s.end(p)
	p.put(board.Key{Folder: board.Tasks, ID: string(p.task.ID)}, p.task)
}

// end ends what the session was for, and counts in the goal a claim that failed.
func (s *SessionMove) end(p *effect) {
	t := p.task
	if s.Of.IsZero() {
		return
	}
	claimed := countClaims(p.board, t.Goal, chargedAccount(p.board, p.move.Principal))
	ended, failed := s.endWork(p)
	if ended {
		enter(p, t)
	}
	if failed {
		countEnd(p, board.End{Task: t.ID, Fingerprint: board.Fingerprint(s.Error)}, claimed, s.Error)
	}
}

// payersOf are the goal and the sprint to which sessions for a task are charged:
// those of the task, and between two sprints the last one.
func payersOf(b *board.Board, t *board.Task) (board.GoalID, board.SprintID) {
	if b.Sprint(t.Sprint) == nil {
		return t.Goal, lastSprint(b, t.Goal)
	}
	return t.Goal, t.Sprint
}
