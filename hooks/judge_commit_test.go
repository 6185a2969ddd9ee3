package hooks

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/internal/gittest"
)

// TestCommit: an agent commits its own task's work, on its branch, in its
// paths; elsewhere, and before anything is claimed, it is on its own.
func TestCommit(t *testing.T) {
	t.Parallel()
	y := newServerFixture(t, "sha1")
	y.init()
	y.do(flow.Move{Act: board.ActAdd, By: ann, Detail: &flow.AddMove{Tasks: []board.TaskInput{{ID: "a", Title: "A", DoneWhen: "it works",
		Spec: "README", Scope: "small", Kind: board.Code, Owns: []string{"src/**", "specs/**"}}}}})
	main := y.at("refs/heads/main")
	gittest.Git(t, y.clone, "update-ref", branchA, string(main))
	dir := filepath.Join(y.clone, ".worktrees", "a")
	gittest.Git(t, y.clone, "worktree", "add", "-q", dir, "liza/a")
	commit := func(dir string, agent board.AgentID) flow.Rule {
		err := Commit(context.Background(), y.open(dir), agent, "")
		if err == nil {
			return ""
		}
		var refused *flow.Refusal
		require.ErrorAs(t, err, &refused)
		require.NotEmpty(t, refused.Hint)
		return refused.Rule
	}
	require.Equal(t, flow.RuleHolder, commit(dir, "coder-1"), "nobody holds it")
	y.claim("a")
	gittest.Write(t, dir, "src/a.go", "package a\n")
	gittest.Git(t, dir, "add", "-A")
	require.Equal(t, flow.RuleIntent, commit(dir, "coder-1"))
	y.do(flow.Move{Act: board.ActIntent, Task: "a", By: "coder-1", Detail: &flow.IntentMove{Intent: board.Intent{Summary: "S", Validation: "V", Tip: y.board().Task("a").Attempt.Start}}})
	require.Empty(t, commit(dir, "coder-1"))
	require.Equal(t, flow.RuleHolder, commit(dir, "coder-2"))
	require.Equal(t, flow.RuleHolder, commit(dir, "code-reviewer-1"))
	require.Empty(t, commit(y.clone, "coder-2"), "not a task's folder")

	gittest.Write(t, dir, "specs/a.md", "# A\n")
	gittest.Git(t, dir, "add", "-A")
	require.Equal(t, flow.RuleRolePaths, commit(dir, "coder-1"))
	gittest.Git(t, dir, "rm", "-q", "-f", "specs/a.md")
	gittest.Write(t, dir, "other/a.md", "# A\n")
	gittest.Git(t, dir, "add", "-A")
	require.Equal(t, flow.RuleScope, commit(dir, "coder-1"))
	y.do(flow.Move{Act: board.ActIntent, Task: "a", By: coder, Detail: &flow.IntentMove{Intent: board.Intent{Summary: "do", Validation: "look", Extend: []string{"other/**"}, Tip: y.board().Task("a").Attempt.Start}}})
	require.Empty(t, commit(dir, "coder-1"))
	gittest.Git(t, dir, "switch", "-q", "-c", "aside")
	require.Equal(t, RuleBranch, commit(dir, "coder-1"))
	gittest.Git(t, dir, "switch", "-q", "liza/a")

	// The folder of another attempt, and that of no task.
	second := dir + "@2"
	gittest.Git(t, y.clone, "worktree", "move", dir, second)
	require.Equal(t, RuleBranch, commit(second, "coder-1"))
	gittest.Git(t, y.clone, "worktree", "move", second, dir)
	require.Empty(t, commit(dir, "coder-1"))
	stray := filepath.Join(y.clone, ".worktrees", "b")
	gittest.Git(t, y.clone, "worktree", "add", "-q", "--detach", stray)
	require.Equal(t, flow.RuleNotFound, commit(stray, "coder-1"))
}
