package supervise_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// gates is the provider that judges by the gates of the board.
func gates(t *testing.T) provider.Provider {
	p, err := provider.Builtin().Find("gates", self)
	require.NoError(t, err)
	return p
}

// The role gates rejects what a gate rejects and approves the rest, beside the reviewer
// of another role.
func TestRushOfTheRoleGates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.liza("role", "require", "gates")
	w.liza("config", "gates.second.command", "grep ' 2$' task-1.txt")
	r, err := w.rush(coder(w.agent("submit")), reviewer(w.agent(`if grep -q ' 2$' task-1.txt; then approve; else waitfor never; fi`)), judge("gates", gates(t)))
	require.NoError(t, err, r.said())
	require.Equal(t, board.Merged, w.task("task-1").Status)
	rejections := w.moves(board.ActReject)
	require.Len(t, rejections, 1)
	require.Equal(t, board.Actor("gates-1"), rejections[0].By)
	require.Equal(t, []board.Finding{{Issue: "second does not pass: fail", Why: "it exits 1"}}, rejections[0].Detail.(*flow.RejectMove).Feedback.Blockers)
	require.Contains(t, r.said(), "task-1 → REJECTED (1 blocker) by gates-1")
	require.Empty(t, w.moves(board.ActRelease))
	w.left()
}

// Where the commands may not run, no review is taken, and the rush says what helps.
func TestGatesThatMayNotRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.liza("role", "require", "gates", "--in-place-of", "code-reviewer")
	_, err := w.rush(coder(w.agent("submit")), judge("gates", gates(t)))
	require.ErrorContains(t, err, "task-1 READY_FOR_REVIEW: task-1 has no verify, and the board has no gates: nothing says whether its submission is right")
	w.liza("config", "gates.unit.command", "true")
	w.git("config", "--unset-all", "liza.trust.allow")
	_, err = w.rush(judge("gates", gates(t)))
	require.ErrorContains(t, err, "task-1 READY_FOR_REVIEW: the board wants this machine to run a command that nobody here has allowed: true")
	require.Empty(t, w.moves(board.ActReview))
	w.liza("trust", "--all")
	r, err := w.rush(judge("gates", gates(t)))
	require.NoError(t, err, r.said())
	require.Equal(t, board.Merged, w.task("task-1").Status)
	require.Contains(t, w.liza("log"), "unit pass on ")
}

// An agent whose provider cannot be held to what its role may do gets no work, and is
// told which setting helps.
func TestRoleThatAProviderCannotBeHeldTo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	row := filepath.Join(w.dir, "reader.md")
	w.write(row, "---\ncapacity: judges\nabout: reads\ntools:\n  - read\n---\n# Role: reader\n")
	w.liza("role", "add", row)
	w.liza("role", "require", "reader", "--in-place-of", "code-reviewer")
	_, err := w.rush(coder(w.agent("submit")), judge("reader", w.agent("approve")))
	require.ErrorContains(t, err, "reader-1 rests: provider exec cannot be kept from running commands, which reader may not; git config liza.reader.provider NAME")
	require.Empty(t, w.moves(board.ActReview))
	r := &supervise.Rush{Clone: w.open(), Self: self}
	p := w.agent("approve")
	programs := r.Programs(t.Context(), w.board(), []supervise.Slot{judge("reader", p), judge("code-reviewer", p), judge("reader", p)})
	require.Len(t, programs, 2)
	require.Equal(t, "git config liza.reader.provider NAME", programs[0].Unfit.Hint)
	require.Empty(t, programs[1].Unfit)
}
