package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// A Why is what a task waits for, until when, and who can change that.
type Why struct {
	For     string `json:"for"`     // "" of a final task
	Until   any    `json:"until"`   // null if no time ends it
	Who     string `json:"who"`     // that can change it
	Command string `json:"command"` // by which they do

	id     board.TaskID
	status board.Status
	until  time.Time
	at     time.Time
}

// WhyOf returns what a task waits for. The verify command of the task is among
// [Local.Untrusted] if it may not run here.
func (r Reading) WhyOf(t *board.Task) Why {
	s := t.Summary()
	w := Why{id: t.ID, status: t.Status, at: r.At}
	if !t.Status.Final() {
		waiting{r, &s}.explain(&w)
	}
	w.Until = TimeValue(w.until)
	return w
}

// A waiting is a reading seen from one open task.
type waiting struct {
	Reading
	task *board.Summary
}

// explain finds what the task waits for.
func (x waiting) explain(w *Why) {
	id := string(x.task.ID)
	on := &needs{board: x.Board, live: func(board.TaskID) *board.Summary { return nil }, archived: map[board.TaskID]need{}}
	for _, d := range x.task.DependsOn {
		on.archived[d] = needOf(x.Board, x.Board.Task(d))
	}
	what, _ := waitsFor(&x.Reading, x.task, on, board.HoldsOf(x.Board), laddersOf(x.Board))
	goal := x.Board.Goal(x.task.Goal)
	switch {
	case goal != nil && endedGoals(x.Reading)[goal.ID] && what != "work" && what != "merge":
		w.For, w.Who, w.Command = fmt.Sprintf("its goal %s, which is %s", goal.ID, goal.Status), "a person", "git liza goal reopen "+string(goal.ID)+" --reason R"
	case what == "work":
		x.explainHolder(w)
	case what == "planner":
		x.explainPlanner(w)
	case what == "held":
		x.explainHold(w)
	case what == "level":
		x.explainLevel(w)
	case what == "tasks":
		needed, _ := unmetNeed(x.task, on)
		x.explainNeed(w, x.Board.Task(needed))
	case what == "trust":
		step := x.Local.Untrusted[x.task.ID]
		w.For, w.Who, w.Command = step.Why, "the person of this machine", step.Command
	case what == "merge":
		w.For, w.Who, w.Command = "its merge", "a supervisor or a person", "git liza merge "+id
		if texts := x.outdated(x.task); len(texts) > 0 {
			w.For, w.Command = "verdicts for the present text of "+strings.Join(texts, ", "), "git liza approve --again "+id
		}
	case unheldWaits()[x.task.Status] == forReview:
		x.explainReview(w)
	default:
		x.explainClaim(w)
	}
}

// explainNeed is for a task on which the task depends and that does not count as merged.
func (x waiting) explainNeed(w *Why, need *board.Task) {
	before, said := need.ID, ""
	if need.Reverted != nil {
		again := board.Outstanding(x.Board, need)
		if len(again) == 0 {
			w.For, w.Who, w.Command = fmt.Sprintf("%s, which was reverted by %s", need.ID, need.Reverted), "a person", "git liza undo "+string(need.ID)+" --reopen"
			return
		}
		before, said = again[0], "does the reverted "+string(need.ID)+" again and "
	}
	w.For = fmt.Sprintf("%s, which %sis %s", before, said, x.Board.Task(before).Status)
	if chain := board.ChainOf(x.Board, x.task.ID); said == "" && chain.Last() != "" {
		w.For, before = chain.String(), chain.Last()
	}
	w.Who, w.Command = "those that "+string(before)+" waits for", "git liza show "+string(before)+" --why"
}

// explainHolder is for work under a live lease.
func (x waiting) explainHolder(w *Why) {
	by, release := x.task.Coder, "git liza release "+string(x.task.ID)
	w.For, w.until = "the work of "+string(by), x.task.Lease
	if !x.task.Lease.After(x.At) {
		by, w.until = x.task.Reviewing(x.At)
		w.For = "the verdict of " + string(by)
		for _, j := range x.task.Judges {
			if j.By == by && len(x.task.Judges) > 1 {
				release += " --role " + j.Role.String()
			}
		}
	}
	if pid := x.Local.Dead[board.AgentID(by)]; pid != 0 {
		w.For += fmt.Sprintf(", whose supervisor (process %d) is dead", pid)
	}
	w.Who, w.Command = string(by)+" or a person", release
}

// explainPlanner is for what only a planner or a person moves on.
func (x waiting) explainPlanner(w *Why) {
	w.Who = "a planner or a person"
	if !x.task.Status.IsBlocked() {
		w.For, w.Command = "its completion: it is a draft", board.Completion(x.Board, x.task.ID)
		return
	}
	w.For, w.Command = "a decision: "+FirstLine(x.task.Reason), board.Unblocking(x.Board, x.task.ID, x.Person.By)
	if questions := OpenQuestions(x.Board, x.task.ID); strings.HasPrefix(w.Command, "git liza answer ") {
		w.For = "an answer: " + FirstLine(questions[0].Text)
		if more := len(questions) - 1; more > 0 {
			w.For += fmt.Sprintf(" (and %d more)", more)
		}
	}
	if spent := flow.CheckBudget(x.Board, "", x.task.ID); spent != nil {
		w.For, w.Who, w.Command = spent.Reason, "a person", spent.Hint
	}
}

// explainLevel is for a task that the levels below its own keep back.
func (x waiting) explainLevel(w *Why) {
	w.For, w.Who, w.Command = "the levels below its own", "a supervisor or a person", "git liza goal show "+string(x.task.Goal)
	if refusal := flow.Opens(x.Board, board.ActClaim, x.task.ID, x.FreeAgent(flow.Takers(x.task, board.ActClaim, x.At)[0]), x.At); refusal != nil {
		w.For, w.Command = "the levels below its own: "+refusal.Reason, refusal.Hint
	}
}

// explainReview is for a submission that nobody reviews.
func (x waiting) explainReview(w *Why) {
	var missing []string
	alone := board.Role("")
	for _, j := range x.task.Judges {
		if j.Done {
			continue
		}
		missing = append(missing, j.Role.String())
		if row := x.Board.Role(j.Role); row != nil && row.NotHuman && alone == "" {
			alone = j.Role
		}
	}
	w.For, w.Who, w.Command = "the verdict of "+strings.Join(missing, " and "), "an agent of that role or a person", "git liza review "+string(x.task.ID)
	if missing[0] == board.HumanRole.String() {
		w.For, w.Who = "a person's verdict", "a person"
	}
	for _, j := range x.task.Judges {
		if !j.Done && j.NotBefore.After(x.At) {
			w.For, w.until, w.Who = fmt.Sprintf("the next review by %s: the last one ended without a verdict", j.Role), j.NotBefore, "a person, who need not wait,"
			return
		}
	}
	if len(missing) == 1 && alone != "" {
		w.Who, w.Command = "agents of that role alone", "git liza rush --agents "+alone.String()+"=1"
		return
	}
	if refusal := flow.Opens(x.Board, board.ActReview, x.task.ID, x.Person, x.At); refusal != nil && x.Person.By.IsHuman() {
		w.For += ", and not yours: " + refusal.Reason
		w.Who, w.Command = "others", refusal.Hint
	}
}

// explainClaim is for what somebody has to take up.
func (x waiting) explainClaim(w *Why) {
	role := flow.Takers(x.task, board.ActClaim, x.At)[0]
	caller := x.FreeAgent(role)
	if until := x.Board.LeftUntil(*x.task); until.After(x.At) {
		w.For, w.until, w.Who, w.Command = fmt.Sprintf("%s, to whom others leave it", x.task.Coder), until, "any agent of "+role.String()+" by hand", "git liza claim "+string(x.task.ID)+" --as "+string(caller.By)
		return
	}
	refusal := flow.Opens(x.Board, board.ActClaim, x.task.ID, caller, x.At)
	if refusal != nil && refusal.Rule == flow.RuleBackoff {
		w.For, w.until, w.Who, w.Command = fmt.Sprintf("its next try: %s ended without a result", Count(x.task.Retries, "claim")), x.task.NotBefore, "a person, who need not wait,", "git liza claim "+string(x.task.ID)
		return
	}
	if refusal != nil {
		w.For, w.Who, w.Command = refusal.Reason, "a person", refusal.Hint
		return
	}
	w.For, w.Who, w.Command = "an agent of "+role.String()+" to take it", "any of them, by hand or in a rush,", fmt.Sprintf("git liza claim %s --as %s", x.task.ID, caller.By)
}

// Text formats it for people. The command is never cut.
func (w Why) Text(width int) string {
	if w.For == "" {
		return fmt.Sprintf("  %s is %s, and waits for nothing\n", w.id, w.status)
	}
	who := plaintext.Line(w.Who) + " can change that:"
	if !w.until.IsZero() {
		who = fmt.Sprintf("until %s (%s); %s", w.until.UTC().Format(Stamp), leaseText(w.until, w.at), who)
	}
	var out strings.Builder
	for _, text := range []string{"waits for " + plaintext.Line(w.For), who} {
		for _, line := range brokenLines(text, width-2) {
			out.WriteString("  " + line + "\n")
		}
	}
	return out.String() + strings.Repeat(" ", inboxIndent) + plaintext.Line(w.Command) + "\n"
}
