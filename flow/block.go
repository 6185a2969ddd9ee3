package flow

import (
	"cmp"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/board"
)

// freeQuestions is how often work on a task may stop for questions alone; from then
// on each is a failure too.
const freeQuestions = 3

// BlockMove stops work on a task until somebody answers. Without a reason it only
// asks.
type BlockMove struct {
	Reason    string   `yaml:"reason"`
	Questions []string `yaml:"questions"`
	Attempted []string `yaml:"attempted"`

	To    board.Role  `yaml:"to"`    // of agents that may answer; "" and human: a planner or a person
	Saved *board.Save `yaml:"saved"` // the work of the claim that the block ends
}

func (b *BlockMove) ask(Move, *board.Board) Query { return askSave(b.Saved) }

func (b *BlockMove) refs(m Move, _ *board.Board) []RefMove { return saved(m.Task, b.Saved) }

// leaseEnded refuses to block a claimed task before the lease of its holder has
// ended.
func leaseEnded(p *play) *Refusal {
	if p.from == board.Claimed && p.task.Claim.Live(p.move.At) {
		return refuse(RuleHolder, "git liza release "+string(p.task.ID), "%s is held by %s until %s",
			p.task.ID, p.task.Claim.By, p.task.Claim.Lease.Format(time.RFC3339))
	}
	return nil
}

func (b *BlockMove) check(p *play) *Refusal {
	hint := "git liza block " + string(p.task.ID) + " --reason R --question Q"
	if n := len(b.Questions); n < 1 || n > 3 {
		return refuse(RuleForm, hint, "a blocked task asks one to three questions, not %d", n)
	}
	if r := firstRefusal(b.Questions, func(q string) *Refusal { return present("a question", q, hint) }); r != nil {
		return r
	}
	if b.To != "" && b.To != board.HumanRole && p.board.Role(b.To) == nil {
		return refuse(RuleNotFound, "git liza role list", "the board has no role %s", board.Clip(string(b.To)))
	}
	if b.Saved != nil && p.from != board.Claimed {
		return refuse(RuleForm, hint, "nobody holds %s: there is no work to save with the block", p.task.ID)
	}
	if b.Saved != nil && !board.MaySave(p.board, p.task, p.move.By) {
		return refuse(RuleRole, hint, "%s does not save the work of %s: its holder, a planner or a person does", p.move.By, p.task.ID)
	}
	return p.checkSave(b.Saved)
}

// asks reports whether the block only asks.
func (b *BlockMove) asks() bool {
	return b.Reason == "" || b.Reason == board.ReasonQuestion
}

func (b *BlockMove) already(p *play) bool {
	if p.from != board.Blocked || p.task.Block.By != p.move.By {
		return false
	}
	if b.asks() {
		return p.task.Block.Reason == board.ReasonQuestion && slices.Equal(p.task.Block.Questions, b.Questions)
	}
	return p.task.Block.Reason == b.Reason
}

func (b *BlockMove) apply(p *effect) {
	t, coder, from := p.task, lastCoder(p), p.from
	claimed := t.Claim != nil
	if claimed {
		from = t.Claim.From
	}
	p.unclaim()
	reason := cmp.Or(b.Reason, board.ReasonQuestion)
	block := board.Block{Reason: reason, Questions: b.Questions, Attempted: b.Attempted, To: b.To, From: from}
	if claimed {
		t.Intent = nil
	}
	blockTask(t, p, block)
	if b.Saved != nil {
		t.Saves = b.Saved.Number
		t.Attempt = board.CopyOf(t.Attempt)
		t.Attempt.Saved = b.Saved.Commit
	}
	if b.asks() {
		t.Asked++
	}
	if !b.asks() || t.Asked > freeQuestions {
		recordFailure(p, coder, reason)
	}
	if !b.asks() {
		recordReplacement(p, reason)
	}
}

// UnblockMove sends a blocked task back to work, or back to review if the limit
// of reviews without a verdict had blocked it.
type UnblockMove struct {
	KeepBranch bool        `yaml:"keep_branch"`
	Saved      *board.Save `yaml:"saved"`
}

func unblockable(p *play) *Refusal {
	if p.task.Exhausted(p.limits()) {
		return refuse(RuleExhausted, "git liza task supersede "+string(p.task.ID)+" --by FILE --reason R",
			"%s failed %d times: its framing is presumed wrong, only supersede or abandon lead on", p.task.ID, len(p.task.Failures))
	}
	if b := p.task.Block; b.Reason == board.ReasonQuestion && b.From != 0 && !b.Answered(p.board) {
		return refuse(RuleState, "git liza answer "+string(p.task.ID), "%s waits for the answer to its question, not for unblock", p.task.ID)
	}
	return nil
}

func (u *UnblockMove) check(p *play) *Refusal {
	if u.KeepBranch && p.task.Attempt == nil {
		return refuse(RuleState, "git liza task unblock "+string(p.task.ID), "%s has no branch to keep", p.task.ID)
	}
	return p.checkSave(u.Saved)
}

func (u *UnblockMove) ask(Move, *board.Board) Query { return askSave(u.Saved) }

func (u *UnblockMove) refs(m Move, _ *board.Board) []RefMove { return saved(m.Task, u.Saved) }

func (u *UnblockMove) already(p *play) bool { return p.from == board.Unclaimed && p.task.Block == nil }

func (u *UnblockMove) apply(p *effect) {
	t := p.task
	limit := t.Block.Limit
	dropBlock(t, p)
	t.Retry = nil
	if u.Saved != nil {
		t.Saves = u.Saved.Number
	}
	if limit == board.LimitNoVerdicts {
		t.JudgeAll(func(j *board.Judgement) { j.NoVerdicts, j.NotBefore, j.Error = 0, time.Time{}, "" })
		p.backToReview()
		return
	}
	t.Status = board.Unclaimed
	switch limit {
	case board.LimitMergeFails:
		t.MergeFails = 0
	case board.LimitCycles:
		t.Attempt.Cycles = 0
	case board.LimitIterations:
		t.Attempt.Iteration = 0
	}
	if t.Attempt != nil && u.KeepBranch {
		keepBranch(p, u.Saved)
		return
	}
	t.Attempt, t.Intent, t.Submission, t.Integration = nil, nil, nil, nil
	t.JudgeAll(func(j *board.Judgement) { j.Verdict, j.Rejection = nil, nil })
}
