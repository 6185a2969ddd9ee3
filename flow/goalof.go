package flow

import (
	"cmp"
	"slices"
)

// goalActs are the acts beside those on a task that name their goal.
var goalActs = []Act{ActAdd, ActFinalize, ActImport, ActConvert, ActGoal, ActComplete, ActAbort, ActReopen,
	ActAlign, ActSpecChange, ActSprintStart, ActSprintClose, ActRetro, ActAnomaly, ActDiscover, ActNote,
	ActAnswer, ActTake, ActSession, ActAccept, ActLift, ActDefer, ActDismissRecord,
	ActLevel, ActSchedule, ActPhase, ActReload, ActClassify, ActAsk}

// looseActs are acts that may name a goal.
var looseActs = []Act{ActCheckpoint, ActDecide, ActAmend, ActArchive}

// NamesGoalAlone reports whether the act names a goal only where its fields or its
// caller name one: the goal that commands usually mean is not meant.
func (a Act) NamesGoalAlone() bool { return slices.Contains(looseActs, a) }

// namesGoal reports whether an act names its goal.
func (a Act) namesGoal() bool { return slices.Contains(goalActs, a) }

// openGoalActs are those of them that a goal which has ended refuses. Others
// refuse that themselves, or record what concerns a goal after its end too.
var openGoalActs = []Act{ActAdd, ActFinalize, ActImport, ActConvert, ActSprintStart, ActSprintClose, ActAccept}

// aimed is a detail whose goal follows from its fields; "" if it does not.
type aimed interface{ aim(*Board) GoalID }

// GoalOf is the goal of a move that a caller did not choose: that of its task, or
// of what its fields name, for records that of the task that an agent holds, else
// the one that it names already, else the current one. It is "" for acts that have
// no goal.
func (b *Board) GoalOf(m Move) GoalID {
	if m.Task != "" {
		return goalOfTask(b, m.Task)
	}
	loose := m.Act.NamesGoalAlone()
	if loose && m.Goal != "" {
		return m.Goal
	}
	if !loose && !m.Act.namesGoal() {
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
	if slices.Contains([]Act{ActAnomaly, ActDiscover, ActNote}, m.Act) {
		if goal := goalOfTask(b, b.Agent(m.By.Agent()).work()); goal != "" {
			return goal
		}
	}
	return cmp.Or(m.Goal, b.Settings().Goal)
}

// goalOfTask is the goal of a task; "" if there is none of that id.
func goalOfTask(b *Board, id TaskID) GoalID {
	if t := b.Task(id); id != "" && t != nil {
		return t.Goal
	}
	return ""
}

func (g *GoalMove) aim(*Board) GoalID { return g.ID }

func (f *FinalizeMove) aim(b *Board) GoalID {
	if len(f.Tasks) == 0 {
		return ""
	}
	return goalOfTask(b, f.Tasks[0])
}

func (c *ConvertMove) aim(b *Board) GoalID {
	d, _ := b.Load(Key{Discovered, string(c.Discovery)}).(*Discovery)
	if d == nil {
		return ""
	}
	goal := cmp.Or(goalOfTask(b, d.During), GoalOfRecord(b, d.ID))
	if g := b.Goal(goal); g == nil || g.Status != InProgress {
		return "" // what was found for a goal that has ended is work of the current one
	}
	return goal
}

func (r *RetroMove) aim(b *Board) GoalID {
	if s := b.Sprint(r.Sprint); s != nil {
		return s.Goal
	}
	return ""
}

func (a *AnomalyMove) aim(b *Board) GoalID { return goalOfTask(b, a.About) }

func (d *DiscoverMove) aim(b *Board) GoalID { return goalOfTask(b, d.During) }

func (n *NoteMove) aim(b *Board) GoalID {
	if !validID(n.For) {
		return ""
	}
	return goalOfTask(b, TaskID(n.For))
}

func (a *AnswerMove) aim(b *Board) GoalID { return goalOfQuestion(b, a.Question) }

func (t *TakeMove) aim(b *Board) GoalID { return goalOfQuestion(b, t.Question) }

// goalOfQuestion is the goal of the task that a question is about.
func goalOfQuestion(b *Board, id RecordID) GoalID {
	if q := findQuestion(b, id); q != nil {
		return goalOfTask(b, q.Task)
	}
	return ""
}

func (d *DismissRecordMove) aim(b *Board) GoalID { return GoalOfRecord(b, d.Record) }

func (d *DeferMove) aim(b *Board) GoalID { return GoalOfRecord(b, d.Record) }

// aim is the goal of the goal, sprint or record that is amended.
func (a *AmendMove) aim(b *Board) GoalID {
	switch key, doc := a.document(); d := doc.(type) {
	case *Goal:
		if b.Goal(d.ID) != nil {
			return d.ID
		}
	case *Sprint:
		if was := b.Sprint(d.ID); was != nil {
			return was.Goal
		}
	case *Anomaly, *Discovery, *Note:
		return GoalOfRecord(b, RecordID(key.ID))
	}
	return ""
}

// aim is the one goal of all that is archived, "" if there are several.
func (a *ArchiveMove) aim(b *Board) (goal GoalID) {
	several := false
	of := func(one GoalID) {
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
func (l *LiftMove) aim(b *Board) (goal GoalID) {
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
func (d *DecideMove) aim(b *Board) GoalID {
	if g := b.Goal(b.Settings().Control.Goal); g != nil && g.Status == InProgress {
		return g.ID
	}
	if open := b.GoalsInProgress(); len(open) == 1 {
		return open[0].ID
	}
	return ""
}

func (s *SpecChangeMove) aim(b *Board) GoalID { return goalOfTask(b, s.Cause) }

// goalID is the goal of the move.
func (p *play) goalID() GoalID {
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
	if m.Act == ActInit {
		return nil
	}
	switch g := p.board.Goal(m.Goal); {
	case m.Task != "":
		if want := goalOfTask(p.board, m.Task); m.Goal != want && want != "" {
			return refuse(RuleGoal, "git liza goal list", "%s names the goal %q, %s belongs to %q", m.Act, m.Goal, m.Task, want)
		}
	case m.Goal == "" && m.Act.NamesGoalAlone() && p.prior.GoalOf(*m) == "":
	case !m.Act.namesGoal() && !m.Act.NamesGoalAlone():
		if m.Goal != "" {
			return refuse(RuleGoal, "git liza goal list", "%s names the goal %s, and belongs to none", m.Act, m.Goal)
		}
	case m.Act == ActGoal:
		if d := m.Detail.(*GoalMove); m.Goal != d.ID {
			return refuse(RuleGoal, "git liza goal list", "goal names the goal %q, not the new one %s", m.Goal, d.ID)
		}
	case g == nil:
		return refuse(RuleGoal, "git liza goal list", "%s names the goal %q, which is not on the board", m.Act, m.Goal)
	case p.prior.GoalOf(*m) != m.Goal:
		return refuse(RuleGoal, "git liza goal list", "%s names the goal %s, and is about %s", m.Act, m.Goal, p.prior.GoalOf(*m))
	case g.Status != InProgress && slices.Contains(openGoalActs, m.Act):
		return refuse(RuleGoal, "git liza goal reopen "+string(m.Goal)+" --reason R", "%s names the goal %s, which is %s", m.Act, m.Goal, g.Status)
	}
	return nil
}
