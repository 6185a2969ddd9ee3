package supervise

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// A Stall is the reason why a task, or the whole board, cannot go on without a human.
type Stall struct {
	Task   board.TaskID `json:"task,omitempty"` // "" for the board
	Status string       `json:"status"`
	Why    string       `json:"why"`
	Hint   string       `json:"hint"` // a command to type

	waits bool // for another task, or for the whole board
}

// Stuck is the error of a rush until idle that ends with unfinished tasks. Stalls that
// only wait for others come last.
type Stuck struct{ Stalls []Stall }

// mostWaiting is how many stalls that only wait for others are told one by one.
const mostWaiting = 10

// Error lists the stalls, each with the command to type.
func (s *Stuck) Error() string {
	var b strings.Builder
	b.WriteString("nothing can move without a human:")
	waiting := 0
	for _, stall := range s.Stalls {
		if stall.waits {
			if waiting++; waiting > mostWaiting {
				continue
			}
		}
		b.WriteString("\n  ")
		if stall.Task != "" {
			b.WriteString(string(stall.Task) + " ")
		}
		first, more, _ := strings.Cut(stall.Why, "\n")
		b.WriteString(stall.Status + ": " + first)
		if stall.Hint != "" && !strings.Contains(first, stall.Hint) {
			b.WriteString("; " + stall.Hint)
		}
		if more != "" {
			b.WriteString("\n    " + strings.ReplaceAll(more, "\n", "\n    "))
		}
	}
	if more := waiting - mostWaiting; more > 0 {
		fmt.Fprintf(&b, "\n  %d more wait: git liza status", more)
	}
	return b.String()
}

// checkStuck returns nil if the goal has tasks and all are final, else a *Stuck.
func (r *Rush) checkStuck(b *board.Board) error {
	var stalls []Stall
	if c := b.Settings().Control; !c.State.IsRunning() {
		stalls = append(stalls, Stall{Status: c.State.String(), Why: c.Reason, Hint: c.Onward(b)})
	}
	tasks := slices.DeleteFunc(b.Tasks(), func(t board.Summary) bool { return !r.merges(t.Goal) })
	for _, t := range tasks {
		if !t.Status.Final() && r.serves(b, t.Goal) {
			stalls = append(stalls, r.taskStall(b, t))
		}
	}
	told := map[string]board.AgentID{}
	for _, s := range r.idleSupervisors() {
		if a := b.Agent(s.id); a != nil && a.Degraded != "" {
			stall := Stall{Status: restText(s.id), Why: a.Degraded, Hint: "git liza doctor"}
			if first, ok := told[a.Degraded]; ok {
				stall.Why = "as " + string(first) + " is"
			} else {
				told[a.Degraded] = s.id
			}
			stalls = append(stalls, stall)
		}
		if stall := s.plannerStall(b); stall.Why != "" {
			stalls = append(stalls, stall)
		}
	}
	// This comes after the planners: their trouble is the one to mend first.
	if len(tasks) == 0 && (r.Goal != "" && b.Goal(r.Goal).Added == 0 || len(b.IDs(board.Archive)) == 0) {
		stalls = append(stalls, Stall{Status: "no tasks", Why: "the goal has no tasks", Hint: "git liza task add --from FILE"})
	}
	levels := append(r.levelStalls(b), phaseStalls(r, b)...)
	stalls = append(stalls, levels...)
	if err := b.Err(); err != nil {
		return err
	}
	finished := len(levels) == 0 && !slices.ContainsFunc(stalls, func(s Stall) bool { return s.Task != "" || s.Status == "no tasks" })
	if finished {
		return nil
	}
	waits := func(x Stall) bool { return x.waits }
	return &Stuck{append(slices.DeleteFunc(slices.Clone(stalls), waits), lists.Where(stalls, waits)...)}
}

// restText is the whole status in a task's line; the agent's own line says why.
func restText(id board.AgentID) string { return string(id) + " rests" }

// idleSupervisors returns the supervisors that have not ended, ordered by their ids.
// All have an id by the time they are idle.
func (r *Rush) idleSupervisors() []*supervisor {
	return slices.SortedFunc(slices.Values(r.idle.supervisors()), func(x, y *supervisor) int {
		return cmp.Or(cmp.Compare(x.capacity, y.capacity), cmp.Compare(x.slot.Role, y.slot.Role), cmp.Compare(len(x.id), len(y.id)), cmp.Compare(x.id, y.id))
	})
}

// taskStall says why one task waits.
func (r *Rush) taskStall(b *board.Board, t board.Summary) Stall {
	stall, act := r.statusStall(b, t)
	if stall.Why == "" && act != 0 {
		r.explainRefusal(b, act, &t, &stall)
	}
	return stall
}

// LeftOpen says of each open task that the rush serves why it waits now that the
// supervisors have ended.
func (r *Rush) LeftOpen(b *board.Board) (open []Stall) {
	if r.idle == nil {
		return nil // it did not begin
	}
	for _, t := range b.Tasks() {
		if t.Status.Final() || !r.serves(b, t.Goal) {
			continue
		}
		stall, act := r.statusStall(b, t)
		if stall.Why == "" {
			stall.Why, stall.Hint = whyUntaken(b, act, &t), cmp.Or(untakenHint(act, &t), stall.Hint)
		}
		open = append(open, stall)
	}
	return open
}

// whyUntaken says for which act a task waits that no agent has begun.
func whyUntaken(b *board.Board, act board.Act, t *board.Summary) string {
	if _, by, until := b.Holder(*t); by != "" {
		return fmt.Sprintf("%s has it until %s", by, until.Format("15:04:05Z"))
	}
	switch act {
	case board.ActMerge:
		return "it is approved and not merged yet"
	case board.ActReview:
		return "it waits for the verdict of " + listRoles(waitedFor(act, t))
	}
	if chain := board.ChainOf(b, t.ID); chain.Last() != "" {
		return "it waits for " + chain.String()
	}
	return "it waits for " + listRoles(waitedFor(act, t))
}

// untakenHint is the command by which an act is done, "" for that of its status.
func untakenHint(act board.Act, t *board.Summary) string {
	roles := waitedFor(act, t)
	if len(roles) == 1 && roles[0] == board.HumanRole {
		return "git liza review " + string(t.ID)
	}
	if act == board.ActMerge {
		return ""
	}
	return "git liza rush"
}

// statusStall says why a task waits, by its status alone. If that does not say it, act
// is what somebody has to begin.
func (r *Rush) statusStall(b *board.Board, t board.Summary) (stall Stall, act board.Act) {
	trouble := r.troubles.at(t.ID)
	stall = Stall{Task: t.ID, Status: t.Status.String(), Why: trouble.text, Hint: cmp.Or(trouble.hint, "git liza show "+string(t.ID))}
	switch {
	case t.Status.IsDraft():
		stall.Why, stall.Hint = "it is a draft", board.Completion(b, t.ID)
	case t.Status.IsBlocked():
		first, more, _ := strings.Cut(t.Reason, "\n")
		stall.Why, stall.Hint = first, board.Unblocking(b, t.ID, "human:anybody")
		if full := b.Task(t.ID); full != nil && full.Block != nil {
			stall.Why += " — " + strings.Join(full.Block.Questions, " ")
		}
		stall.Why = strings.TrimSpace(stall.Why + "\n" + more)
		if full := b.Task(t.ID); full != nil && full.Retry != nil {
			stall.Why += "\nthe last one: " + full.Retry.Error
		}
		if r := r.taskOverBudget(b, t.ID); r != nil {
			stall.Hint = r.Hint // if it were unblocked, no session could begin
		}
	case flow.Allows(t.Status, board.ActMerge):
		act, stall.Hint = board.ActMerge, cmp.Or(trouble.hint, "git liza merge "+string(t.ID))
	case flow.Allows(t.Status, board.ActReview):
		act = board.ActReview
	default:
		act = board.ActClaim
	}
	again := againText(b, t, r.Clone.Store.Now())
	if again != "" {
		stall.Why = "it is " + again
	}
	if again != "" || stall.Why == "" && act == board.ActClaim {
		if over := r.taskOverBudget(b, t.ID); over != nil {
			stall.Why, stall.Hint = over.Error(), over.Hint
		}
	}
	return stall, act
}

// taskOverBudget refuses one more session on a task by its budget, or by the bounds of
// all the coders here.
func (r *Rush) taskOverBudget(b *board.Board, id board.TaskID) (why *flow.Refusal) {
	if why := flow.CheckBudget(b, "", id); why != nil {
		return why
	}
	for _, s := range r.idleSupervisors() {
		if s.capacity != board.Does {
			continue
		}
		if why = s.checkTaskBounds(b, id); why == nil {
			return nil
		}
	}
	return why
}

// explainRefusal says why none of the supervisors here may begin an act on a task.
func (r *Rush) explainRefusal(b *board.Board, act board.Act, t *board.Summary, stall *Stall) {
	roles := waitedFor(act, t)
	team := r.idleSupervisors()
	if explainAbsence(roles, team, stall) {
		return
	}
	for _, s := range team {
		if roles != nil && !slices.Contains(roles, s.slot.Role) {
			continue
		}
		if refusal := flow.Opens(b, act, stall.Task, s.clone.Caller, s.boardTime(b)); refusal != nil {
			stall.Why = refusal.Reason
			switch refusal.Rule {
			case flow.RuleBudget, flow.RuleDecision, flow.RuleDoubt:
				stall.Hint = refusal.Hint
			case flow.RuleDependencies, flow.RuleLevel, flow.RuleControl:
				stall.waits = true
				if chain := board.ChainOf(b, stall.Task); refusal.Rule == flow.RuleDependencies && chain.Last() != "" {
					stall.Why = "it waits for " + chain.String()
				}
			case flow.RuleResting:
				stall.Why, stall.Hint = restText(s.id), "git liza doctor"
			}
			return
		}
		if why, hint := s.pauseStall(); why != "" {
			stall.Why, stall.Hint = why, hint
			return
		}
		if out := s.outagesAt(b, board.AtSubmit); act == board.ActClaim && len(out) > 0 {
			stall.Why, stall.Hint = refuseOutage(out[0]).Reason, refuseOutage(out[0]).Hint
			return
		}
		stall.Why = "no agent here takes it"
		return
	}
}

// waitedFor are the roles for which a task waits: the one that does it, or those whose
// verdict its submission misses. nil means that any agent can make the act.
func waitedFor(act board.Act, t *board.Summary) []board.Role {
	switch flow.CapacityOf(act) {
	case board.Does:
		return []board.Role{t.Role}
	case board.Judges:
		missed := lists.Where(t.Judges, func(j board.Judge) bool { return !j.Done })
		return append([]board.Role{}, lists.Of(missed, func(j board.Judge) board.Role { return j.Role })...)
	}
	return nil
}

// explainAbsence says which of the roles no supervisor here has. It is false if there
// are none.
func explainAbsence(roles []board.Role, team []*supervisor, stall *Stall) bool {
	var absent []string
	person := false
	for _, role := range roles {
		staffed := slices.ContainsFunc(team, func(s *supervisor) bool { return s.slot.Role == role })
		switch {
		case role == board.HumanRole:
			person = true
			stall.Hint = "git liza review " + string(stall.Task)
		case !staffed:
			absent = append(absent, role.String())
		}
	}
	switch {
	case len(absent) > 0:
		stall.Why = "there is no " + strings.Join(absent, " and no ") + " here"
		if role := board.Role(absent[0]); !slices.Contains(board.FirstRoles(), role) {
			stall.Hint = "git liza rush --agents " + absent[0] + "=1"
		}
	case person:
		stall.Why = "a person has to judge it"
	}
	return len(absent) > 0 || person
}

// unstaffedLines returns a line for each role whose verdict the board's rules of review
// ask for and that no slot has. One agent alone is told nothing, and neither is a team
// without reviewers on a board whose rules nobody has changed.
func unstaffedLines(b *board.Board, slots []Slot) (lines []string) {
	rules := b.ReviewRules()
	if len(slots) < 2 || len(rules) == 1 && rules[0].Role == board.CodeReviewer {
		return nil
	}
	var told []board.Role
	for _, rule := range rules {
		staffed := slices.ContainsFunc(slots, func(s Slot) bool { return s.Role == rule.Role })
		if staffed || rule.Role == board.HumanRole || slices.Contains(told, rule.Role) {
			continue
		}
		told = append(told, rule.Role)
		lines = append(lines, fmt.Sprintf("submissions here need the verdict of %s, and this rush has no agent of that role: git liza rush --agents %s=1", rule.Role, rule.Role))
	}
	return lines
}

// plannerStall says why a planner that is needed does not work; its Why is "" if it
// does.
func (s *supervisor) plannerStall(b *board.Board) Stall {
	var triggers []flow.Trigger
	if s.capacity == board.Plans {
		triggers = flow.Triggers(b, s.rush.goals()...)
	}
	if len(triggers) == 0 {
		return Stall{}
	}
	stall := Stall{Status: string(s.id) + " waits"}
	if refusal := s.refuseSession(b, triggers[0].Goal, ""); refusal != nil {
		stall.Why, stall.Hint = refusal.Reason, refusal.Hint
		return stall
	}
	stall.Why, stall.Hint = s.pauseStall()
	return stall
}
