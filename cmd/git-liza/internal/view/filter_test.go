package view

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

func TestFilter(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 17, 14, 0, 0, 0, time.UTC)
	task := &board.Summary{ID: "task-1", Title: "Limit Logins", Status: board.Blocked, Kind: board.Docs, Role: board.Coder, Goal: "goal-1", Sprint: "sprint-2",
		Owns: []string{"auth/**", "cmd/*.go"}, Spec: "specs/vision.md", Coder: "coder-2", Changed: at.Add(-90 * time.Minute), Reason: "which unit?", Labels: []string{"API", "net"}, Level: 2,
		Judges: []board.Judge{{Role: board.CodeReviewer, By: "code-reviewer-1"}}}
	for words, want := range map[string]bool{
		"":                                     true,
		"status:blocked":                       true,
		"status:BLOCKED,draft":                 true,
		"status:open":                          true,
		"status:final":                         false,
		"status:ready-for-review":              false,
		"status:ready-for-review,blocked":      true,
		"agent:coder-2":                        true,
		"agent:code-reviewer-1":                true,
		"agent:coder-1,coder-3":                false,
		"goal:goal-1 sprint:sprint-2":          true,
		"goal:goal-1 sprint:sprint-1":          false,
		"role:coder":                           true,
		"role:code-reviewer":                   true,
		"role:planner":                         false,
		"kind:docs":                            true,
		"kind:code":                            false,
		"label:api":                            true,
		"label:ap":                             false,
		"label:core,net":                       true,
		"level:2":                              true,
		"level:L2":                             true,
		"level:1,3":                            false,
		"path:auth/":                           true,
		"path:auth":                            true,
		"path:auth/login/a.go":                 true,
		"path:cmd":                             true,
		"path:cmd/x.go":                        true,
		"path:cmd/sub/x.go":                    false,
		"path:specs/":                          true,
		"path:specs/vision.md":                 true,
		"path:web/,auth/":                      true,
		"path:au":                              false,
		"age:>1h":                              true,
		"age>1h":                               true,
		"age:1h":                               true,
		"age:<1h":                              false,
		"age<2h":                               true,
		"age:>1d":                              false,
		"login":                                true,
		"text:LOGIN":                           true,
		"text:logout":                          false,
		"unit":                                 true,
		"task-1":                               true,
		"status:blocked agent:coder-1":         false,
		"Status:Blocked Agent:Coder-2 age:>1m": true,
	} {
		f, err := ParseFilter([]string{words})
		require.NoError(t, err, words)
		require.Equal(t, want, f.Match(task, at), words)
		require.Equal(t, words == "", f.IsEmpty(), words)
	}
	for words, want := range map[string]string{
		"state:blocked":  `a filter has no key "state"; it has words like status:blocked, agent:`,
		"status:stalled": `no task is ever "stalled"; a filter knows status:open, status:final, status:draft`,
		"status:":        "status: of the filter has no value",
		"age:>soon":      `">soon" is no age`,
		"level:core":     `"core" is no level`,
		"level:02":       `"02" is no level`,
		"age:>-1h":       "is no age",
		"\x1b[31m:x":     `no key "[31m"`,
	} {
		_, err := ParseFilter([]string{words})
		require.ErrorContains(t, err, want, words)
	}
}

// An item is selected by its own kind, age and text, and by the task that it is about.
func TestFilterOfItems(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 17, 14, 0, 0, 0, time.UTC)
	task := &board.Summary{ID: "task-1", Status: board.Blocked, Kind: board.Docs, Goal: "goal-1", Coder: "coder-2", Owns: []string{"auth/**"}}
	find := func(id board.TaskID) *board.Summary {
		if id == task.ID {
			return task
		}
		return nil
	}
	question := &Item{Kind: "question", Subject: "task-1", Text: "task-1 asks: Which unit?", since: at.Add(-time.Hour)}
	dead := &Item{Kind: "dead", Subject: "coder-1", Text: "coder-1 is dead", task: "task-9"}
	for words, want := range map[string][2]bool{
		"kind:question":          {true, false},
		"kind:docs":              {true, false},
		"agent:coder-1":          {false, true},
		"agent:coder-2":          {true, false},
		"path:auth/ goal:goal-1": {true, false},
		"age:>30m":               {true, false},
		"unit":                   {true, false},
		"status:blocked":         {true, false},
		"dead":                   {false, true},
	} {
		f, err := ParseFilter([]string{words})
		require.NoError(t, err)
		require.Equal(t, want, [2]bool{f.matchItem(question, at, find), f.matchItem(dead, at, find)}, words)
	}
}
