package flow

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// A purse is a budget with what is spent of it.
type purse struct {
	of    string // the task, sprint or goal
	limit board.Budget
	spent board.Usage
	board board.Usage      // the part of spent that the board records
	raise [2]string        // commands, without their number, that raise tokens and cost
	runs  []board.Spending // of running sessions; included in spent
}

// CheckBudget refuses one more session for a task whose budget, or that of its
// sprint or goal, is spent; the rule is budget. The id "" means planning, for
// which the goal that is named pays, and its sprint; "" is the current goal.
// The usage of running sessions counts too. The refusal is nil if a session may
// begin.
func CheckBudget(b *board.Board, goal board.GoalID, id board.TaskID, running ...board.Spending) *Refusal {
	t, r := payeeOf(b, goal, id)
	if r != nil {
		return r
	}
	return overspent(b, t, running...)
}

// refusesBudget reports whether a budget refuses sessions for a task.
func refusesBudget(b *board.Board, id board.TaskID) bool {
	t, r := payeeOf(b, "", id)
	return r != nil || overspent(b, t) != nil
}

func overspent(b *board.Board, t *board.Task, running ...board.Spending) *Refusal {
	return firstRefusal(chargedPurses(b, t, running), purse.exhausted)
}

// RemainingBudget is the smallest remainder of the budgets that a session for a task would
// use (of planning for a goal, as in [CheckBudget]), less the usage of running
// sessions, and whether any budget applies. A number without a limit is 0; an
// exhausted one is negative.
func RemainingBudget(b *board.Board, goal board.GoalID, id board.TaskID, running ...board.Spending) (board.Budget, bool) {
	var least board.Budget
	t, r := payeeOf(b, goal, id)
	if r != nil {
		return least, false
	}
	for _, p := range chargedPurses(b, t, running) {
		least.Tokens = scarcer(least.Tokens, p.limit.Tokens, p.spent.Tokens())
		least.Cost = scarcer(least.Cost, p.limit.Cost, p.spent.Cost)
	}
	return least, least != board.Budget{}
}

// scarcer is the lower of two remainders: least, and what limit leaves after
// spent.
func scarcer[T int64 | board.Cost](least, limit, spent T) T {
	if limit == 0 {
		return least
	}
	left := limit - spent
	if left <= 0 {
		left = min(left, -1)
	}
	if least == 0 {
		return left
	}
	return min(least, left)
}

// payeeOf is the task that a session is for. Planning is a task of the goal that
// has no id.
func payeeOf(b *board.Board, goal board.GoalID, id board.TaskID) (*board.Task, *Refusal) {
	if id == "" {
		return &board.Task{Goal: cmp.Or(goal, b.Settings().Goal)}, nil
	}
	t := b.Task(id)
	if t == nil {
		return nil, refuse(RuleNotFound, "git liza list --all", "there is no task %s", id)
	}
	return t, nil
}

// chargedPurses are the purses of a task, with the usage of running sessions added.
func chargedPurses(b *board.Board, t *board.Task, running []board.Spending) []purse {
	list := pursesOf(b, t)
	for i := range list {
		list[i].board = list[i].spent
	}
	for _, s := range running {
		other, r := payeeOf(b, s.Goal, s.Task)
		if r != nil || len(list) == 0 {
			continue
		}
		for _, q := range pursesOf(b, other) {
			for i := range list {
				if p := &list[i]; p.of == q.of && p.raise == q.raise {
					p.spent, p.runs = p.spent.Plus(s.Usage), append(p.runs, s)
				}
			}
		}
	}
	return list
}

// pursesOf are the budgets that bound the sessions of a task, its own first.
func pursesOf(b *board.Board, t *board.Task) []purse {
	set := b.Settings().Config.Budgets
	if set == (board.Budgets{}) && t.Budget == nil {
		return nil
	}
	goal, sprint := payersOf(b, t)
	list := sharedPurses(b, goal, sprint)
	if t.ID == "" {
		return list
	}
	own := purse{of: string(t.ID), limit: set.Task.Over(t.Budget), spent: t.Usage, raise: raising("task")}
	edit := "git liza task edit " + string(t.ID)
	if t.Budget != nil && t.Budget.Tokens > 0 {
		own.raise[0] = edit + " --budget-tokens "
	}
	if t.Budget != nil && t.Budget.Cost > 0 {
		own.raise[1] = edit + " --budget-cost "
	}
	return append([]purse{own}, list...)
}

// sharedPurses are the budgets of a sprint and a goal.
func sharedPurses(b *board.Board, goal board.GoalID, sprint board.SprintID) []purse {
	set := b.Settings().Config.Budgets
	var list []purse
	if s := b.Sprint(sprint); s != nil {
		list = append(list, purse{of: string(sprint), limit: set.Sprint, spent: s.Usage, raise: raising("sprint")})
	}
	if g := b.Goal(goal); g != nil {
		list = append(list, purse{of: string(goal), limit: set.Goal, spent: g.Usage, raise: raising("goal")})
	}
	return list
}

func raising(budget string) [2]string {
	key := "git liza config budgets." + budget
	return [2]string{key + ".tokens ", key + ".cost "}
}

// exhausted refuses a purse that is spent. The hint raises the limit so that as
// much can be spent once more. Usage that only agents report counts up to twice
// the limit, so that a false report cannot make the hint lift the budget
// altogether.
func (p purse) exhausted() *Refusal {
	if limit, spent := p.limit.Tokens, p.spent.Tokens(); limit > 0 && spent >= limit {
		return refuse(RuleBudget, p.raise[0]+strconv.FormatInt(min(max(p.board.Tokens(), min(spent, 2*limit))+limit, board.MaxSum), 10),
			"the budget of %s is spent%s: %d of %d tokens", p.of, p.describeRuns(board.Usage.Tokens), spent, limit)
	}
	if limit, spent := p.limit.Cost, p.spent.Cost; limit > 0 && spent >= limit {
		return refuse(RuleBudget, p.raise[1]+min(max(p.board.Cost, min(spent, 2*limit))+limit, board.MaxCost).String(),
			"the budget of %s is spent%s: %s of %s dollars", p.of, p.describeRuns(func(u board.Usage) int64 { return int64(u.Cost) }), spent, limit)
	}
	return nil
}

// describeRuns says that running sessions are part of what is spent, and which agent
// reports the highest usage: an agent may be wrong.
func (p purse) describeRuns(used func(board.Usage) int64) string {
	if len(p.runs) == 0 {
		return ""
	}
	most := slices.MaxFunc(p.runs, func(a, b board.Spending) int { return cmp.Compare(used(a.Usage), used(b.Usage)) })
	return fmt.Sprintf(" with running sessions, most by %s", most.By)
}

// A BudgetUse is how much of a budget is used.
type BudgetUse struct {
	Of      string // the task, sprint or goal
	Percent int    // of its tokens or its cost, whichever is more; 0 without a limit
}

// BudgetsUsed are the budgets that a session for a task would use, or one that plans for
// a goal, as in [CheckBudget]: the task's own first.
func BudgetsUsed(b *board.Board, goal board.GoalID, id board.TaskID, running ...board.Spending) []BudgetUse {
	t, r := payeeOf(b, goal, id)
	if r != nil {
		return nil
	}
	return lists.Of(chargedPurses(b, t, running), func(p purse) BudgetUse {
		return BudgetUse{p.of, max(percentOf(p.spent.Tokens(), p.limit.Tokens), percentOf(p.spent.Cost, p.limit.Cost))}
	})
}

// percentOf is how many percent of a limit are spent, at most 1000; 0 without a limit.
func percentOf[T int64 | board.Cost](spent, limit T) int {
	if limit <= 0 || spent <= 0 {
		return 0
	}
	return int(min(float64(spent)/float64(limit)*100, 1000))
}
