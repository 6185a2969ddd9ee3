package flow

import (
	"cmp"
	"slices"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// PhaseMove leads a goal to another phase: to the next one when the exit of its phase
// holds, or back. Live sessions finish; submissions stay.
type PhaseMove struct {
	From     board.PhaseID   `yaml:"from"`
	To       board.PhaseID   `yaml:"to"`
	Reason   string          `yaml:"reason"`   // of a person that goes back
	Tip      board.ObjectID  `yaml:"tip"`      // of integration, on which the gates ran; "" if none did
	Receipts []board.Receipt `yaml:"receipts"` // of gates at a phase
	Texts    texts           `yaml:"texts"`    // new ones that the tasks of the next phase stand on
}

func (m *PhaseMove) subject() string { return string(m.To) }

func (m *PhaseMove) ask(move Move, b *board.Board) Query {
	q := askTextsOf(b, templates(b, beginningOf(b, move.Goal, m.target(b, move.Goal))))
	if len(m.Receipts) > 0 {
		q.Submission = b.Settings().Integration.Tip
	}
	return q
}

// target is the phase that the move names, else the next one; "" if there is none.
func (m *PhaseMove) target(b *board.Board, goal board.GoalID) board.PhaseID {
	g, w := b.Goal(goal), board.FindWorkflow(b, goal)
	if m.To != "" || g == nil || w == nil {
		return m.To
	}
	if i := w.Place(g.Phase); i+1 < len(w.Phases) {
		return w.Phases[i+1].Name
	}
	return ""
}

func (m *PhaseMove) fill(p *play) {
	if g := p.board.Goal(p.goalID()); g != nil {
		m.From = cmp.Or(m.From, g.Phase)
	}
	m.To = m.target(p.board, p.goalID())
	m.Texts = enteredTexts(p)
}

func (m *PhaseMove) already(p *play) bool {
	g := p.board.Goal(p.goalID())
	return g != nil && m.To != "" && g.Phase == m.To && m.From != "" && m.From != g.Phase
}

func (m *PhaseMove) admit(p *play) *Refusal { return checkSteering(p) }

func (m *PhaseMove) check(p *play) *Refusal {
	goal := p.goalID()
	g, w, show := p.board.Goal(goal), board.FindWorkflow(p.board, goal), "git liza goal show "+string(goal)
	if w == nil {
		return refuse(RulePhase, "git liza help goal show", "%s has no phases", goal)
	}
	from, to := w.Place(g.Phase), w.Place(m.To)
	switch {
	case m.From != g.Phase:
		return refuse(RulePhase, show, "%s is in the phase %s, not %s", goal, g.Phase, shownPhase(m.From))
	case to < 0 && m.To == "" && from == len(w.Phases)-1:
		return refuse(RulePhase, "git liza goal done "+string(goal), "%s is the last phase of %s", g.Phase, goal)
	case to < 0 || to == from || to > from+1:
		return refuse(RulePhase, show, "%s does not lead from %s to %s: %s", w.Name, g.Phase, shownPhase(m.To), m.ways(p, w, from))
	case to < from && !p.move.By.IsHuman():
		return refuse(RuleRole, show, "only a person goes back to an earlier phase")
	case to < from && m.Reason == "":
		return refuse(RuleText, "git liza goal phase back --goal "+string(goal)+" --reason R", "the reason is empty")
	case to < from:
		return checkRecorded(p, m.Texts)
	}
	if !p.move.By.IsHuman() {
		if r := checkRuns(p); r != nil {
			return r
		}
		if g.Hold != nil {
			return refuse(RuleDecision, "git liza checkpoint lift --goal "+string(goal)+" --reason R", "%s is held back since %s (%s)", goal, g.Hold.Checkpoint, g.Hold.Decision)
		}
	}
	if r := m.checkExit(p, w.Phase(g.Phase)); r != nil {
		return r
	}
	if list := templates(p.board, beginningOf(p.board, goal, m.To)); len(list) > 0 {
		if r := p.enterTasks(list, nil); r != nil {
			return r
		}
	}
	return checkRecorded(p, m.Texts)
}

// ways says to which phases the goal can go, and what the next one waits for.
func (m *PhaseMove) ways(p *play, w *board.Workflow, from int) string {
	text := string(w.Phases[from].Name) + " is the last phase"
	if from+1 < len(w.Phases) {
		text = "the next one is " + string(w.Phases[from+1].Name)
		between := ", which waits: "
		lacks := m.lacks(p)
		for _, lack := range lacks[:min(len(lacks), 5)] {
			text += between + lack.Reason
			between = "; "
		}
	}
	if from > 0 {
		text += "; a person goes back to " + (&board.Workflow{Phases: w.Phases[:from]}).Names()
	}
	return text
}

// lacks are the things that keep whoever makes the move from leaving the phase, gates apart.
func (m *PhaseMove) lacks(p *play) []*Refusal {
	return slices.DeleteFunc(ExitLacks(p.board, p.goalID()), func(r *Refusal) bool {
		return p.move.By.IsHuman() && (r.Rule == RuleRole || r.Rule == RuleDue)
	})
}

// checkExit refuses to leave a phase whose exit lacks something.
func (m *PhaseMove) checkExit(p *play, f *board.WorkflowPhase) *Refusal {
	goal := p.goalID()
	if lacks := m.lacks(p); len(lacks) > 0 {
		return lacks[0]
	}
	hint := "git liza goal phase next --goal " + string(goal)
	if len(m.Receipts) > 0 && m.Tip != p.board.Settings().Integration.Tip {
		return refuse(RuleTip, hint, "integration is at %s, the gates of the phase ran at %s", p.board.Settings().Integration.Tip.Short(), m.Tip.Short())
	}
	if r := checkReceipts(p, board.AtPhase, m.Receipts, hint); r != nil {
		return r
	}
	for _, g := range board.GatesOfExit(p.board, f) {
		if !slices.ContainsFunc(m.Receipts, func(r board.Receipt) bool { return r.Gate == g.Name && r.Command == g.Command && r.HasPassed() }) {
			return refuse(RuleGate, hint, "gate %s has not passed", g.Name)
		}
	}
	return nil
}

func (m *PhaseMove) apply(p *effect) {
	w := board.FindWorkflow(p.board, p.goalID())
	forward := w.Place(m.To) > w.Place(m.From)
	editGoal(p, func(g *board.Goal) { enterPhase(g, p, m.To, forward) })
	recordGates(p, board.AtPhase, "", m.Receipts)
}

// enterPhase lets a goal stand in a phase. Templates of a phase that it entered forward are
// not added again.
func enterPhase(g *board.Goal, p *effect, to board.PhaseID, begins bool) {
	if g.Phase != to {
		g.Phase, g.PhaseSince = to, p.move.At
	}
	if begins && to != "" && !slices.Contains(g.Begun, to) {
		g.Begun = append(slices.Clip(g.Begun), to)
	}
}

// ExitLacks are the things that keep a goal from leaving its phase, gates apart: the
// refusals of a supervisor that tried. Those with the rules [RuleRole] and [RuleDue] keep no
// person.
func ExitLacks(b *board.Board, goal board.GoalID) (list []*Refusal) {
	g, w := b.Goal(goal), board.FindWorkflow(b, goal)
	if g == nil || w == nil {
		return nil
	}
	f := w.Phase(g.Phase)
	if f == nil {
		return nil
	}
	for _, s := range b.Summaries() {
		if s.Goal != goal || s.Status.Final() || s.Phase == board.AnyPhase || w.Place(s.Phase) > w.Place(g.Phase) {
			continue
		}
		list = append(list, refuse(RuleOpen, "git liza show "+string(s.ID), "%s of the phase %s is %s", s.ID, shownPhase(s.Phase), s.Status))
		if len(list) >= MaxFaults {
			return list
		}
	}
	for _, a := range board.ArtifactsOf(b, goal, g.Phase) {
		list = append(list, Lacking(a, goal)...)
	}
	for _, name := range f.Gates {
		if gate, there := b.Settings().Config.Gate(name); !there || gate.Stage() != board.AtPhase {
			list = append(list, refuse(RuleGate, w.Command(goal), "the exit of %s needs the gate %s, which the board lacks", f.Name, name))
		}
	}
	for _, plan := range board.DuePlans(b, goal) {
		list = append(list, refuse(RuleDue, "git liza plan import "+acceptArgument(plan.Path), "the tasks of %s are not imported yet", board.QuoteC(board.Clip(plan.Path))))
	}
	if f.Human || g.Every == board.EveryPhase {
		list = append(list, refuse(RuleRole, "git liza goal phase next --goal "+string(goal), "only a person ends the phase %s of %s", f.Name, goal))
	}
	return list
}

// Lacking are the refusals of whoever leaves the phase without the artifact.
func Lacking(a board.ArtifactState, goal board.GoalID) (list []*Refusal) {
	for _, doc := range a.Files {
		if !doc.Approved() {
			list = append(list, refuse(RuleArtifact, acceptCommand([]string{doc.Path}), "%s of the phase %s is not approved as it is", board.QuoteC(board.Clip(doc.Path)), a.Phase))
		}
	}
	if missing := a.Count - len(a.Files); missing > 0 {
		list = append(list, refuse(RuleArtifact, "git liza artifact list --goal "+string(goal), "the phase %s lacks %d of %d artifacts of the type %s at %s", a.Phase, missing, a.Count, a.Type, board.Clip(a.Glob)))
	}
	return list
}

// phasesDue is the move that leads a goal to its next phase, if its exit holds and nobody
// must say so. What gates have to say is not known before they ran.
func phasesDue(b *board.Board, g *board.Goal) []Move {
	w := board.FindWorkflow(b, g.ID)
	if w == nil || g.Hold != nil || len(ExitLacks(b, g.ID)) > 0 || len(board.ExitGates(b, g.ID)) > 0 {
		return nil
	}
	i := w.Place(g.Phase)
	if i+1 >= len(w.Phases) {
		return nil
	}
	return []Move{{Act: board.ActPhase, Detail: &PhaseMove{From: g.Phase, To: w.Phases[i+1].Name}}}
}

// PhaseDue reports whether the phase of a goal can end once its gates have passed, and
// nobody must say so.
func PhaseDue(b *board.Board, goal board.GoalID) bool {
	w, g := board.FindWorkflow(b, goal), b.Goal(goal)
	return w != nil && g.Status == board.InProgress && g.Hold == nil && b.Settings().Control.State == board.Running &&
		w.Place(g.Phase)+1 < len(w.Phases) && len(ExitLacks(b, goal)) == 0
}

// A beginning is a phase of a workflow that a goal enters.
type beginning struct {
	workflow *board.Workflow
	goal     *board.Goal
	phase    *board.WorkflowPhase
}

// beginningOf is the phase that a goal would begin, which it has not entered yet; the zero
// value if there is none.
func beginningOf(b *board.Board, goal board.GoalID, to board.PhaseID) beginning {
	w, g := board.FindWorkflow(b, goal), b.Goal(goal)
	if w == nil || g == nil || w.Place(to) <= w.Place(g.Phase) {
		return beginning{}
	}
	return beginning{w, g, w.Phase(to)}.unlessBegun()
}

// unlessBegun is the zero value if the goal had entered the phase before.
func (n beginning) unlessBegun() beginning {
	if n.phase == nil || slices.Contains(n.goal.Begun, n.phase.Name) {
		return beginning{}
	}
	return n
}

// templates are the tasks that the beginning of a phase adds.
func templates(b *board.Board, n beginning) (list []board.TaskInput) {
	if n.phase == nil {
		return nil
	}
	goal := n.workflow.Goal
	expand := func(pattern string) string { return board.Expand(pattern, goal) }
	for _, t := range n.phase.Tasks {
		in := board.TaskInput{Title: board.Expand(t.Title, goal), Role: t.Role, Kind: t.Kind, DoneWhen: board.Expand(t.DoneWhen, goal), Verify: board.Expand(t.Verify, goal),
			Spec: cmp.Or(board.Expand(t.Spec, goal), n.goal.Spec), Scope: cmp.Or(board.Expand(t.Scope, goal), "what the phase "+string(n.phase.Name)+" produces"),
			ReviewBy: t.ReviewBy, Phase: n.phase.Name, Owns: lists.Of(t.Owns, expand), BasedOn: lists.Of(t.BasedOn, expand)}
		list = append(list, in)
	}
	b.Number(list)
	for i, t := range n.phase.Tasks {
		for _, need := range t.DependsOn {
			if j := slices.IndexFunc(n.phase.Tasks, func(o board.TaskTemplate) bool { return o.Name == need }); j >= 0 {
				list[i].DependsOn = append(list[i].DependsOn, list[j].ID)
			}
		}
	}
	return list
}
