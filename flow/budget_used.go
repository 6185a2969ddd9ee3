package flow

import "github.com/git-liza/git-liza/flow/lists"

// A BudgetUse is how much of a budget is used.
type BudgetUse struct {
	Of      string // the task, sprint or goal
	Percent int    // of its tokens or its cost, whichever is more; 0 without a limit
}

// BudgetsUsed are the budgets that a session for a task would use, or one that plans for
// a goal, as in [Board.Budget]: the task's own first.
func BudgetsUsed(b *Board, goal GoalID, id TaskID, running ...Spending) []BudgetUse {
	t, r := payeeOf(b, goal, id)
	if r != nil {
		return nil
	}
	return lists.Of(chargedPurses(b, t, running), func(p purse) BudgetUse {
		return BudgetUse{p.of, max(percentOf(p.spent.Tokens(), p.limit.Tokens), percentOf(p.spent.Cost, p.limit.Cost))}
	})
}

// percentOf is how many percent of a limit are spent, at most 1000; 0 without a limit.
func percentOf[T int64 | Cost](spent, limit T) int {
	if limit <= 0 || spent <= 0 {
		return 0
	}
	return int(min(float64(spent)/float64(limit)*100, 1000))
}
