package flow

import (
	"cmp"
	"reflect"
	"time"

	"github.com/git-liza/git-liza/flow/board"
)

// A play is a move while it is judged: the board after it, the row of the
// table, and the subject as the effect may change it. Guards get a play, which
// reads the board; only an [effect] writes to it.
type play struct {
	board *board.Board
	move  *Move
	facts *Facts // nil on replay
	rule  *rule
	task  *board.Task  // a copy of the subject; nil where the act has none
	from  board.Status // the subject's status before
	prior *board.Board

	added     []*board.Task // what a guard leaves for the effect to write:
	repointed []*board.Task // new tasks, and tasks with other dependencies
	level     int           // of the subject that is described anew
	texts     texts         // of paths that are tracked from now on, or were entered anew
	origin    origin        // of these texts

	workflow *board.Workflow // that the goal of the move gets
	begun    []*board.Task   // tasks of a phase of a new goal

	replayed bool // the move was admitted once: undecidable questions were settled then
}

// Apply is the board after the move. The error is a *[Refusal] if the rules
// forbid the move; any other error comes from the [board.Source] of the board. facts
// are the answers of git to [Ask]; nil replays a move that was accepted
// once. The receiver never changes.
func Apply(b *board.Board, m Move, facts *Facts) (*board.Board, error) {
	p := &play{board: b.Fork(m.At), prior: b, move: &m, facts: facts, replayed: facts == nil}
	for _, guard := range []func() *Refusal{p.knownFormat, p.checkForm, p.clock, p.checkPrincipal, p.checkFence, p.checkGoal, p.selectRow, p.checkOpening, p.details} {
		refusal := guard()
		if p.board.Err() != nil {
			return nil, p.board.Err()
		}
		if refusal != nil {
			return nil, refusal
		}
	}
	(&effect{p}).run()
	if p.board.Err() != nil {
		return nil, p.board.Err()
	}
	refusal := p.checkBarriers()
	if refusal == nil {
		refusal = p.invariants()
	}
	if p.board.Err() != nil {
		return nil, p.board.Err()
	}
	if refusal != nil {
		return nil, refusal
	}
	return p.board, nil
}

// Opens refuses an act that the caller may not begin now, before the fields of
// the act are known. It returns nil if the caller may begin.
func Opens(b *board.Board, act board.Act, task board.TaskID, c Caller, at time.Time) *Refusal {
	m := c.Move(act, task, NewDetail(act))
	m.At = at
	p := &play{board: b.Fork(at), prior: b, move: &m}
	defer func() { b.Fail(p.board.Err()) }() // what the copy could not read
	return guarded(p.knownFormat, p.checkPrincipal, p.checkFence, p.selectRow, p.checkOpening, func() *Refusal { return openNow(p) })
}

// Already reports whether the board already has the effect of the move, so that
// a command can be repeated safely after a crash. It is called for new moves,
// never when history is judged.
func Already(b *board.Board, m Move) bool {
	d, ok := m.Detail.(repeater)
	if !ok || b.Empty() || HumansOnly(m.Act) && !m.By.IsHuman() {
		return false
	}
	p := &play{board: b.Fork(m.At), prior: b, move: &m}
	if m.Task != "" {
		if p.task = b.Task(m.Task); p.task == nil {
			return false
		}
		p.from = p.task.Status
	}
	return p.checkPrincipal() == nil && p.checkFence() == nil && d.already(p)
}

// guarded asks the guards in their order, up to the first that refuses.
func guarded(guards ...func() *Refusal) *Refusal {
	return firstRefusal(guards, func(guard func() *Refusal) *Refusal { return guard() })
}

// guardedAt is like guarded, of guards that take the play.
func guardedAt(p *play, guards ...func(*play) *Refusal) *Refusal {
	return firstRefusal(guards, func(guard func(*play) *Refusal) *Refusal { return guard(p) })
}

func (p *play) checkForm() *Refusal {
	if p.move.Detail == nil || p.move.Request == "" || p.move.By == "" || p.move.At.IsZero() {
		return refuse(RuleForm, "git liza help", "a move needs an act, an actor, a time and a request id")
	}
	if reflect.TypeOf(p.move.Detail) != reflect.TypeOf(NewDetail(p.move.Act)) {
		return refuse(RuleForm, "git liza help", "the fields of the move are not those of %s", p.move.Act)
	}
	limit := p.board.Settings().Config.TextLimit
	if limit == 0 {
		limit = board.DefaultConfig().TextLimit
	}
	return checkTexts(p.move, limit)
}

// judgedBy is the format by which the board judges a move.
func judgedBy(p *play) int {
	if i, ok := p.move.Detail.(*InitMove); ok && p.prior.Empty() {
		return i.Format
	}
	return p.board.Settings().Format
}

func (p *play) clock() *Refusal {
	at := p.move.At
	if at.Location() != time.UTC || at.Nanosecond() != 0 || at.Before(p.prior.At()) {
		return refuse(RuleTime, "git liza log -n 1", "the move is dated %s, the last one %s: time on the board does not run backwards",
			at.Format(time.RFC3339), p.prior.At().Format(time.RFC3339))
	}
	return nil
}

// selectRow finds the row of the table and the subject of the move.
func (p *play) selectRow() *Refusal {
	m := p.move
	var stateFits *rule
	var first *rule
	for i := range rules {
		r := &rules[i]
		if r.act != m.Act {
			continue
		}
		if first == nil {
			first = r
			if refusal := p.subject(r); refusal != nil {
				return refusal
			}
		}
		if r.from != 0 && !r.from.Has(p.from) {
			continue
		}
		if r.by&standingOf(p) != 0 {
			p.rule = r
			return nil
		}
		stateFits = cmp.Or(stateFits, r)
	}
	switch {
	case stateFits == nil && p.from.Final():
		return refuse(RuleFinal, "git liza show "+string(m.Task), "%s is %s, and nothing leaves a final state", m.Task, p.from)
	case stateFits == nil && m.Act == board.ActReject && p.from == board.Rejected && p.task.Rejection() != nil:
		return refuse(RuleState, "git liza note TEXT --for "+string(m.Task), "%s is REJECTED by %s already", m.Task, p.task.Rejection().By)
	case stateFits == nil:
		return refuse(RuleState, "git liza show "+string(m.Task), "%s does not apply to %s, which is %s", m.Act, m.Task, p.from)
	}
	return refuseStanding(p, stateFits)
}

func (p *play) subject(r *rule) *Refusal {
	if r.from == 0 {
		if p.move.Task != "" {
			return refuse(RuleForm, "git liza help", "%s is not about one task", p.move.Act)
		}
		return nil
	}
	if r.from == anywhere && p.move.Task == "" {
		return nil
	}
	found := p.board.Task(p.move.Task)
	if found == nil {
		return refuse(RuleNotFound, "git liza list --all", "there is no task %s", p.move.Task)
	}
	p.task, p.from = found.Clone(), found.Status
	return nil
}

func (p *play) checkOpening() *Refusal { return p.rule.open(p) }

func (p *play) details() *Refusal { return p.move.Detail.check(p) }

func (p *play) limits() board.Limits { return p.board.Settings().Config.Limits.Over(p.task.Limits) }
