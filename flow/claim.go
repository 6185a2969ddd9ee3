package flow

import (
	"maps"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/lists"
)

// ClaimMove takes a task for a coder. The board determines the attempt: the
// same coder continues its own; another coder starts afresh, unless the work
// only failed to merge or was kept on purpose.
type ClaimMove struct {
	Lease board.Duration `yaml:"lease"`
	Base  board.ObjectID `yaml:"base"`  // the board's integration tip where the attempt is fresh, "" otherwise
	Saved *board.Save    `yaml:"saved"` // the saved commit of the replaced attempt
	Tip   board.ObjectID `yaml:"tip"`   // of the branch that its coder goes on with; "" is the attempt's start
}

// claimable is the guard of claims; views use it to say why a task waits.
func claimable(p *play) *Refusal {
	t, by, at := p.task, p.move.By, p.move.At
	s := p.board.Settings()
	if s.Control.State != board.Running {
		return refuse(RuleControl, s.Control.Onward(p.board), "the board is %s (%s): no new claims", s.Control.State, s.Control.Reason)
	}
	if r := p.idle(by, t.ID); r != nil {
		return r
	}
	if p.from == board.Claimed {
		if free := board.ReclaimAt(p.board, t.Claim.Lease); at.Before(free) {
			return refuse(RuleLease, "git liza show "+string(t.ID), "%s is held by %s until %s, and may be reclaimed from %s on",
				t.ID, t.Claim.By, t.Claim.Lease.Format(time.RFC3339), free.Format(time.RFC3339))
		}
	}
	if r := p.doneBy(by); r != nil {
		return r
	}
	if r := guardedAt(p, checkHold, checkPhase, checkLevel, checkRetry, checkPressure, checkParallel, checkLoop, checkClass); r != nil {
		return r
	}
	for _, id := range t.DependsOn {
		if d := p.board.Task(id); d == nil || d.Status != board.Merged {
			return unmet(t.ID, id, d)
		} else if !board.Stands(p.board, d) {
			return unmetNeed(p.board, t.ID, d)
		}
	}
	return guarded(p.reserved, p.checkOwnership, func() *Refusal { return overspent(p.board, t) })
}

// doneBy refuses an agent of another role than the one that does the task.
func (p *play) doneBy(by board.Actor) *Refusal {
	if role, t := by.Role(), p.task; role != "" && role != t.Doer() {
		return refuse(RuleRole, "git liza list --status UNCLAIMED", "%s is done by %s, not by %s", t.ID, t.Doer().One(), role.One())
	}
	return nil
}

func unmet(id, needed board.TaskID, d *board.Task) *Refusal {
	if d != nil && d.Status.Final() {
		return refuse(RuleDependencies, "git liza task edit "+string(id)+" --depends-on IDS", "%s needs %s, which is %s and will not be merged", id, needed, d.Status)
	}
	return refuse(RuleDependencies, "git liza show "+string(needed), "%s needs %s, which is not merged yet", id, needed)
}

// idle refuses an agent that rests or holds another task.
func (p *play) idle(by board.Actor, but board.TaskID) *Refusal {
	held := board.TaskID("")
	if id := by.Agent(); id != "" {
		if a := p.board.Agent(id); a != nil {
			if a.Degraded != "" {
				return refuse(RuleResting, "git liza agents add "+string(id), "%s rests (%s) and gets no work until it is added anew", id, a.Degraded)
			}
			held = a.Task
		}
	} else {
		board.EachInWork(p.board, func(s *board.Summary) {
			if s.Status == board.Claimed && s.Coder == by {
				held = s.ID
			}
		})
	}
	if held != "" && held != but {
		return refuse(RuleOneClaim, "git liza show "+string(held), "%s already holds %s, and nobody holds two tasks", by, held)
	}
	return nil
}

// reserved reserves a task that failed to merge for its coder, which knows the
// work best, for one lease. The reservation ends earlier if that agent is
// unregistered.
func (p *play) reserved() *Refusal {
	t := p.task
	if p.from != board.IntegrationFailed || t.Attempt == nil || t.Attempt.Coder == p.move.By {
		return nil
	}
	until := board.LeaseFrom(p.board, t.Integration.At)
	there := t.Attempt.Coder.IsHuman() || p.board.Agent(t.Attempt.Coder.Agent()) != nil
	if there && p.move.At.Before(until) {
		return refuse(RuleReserved, "git liza show "+string(t.ID), "%s failed to merge and waits for its coder %s until %s",
			t.ID, t.Attempt.Coder, until.Format(time.RFC3339))
	}
	return nil
}

// leftToOthers refuses an agent that failed a task to claim what replaces it out of
// UNCLAIMED, for one lease, while another agent that did not fail it is free. A supervised
// agent leaves nothing to those of whom nobody knows whether they will look.
func leftToOthers(p *play) *Refusal {
	t, by := p.task, p.move.By
	failed, until := failedBefore(p.board, t)
	if p.from != board.Unclaimed || by.IsHuman() || !p.move.At.Before(until) || !failed[by] {
		return nil
	}
	for _, a := range board.All[*board.Agent](p.board, board.Agents) {
		if a.Role == t.Doer() && a.Degraded == "" && a.Task == "" && !failed[board.Actor(a.ID)] && (a.Generation != "" || p.move.Generation == "") {
			return refuse(RuleExhausted, "git liza claim "+string(t.ID)+" --as "+string(a.ID), "%s failed what %s replaces, and leaves it to %s until %s",
				by, t.ID, a.ID, until.Format(time.RFC3339))
		}
	}
	return nil
}

// failedBefore are those who failed a task that this one replaces, and until when they leave
// it to others.
func failedBefore(c *board.Board, t *board.Task) (failed map[board.Actor]bool, until time.Time) {
	failed = map[board.Actor]bool{}
	for _, id := range t.Supersedes {
		if old := c.Task(id); old != nil && len(old.Failures) > 0 {
			maps.Copy(failed, lists.Set(old.Failures, func(f board.Failure) board.Actor { return f.Coder }))
			until = board.LeaseFrom(c, old.Entered)
		}
	}
	return failed, until
}

// checkOwnership refuses a task whose paths overlap those of another task in work,
// unless one of the two depends on the other, directly or indirectly.
func (p *play) checkOwnership() *Refusal {
	return ownedByOthers(p, glob.FirstOverlap, !p.replayed)
}

// checkFiles is checkOwnership for paths as file systems compare them.
func checkFiles(p *play) *Refusal {
	return ownedByOthers(p, glob.FirstFileOverlap, true)
}

// A comparison looks for an element of the first list that overlaps one of the second. Where it
// cannot tell, doubt says what it returns; spent counts what it did.
type comparison func(mine, theirs []glob.Glob, doubt bool, spent *int) (a, b string, ok bool)

func ownedByOthers(p *play, compare comparison, doubt bool) *Refusal {
	other, mine, theirs := rivalOf(p.board, p.task, glob.ParseAll(p.task.Owns), compare, doubt)
	if other == nil {
		return nil
	}
	return refuse(RuleOwnership, "git liza show "+string(other.ID), "%s owns %s, which overlaps %s of %s (%s)", p.task.ID, mine, theirs, other.ID, other.Status)
}

// rivalOf is the first of the other tasks in work that own what overlaps globs, but for those
// of which one needs the other; nil if there is none.
func rivalOf(b *board.Board, t *board.Task, globs []glob.Glob, compare comparison, doubt bool) (rival *board.Summary, mine, theirs string) {
	if len(globs) == 0 {
		return nil, "", ""
	}
	board.EachInWork(b, func(other *board.Summary) {
		if b.Interrupted() || other.ID == t.ID || rival != nil && board.CompareIDs(rival.ID, other.ID) < 0 {
			return
		}
		one, its, overlap := compare(globs, board.OwnedGlobs(b, other), doubt, b.Compared())
		if overlap && !precedes(b, t.ID, other.ID) && !precedes(b, other.ID, t.ID) {
			rival, mine, theirs = other, one, its
		}
	})
	return rival, mine, theirs
}

// resumes reports whether the claim continues the current attempt (same), or
// takes its saved work into a new folder (carries). If both are false it starts
// afresh.
func (p *play) resumes() (same, carries bool) {
	a := p.task.Attempt
	if a == nil {
		return false, false
	}
	return a.Coder == p.move.By, p.from == board.IntegrationFailed || a.Keep
}

func (c *ClaimMove) check(p *play) *Refusal {
	if c.Lease < board.Duration(time.Second) {
		return refuse(RuleForm, "git liza help claim", "a claim needs a lease")
	}
	if r := p.checkSave(c.Saved); r != nil {
		return r
	}
	if base := p.base(); c.Base != base {
		return refuse(RuleTip, "git liza claim "+string(p.task.ID)+" --as "+string(p.move.By),
			"the claim is based on %q, it has to be %q: a fresh attempt begins at the integration tip, a continued one keeps its base", c.Base, base)
	}
	return checkCoders(p.task, workerOf(p))
}

// base is the base that a claim of the subject must name.
func (p *play) base() board.ObjectID {
	if same, carries := p.resumes(); same || carries {
		return ""
	}
	return p.board.Settings().Integration.Tip
}

func (c *ClaimMove) fill(p *play) {
	if c.Base == "" && p.task != nil {
		c.Base = p.base()
	}
}

func (c *ClaimMove) apply(p *effect) {
	t, m := p.task, p.move
	if c.Saved != nil {
		t.Saves = c.Saved.Number
	}
	if c.Base == "" && t.Attempt.Iteration >= p.limits().Iterations {
		p.blockAtLimit(board.LimitIterations, "", "Is the task feasible as it is framed, or must it be split or specified better?")
		return
	}
	from := p.from
	if p.from == board.Claimed {
		from = t.Claim.From
		p.free(t.Claim.By)
		if !t.Claim.By.IsHuman() && lost(p) {
			return
		}
	}
	if c.Base != "" {
		t.Attempts++
		t.Attempt = &board.Attempt{Number: t.Attempts, Coder: m.By, Base: c.Base, Start: c.Base, Iteration: 1}
		if from == board.Unclaimed {
			t.JudgeAll(func(j *board.Judgement) { j.Rejection = nil })
		}
	} else {
		p.continueAttempt(c)
	}
	p.clearRounds(from)
	t.Claim = &board.Claim{By: m.By, Principal: m.Principal, Since: m.At, Lease: m.At.Add(time.Duration(c.Lease)), From: from, Tip: c.Tip}
	t.AddCoder(workerOf(p.play))
	p.hold(m.By, t.ID)
	countIteration(p)
}

// lost counts the claim whose lease ended among those that failed. It reports whether
// that blocked the task; a person may claim it all the same.
func lost(p *effect) bool {
	exhausted := countRetry(p, "the lease of "+string(p.task.Claim.By)+" ended")
	p.task.Retry.NotBefore = p.move.At // its lease was long enough
	if !exhausted || p.move.By.IsHuman() {
		return false
	}
	blockRetried(p)
	return true
}

// checkRetry refuses an agent that comes back too soon after a claim that failed.
func checkRetry(p *play) *Refusal {
	if p.task.Retry == nil {
		return nil
	}
	return checkBackoff(p, p.task.Retry.NotBefore, "a claim")
}

func (c *ClaimMove) already(p *play) bool {
	return p.from == board.Claimed && holdsSubject(p) && p.task.Claim.Live(p.move.At)
}

func (c *ClaimMove) refs(m Move, _ *board.Board) []RefMove { return saved(m.Task, c.Saved) }

func (c *ClaimMove) ask(Move, *board.Board) Query { return askSave(c.Saved) }

// checkSave refuses a saved commit that does not exist or does not have the
// next number of the task.
func (p *play) checkSave(s *board.Save) *Refusal {
	if s == nil {
		return nil
	}
	if s.Number != p.task.Saves+1 || s.Commit == "" {
		return refuse(RuleForm, "git liza show "+string(p.task.ID), "the next saved commit of %s has number %d, not %d", p.task.ID, p.task.Saves+1, s.Number)
	}
	if p.facts != nil && !p.facts.Saves[s.Commit] {
		return refuse(RuleFact, "git cat-file -t "+string(s.Commit), "the commit %s to save does not exist", s.Commit)
	}
	return nil
}

func askSave(s *board.Save) Query {
	if s == nil {
		return Query{}
	}
	return Query{Saves: []board.ObjectID{s.Commit}}
}

// RenewMove extends the lease of a claim or a review; the holder stays.
type RenewMove struct {
	Lease board.Duration `yaml:"lease"`
	Role  board.Role     `yaml:"role"` // whose review; "" is the actor's own, or the only one
}

func renewable(p *play) *Refusal {
	by, t := p.move.By, p.task
	if by.IsHuman() || t.Claim != nil && t.Claim.By == by || t.IsReviewedBy(by) {
		return nil
	}
	return refuse(RuleHolder, "git liza show "+string(t.ID), "%s holds neither %s nor its review", by, t.ID)
}

func (r *RenewMove) check(p *play) *Refusal {
	if r.Lease < board.Duration(time.Second) {
		return refuse(RuleForm, "git liza help renew", "a renewal needs a lease")
	}
	if p.task.Claim == nil && p.task.Review() == nil {
		return refuse(RuleState, "git liza review "+string(p.task.ID), "nobody reviews %s: there is no lease to renew", p.task.ID)
	}
	role, refusal := heldRole(p, r.Role)
	if by, held := p.move.By, p.task.Judgement(role).Review; refusal == nil && held != nil && !by.IsHuman() && held.By != by {
		return refuse(RuleHolder, "git liza show "+string(p.task.ID), "%s holds the review of %s as %s, not %s", held.By, p.task.ID, role, by)
	}
	return refusal
}

func (r *RenewMove) apply(p *effect) {
	lease := p.move.At.Add(time.Duration(r.Lease))
	if p.task.Claim != nil {
		p.task.Claim.Lease = lease
		return
	}
	role, _ := heldRole(p.play, r.Role)
	p.task.Judge(role, func(j *board.Judgement) {
		j.Review = board.CopyOf(j.Review)
		j.Review.Lease = lease
	})
}

// ReleaseMove gives up a claim or a review before its lease ends.
type ReleaseMove struct {
	NoVerdict bool       `yaml:"no_verdict"`
	Role      board.Role `yaml:"role"` // whose review; "" is the actor's own, or the only one
}

func releasable(p *play) *Refusal {
	t, m := p.task, p.move
	by, lease := board.Actor(""), time.Time{}
	role, refusal := heldRole(p, m.Detail.(*ReleaseMove).Role)
	switch review := t.Judgement(role).Review; {
	case t.Claim != nil:
		by, lease = t.Claim.By, t.Claim.Lease
	case refusal != nil:
		return refusal
	case review != nil:
		by, lease = review.By, review.Lease
	default:
		return refuse(RuleState, "git liza show "+string(t.ID), "nobody holds %s or its review", t.ID)
	}
	if by == m.By || m.By.IsHuman() || !lease.After(m.At) {
		return nil
	}
	return refuse(RuleHolder, "git liza show "+string(t.ID), "%s is held by %s until %s", t.ID, by, lease.Format(time.RFC3339))
}

func (r *ReleaseMove) check(*play) *Refusal { return nil }

func (r *ReleaseMove) apply(p *effect) {
	t := p.task
	from := t.Status
	if t.Claim != nil {
		from = t.Claim.From
	}
	if t.Claim != nil {
		blocked := !t.Claim.Live(p.move.At) && !t.Claim.By.IsHuman() && lost(p)
		p.unclaim()
		if t.Intent = nil; !blocked {
			t.Status = from
		}
		return
	}
	role, _ := heldRole(p.play, r.Role)
	held := t.Judgement(role).Review
	endReview(p, t, role)
	if r.NoVerdict && !(held.By.IsHuman() && !p.move.By.IsHuman()) {
		t.Judge(role, func(j *board.Judgement) { j.NoVerdicts++ })
	}
}

// Replaces reports whether a claim of the task by the actor ends an earlier
// attempt whose work must be saved first: one of another coder, or one that was
// not kept.
func Replaces(b *board.Board, id board.TaskID, by board.Actor) bool {
	t := b.Task(id)
	if t == nil {
		return false
	}
	p := &play{board: b, task: t, from: t.Status, move: &Move{By: by}}
	same, _ := p.resumes()
	return !same && t.Attempt != nil
}
