package flow

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
)

// Admissible refuses moves that may no longer be made or admitted, although
// replay accepts them: earlier programs made such moves, and history stays
// legal. It is called after [Apply], on the board before the move, with
// the facts that the move was judged by.
func Admissible(b *board.Board, m Move, facts *Facts) *Refusal {
	p := &play{board: b, prior: b, move: &m, facts: facts}
	if p.task = b.Task(m.Task); p.task != nil {
		p.from = p.task.Status
	}
	if facts != nil && facts.Flaw != nil {
		return facts.Flaw
	}
	if r := checkAnswering(p); r != nil {
		return r
	}
	if d, ok := m.Detail.(admitter); ok {
		return d.admit(p)
	}
	return nil
}

// MaxLease is the longest lease of a claim or a review, unless the
// configuration of the board has longer ones. A holder that still works renews
// its lease; a task must not wait for years for a holder that is gone.
const MaxLease = board.Duration(24 * time.Hour)

// checkLease refuses a lease that is longer than [MaxLease] and the leases in the
// configuration.
func (p *play) checkLease(lease board.Duration) *Refusal {
	if lease <= MaxLease {
		return nil
	}
	config := p.board.Settings().Config
	longest := max(MaxLease, config.Lease, config.ReviewLease)
	if lease <= longest {
		return nil
	}
	m := p.move
	what := string(m.Task)
	if named, ok := m.Detail.(titled); ok && what == "" {
		what = named.subject()
	}
	hint := "git liza " + m.Act.Command() + " " + what + " --lease " + longest.String()
	if id := m.By.Agent(); id != "" {
		hint += " --as " + string(id)
	}
	return refuse(RuleLease, hint, "a lease on this board lasts at most %s, not %s: renew it while you work", longest, lease)
}

func (c *ClaimMove) admit(p *play) *Refusal  { return cmp.Or(p.checkLease(c.Lease), openNow(p)) }
func (g *MergeMove) admit(p *play) *Refusal  { return guardedAt(p, openNow, broughtNow) }
func (r *RenewMove) admit(p *play) *Refusal  { return p.checkLease(r.Lease) }
func (r *ReviewMove) admit(p *play) *Refusal { return p.checkLease(r.Lease) }

// openNow refuses an act that a board which is replayed has all the same: [Opens] and
// [Admissible] ask it.
func openNow(p *play) *Refusal {
	switch {
	case p.task == nil:
	case p.move.Act == board.ActClaim:
		return guarded(func() *Refusal { return SpecGone(p.board, p.task.Goal) }, func() *Refusal { return leftToOthers(p) }, func() *Refusal { return checkFiles(p) })
	case p.move.Act == board.ActMerge && !p.move.By.IsHuman():
		return mergesBeyond(p)
	}
	return nil
}

// mergesBeyond refuses to merge by itself what changes paths that another task in work owns.
func mergesBeyond(p *play) *Refusal {
	t, owned := p.task, glob.ParseAll(p.task.Owns)
	if len(owned) == 0 || t.Submission == nil {
		return nil
	}
	return firstRefusal(t.Submission.Paths, func(path string) *Refusal {
		if glob.MatchesAny(owned, path) {
			return nil
		}
		r := extends(p.board, t, "", glob.Quote(path))
		if r != nil {
			r.Hint = "git liza merge " + string(t.ID) // as a person
		}
		return r
	})
}

// boundLoop refuses agents to enter work in a loop on paths that no task of its goal owns.
func boundLoop(p *play, list []board.TaskInput) *Refusal {
	goal := p.goalID()
	if p.move.By.IsHuman() || board.LoopOf(p.board, goal) == nil {
		return nil
	}
	var within []string
	p.board.Each(func(s *board.Summary) {
		if s.Goal == goal {
			within = append(within, s.Owns...)
		}
	})
	return firstRefusal(list, func(in board.TaskInput) *Refusal {
		t := new(board.Task)
		t.SetInput(&in)
		if len(t.Owns) == 0 || slices.ContainsFunc(t.Owns, func(g string) bool { return !covers(within, g) }) {
			return refuse(RuleScope, "git liza list --goal "+string(goal), "%s is in a loop, and agents enter no work there on other paths than its tasks own", in.ID)
		}
		return nil
	})
}

// covers reports whether a glob is one of a list, a path that they match, or below a folder of it.
func covers(list []string, g string) bool {
	below := func(other string) bool {
		folder, is := strings.CutSuffix(strings.TrimSuffix(other, "**"), "/")
		return is && glob.LiteralLength(folder) == len(folder) && strings.HasPrefix(g, folder+"/")
	}
	return slices.Contains(list, g) || slices.ContainsFunc(list, below) || glob.LiteralLength(g) == len(g) && glob.MatchesAny(glob.ParseAll(list), g)
}

func (a *AddMove) admit(p *play) *Refusal     { return boundOwns(p, a.Tasks) }
func (g *GoalMove) admit(p *play) *Refusal    { return boundOwns(p, g.Tasks) }
func (c *ConvertMove) admit(p *play) *Refusal { return boundOwns(p, []board.TaskInput{c.Input}) }

// admit lets an edit keep globs that an earlier program accepted.
func (e *EditMove) admit(p *play) *Refusal {
	if p.task != nil && slices.Equal(p.task.Owns, e.Input.Owns) {
		return nil
	}
	if r := boundOwns(p, []board.TaskInput{e.Input}); r != nil || p.task == nil || !new(p.task.Summary()).IsInWork() {
		return r
	}
	edited := p.task.Clone()
	edited.SetInput(&e.Input)
	p.task = edited
	return checkFiles(p)
}

// maxAssumptions is the highest number of assumptions in the intent of an
// agent: the budget of the stop triggers in CORE. An agent that needs more
// asks.
const maxAssumptions = 2

func (i *IntentMove) admit(p *play) *Refusal {
	if n := len(i.Intent.Assumptions); n > maxAssumptions && !p.move.By.IsHuman() {
		hint := "git liza block " + string(p.move.Task) + " --reason REASON --question QUESTION --as " + string(p.move.By)
		return refuse(RuleIntent, hint, "an intent rests on at most %d assumptions, this one on %d: ask instead of assuming", maxAssumptions, n)
	}
	if i.Intent.Tip == "" && !p.move.By.IsHuman() {
		return refuse(RuleIntent, "git liza claim "+string(p.move.Task), "the intent of an agent names the tip of the branch of %s", p.move.Task)
	}
	if r := boundGlobs("the intent for "+string(p.move.Task), slices.Concat(i.Intent.Extend, i.Intent.Removes), "git liza help intent"); r != nil || p.task == nil || len(p.task.Owns) == 0 {
		return r
	}
	return firstRefusal(i.Intent.Extend, func(g string) *Refusal {
		if covers(p.task.Owns, g) {
			return nil
		}
		return extends(p.board, p.task, p.move.By.Role(), g)
	})
}

func (c *ConfigMove) admit(*play) *Refusal {
	return boundGlobs("the configuration", slices.Concat(c.Config.Tests, c.Config.Never), "git liza config")
}

// admit refuses a session that its agent cannot have had. A doer must have
// held the task; a judge must have had a submission to judge; both may have looked for
// the answer of a question about it. The usage must
// fit into the duration of the session, and the duration into the age of the
// task. Humans are trusted: other humans can raise a budget that one of them
// exhausts.
func (s *SessionMove) admit(p *play) *Refusal {
	by, t := p.move.By, p.task
	if by.IsHuman() {
		return nil
	}
	capacity := p.board.CapacityOf(by)
	hint := "git liza show " + string(p.move.Task)
	switch {
	case t == nil:
		hint = "git liza agents"
	case capacity == board.Does && !slices.ContainsFunc(t.Coders, func(w board.Worker) bool { return w.By == by }) && !lookedForAnswer(p, by, t):
		return refuse(RuleHolder, hint, "%s never held %s: an agent reports sessions only on tasks that it held", by, t.ID)
	case capacity == board.Judges && t.Submissions == 0 && !lookedForAnswer(p, by, t):
		return refuse(RuleHolder, hint, "%s cannot have reviewed %s: it has no submission", by, t.ID)
	case time.Duration(s.Usage.Seconds)*time.Second > p.move.At.Sub(t.Created)+5*time.Minute:
		return refuse(RuleLimit, hint, "a session of %d seconds is longer than %s is old", s.Usage.Seconds, t.ID)
	}
	if most := mostUsage(s.Usage); s.Usage.Input > most.Input || s.Usage.Output > most.Output || s.Usage.Cost > most.Cost {
		return refuse(RuleLimit, hint, "no session uses that much in %d seconds: at most %d tokens are read, %d written and %s dollars spent",
			s.Usage.Seconds, most.Input, most.Output, most.Cost)
	}
	return nil
}

// The most that a session uses in a second; its duration counts as a minute
// longer. Reading: one full context of the largest models sold, a million
// tokens. Writing: ten times the rate of the fastest models. Cost: more than
// both cost by any price list of 2026.
const (
	readPerSecond    = 1_000_000
	writtenPerSecond = 10_000
	costPerSecond    = board.Cost(20 * board.Dollar)
)

// mostUsage is the highest usage of a session of that length.
func mostUsage(u board.Usage) board.Usage {
	seconds := u.Seconds + 60
	return board.Usage{Input: seconds * readPerSecond, Output: seconds * writtenPerSecond, Cost: board.Cost(seconds) * costPerSecond}
}

// admit refuses agents of an account of a machine moves that affect everybody:
// a checkpoint stops new claims until a human has decided, a goal or a sprint
// ends or begins, a retrospective is published. Planners, and accounts with the
// right merge, may make them, because they steer the board anyway.
func (c *CheckpointMove) admit(p *play) *Refusal  { return checkSteering(p) }
func (t *TripMove) admit(p *play) *Refusal        { return checkSteering(p) }
func (c *CompleteMove) admit(p *play) *Refusal    { return checkSteering(p) }
func (s *SprintStartMove) admit(p *play) *Refusal { return checkSteering(p) }
func (s *SprintCloseMove) admit(p *play) *Refusal { return checkSteering(p) }
func (r *RetroMove) admit(p *play) *Refusal       { return checkSteering(p) }

// admit also holds agents that import tasks to those bounds: they add work as a planner
// does.
func (i *ImportMove) admit(p *play) *Refusal {
	return cmp.Or(boundOwns(p, slices.Concat(i.Tasks, i.Update)), checkSteering(p))
}

// boundOwns refuses what new tasks, and tasks that are described anew, may not own.
func boundOwns(p *play, list []board.TaskInput) *Refusal {
	return cmp.Or(boundLoop(p, list), firstRefusal(list, func(t board.TaskInput) *Refusal {
		const hint = "git liza help task edit"
		return cmp.Or(boundGlobs(string(t.ID), t.Owns, hint), boundGlobs(string(t.ID), t.Denies, hint))
	}))
}
