package flow

import (
	"slices"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// AskMove asks a question during the work on a task, which goes on. Whoever holds the
// task asks, or looks for the answer to a question about it.
type AskMove struct {
	About  board.TaskID   `yaml:"about"` // the task; "" is the one that the asker holds, or that the parent is about
	To     board.Role     `yaml:"to"`    // of agents that may answer; "" and human: a planner or a person
	Text   string         `yaml:"text"`
	Parent board.RecordID `yaml:"parent"` // the question for whose answer it is asked; "" if for none
}

const (
	maxAskDepth = 3  // of questions, each asked for the answer of another one
	maxAsking   = 10 // open questions during the work on a task
)

func (a *AskMove) subject() string { return string(a.About) }

func (a *AskMove) aim(b *board.Board) board.GoalID {
	if goal := goalOfTask(b, a.About); goal != "" {
		return goal
	}
	return goalOfQuestion(b, a.Parent)
}

func (a *AskMove) fill(p *play) {
	if a.Parent == "" && heldTask(p, p.move.By) == "" {
		if q := takenBy(p.board, p.move.By, p.move.At); q != nil && (a.About == "" || a.About == q.Task) {
			a.Parent = q.ID
		}
	}
	switch q := board.FindQuestion(p.board, a.Parent); {
	case a.About != "":
	case q != nil:
		a.About = q.Task
	default:
		a.About = heldTask(p, p.move.By)
	}
}

// heldTask is the task that an actor has claimed; "" if it has none.
func heldTask(p *play, by board.Actor) (held board.TaskID) {
	if a := p.board.Agent(by.Agent()); a != nil {
		return a.Task
	}
	board.EachInWork(p.board, func(s *board.Summary) {
		if s.Status == board.Claimed && s.Coder == by {
			held = s.ID
		}
	})
	return held
}

func (a *AskMove) check(p *play) *Refusal {
	const hint = "git liza help ask"
	if r := present("the question", a.Text, hint); r != nil {
		return r
	}
	if a.To != "" && a.To != board.HumanRole && p.board.Role(a.To) == nil {
		return refuse(RuleNotFound, "git liza role list", "the board has no role %s", board.Clip(string(a.To)))
	}
	t, by := p.board.Task(a.About), p.move.By
	if t == nil {
		return refuse(RuleNotFound, "git liza list", "%s holds no task to ask about, and names none", by)
	}
	show := "git liza show " + string(t.ID)
	if len(t.Asking) >= maxAsking {
		return refuse(RuleLimit, show, "%d questions about %s are open already", len(t.Asking), t.ID)
	}
	if a.Parent != "" {
		return a.checkParent(p, t)
	}
	asker := *p
	asker.task = t
	if t.Status != board.Claimed || !holdsSubject(&asker) || !t.Claim.Live(p.move.At) {
		return refuse(RuleHolder, show, "%s does not hold %s: whoever works on a task asks about it", by, t.ID)
	}
	return nil
}

// checkParent refuses a question for the answer of another one by an actor that does not
// look for that answer, one too deep, and one that comes back to who waits for it.
func (a *AskMove) checkParent(p *play, t *board.Task) *Refusal {
	q, by := board.FindQuestion(p.board, a.Parent), p.move.By
	if q == nil {
		return unknownQuestion(a.Parent)
	}
	show := "git liza show " + string(t.ID)
	if r := checkOpenQuestion(q); r != nil {
		return r
	}
	switch {
	case q.Task != t.ID:
		return refuse(RuleForm, show, "the question %s is about %s, not about %s", q.ID, q.Task, t.ID)
	case !q.Lease.Live(p.move.At) || q.Lease.By != by:
		return refuse(RuleHolder, "git liza take "+string(q.ID)+" --as "+string(by), "%s has not taken the question %s", by, q.ID)
	}
	depth := 1
	for up := q; up != nil; up = board.FindQuestion(p.board, up.Parent) {
		if depth++; depth > maxAskDepth {
			return refuse(RuleAskDepth, "git liza answer "+string(q.ID)+" TEXT", "%d questions wait for each other already: answer with what is known", maxAskDepth)
		}
		if role := up.From.Role(); role != "" && role == a.To || up.From.IsHuman() && a.To == board.HumanRole {
			return refuse(RuleCircle, "git liza answer "+string(q.ID)+" TEXT", "%s asked %s, and waits for the answer itself", up.From, up.ID)
		}
		if up.Parent == "" {
			break
		}
	}
	if role := by.Role(); role != "" && role == a.To {
		return refuse(RuleCircle, "git liza answer "+string(q.ID)+" TEXT", "%s looks for the answer as %s, and would ask %s", by, role.One(), role.One())
	}
	return nil
}

func (a *AskMove) apply(p *effect) {
	t := p.board.Task(a.About).Clone()
	recordFor(p, t.Goal, board.Questions, func(id board.RecordID) board.Document {
		t.Asking = append(slices.Clip(t.Asking), board.Asking{Question: id, To: a.To})
		return &board.Question{ID: id, Task: t.ID, From: p.move.By, To: a.To, Text: a.Text, Asked: p.move.At, Parent: a.Parent, During: true}
	})
	p.put(board.Key{Folder: board.Tasks, ID: string(t.ID)}, t)
}

// forgetQuestion takes a question that is closed from its task, with those that were asked for
// its answer.
func forgetQuestion(q *board.Question, p *effect) {
	t := p.board.Task(q.Task)
	if t == nil || !q.During && len(t.Asking) == 0 {
		return
	}
	kept := t.Clone()
	kept.Asking = slices.DeleteFunc(slices.Clone(t.Asking), func(a board.Asking) bool { return a.Question == q.ID })
	if len(kept.Asking) == 0 {
		kept.Asking = nil
	}
	if q.During {
		p.put(board.Key{Folder: board.Tasks, ID: string(t.ID)}, kept)
	}
	for _, a := range kept.Asking {
		if child := board.FindQuestion(p.board, a.Question); child != nil && child.IsOpen() && child.Parent == q.ID {
			closeQuestion(child, p, "")
		}
	}
}

// dropAnswered takes those away that the move has closed: a copy of the task that was made
// before lists them still.
func dropAnswered(p *effect, t *board.Task) {
	t.Asking = lists.Where(t.Asking, func(a board.Asking) bool {
		q := board.FindQuestion(p.board, a.Question)
		return q != nil && q.IsOpen()
	})
}

// dropAsking closes the questions about a task that nobody works on any more.
func dropAsking(t *board.Task, p *effect) {
	for _, a := range t.Asking {
		if q := board.FindQuestion(p.board, a.Question); q != nil && q.IsOpen() {
			closed := *q
			closed.Lease, closed.By, closed.At = nil, p.move.By, p.move.At
			p.put(board.Key{Folder: board.Questions, ID: string(q.ID)}, &closed)
		}
	}
	t.Asking = nil
}

// asksDuring reports whether the open question is one that the task lists.
func asksDuring(q *board.Question, t *board.Task) bool {
	return slices.ContainsFunc(t.Asking, func(a board.Asking) bool { return a.Question == q.ID })
}
