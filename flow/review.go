package flow

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/shell"
)

// ReviewMove takes the review of a submission.
type ReviewMove struct {
	Lease Duration `yaml:"lease"`
	Role  Role     `yaml:"role,since=2"` // of a person's review; "" is an agent's own, of a person the first that misses a verdict
}

// reviewable refuses roles that do not have to judge the submission or have done
// so, a second reviewer of one role, and any coder of the task.
func reviewable(p *play) *Refusal {
	t, by := p.task, p.move.By
	role, refusal := p.panel().judgeRole(p.move.Detail.(*ReviewMove).Role)
	if refusal != nil {
		return refusal
	}
	show, own := "git liza show "+string(t.ID), t.Judgement(role)
	switch {
	case p.HasRules(2) && t.holds(own.Verdict):
		return refuse(RuleState, show, "%s has the verdict of %s", t.ID, role)
	case p.panel().rereads(own.Review):
	case own.Review.live(p.move.At) && len(t.Submission.Reviews) > 1:
		return refuse(RuleLease, show, "%s reviews %s as %s until %s", own.Review.By, t.ID, role, own.Review.Lease.Format(time.RFC3339))
	case own.Review.live(p.move.At):
		return refuse(RuleLease, show, "%s reviews %s until %s", own.Review.By, t.ID, own.Review.Lease.Format(time.RFC3339))
	case by.IsHuman() && p.panel().notHuman(role):
		return p.panel().refuseHuman(role)
	}
	if id := by.Agent(); id != "" {
		if a := p.Agent(id); a != nil && a.Degraded != "" {
			return refuse(RuleDegraded, "git liza register "+string(id), "%s is degraded (%s) and gets no work until it is registered anew", id, a.Degraded)
		} else if a != nil && a.Review != "" && a.Review != t.ID {
			if other := p.Task(a.Review); other != nil && other.isReviewedAt(by, p.move.At) {
				return refuse(RuleOneClaim, "git liza show "+string(a.Review), "%s already reviews %s", id, a.Review)
			}
		}
	}
	if r := independent(p); r != nil {
		return r
	}
	if r := checkBackoff(p, own.NotBefore, "a review by "+string(role)); r != nil {
		return r
	}
	return p.purses().overspent(t)
}

// rereads reports whether the actor holds that review and reads texts again that
// have changed since it began.
func (p panel) rereads(held *Review) bool {
	return held.live(p.move.At) && held.By == p.move.By && p.trackedPaths().changed(p.task, held.Texts) != nil
}

// independent refuses a verdict of an actor that coded the task. A person who
// submitted it may stand for it again.
func independent(p *play) *Refusal {
	if !p.Settings().Config.AllowSelfReview && p.task.isCodedBy(p.move.By, p.move.Principal) && !p.panel().standsAgain() {
		return refuse(RuleSelfReview, p.panel().otherJudge(), "%s coded %s and cannot judge it", p.move.By, p.task.ID)
	}
	return nil
}

// otherJudge is the command by which an actor that coded the task gets it judged: an agent
// looks for other submissions, a person starts an agent of a role that is missing, or lets
// people judge their own work if only people can judge it.
func (p panel) otherJudge() string {
	if !p.move.By.IsHuman() {
		return "git liza list --status READY_FOR_REVIEW"
	}
	if !p.HasRules(2) {
		return "git liza rush --agents code-reviewer=1"
	}
	for _, role := range p.task.Missing() {
		if role != HumanRole {
			return "git liza rush --agents " + string(role) + "=1"
		}
	}
	return "git liza config allow_self_review true"
}

func (r *ReviewMove) check(p *play) *Refusal {
	if r.Lease < Duration(time.Second) {
		return refuse(RuleForm, "git liza help review", "a review needs a lease")
	}
	return nil
}

func (r *ReviewMove) already(p *play) bool {
	if p.from != ReadyForReview {
		return false
	}
	_, held := p.task.ReviewBy(p.move.By)
	if r.Role != "" {
		held = p.task.Judgement(r.Role).Review
	}
	return held.live(p.move.At) && held.By == p.move.By && !p.panel().rereads(held)
}

func (r *ReviewMove) apply(p *effect) {
	t, m := p.task, p.move
	role, _ := p.panel().judgeRole(r.Role)
	since := m.At
	if held := t.Judgement(role).Review; p.panel().rereads(held) {
		since = held.Since // the checkout stays, and with it the record of how it was
	} else if held != nil {
		p.endReview(t, role)
		if !p.HasRules(3) || !held.By.IsHuman() {
			t.judge(role, func(j *Judgement) { j.NoVerdicts++ })
		}
	}
	if t.Judgement(role).NoVerdicts >= p.limits().NoVerdicts {
		p.blockAtLimit(LimitNoVerdicts, role, "Reviews of this submission keep ending without a verdict: what stands in the reviewers' way?")
		return
	}
	p.dropReview(m.By)
	t.judge(role, func(j *Judgement) {
		j.Review = &Review{By: m.By, Since: since, Lease: m.At.Add(time.Duration(r.Lease)), Texts: p.trackedPaths().readTexts(t)}
	})
	p.agent(m.By, func(a *Agent) { a.Review = t.ID })
}

// ApproveMove approves one commit for integration.
type ApproveMove struct {
	Commit  ObjectID `yaml:"commit"`
	Message string   `yaml:"message"`
	Role    Role     `yaml:"role,since=2"` // for which a person approves; "" is an agent's own, of a person all that remain
	For     *Voucher `yaml:"for,since=3"`
	Texts   textRefs `yaml:"texts,since=3"` // that a person was shown; none: not compared
}

func (a *ApproveMove) check(p *play) *Refusal {
	if refusal := p.submitted(a.Commit, "approve"); refusal != nil {
		return refusal
	}
	roles, refusal := p.panel().approvesAs(a.Role)
	if refusal != nil {
		return refusal
	}
	if r := p.panel().readAgain(roles); r != nil {
		return r
	}
	if r := a.checkShown(p); r != nil {
		return r
	}
	return a.For.check(p)
}

// readAgain refuses the approval of a reviewer who read a text that has changed
// since.
func (p panel) readAgain(roles []Role) *Refusal {
	t, by := p.task, p.move.By
	for _, role := range roles {
		held := t.Judgement(role).Review
		if held == nil || held.By != by {
			continue
		}
		text := p.trackedPaths().changed(t, held.Texts)
		switch {
		case text == nil:
		case p.move.Generation.Spawned():
			return refuse(RuleSpecChanged, "git liza show "+string(t.ID), "the spec '%s' has changed since %s began to read: end the session, so that its supervisor begins another",
				clip(text.String()), by)
		default:
			return refuse(RuleSpecChanged, "git liza review "+string(t.ID)+" --as "+string(by), "the spec '%s' has changed since %s began to read: look at it again",
				clip(text.String()), by)
		}
	}
	return nil
}

// submitted refuses a verdict on anything but the commit under review.
func (p *play) submitted(commit ObjectID, verb string) *Refusal {
	if s := p.task.Submission; commit != s.Commit {
		hint := "git liza show " + string(p.task.ID) + " --patch" // so that the commit is read before it is approved
		if verb == "reject" {
			hint = "git liza reject " + string(p.task.ID) + " --commit " + string(s.Commit) + " --reason-file FILE"
		}
		return refuse(RuleCommit, hint,
			"%s submitted %s, the verdict names %s", p.task.ID, s.Commit, clip(string(commit)))
	}
	return nil
}

func (a *ApproveMove) already(p *play) bool {
	t, by := p.task, p.move.By
	if !in(ReadyForReview, Approved).has(p.from) {
		return false
	}
	gave := slices.ContainsFunc(t.Judgements, func(j Judgement) bool {
		return t.holds(j.Verdict) && j.Verdict.Commit == a.Commit && j.Verdict.By == by && (a.Role == "" || a.Role == j.Role) && j.Verdict.For.equal(a.For)
	})
	return gave && (a.Role != "" || !by.IsHuman() || len(p.panel().openToPeople()) == 0)
}

func (a *ApproveMove) apply(p *effect) {
	t, m := p.task, p.move
	roles, _ := p.panel().approvesAs(a.Role)
	for _, role := range roles {
		read := p.trackedPaths().readTexts(t)
		if held := t.Judgement(role).Review; held != nil && held.By == m.By && held.Texts != nil {
			read = held.Texts
		}
		p.endReview(t, role)
		t.judge(role, func(j *Judgement) {
			j.Rejection = nil
			j.Verdict = &Verdict{Commit: a.Commit, Tree: t.Submission.Tree, By: m.By, Principal: m.Principal, Message: a.Message, At: m.At, Texts: read, For: a.For}
		})
	}
	p.dropOutdated()
	if t.Judged() {
		t.Status = Approved
	}
}

// A Feedback is the structured reason for a rejection.
type Feedback struct {
	Blockers []Finding `yaml:"blockers"`
	Concerns []Finding `yaml:"concerns"`
	Prior    []Prior   `yaml:"prior"`
	Overall  string    `yaml:"overall"`
}

// A Prior says what became of an earlier blocker, named by its text or its
// number in the last rejection.
type Prior struct {
	Finding string  `yaml:"finding"`
	Status  Outcome `yaml:"status"`
}

// An Outcome is what became of an earlier finding.
type Outcome uint8

// The outcomes of earlier findings.
const (
	Resolved Outcome = iota + 1
	StillPresent
	Partial
)

var outcomeNames = names{"", "RESOLVED", "STILL_PRESENT", "PARTIAL"}

// String is the outcome's name.
func (o Outcome) String() string { return outcomeNames.name(uint8(o)) }

// MarshalText writes the name; the zero value is an error.
func (o Outcome) MarshalText() ([]byte, error) { return outcomeNames.marshal(uint8(o), "outcome") }

// UnmarshalText accepts exactly the names of [Outcome.String].
func (o *Outcome) UnmarshalText(text []byte) error {
	return unmarshalName(o, text, outcomeNames, "outcome")
}

// RejectMove sends a submission back with what has to change.
type RejectMove struct {
	Commit   ObjectID `yaml:"commit"`
	Feedback Feedback `yaml:"feedback"`
	Role     Role     `yaml:"role,since=2"` // to which the blockers of a person belong
	For      *Voucher `yaml:"for,since=3"`
}

// ask asks for the lines of the files that the findings of a strict role point
// to.
func (r *RejectMove) ask(m Move, b *Board) Query {
	p := &play{Board: b, prior: b, move: &m, task: b.Task(m.Task)}
	if !b.HasRules(2) || p.task == nil || p.task.Submission == nil {
		return Query{}
	}
	role, refusal := p.panel().rejectsAs(r.Role)
	if row := b.Role(role); refusal != nil || row == nil || !row.Strict {
		return Query{}
	}
	files := map[string]bool{}
	for _, f := range slices.Concat(r.Feedback.Blockers, r.Feedback.Concerns) {
		if f.File != "" {
			files[f.File] = true
		}
	}
	if len(files) == 0 {
		return Query{}
	}
	return Query{Submission: p.task.Submission.Commit, Lines: slices.Sorted(maps.Keys(files))}
}

// point refuses findings of a strict role that do not point to a line of the
// submission, or to a file of it as a whole.
func (r *RejectMove) point(p *play, role Role, hint string) *Refusal {
	if row := p.Role(role); p.facts == nil || row == nil || !row.Strict {
		return nil
	}
	at := p.task.Submission.Commit
	for _, f := range slices.Concat(r.Feedback.Blockers, r.Feedback.Concerns) {
		if f.File != "" && !p.facts.Exists {
			return refuse(RuleFact, "git liza show "+string(p.task.ID)+" --patch", "commit %s is not here, so the lines of its files are not known", at.Short())
		}
		if lines, asked := p.facts.Lines[f.File]; !asked || lines < 0 || f.Line < 0 || f.Line > lines {
			return refuse(RuleFinding, hint, "%s points to a file and a line: %s:%d is not in %s", role, quoteC(clip(f.File)), f.Line, at.Short())
		}
	}
	return nil
}

func (r *RejectMove) check(p *play) *Refusal {
	if refusal := p.submitted(r.Commit, "reject"); refusal != nil {
		return refusal
	}
	role, refusal := p.panel().rejectsAs(r.Role)
	if refusal != nil {
		return refusal
	}
	last := p.task.Judgement(role).Rejection
	hint := r.hint(p.task, last)
	if len(r.Feedback.Blockers) == 0 {
		return refuse(RuleReason, hint, "a rejection names at least one blocker")
	}
	for _, list := range [][]Finding{r.Feedback.Blockers, r.Feedback.Concerns} {
		for _, f := range list {
			if f.Issue == "" {
				return refuse(RuleReason, hint, "a finding says what the issue is")
			}
		}
	}
	if refusal := r.point(p, role, hint); refusal != nil {
		return refusal
	}
	if refusal := r.For.check(p); refusal != nil {
		return refusal
	}
	for _, prior := range r.Feedback.Prior {
		if prior.Finding == "" || prior.Status == 0 {
			return refuse(RulePrior, hint, "an answer to an earlier finding names the finding and one of %v", outcomeNames[1:])
		}
	}
	if p.task.Attempt.Cycles == 0 || last == nil {
		return nil
	}
	for i, b := range last.Blockers {
		if _, ok := answer(r.Feedback.Prior, b, i+1); !ok {
			return refuse(RulePrior, hint, "the rejection does not say what became of earlier blocker %d (%s): it is RESOLVED, STILL_PRESENT or PARTIAL", i+1, clip(b.Issue))
		}
	}
	return nil
}

// hint is the command with a reason that the rules accept: the given feedback,
// and a line for each earlier blocker that it does not answer.
func (r *RejectMove) hint(t *Task, last *Rejection) string {
	command := "git liza reject " + string(t.ID) + " --commit " + string(r.Commit)
	if r.Role != "" {
		command += " --role " + string(r.Role)
	}
	const blocker = "- [blocker] FILE:LINE — ISSUE"
	if t.Attempt.Cycles == 0 || last == nil {
		return command + " --reason " + shell.Quote(blocker)
	}
	said := Feedback{Blockers: r.Feedback.Blockers, Concerns: r.Feedback.Concerns, Overall: r.Feedback.Overall}
	for _, prior := range r.Feedback.Prior {
		if prior.Finding != "" && prior.Status != 0 {
			said.Prior = append(said.Prior, prior)
		}
	}
	for i, b := range last.Blockers {
		if _, ok := answer(said.Prior, b, i+1); !ok {
			said.Prior = append(said.Prior, Prior{Finding: strconv.Itoa(i + 1), Status: StillPresent})
		}
	}
	list := said.lines()
	const longest = 1000 // nobody copies a longer command
	if len(said.Blockers) == 0 || len(strings.Join(list, "\n")) > longest {
		list = append([]string{blocker}, Feedback{Prior: said.Prior}.lines()...)
	}
	var text strings.Builder
	for _, line := range list {
		text.WriteString(" " + shell.Quote(line))
	}
	return command + ` --reason "$(printf '%s\n'` + text.String() + `)"`
}

// answer is what the reviewer says about an earlier blocker.
func answer(prior []Prior, b Finding, number int) (Outcome, bool) {
	squash := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
	issue, n := squash(b.Issue), strconv.Itoa(number)
	for _, p := range prior {
		said := squash(p.Finding)
		if said == n || said == "#"+n || strings.HasPrefix(said, n+" ") || strings.HasPrefix(said, "#"+n+" ") ||
			said != "" && (strings.Contains(said, issue) || strings.Contains(issue, said)) {
			return p.Status, true
		}
	}
	return 0, false
}

func (r *RejectMove) already(p *play) bool {
	last := p.task.Rejection()
	return p.from == Rejected && last != nil && last.Commit == r.Commit && last.By == p.move.By && (r.Role == "" || r.Role == p.task.RejectedBy) &&
		last.For.equal(r.For) && (r.For != nil || r.Feedback.isWritten(last))
}

func (r *RejectMove) apply(p *effect) {
	t, m := p.task, p.move
	t.RejectedBy, _ = p.panel().rejectsAs(r.Role)
	p.unclaim()
	t.Attempt.Cycles++
	t.Cycles++
	t.judge(t.RejectedBy, func(j *Judgement) {
		j.Verdict = nil
		j.Rejection = &Rejection{Commit: r.Commit, By: m.By, Blockers: r.open(j.Rejection), Concerns: r.Feedback.Concerns,
			Prior: r.Feedback.Prior, Overall: r.Feedback.Overall, At: m.At, For: r.For}
	})
	recordChurn(p, t.RejectedBy)
	if t.Attempt.Cycles >= p.limits().Cycles {
		p.blockAtLimit(LimitCycles, t.RejectedBy, "Coder and reviewers do not come together: is the spec clear, and is the task feasible as framed?")
	}
}

// open are the new blockers, and the earlier ones that are not resolved.
func (r *RejectMove) open(last *Rejection) []Finding {
	list := r.Feedback.Blockers
	if last == nil {
		return list
	}
	for i, b := range last.Blockers {
		named := false
		for _, f := range r.Feedback.Blockers {
			named = named || f.Issue == b.Issue
		}
		if outcome, _ := answer(r.Feedback.Prior, b, i+1); outcome != Resolved && !named && len(list) < MaxList {
			list = append(list[:len(list):len(list)], b)
		}
	}
	return list
}
