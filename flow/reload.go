package flow

import (
	"cmp"
	"slices"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// ReloadMove gives a goal in progress another workflow, or a newer copy of its own.
type ReloadMove struct {
	Workflow *board.Workflow  `yaml:"workflow"` // nil: nothing is bounded any more
	Phase    board.PhaseID    `yaml:"phase"`    // that the goal stands in afterwards
	Map      []board.PhaseMap `yaml:"map"`      // of open tasks
	Every    board.Every      `yaml:"every"`    // of the goal afterwards
	Reason   string           `yaml:"reason"`
	Texts    texts            `yaml:"texts"` // of artifacts that are there, and of what new tasks stand on
}

func (m *ReloadMove) subject() string {
	if m.Workflow == nil {
		return board.PlainWorkflow
	}
	return m.Workflow.Name
}

func (m *ReloadMove) ask(move Move, b *board.Board) Query {
	if m.Workflow == nil {
		return Query{}
	}
	w := m.of(move.Goal)
	q := askTextsOf(b, templates(b, m.begins(b, move.Goal, m.phase(b, move.Goal))))
	if checkWorkflowForm(w, move.Goal) == nil {
		q.Match = w.Patterns()
	}
	return q
}

// of is the workflow as the document of a goal.
func (m *ReloadMove) of(goal board.GoalID) *board.Workflow { return m.Workflow.Of(goal) }

// phase is the phase that the move names, else the one that the goal keeps, else the
// first.
func (m *ReloadMove) phase(b *board.Board, goal board.GoalID) board.PhaseID {
	g := b.Goal(goal)
	switch {
	case m.Phase != "" || m.Workflow == nil || len(m.Workflow.Phases) == 0 || g == nil:
		return m.Phase
	case g.Workflow == m.Workflow.Name && m.Workflow.Phase(g.Phase) != nil:
		return g.Phase
	}
	return m.Workflow.Phases[0].Name
}

// begins is the phase that the move lets begin.
func (m *ReloadMove) begins(b *board.Board, goal board.GoalID, to board.PhaseID) beginning {
	g := b.Goal(goal)
	if g == nil || m.Workflow == nil {
		return beginning{}
	}
	return beginning{m.of(goal), m.begun(g), m.Workflow.Phase(to)}.unlessBegun()
}

// begun is the goal with the phases that it entered in the workflow of the move: none if
// that is another one.
func (m *ReloadMove) begun(g *board.Goal) *board.Goal {
	now := *g
	if m.Workflow == nil || g.Workflow != m.Workflow.Name {
		now.Begun = nil
	}
	return &now
}

func (m *ReloadMove) fill(p *play) {
	m.Workflow, m.Phase = m.of(p.goalID()), m.phase(p.board, p.goalID())
	m.Texts = enteredTexts(p)
}

func (m *ReloadMove) check(p *play) *Refusal {
	goal := p.goalID()
	if m.Workflow == nil {
		if m.Phase != "" || len(m.Map) > 0 {
			return refuse(RuleForm, workflowHelp, "a goal without phases is in none of them")
		}
		return checkRecorded(p, m.Texts)
	}
	if r := checkWorkflow(p, m.Workflow, goal); r != nil {
		return r
	}
	if m.Workflow.Phase(m.Phase) == nil {
		return refuse(RulePhase, workflowHelp, "%s has no phase %s; its phases are %s", m.Workflow.Name, shownPhase(m.Phase), m.Workflow.Names())
	}
	for i, pair := range m.Map {
		if slices.ContainsFunc(m.Map[:i], func(o board.PhaseMap) bool { return o.From == pair.From }) || pair.To != board.AnyPhase && m.Workflow.Phase(pair.To) == nil {
			return refuse(RulePhase, workflowHelp, "%s has no phase %s, or tasks of %s are given two", m.Workflow.Name, shownPhase(pair.To), shownPhase(pair.From))
		}
	}
	if r := firstRefusal(board.OpenTasksOf(p.board, goal), func(s *board.Summary) *Refusal { return m.checkTask(p.board.Task(s.ID)) }); r != nil {
		return r
	}
	p.workflow = m.Workflow
	if list := templates(p.board, m.begins(p.board, goal, m.Phase)); len(list) > 0 {
		if r := p.enterTasks(list, nil); r != nil {
			return r
		}
	}
	return checkRecorded(p, m.Texts)
}

// mapped is the phase of a task after the move.
func (m *ReloadMove) mapped(t *board.Task) board.PhaseID {
	if pair := lists.Find(m.Map, func(pair board.PhaseMap) bool { return pair.From == t.Phase }); pair != nil {
		return pair.To
	}
	return t.Phase
}

// checkTask refuses to leave an open task in a phase that the workflow lacks, or where
// nobody may do it.
func (m *ReloadMove) checkTask(t *board.Task) *Refusal {
	to := m.mapped(t)
	if to == board.AnyPhase {
		return nil
	}
	switch f := m.Workflow.Phase(to); {
	case f == nil:
		return refuse(RulePhase, m.mapHint(t), "%s is open in the phase %s, which %s lacks; its phases are %s", t.ID, shownPhase(to), m.Workflow.Name, m.Workflow.Names())
	case !f.Admits(t):
		return refuse(RulePhase, m.mapHint(t), "the phase %s of %s has no tasks of the kind %s that %s does, as %s is", to, m.Workflow.Name, t.Kind, t.Doer().One(), t.ID)
	}
	return nil
}

// mapHint is the command that maps the phase of a task.
func (m *ReloadMove) mapHint(t *board.Task) string {
	return m.Workflow.Command(t.Goal) + " --map " + string(cmp.Or(t.Phase, noPhase)) + "=PHASE"
}

// noPhase is the name of the phase of tasks that have none, where people map it.
const noPhase board.PhaseID = "none"

func (m *ReloadMove) apply(p *effect) {
	goal := p.goalID()
	for _, s := range board.OpenTasksOf(p.board, goal) {
		if t := p.board.Task(s.ID); m.Workflow != nil && m.mapped(t) != t.Phase {
			t = t.Clone()
			t.Phase = m.mapped(t)
			p.keep(t)
		}
	}
	setWorkflow(p, goal, m.Workflow, m.Phase, m.Every)
}

// setWorkflow writes the workflow of a goal, which stands in a phase of it then. The bounds
// of a loop go with the workflow that it had.
func setWorkflow(p *effect, goal board.GoalID, w *board.Workflow, phase board.PhaseID, every board.Every) {
	g, key := *p.board.Goal(goal), board.Key{Folder: board.Workflows, ID: string(goal)}
	name := ""
	if w != nil {
		name = w.Name
		p.put(key, w)
	} else if p.board.Load(key) != nil {
		p.put(key, nil)
	}
	if g.Workflow != name {
		g.Workflow, g.Begun, g.Loop = name, nil, nil
	}
	g.Begun = slices.DeleteFunc(slices.Clone(g.Begun), func(id board.PhaseID) bool { return w.Phase(id) == nil })
	g.Every = every
	enterPhase(&g, p, phase, true)
	p.put(board.Key{Folder: board.Goals, ID: string(goal)}, &g)
}
