package view

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// A LoopReport says what came of the stories of a loop.
type LoopReport struct {
	Goal    board.GoalID `json:"goal"`
	Path    string       `json:"path"`   // of the stories
	Status  string       `json:"status"` // of the goal
	Stories []LoopStory  `json:"stories"`
	Limit   LoopLimit    `json:"limit"`
}

// A LoopStory is one story of a loop.
type LoopStory struct {
	ID       string           `json:"id"`
	Title    string           `json:"title"`
	Task     board.TaskID     `json:"task"`   // "" of a story that had passed before the loop
	Status   string           `json:"status"` // of the task
	Passed   bool             `json:"passed"`
	Commits  []board.ObjectID `json:"commits"` // that reached integration, but for merges
	Sessions int              `json:"sessions"`
	Tokens   int64            `json:"tokens"`
	Cost     board.Cost       `json:"cost"`
	Diffstat string           `json:"diffstat"`
	Failure  string           `json:"failure"` // the last one, of a story that has not passed
}

// A LoopLimit is what bounds a loop, with what of it is used.
type LoopLimit struct {
	Reached    string         `json:"reached"` // iterations, tokens, cost or wall; "" if agents may claim
	Iterations int            `json:"iterations"`
	Used       int            `json:"iterations_used"`
	Tokens     int64          `json:"tokens"` // 0 is no bound
	TokensUsed int64          `json:"tokens_used"`
	Cost       board.Cost     `json:"cost"` // 0 is no bound
	CostUsed   board.Cost     `json:"cost_used"`
	Wall       board.Duration `json:"wall"` // 0s is no bound
	WallUsed   board.Duration `json:"wall_used"`
	spent      Spent
}

// LoopLimitOf says what bounds the loop of a goal at a time.
func LoopLimitOf(g *board.Goal, at time.Time) LoopLimit {
	l := g.Loop
	limit := LoopLimit{Reached: g.LoopBound(at), Iterations: l.Iterations, Used: l.Used, Tokens: l.Tokens, TokensUsed: g.Usage.Tokens(), Cost: l.Cost, CostUsed: g.Usage.Cost, Wall: l.Wall, spent: told(g.Usage)}
	if !g.Ended.IsZero() {
		at = g.Ended
	}
	limit.WallUsed = board.Duration(max(at.Sub(g.Created), 0).Truncate(time.Second))
	return limit
}

// Left are the ids of the stories that have not passed.
func (r *LoopReport) Left() []string {
	left := lists.Where(r.Stories, func(s LoopStory) bool { return !s.Passed })
	return lists.Of(left, func(s LoopStory) string { return s.ID })
}

// Text is the report for people.
func (r *LoopReport) Text(width int) string {
	rows := &Table{Rows: [][]string{{"STORY", "STATE", "SESSIONS", "COMMITS", "TOKENS", "CHANGES"}}}
	for _, s := range r.Stories {
		rows.Add(plaintext.Line(s.ID), s.state(), fmt.Sprint(s.Sessions), fmt.Sprint(len(s.Commits)), told(board.Usage{Sessions: s.Sessions, Input: s.Tokens}).Tokens(), s.Diffstat)
	}
	passed := len(r.Stories) - len(r.Left())
	var text strings.Builder
	fmt.Fprintf(&text, "%s  %s  %d of %d stories passed\n%s", r.Goal, plaintext.Line(r.Path), passed, len(r.Stories), rows.Text(width))
	for _, s := range r.Stories {
		if s.Failure != "" {
			first, _, _ := strings.Cut(s.Failure, "\n")
			fmt.Fprintf(&text, "%s: %s\n", plaintext.Line(s.ID), plaintext.Line(first))
		}
	}
	text.WriteString(r.Limit.text() + "\n")
	return text.String()
}

// state says how far a story is.
func (s LoopStory) state() string {
	switch {
	case s.Passed && s.Task == "":
		return "had passed"
	case s.Passed:
		return "passed"
	}
	return cmp.Or(s.Status, "not entered")
}

// Widened is the flag of git liza loop that lifts the bound that is reached to its double.
func (l LoopLimit) Widened() string {
	switch l.Reached {
	case "iterations":
		return fmt.Sprintf("--iterations %d", 2*l.Iterations)
	case "tokens":
		return fmt.Sprintf("--tokens %d", 2*max(l.Tokens, l.TokensUsed))
	case "cost":
		return "--cost " + (2 * max(l.Cost, l.CostUsed)).String()
	}
	used := time.Duration(l.WallUsed).Round(time.Minute) + time.Minute
	return "--wall " + board.Duration(2*max(time.Duration(l.Wall), used)).String()
}

// text is a line that says what is used of the bounds.
func (l LoopLimit) text() string {
	text := fmt.Sprintf("%d of %d iterations, %s", l.Used, l.Iterations, l.spent.Tokens())
	if l.Tokens > 0 {
		text += fmt.Sprintf(" of %d", l.Tokens)
	}
	if text += " tokens, " + l.spent.Dollars(); l.Cost > 0 {
		text += " of " + l.Cost.String()
	}
	text += " dollars"
	if text += ", " + l.WallUsed.String(); l.Wall > 0 {
		text += " of " + l.Wall.String()
	}
	if l.Reached != "" {
		text += "; the bound of " + l.Reached + " is reached"
	}
	return text
}
