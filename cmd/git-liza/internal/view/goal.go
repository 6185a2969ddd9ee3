package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// A Goal is a goal in the form that lists show.
type Goal struct {
	ID       board.GoalID   `json:"id"`
	Title    string         `json:"title"`
	Status   board.Phase    `json:"status"`
	Priority int            `json:"priority"`
	Sprint   board.SprintID `json:"sprint"`   // the open one, "" between two
	Open     int            `json:"open"`     // tasks that are not final
	Merged   int            `json:"merged"`   // tasks, archived ones too
	Archived int            `json:"archived"` // final tasks; of an ended goal also those that passed to another one
	Current  bool           `json:"current"`  // a command means it that names no goal
	Focus    bool           `json:"focus"`    // commands of this clone mean it instead
	Hold     *Held          `json:"hold"`     // null if no decision holds tasks back
	Barrier  board.Barrier  `json:"barrier"`
	Failed   int            `json:"failed"` // the level that failed, 0 if none did
	Caps     []Cap          `json:"caps"`
	Streak   int            `json:"streak"` // failures in a row with the same error
	Workflow string         `json:"workflow"`
	Phase    board.PhaseID  `json:"phase"` // "" without a workflow that has phases
}

// A Cap is how many tasks of a goal the agents of a principal may hold at once, because
// too many claims of it failed.
type Cap struct {
	Principal string `json:"principal"` // "" on a board without principals
	Tasks     int    `json:"tasks"`
}

// capsOf returns the caps of a goal.
func capsOf(g *board.Goal) []Cap {
	capped := lists.Where(g.Pressure, func(p board.Pressure) bool { return p.Cap > 0 })
	return append([]Cap{}, lists.Of(capped, func(p board.Pressure) Cap { return Cap{p.Principal, p.Cap} })...)
}

// text says what a cap allows.
func (c Cap) text() string {
	text := fmt.Sprintf("at most %d at once", c.Tasks)
	if c.Principal != "" {
		text += " by agents of " + plaintext.Line(c.Principal)
	}
	return text
}

// Goals are all goals of the board, in order of creation. tasks are the board's,
// focus is the goal of the clone.
func Goals(b *board.Board, tasks []board.Summary, focus board.GoalID) []Goal {
	goals := board.All[*board.Goal](b, board.Goals)
	slices.SortStableFunc(goals, func(x, y *board.Goal) int { return x.Created.Compare(y.Created) })
	of := map[board.GoalID]*tally{}
	for i := range tasks {
		if of[tasks[i].Goal] == nil {
			of[tasks[i].Goal] = new(tally)
		}
		of[tasks[i].Goal][tasks[i].Status]++
	}
	return goalRows(b, goals, of, focus)
}

func goalRows(b *board.Board, goals []*board.Goal, of map[board.GoalID]*tally, focus board.GoalID) []Goal {
	list := make([]Goal, 0, len(goals))
	for _, g := range goals {
		row := Goal{Open: of[g.ID].open(), Merged: max(of[g.ID].merged(), g.Merged), Archived: g.Added - of[g.ID].sum(), ID: g.ID, Title: g.Title, Status: g.Status, Priority: g.Priority, Current: b.Settings().Goal == g.ID, Focus: focus == g.ID, Hold: heldOf(b, g),
			Barrier: board.BarrierOf(b, g.ID), Caps: capsOf(g), Streak: partOf(g.Streak).Failures,
			Workflow: cmp.Or(g.Workflow, board.PlainWorkflow), Phase: g.Phase}
		if l := board.LastLevel(b, g.ID); l != nil && !l.Passed {
			row.Failed = l.Number
		}
		if g.Ended.IsZero() {
			row.Sprint = b.OpenSprint(g.ID)
		}
		list = append(list, row)
	}
	return list
}

// GoalTable lists goals; * marks the current one, > that of the clone.
func GoalTable(goals []Goal) *Table {
	rows := &Table{}
	for _, g := range goals {
		mark := ""
		switch {
		case g.Focus:
			mark = ">"
		case g.Current:
			mark = "*"
		}
		rows.Add(mark, string(g.ID), g.Status.String(), fmt.Sprintf("priority %d", g.Priority), string(g.Sprint),
			g.counts()+g.Hold.Text()+g.held(), g.Title)
	}
	return rows
}

// counts says how many tasks of the goal there are.
func (g Goal) counts() string {
	text := fmt.Sprintf("%d open, %d merged", g.Open, g.Merged)
	if g.Archived > 0 && g.Status.IsInProgress() {
		text += fmt.Sprintf(", %d archived", g.Archived)
	} else if g.Archived > 0 {
		text += fmt.Sprintf(", %d archived or moved", g.Archived)
	}
	return text
}

// held says what keeps tasks of the goal from being claimed beside a decision.
func (g Goal) held() (text string) {
	if g.Phase != "" {
		text += ", " + string(g.Phase)
	}
	if g.Failed > 0 {
		text += fmt.Sprintf(", level %d failed", g.Failed)
	} else if g.Barrier == board.LevelBarrier {
		text += ", level by level"
	}
	for _, c := range g.Caps {
		text += ", " + c.text()
	}
	return text
}

// GoalText formats a goal for people, with the scope of each of its sprints. uncounted is the number
// of its sessions that did not report their usage.
func GoalText(b *board.Board, g *board.Goal, uncounted int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s  %s  %s\nspec     %s\ncreated  %s by %s\n", g.ID, g.Status, plaintext.Line(g.Title), g.Spec, g.Created.Format(Stamp), g.CreatedBy)
	if g.Phase != "" {
		fmt.Fprintf(&text, "phase    %s of %s since %s\n", g.Phase, plaintext.Line(g.Workflow), g.PhaseSince.Format(Stamp))
	}
	if g.Every != 0 {
		fmt.Fprintf(&text, "person   asked at every %s\n", g.Every)
	}
	if !g.Ended.IsZero() {
		fmt.Fprintf(&text, "ended    %s  %s\n", g.Ended.Format(Stamp), g.Reason)
	}
	if g.Usage != (board.Usage{}) {
		fmt.Fprintf(&text, "used     %s\n", Spent{g.Usage, uncounted}.Words())
	}
	if h := g.Hold; h != nil {
		tasks := "what nobody had begun"
		if len(h.Tasks) > 0 {
			tasks = JoinIDs(h.Tasks)
		}
		fmt.Fprintf(&text, "held     %s by %s  %s of %s: %s (%s)\n", h.At.Format(Stamp), h.By, h.Decision, h.Checkpoint, indented(h.Message), tasks)
	}
	if s := g.Schedule; s != nil {
		fmt.Fprintf(&text, "barrier  %s\n", s.Barrier)
		for i, name := range s.Levels {
			fmt.Fprintf(&text, "level    L%d %s\n", i+1, plaintext.Line(name))
		}
	}
	for _, c := range capsOf(g) {
		fmt.Fprintf(&text, "claims   %s: too many failed\n", c.text())
	}
	if s := g.Streak; s != nil && s.Failures > 1 {
		fmt.Fprintf(&text, "streak   %d failures in a row with the same error\n", s.Failures)
	}
	for _, p := range board.All[*board.Sprint](b, board.Sprints) {
		if p.Goal == g.ID {
			fmt.Fprintf(&text, "%-8s %s\n", p.ID, ScopeText(b, p.ID))
		}
	}
	for _, a := range g.Alignment {
		fmt.Fprintf(&text, "aligned  %s by %s  %s\n", a.At.Format(Stamp), a.By, indented(a.Text))
	}
	for _, c := range g.Changes {
		fmt.Fprintf(&text, "changed  %s by %s  %s: %s\n", c.At.Format(Stamp), c.By, c.Spec, indented(c.Change))
	}
	return text.String()
}

// indented neutralises a text of somebody else as [plaintext.Line] does, and indents its later
// lines: none of them can be taken for a line of ours.
func indented(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lists.Of(lines, plaintext.Line), "\n         ")
}

// Sprint returns a sprint for JSON, with what it planned when it began and its tasks
// outside the archive.
func Sprint(b *board.Board, p *board.Sprint) Object {
	tasks := append([]Object{}, lists.Of(sprintTasks(b, p), func(t board.Summary) Object {
		return Object{{"id", t.ID}, {"status", t.Status}, {"title", t.Title}, {"stretch", t.Stretch}}
	})...)
	plan := cmp.Or(board.PlanOf(b, p.ID), new(board.SprintPlan))
	return ObjectOf(p).With("planned", ValueOf(plan.Planned)).With("stretch", ValueOf(plan.Stretch)).With("tasks", tasks)
}

// ScopeText says what has become of the tasks with which a sprint began: those of its plan, else
// those of its tasks that replace no other; and which came since.
func ScopeText(b *board.Board, id board.SprintID) string {
	p, plan := cmp.Or(b.Sprint(id), &board.Sprint{ID: id}), cmp.Or(board.PlanOf(b, id), new(board.SprintPlan))
	planned := slices.Concat(plan.Planned, plan.Stretch)
	tasks := slices.Concat(planned, p.Carried, lists.Of(sprintTasks(b, p), func(t board.Summary) board.TaskID { return t.ID }))
	var gone []string
	var since []board.TaskID
	merged, open := 0, 0
	for i, id := range tasks {
		t := b.Task(id)
		if t == nil || slices.Contains(tasks[:i], id) {
			continue
		}
		late := i >= len(planned)
		if len(planned) == 0 {
			late = len(t.Supersedes) > 0
		}
		switch {
		case late:
			since = append(since, id)
		case !t.Status.Final():
			open++
		case t.Merge != nil:
			merged++
		case len(t.SupersededBy) > 0:
			gone = append(gone, fmt.Sprintf("%s superseded by %s", id, JoinIDs(t.SupersededBy)))
		default:
			gone = append(gone, string(id)+" abandoned")
		}
	}
	parts := append([]string{fmt.Sprintf("%s at first: %d merged, %d open", Count(merged+open+len(gone), "task"), merged, open)}, gone...)
	if len(since) > 0 {
		parts = append(parts, "since then "+JoinIDs(since))
	}
	return strings.Join(parts, "; ")
}

func sprintTasks(b *board.Board, p *board.Sprint) []board.Summary {
	return slices.DeleteFunc(b.Tasks(), func(t board.Summary) bool { return t.Sprint != p.ID })
}

// SprintText formats a sprint with its tasks for people. uncounted is the number of its
// sessions that did not report their usage, figures are those of [RetroFigures].
func SprintText(b *board.Board, p *board.Sprint, uncounted int, figures []string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s  %s  of %s\nstarted  %s\n", p.ID, p.Status, p.Goal, p.Started.Format(Stamp))
	if !p.Deadline.IsZero() {
		fmt.Fprintf(&text, "until    %s\n", p.Deadline.Format(Stamp))
	}
	if !p.Ended.IsZero() {
		text.WriteString(strings.TrimRight(fmt.Sprintf("ended    %s  %s", p.Ended.Format(Stamp), indented(p.Reason)), " ") + "\n")
	}
	if p.Usage != (board.Usage{}) {
		fmt.Fprintf(&text, "used     %s\n", Spent{p.Usage, uncounted}.Words())
	}
	if len(p.Carried) > 0 {
		fmt.Fprintf(&text, "carried  %s\n", JoinIDs(p.Carried))
	}
	fmt.Fprintf(&text, "scope    %s\n", ScopeText(b, p.ID))
	if p.Retro != "" {
		fmt.Fprintf(&text, "retro    %s\n", indented(p.Retro))
	}
	if w := p.Words; w != nil {
		for _, list := range []struct {
			name  string
			texts []string
		}{{"gap", w.Gaps}, {"contract", w.Contracts}, {"action", w.Actions}} {
			for _, one := range list.texts {
				fmt.Fprintf(&text, "%-8s %s\n", list.name, indented(one))
			}
		}
	}
	if len(figures) > 0 {
		fmt.Fprintf(&text, "figures  %s\n", indented(strings.Join(figures, "\n")))
	}
	if p.Archived > 0 {
		fmt.Fprintf(&text, "archived %s: git liza list --all\n", Count(p.Archived, "planned task"))
	}
	for _, t := range sprintTasks(b, p) {
		kind := "planned"
		if t.Stretch {
			kind = "stretch"
		}
		fmt.Fprintf(&text, "%s  %-18s  %s  %s\n", kind, t.Status, t.ID, plaintext.Line(t.Title))
	}
	return text.String()
}
