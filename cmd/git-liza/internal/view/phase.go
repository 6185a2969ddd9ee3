package view

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/flow/shell"
)

// A Phase is where a goal stands in its workflow, with what keeps it there.
type Phase struct {
	Goal     board.GoalID  `json:"goal"`
	Workflow string        `json:"workflow"`
	Phase    board.PhaseID `json:"phase"` // "" without a workflow that has phases
	About    string        `json:"about"`
	Missing  []Missing     `json:"missing"`
	Gates    []string      `json:"gates"` // that its exit runs
	Next     []PhaseStep   `json:"next"`
	way      string
	unasked  string // the command that asks a person at the end of each phase, "" where one is asked somewhere
	ended    string // how the goal has ended, "" while it goes on
}

// A Missing is one thing that keeps a goal from leaving its phase.
type Missing struct {
	Rule    flow.Rule `json:"rule"`
	Reason  string    `json:"reason"`
	Command string    `json:"command"` // that helps
	Ways    []Step    `json:"ways"`    // others that help
}

// A PhaseStep is a phase that a goal can be led to.
type PhaseStep struct {
	Phase   board.PhaseID `json:"phase"`
	Command string        `json:"command"`
	forward bool
}

// PhaseOf says where a goal stands in its workflow.
func PhaseOf(b *board.Board, goal board.GoalID) Phase {
	p := Phase{Goal: goal, Workflow: board.PlainWorkflow, Missing: []Missing{}, Gates: []string{}, Next: []PhaseStep{}}
	g, w := b.Goal(goal), board.FindWorkflow(b, goal)
	if g == nil || w == nil {
		return p
	}
	p.Workflow, p.Phase, p.way = w.Name, g.Phase, board.PhaseName(b, g)
	if f := w.Phase(g.Phase); f != nil {
		p.About = f.About
	}
	if !g.Ended.IsZero() {
		p.ended = g.Status.String()
		return p
	}
	p.Missing = append(p.Missing, lists.Of(flow.ExitLacks(b, goal), func(r *flow.Refusal) Missing { return Missing{r.Rule, r.Reason, r.Hint, waysOn(b, g, r)} })...)
	p.Gates = append(p.Gates, lists.Of(board.ExitGates(b, goal), func(g board.Gate) string { return g.Name })...)
	human := func(f board.WorkflowPhase) bool { return f.Human }
	if g.Every != board.EveryPhase && len(w.Phases) > 1 && !slices.ContainsFunc(w.Phases, human) {
		p.unasked = w.Command(goal) + " --every phase"
	}
	passed := false
	for i, f := range w.Phases {
		switch {
		case f.Name == g.Phase:
			passed = true
			if i+1 < len(w.Phases) {
				p.Next = append(p.Next, PhaseStep{w.Phases[i+1].Name, "git liza goal phase next --goal " + string(goal), true})
			}
		case !passed:
			p.Next = append(p.Next, PhaseStep{f.Name, "git liza goal phase back --goal " + string(goal) + " --to " + string(f.Name) + " --reason R", false})
		}
	}
	return p
}

// waysOn are the ways to an artifact that a goal needs, beside the command of the refusal:
// the task that writes it, writing it oneself, and having it written.
func waysOn(b *board.Board, g *board.Goal, r *flow.Refusal) []Step {
	ways := []Step{}
	if r.Rule != flow.RuleArtifact {
		return ways
	}
	for _, a := range board.ArtifactsOf(b, g.ID, g.Phase) {
		if !slices.ContainsFunc(flow.Lacking(a, g.ID), func(o *flow.Refusal) bool { return o.Reason == r.Reason }) {
			continue
		}
		writes := ""
		for _, s := range b.Summaries() {
			if s.Goal == g.ID && !s.Status.Final() && slices.ContainsFunc(s.Owns, func(pattern string) bool { return glob.Overlap(pattern, a.Glob) }) {
				writes = string(s.ID)
				ways = append(ways, Step{"git liza show " + writes, writes + " writes it"})
				break
			}
		}
		if len(a.Files) < a.Count {
			ways = append(ways, Step{templateOf(a), "write it yourself"}, Step{"git liza adopt HEAD --accept --reason R", "accept what you have committed"})
		}
		if writes == "" {
			ways = append(ways, Step{"git liza artifact regenerate " + shell.Quote(a.Glob), "have an agent write it"})
		}
		break
	}
	return ways
}

// templateOf is the command that begins an artifact.
func templateOf(a board.ArtifactState) string {
	if strings.ContainsAny(a.Glob, `*?[`) {
		return "git liza artifact template " + a.Type
	}
	return "mkdir -p " + shell.Quote(path.Dir(a.Glob)) + " && git liza artifact template " + a.Type + " > " + shell.Quote(a.Glob)
}

// onward is the command that begins the next phase, "" in the last one.
func (p Phase) onward() string {
	if s := lists.Find(p.Next, func(s PhaseStep) bool { return s.forward }); s != nil {
		return s.Command
	}
	return ""
}

// Line says in one line where the goal stands.
func (p Phase) Line() string {
	if p.Phase == "" {
		return fmt.Sprintf("%s has no phases (workflow %s)", p.Goal, plaintext.Line(p.Workflow))
	}
	return fmt.Sprintf("%s  %s  %s", p.Goal, plaintext.Line(p.Workflow), p.way)
}

// glance says in one line for status where the goal stands, and how much keeps it there.
func (p Phase) glance() string {
	line := p.way
	if n := len(p.Missing); n > 0 {
		line += fmt.Sprintf(", %d missing", n)
	}
	return line + ": git liza goal show " + string(p.Goal)
}

// Text is the phase for people: what it lacks with the command that helps, and where the
// goal can go.
func (p Phase) Text(width int) string {
	var text strings.Builder
	text.WriteString(p.Line() + "\n")
	if p.About != "" {
		text.WriteString("  " + plaintext.Line(p.About) + "\n")
	}
	if p.ended != "" {
		fmt.Fprintf(&text, "ended    %s: git liza goal reopen %s\n", p.ended, p.Goal)
	}
	for _, m := range p.Missing {
		fmt.Fprintf(&text, "missing  %s\n         %s\n", plaintext.Line(m.Reason), plaintext.Line(m.Command))
		for _, s := range m.Ways {
			fmt.Fprintf(&text, "  %s:\n         %s\n", s.Why, plaintext.Line(s.Command))
		}
	}
	for _, name := range p.Gates {
		fmt.Fprintf(&text, "gate     %s\n", plaintext.Line(name))
	}
	if p.unasked != "" {
		fmt.Fprintf(&text, "person   is asked nowhere before the next phase begins: %s\n", p.unasked)
	}
	for _, s := range p.Next {
		fmt.Fprintf(&text, "to       %s: %s\n", s.Phase, s.Command)
	}
	return text.String()
}

// A PhaseArtifact is what a phase asks for, with what of it is there.
type PhaseArtifact struct {
	Phase    board.PhaseID `json:"phase"`
	Type     string        `json:"type"`
	Path     string        `json:"path"` // a glob
	Count    int           `json:"count"`
	Approved int           `json:"approved"`
	Files    []string      `json:"files"`
	Command  string        `json:"command"` // that begins one, "" if none is missing
}

// PhaseArtifacts are the artifacts of all phases of a goal.
func PhaseArtifacts(b *board.Board, goal board.GoalID) []PhaseArtifact {
	list := []PhaseArtifact{}
	for _, a := range board.ArtifactsOf(b, goal, "") {
		row := PhaseArtifact{Phase: a.Phase, Type: a.Type, Path: a.Glob, Count: a.Count, Approved: a.Approved, Files: []string{}}
		row.Files = append(row.Files, lists.Of(a.Files, func(doc *board.TrackedPath) string { return doc.Path })...)
		if len(row.Files) < a.Count {
			row.Command = templateOf(a)
		}
		list = append(list, row)
	}
	return list
}

// PhaseArtifactTable lists what the phases of a goal ask for, a line each.
func PhaseArtifactTable(list []PhaseArtifact) *Table {
	t := &Table{Rows: [][]string{{"PHASE", "TYPE", "PATH", "STATE", ""}}}
	for _, a := range list {
		state := fmt.Sprintf("%d of %d approved", a.Approved, max(a.Count, len(a.Files)))
		if a.Count == 0 && len(a.Files) == 0 {
			state = "not needed"
		}
		t.Add(string(a.Phase), a.Type, a.Path, state, a.Command)
	}
	return t
}
