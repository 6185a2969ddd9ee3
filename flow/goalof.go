package flow

import (
	"cmp"
	"slices"

	"github.com/git-liza/git-liza/flow/board"
)

// openGoalActs are those of them that a goal which has ended refuses. Others
// refuse that themselves, or record what concerns a goal after its end too.
var openGoalActs = []board.Act{board.ActAdd, board.ActFinalize, board.ActImport, board.ActConvert, board.ActSprintStart, board.ActSprintClose, board.ActAccept}

// aimed is a detail whose goal follows from its fields; "" if it does not.
type aimed interface {
	aim(*board.Board) board.GoalID
}

// GoalOf is the goal of a move that a caller did not choose: that of its task, or
// of what its fields name, for records that of the task that an agent holds, else
// the one that it names already, else the current one. It is "" for acts that have
// no goal.
func GoalOf(b *board.Board, m Move) board.GoalID {
	if m.Task != "" {
		return goalOfTask(b, m.Task)
	}
	loose := m.Act.NamesGoalAlone()
	if loose && m.Goal != "" {
		return m.Goal
	}
	if !loose && !m.Act.NamesGoal() {
		return ""
	}
	if d, ok := m.Detail.(aimed); ok {
		if goal := d.aim(b); goal != "" {
			return goal
		}
	}
	if loose {
		return ""
	}
	if slices.Contains([]board.Act{board.ActAnomaly, board.ActDiscover, board.ActNote}, m.Act) {
		if goal := goalOfTask(b, b.Agent(m.By.Agent()).Work()); goal != "" {
			return goal
		}
	}
	return cmp.Or(m.Goal, b.Settings().Goal)
}

// goalOfTask is the goal of a task; "" if there is none of that id.
func goalOfTask(b *board.Board, id board.TaskID) board.GoalID {
	if t := b.Task(id); id != "" && t != nil {
		return t.Goal
	}
	return ""
}

func (g *GoalMove) aim(*board.Board) board.GoalID { return g.ID }

func (f *FinalizeMove) aim(b *board.Board) board.GoalID {
	if len(f.Tasks) == 0 {
		return ""
	}
	return goalOfTask(b, f.Tasks[0])
}

func (c *ConvertMove) aim(b *board.Board) board.GoalID {
	d, _ := b.Load(board.Key{Folder: board.Discovered, ID: string(c.Discovery)}).(*board.Discovery)
	if d == nil {
		return ""
	}
	goal := cmp.Or(goalOfTask(b, d.During), board.GoalOfRecord(b, d.ID))
	if g := b.Goal(goal); g == nil || g.Status != board.InProgress {
		return "" // what was found for a goal that has ended is work of the current one
	}
	return goal
}

func (r *RetroMove) aim(b *board.Board) board.GoalID {
	if s := b.Sprint(r.Sprint); s != nil {
		return s.Goal
	}
	return ""
}

func (a *AnomalyMove) aim(b *board.Board) board.GoalID { return goalOfTask(b, a.About) }

func (d *DiscoverMove) aim(b *board.Board) board.GoalID { return goalOfTask(b, d.During) }

func (n *NoteMove) aim(b *board.Board) board.GoalID {
	if !board.ValidID(n.For) {
		return ""
	}
	return goalOfTask(b, board.TaskID(n.For))
}

func (a *AnswerMove) aim(b *board.Board) board.GoalID { return goalOfQuestion(b, a.Question) }

func (t *TakeMove) aim(b *board.Board) board.GoalID { return goalOfQuestion(b, t.Question) }

// goalOfQuestion is the goal of the task that a question is about.
func goalOfQuestion(b *board.Board, id board.RecordID) board.GoalID {
	if q := board.FindQuestion(b, id); q != nil {
		return goalOfTask(b, q.Task)
	}
	return ""
}

func (d *DismissRecordMove) aim(b *board.Board) board.GoalID { return board.GoalOfRecord(b, d.Record) }

func (d *DeferMove) aim(b *board.Board) board.GoalID { return board.GoalOfRecord(b, d.Record) }

// aim is the goal of the goal, sprint or record that is amended.
func (a *AmendMove) aim(b *board.Board) board.GoalID {
	switch key, doc := a.document(); d := doc.(type) {
	case *board.Goal:
		if b.Goal(d.ID) != nil {
			return d.ID
		}
	case *board.Sprint:
		if was := b.Sprint(d.ID); was != nil {
			return was.Goal
		}
	case *board.Anomaly, *board.Discovery, *board.Note:
		return board.GoalOfRecord(b, board.RecordID(key.ID))
	}
	return ""
}

// aim is the one goal of all that is archived, "" if there are several.
func (a *ArchiveMove) aim(b *board.Board) (goal board.GoalID) {
	several := false
	of := func(one board.GoalID) {
		several = several || goal != "" && one != goal
		goal = one
	}
	for _, id := range a.Tasks {
		of(goalOfTask(b, id))
	}
	for _, id := range a.Sprints {
		if s := b.Sprint(id); s != nil {
			of(s.Goal)
		}
	}
	if several {
		return ""
	}
	return goal
}

// aim is the only goal with a hold.
func (l *LiftMove) aim(b *board.Board) (goal board.GoalID) {
	for _, g := range b.GoalsInProgress() {
		switch {
		case g.Hold == nil:
		case goal != "":
			return ""
		default:
			goal = g.ID
		}
	}
	return goal
}

// aim is the only goal in progress, unless the checkpoint is about one that has not
// ended meanwhile.
func (d *DecideMove) aim(b *board.Board) board.GoalID {
	if g := b.Goal(b.Settings().Control.Goal); g != nil && g.Status == board.InProgress {
		return g.ID
	}
	if open := b.GoalsInProgress(); len(open) == 1 {
		return open[0].ID
	}
	return ""
}

func (s *SpecChangeMove) aim(b *board.Board) board.GoalID { return goalOfTask(b, s.Cause) }

// goalID is the goal of the move.
func (p *play) goalID() board.GoalID {
	switch {
	case p.move.Goal != "":
		return p.move.Goal
	case p.task != nil:
		return p.task.Goal
	}
	return p.board.Settings().Goal
}

// checkGoal refuses a move that names another goal than that of its task, a goal
// that is not on the board or has ended, or a goal where the act has none.
func (p *play) checkGoal() *Refusal {
	m := p.move
	if m.Act == board.ActInit {
		return nil
	}
	switch g := p.board.Goal(m.Goal); {
	case m.Task != "":
		if want := goalOfTask(p.board, m.Task); m.Goal != want && want != "" {
			return refuse(RuleGoal, "git liza goal list", "%s names the goal %q, %s belongs to %q", m.Act, m.Goal, m.Task, want)
		}
	case m.Goal == "" && m.Act.NamesGoalAlone() && GoalOf(p.prior, *m) == "":
	case !m.Act.NamesGoal() && !m.Act.NamesGoalAlone():
		if m.Goal != "" {
			return refuse(RuleGoal, "git liza goal list", "%s names the goal %s, and belongs to none", m.Act, m.Goal)
		}
	case m.Act == board.ActGoal:
		if d := m.Detail.(*GoalMove); m.Goal != d.ID {
			return refuse(RuleGoal, "git liza goal list", "goal names the goal %q, not the new one %s", m.Goal, d.ID)
		}
	case g == nil:
		return refuse(RuleGoal, "git liza goal list", "%s names the goal %q, which is not on the board", m.Act, m.Goal)
	case GoalOf(p.prior, *m) != m.Goal:
		return refuse(RuleGoal, "git liza goal list", "%s names the goal %s, and is about %s", m.Act, m.Goal, GoalOf(p.prior, *m))
	case g.Status != board.InProgress && slices.Contains(openGoalActs, m.Act):
		return refuse(RuleGoal, "git liza goal reopen "+string(m.Goal)+" --reason R", "%s names the goal %s, which is %s", m.Act, m.Goal, g.Status)
	}
	return nil
}
