package flow

import (
	"errors"
	"slices"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// invariants refuses a move that would leave an inconsistent document among
// those it changes and those that they name. It catches mistakes in the
// effects: no input should reach it.
func (p *play) invariants() *Refusal {
	for _, edit := range p.board.Changes() {
		was := p.prior.Load(edit.Key)
		if was == edit.Document {
			continue
		}
		for _, doc := range []board.Document{edit.Document, was} {
			if r := p.checkAround(doc); r != nil {
				return r
			}
		}
	}
	return nil
}

// checkAround checks a document, and the tasks and agents that it names,
// against the board after the move.
func (p *play) checkAround(doc board.Document) *Refusal {
	var tasks []board.TaskID
	var agents []board.AgentID
	switch d := doc.(type) {
	case *board.Task:
		tasks = append(tasks, d.ID)
		if d.Claim != nil {
			agents = append(agents, d.Claim.By.Agent())
		}
		agents = append(agents, lists.Of(d.Reviewers(), func(r board.Role) board.AgentID { return d.Judgement(r).Review.By.Agent() })...)
	case *board.Agent:
		agents = append(agents, d.ID)
		tasks = append(tasks, d.Task, d.Review)
	case *board.Goal:
		if r := checkSpec(p.board, p.board.Goal(d.ID)); r != nil {
			return r
		}
		if r := checkPhaseOfGoal(p.board, p.board.Goal(d.ID)); r != nil {
			return r
		}
		return checkGoals(p.board)
	case *board.Workflow:
		return checkPhaseOfGoal(p.board, p.board.Goal(d.Goal))
	case *board.Sprint:
		return checkGoals(p.board)
	case *board.TrackedPath:
		return checkTrackedPath(d)
	case *board.RoleRow, *board.ReviewRules:
		return checkRoles(p.board)
	case *board.Question:
		if now := board.FindQuestion(p.board, d.ID); now != nil {
			return checkQuestion(p.board, now)
		}
	}
	for _, id := range tasks {
		if t := p.board.Task(id); t != nil {
			if r := checkTask(p.board, t); r != nil {
				return r
			}
		}
	}
	for _, id := range agents {
		if a := p.board.Agent(id); a != nil {
			if r := checkAgent(p.board, a); r != nil {
				return r
			}
		}
	}
	return nil
}

// Check checks the whole board against the invariants. It returns up to fifty
// breaches, joined; each is a *[Refusal]. nil means a sound board.
func Check(b *board.Board) error {
	var breaches []error
	note := func(r *Refusal) {
		if r != nil && len(breaches) < board.MaxList {
			breaches = append(breaches, r)
		}
	}
	s := b.Settings()
	if s.Format > board.NewestFormat {
		return refuse(RuleFormat, "git liza --version", "the board has format %d, this program knows up to %d", s.Format, board.NewestFormat)
	}
	checkSettings(b, s, note)
	note(checkPrincipals(b))
	note(checkRoles(b))
	note(checkGoals(b))
	note(checkTracked(b))
	note(checkLevels(b))
	note(checkWorkflows(b))
	held := map[board.Actor]board.TaskID{}
	for _, short := range b.Tasks() {
		t, ok := b.Load(board.Key{Folder: board.Tasks, ID: string(short.ID)}).(*board.Task)
		if !ok || t.ID != short.ID {
			note(breach("%s stands in a wrong place", short.ID))
			continue
		}
		note(checkTask(b, t))
		note(checkPlace(b, t))
		note(checkPhaseOfTask(b, t))
		if t.Claim != nil {
			if other, twice := held[t.Claim.By]; twice {
				note(breach("%s holds both %s and %s", t.Claim.By, other, t.ID))
			}
			held[t.Claim.By] = t.ID
		}
	}
	note(checkCycles(b))
	for _, id := range b.IDs(board.Questions) {
		if q := board.FindQuestion(b, board.RecordID(id)); q != nil {
			note(checkQuestion(b, q))
		}
	}
	for _, id := range b.IDs(board.Agents) {
		if a := b.Agent(board.AgentID(id)); a != nil {
			note(checkAgent(b, a))
		}
	}
	if b.Err() != nil {
		return b.Err()
	}
	return errors.Join(breaches...)
}

// checkSettings checks the invariants of the settings.
func checkSettings(b *board.Board, s board.Settings, note func(*Refusal)) {
	if s.Format < 1 || s.Board == "" || s.Integration.Name == "" || s.Integration.Tip == "" || s.Control.State == 0 {
		note(breach("the settings lack format, board, integration or control"))
	}
	if s.Goal == "" || b.Goal(s.Goal) == nil {
		note(breach("the current goal %q is not on the board", s.Goal))
	}
	if s.Checked == nil {
		note(breach("the settings lack the newest checkpoint"))
	}
	c := s.Control
	if b.Breaker().Tripped && c.State != board.Checkpoint && (c.State != board.Stopped || c.Before != board.Checkpoint) {
		note(breach("the circuit breaker is tripped and the board is %s", c.State))
	}
}

// checkPrincipals refuses principals without an admin, and principals that
// share a name, key or user.
func checkPrincipals(b *board.Board) *Refusal {
	known := b.Principals()
	if len(known.List) > 0 && !known.Anybody("admin") {
		return breach("there are principals, and none has the right admin")
	}
	if twice := known.Shared(); twice != "" {
		return breach("the %s belongs to two principals", twice)
	}
	return nil
}

// checkPlace refuses a live task that is archived too, or that depends on a
// task that does not exist.
func checkPlace(b *board.Board, t *board.Task) *Refusal {
	if b.Load(board.Key{Folder: board.Archive, ID: string(t.ID)}) != nil {
		return breach("%s is both live and archived", t.ID)
	}
	for _, id := range t.DependsOn {
		if b.Task(id) == nil {
			return breach("%s depends on %s, which does not exist", t.ID, id)
		}
	}
	return nil
}

func breach(reason string, args ...any) *Refusal {
	return refuse(RuleInvariant, "git liza fsck --full", reason, args...)
}

// demand is one condition that a task must not meet.
type demand struct {
	broken bool
	reason string
}

func checkTask(b *board.Board, t *board.Task) *Refusal {
	wants := []demand{
		{!board.ValidID(string(t.ID)) || t.Status == 0, "has a bad id or no status"},
		{t.Status.Final() && (t.Claim != nil || t.Review() != nil), "is final and still held"},
		{(t.Status == board.Claimed) != (t.Claim != nil), "is CLAIMED without a claim, or the other way round"},
		{t.Status == board.Claimed && (t.Attempt == nil || t.Attempt.Base == "" || t.Claim == nil || t.Claim.By == "" || t.Claim.Lease.IsZero()), "is CLAIMED without holder, base or lease"},
		{board.AnyOf(board.ReadyForReview, board.Approved).Has(t.Status) && (t.Submission == nil || t.Attempt == nil), "is under review without a submission"},
		{t.Review() != nil && t.Status != board.ReadyForReview, "is reviewed without being READY_FOR_REVIEW"},
		{t.Status == board.Rejected && t.Rejection() == nil, "is REJECTED without a rejection"},
		{t.Status == board.Approved && !t.Judged(), "is APPROVED without a verdict on its submission"},
		{(t.Status == board.Blocked) != (t.Block != nil), "is BLOCKED without a reason, or the other way round"},
		{t.Block != nil && (t.Block.Reason == "" || len(t.Block.Questions) < 1 || len(t.Block.Questions) > 3), "is BLOCKED without a reason and one to three questions"},
		{t.Status == board.IntegrationFailed && t.Integration == nil, "is INTEGRATION_FAILED without a failure"},
		{t.Status == board.Merged && t.Merge == nil, "is MERGED without a merge"},
		{t.Status == board.Superseded && (len(t.SupersededBy) == 0 || t.Rescope == ""), "is SUPERSEDED without replacements or reason"},
		{t.Status == board.Abandoned && t.Abandoned == "", "is ABANDONED without a reason"},
		{t.Status != board.Draft && t.Status != board.Abandoned && t.Status != board.Superseded && (t.DoneWhen == "" || t.Spec == ""), "is no draft and lacks done_when or spec"},
		{!t.Usage.Sum(), "has a usage that no sessions add up to"},
		{len(t.Failures) > board.MaxList || len(t.Coders) > board.MaxList || len(t.DependsOn) > board.MaxList || len(t.Owns) > board.MaxList, "has a list that is too long"},
	}
	wants = append(wants, checkJudgements(b, t)...)
	wants = append(wants, checkReverts(b, t)...)
	for _, w := range wants {
		if w.broken {
			return breach("%s %s", t.ID, w.reason)
		}
	}
	return checkHolders(b, t)
}

// checkHolders compares the claim and review of a task with the documents of
// the agents.
func checkHolders(b *board.Board, t *board.Task) *Refusal {
	if t.Claim != nil && t.Claim.By.Agent() != "" {
		if a := b.Agent(t.Claim.By.Agent()); a == nil || a.Task != t.ID {
			return breach("%s is held by %s, whose document says otherwise", t.ID, t.Claim.By)
		}
	}
	for _, r := range t.Reviewers() {
		by := t.Judgement(r).Review.By
		if a := b.Agent(by.Agent()); by.Agent() != "" && (a == nil || a.Review != t.ID) {
			return breach("%s is reviewed by %s, whose document says otherwise", t.ID, by)
		}
	}
	return nil
}

func checkAgent(b *board.Board, a *board.Agent) *Refusal {
	if a.ID.Role() != a.Role || a.Role == "" {
		return breach("agent %s has role %s", a.ID, a.Role)
	}
	if b.Role(a.Role) == nil {
		return breach("agent %s has the role %s, which the board lacks", a.ID, a.Role)
	}
	if a.Task != "" {
		if t := b.Task(a.Task); t == nil || t.Claim == nil || t.Claim.By != board.Actor(a.ID) {
			return breach("%s says that it holds %s, which says otherwise", a.ID, a.Task)
		}
	}
	if a.Review != "" {
		if t := b.Task(a.Review); t == nil || !t.IsReviewedBy(board.Actor(a.ID)) {
			return breach("%s says that it reviews %s, which says otherwise", a.ID, a.Review)
		}
	}
	return nil
}

// checkCycles visits every open task's dependencies once.
func checkCycles(b *board.Board) *Refusal {
	open := map[board.TaskID][]board.TaskID{}
	for _, s := range b.Tasks() {
		if !s.Status.Final() {
			open[s.ID] = s.DependsOn
		}
	}
	for len(open) > 0 {
		before := len(open)
		for id, deps := range open {
			if !slices.ContainsFunc(deps, func(d board.TaskID) bool { _, waits := open[d]; return waits }) {
				delete(open, id)
			}
		}
		if len(open) == before {
			for id := range open {
				return breach("%s lies on a cycle of dependencies, or behind one", id)
			}
		}
	}
	return nil
}

// checkJudgements are the demands on what roles hold of a task, and on the roles
// that it names.
func checkJudgements(b *board.Board, t *board.Task) []demand {
	needed := func(r board.Role) bool { return t.Submission != nil && slices.Contains(t.Submission.ReviewBy, r) }
	wants := []demand{
		{board.AnyOf(board.ReadyForReview, board.Approved).Has(t.Status) && (t.Submission == nil || len(t.Submission.ReviewBy) == 0), "is under review by nobody"},
		{t.Status == board.ReadyForReview && t.Judged(), "is READY_FOR_REVIEW with every verdict"},
		{t.Status == board.Rejected && (t.Rejection() == nil || len(t.Rejection().Blockers) == 0), "is REJECTED without a blocker"},
		{!asksSoundly(b, t), "does not list the documents of its questions"},
		{!t.Status.Final() && t.Status != board.Draft && !isDoer(b, t.Doer()), "is done by a role that does no tasks"},
		{!t.Status.Final() && t.Status != board.Draft && !tracksAll(b, append([]string{t.Spec}, t.BasedOn...)...), "stands on a text that is not tracked"},
	}
	for i, j := range t.Judgements {
		wants = append(wants,
			demand{j.Empty() || i > 0 && t.Judgements[i-1].Role >= j.Role, "has judgements out of order, or one that says nothing"},
			demand{j.Review != nil && !needed(j.Role), "is reviewed by a role that does not judge it"},
			demand{j.Verdict != nil && (!needed(j.Role) || !t.Holds(j.Verdict)), "has a verdict of a role that does not judge it, or on another commit"})
	}
	if !t.Status.Final() {
		for _, r := range t.ReviewBy {
			wants = append(wants, demand{r != board.HumanRole && !isJudge(b, r), "names a role for its review that does not judge"})
		}
	}
	return wants
}

// isDoer reports whether a role of the board does tasks.
func isDoer(b *board.Board, name board.Role) bool {
	row := b.Role(name)
	return row != nil && row.Capacity == board.Does
}
