package flow

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
)

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

var outcomeNames = names{"outcome", "RESOLVED", "STILL_PRESENT", "PARTIAL"}

// String is the outcome's name.
func (o Outcome) String() string { return outcomeNames.name(uint8(o)) }

// MarshalText writes the name; the zero value is an error.
func (o Outcome) MarshalText() ([]byte, error) { return outcomeNames.marshal(uint8(o)) }

// UnmarshalText accepts exactly the names of [Outcome.String].
func (o *Outcome) UnmarshalText(text []byte) error { return unmarshalName(o, text, outcomeNames) }

// RejectMove sends a submission back with what has to change.
type RejectMove struct {
	Commit   ObjectID `yaml:"commit"`
	Feedback Feedback `yaml:"feedback"`
	Role     Role     `yaml:"role"` // to which the blockers of a person belong
	For      *Voucher `yaml:"for"`
}

// ask asks for the lines of the files that the findings of a strict role point
// to.
func (r *RejectMove) ask(m Move, b *Board) Query {
	p := &play{board: b, prior: b, move: &m, task: b.Task(m.Task)}
	if p.task == nil || p.task.Submission == nil {
		return Query{}
	}
	role, refusal := rejectsAs(p, r.Role)
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
	if row := p.board.Role(role); p.facts == nil || row == nil || !row.Strict {
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
	role, refusal := rejectsAs(p, r.Role)
	if refusal != nil {
		return refusal
	}
	last := p.task.Judgement(role).Rejection
	hint := r.hint(p.task, last)
	if len(r.Feedback.Blockers) == 0 {
		return refuse(RuleReason, hint, "a rejection names at least one blocker")
	}
	if slices.ContainsFunc(slices.Concat(r.Feedback.Blockers, r.Feedback.Concerns), func(f Finding) bool { return f.Issue == "" }) {
		return refuse(RuleReason, hint, "a finding says what the issue is")
	}
	if refusal := cmp.Or(r.point(p, role, hint), r.For.check(p)); refusal != nil {
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
	said.Prior = lists.Where(r.Feedback.Prior, func(prior Prior) bool { return prior.Finding != "" && prior.Status != 0 })
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
	t.RejectedBy, _ = rejectsAs(p.play, r.Role)
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
