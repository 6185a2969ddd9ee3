package flow

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
)

// RejectMove sends a submission back with what has to change.
type RejectMove struct {
	Commit   board.ObjectID `yaml:"commit"`
	Feedback board.Feedback `yaml:"feedback"`
	Role     board.Role     `yaml:"role"` // to which the blockers of a person belong
	For      *board.Voucher `yaml:"for"`
}

// ask asks for the lines of the files that the findings of a strict role point
// to.
func (r *RejectMove) ask(m Move, b *board.Board) Query {
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
func (r *RejectMove) point(p *play, role board.Role, hint string) *Refusal {
	if row := p.board.Role(role); p.facts == nil || row == nil || !row.Strict {
		return nil
	}
	at := p.task.Submission.Commit
	for _, f := range slices.Concat(r.Feedback.Blockers, r.Feedback.Concerns) {
		if f.File != "" && !p.facts.Exists {
			return refuse(RuleFact, "git liza show "+string(p.task.ID)+" --patch", "commit %s is not here, so the lines of its files are not known", at.Short())
		}
		if lines, asked := p.facts.Lines[f.File]; !asked || lines < 0 || f.Line < 0 || f.Line > lines {
			return refuse(RuleFinding, hint, "%s points to a file and a line: %s:%d is not in %s", role, board.QuoteC(board.Clip(f.File)), f.Line, at.Short())
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
	if slices.ContainsFunc(slices.Concat(r.Feedback.Blockers, r.Feedback.Concerns), func(f board.Finding) bool { return f.Issue == "" }) {
		return refuse(RuleReason, hint, "a finding says what the issue is")
	}
	if refusal := cmp.Or(r.point(p, role, hint), checkVoucher(r.For, p)); refusal != nil {
		return refusal
	}
	for _, prior := range r.Feedback.Prior {
		if prior.Finding == "" || prior.Status == 0 {
			return refuse(RulePrior, hint, "an answer to an earlier finding names the finding and one of %v", board.OutcomeNames[1:])
		}
	}
	if p.task.Attempt.Cycles == 0 || last == nil {
		return nil
	}
	for i, b := range last.Blockers {
		if _, ok := board.Answer(r.Feedback.Prior, b, i+1); !ok {
			return refuse(RulePrior, hint, "the rejection does not say what became of earlier blocker %d (%s): it is RESOLVED, STILL_PRESENT or PARTIAL", i+1, board.Clip(b.Issue))
		}
	}
	return nil
}

// hint is the command with a reason that the rules accept: the given feedback,
// and a line for each earlier blocker that it does not answer.
func (r *RejectMove) hint(t *board.Task, last *board.Rejection) string {
	command := "git liza reject " + string(t.ID) + " --commit " + string(r.Commit)
	if r.Role != "" {
		command += " --role " + string(r.Role)
	}
	const blocker = "- [blocker] FILE:LINE — ISSUE"
	if t.Attempt.Cycles == 0 || last == nil {
		return command + " --reason " + shell.Quote(blocker)
	}
	said := board.Feedback{Blockers: r.Feedback.Blockers, Concerns: r.Feedback.Concerns, Overall: r.Feedback.Overall}
	said.Prior = lists.Where(r.Feedback.Prior, func(prior board.Prior) bool { return prior.Finding != "" && prior.Status != 0 })
	for i, b := range last.Blockers {
		if _, ok := board.Answer(said.Prior, b, i+1); !ok {
			said.Prior = append(said.Prior, board.Prior{Finding: strconv.Itoa(i + 1), Status: board.StillPresent})
		}
	}
	list := said.Lines()
	const longest = 1000 // nobody copies a longer command
	if len(said.Blockers) == 0 || len(strings.Join(list, "\n")) > longest {
		list = append([]string{blocker}, board.Feedback{Prior: said.Prior}.Lines()...)
	}
	var text strings.Builder
	for _, line := range list {
		text.WriteString(" " + shell.Quote(line))
	}
	return command + ` --reason "$(printf '%s\n'` + text.String() + `)"`
}

func (r *RejectMove) already(p *play) bool {
	last := p.task.Rejection()
	return p.from == board.Rejected && last != nil && last.Commit == r.Commit && last.By == p.move.By && (r.Role == "" || r.Role == p.task.RejectedBy) &&
		last.For.Equal(r.For) && (r.For != nil || r.Feedback.IsWritten(last))
}

func (r *RejectMove) apply(p *effect) {
	t, m := p.task, p.move
	t.RejectedBy, _ = rejectsAs(p.play, r.Role)
	p.unclaim()
	t.Attempt.Cycles++
	t.Cycles++
	t.Judge(t.RejectedBy, func(j *board.Judgement) {
		j.Verdict = nil
		j.Rejection = &board.Rejection{Commit: r.Commit, By: m.By, Blockers: r.open(j.Rejection), Concerns: r.Feedback.Concerns,
			Prior: r.Feedback.Prior, Overall: r.Feedback.Overall, At: m.At, For: r.For}
	})
	recordChurn(p, t.RejectedBy)
	if t.Attempt.Cycles >= p.limits().Cycles {
		p.blockAtLimit(board.LimitCycles, t.RejectedBy, "Coder and reviewers do not come together: is the spec clear, and is the task feasible as framed?")
	}
}

// open are the new blockers, and the earlier ones that are not resolved.
func (r *RejectMove) open(last *board.Rejection) []board.Finding {
	list := r.Feedback.Blockers
	if last == nil {
		return list
	}
	for i, b := range last.Blockers {
		named := false
		for _, f := range r.Feedback.Blockers {
			named = named || f.Issue == b.Issue
		}
		if outcome, _ := board.Answer(r.Feedback.Prior, b, i+1); outcome != board.Resolved && !named && len(list) < board.MaxList {
			list = append(list[:len(list):len(list)], b)
		}
	}
	return list
}
