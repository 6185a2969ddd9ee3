package supervise_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-liza/git-liza/cmd/git-liza/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/supervise"
	"github.com/git-liza/git-liza/flow"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

// newWorkflow is a board whose goal goes through the phases of the workflow feature, with
// what the agents of the provider script do in the files of testdata/workflow.txtar.
func newWorkflow(t *testing.T) *world {
	t.Helper()
	w := newEmptyWorld(t)
	archive, err := txtar.ParseFile("testdata/workflow.txtar")
	require.NoError(t, err)
	for _, file := range archive.Files {
		require.NoError(t, w.mkdir(filepath.Dir(file.Name)))
		w.write(filepath.Join(w.dir, file.Name), strings.ReplaceAll(string(file.Data), "$NOTES", w.notes))
	}
	w.git("init", "-q")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "what the agents do")
	w.liza("init", "A command that greets who is named", "--spec", "specs/vision.md")
	w.liza("goal", "set", "--workflow", "feature")
	w.liza("config", "retry.attempts", "1")
	w.git("config", "liza.trust.planner", "true")
	w.clone = w.open()
	return w
}

// team is an agent of each role that the workflow feature asks for.
func (w *world) team() (slots []supervise.Slot) {
	w.Helper()
	p, err := provider.Builtin().Find("script", self)
	require.NoError(w, err)
	for _, role := range []flow.Role{"researcher", "spec-writer", "architect", "manager", flow.Coder, flow.CodeReviewer} {
		slots = append(slots, supervise.Slot{Role: role, Provider: p})
	}
	return slots
}

// A goal goes from a sentence to merged code through all phases of the workflow feature.
// A person answers a question, goes back for a decision that is superseded, and judges the
// design.
func TestGoalThroughAllPhases(t *testing.T) {
	t.Parallel()
	w := newWorkflow(t)
	w.liza("role", "require", "human", "--paths", "specs/*/rfc.md")
	r := w.begin(untilIdle, w.team()...)
	w.until("a question", func(b *flow.Board) bool { return len(b.IDs(flow.Questions)) > 0 })
	w.liza("answer", "task-2", "In English.")
	require.ErrorContains(t, r.wait(), "task-4 READY_FOR_REVIEW: a person has to judge it", r.said())
	require.Equal(t, flow.PhaseID("PLANNING"), w.board().Goal("goal-1").Phase)

	w.liza("phase", "back", "--reason", "not every machine has Python")
	w.liza("task", "add", "python", "--title", "Another language", "--role", "architect", "--kind", "spec", "--owns", "specs/goal-1/adr-*.md",
		"--done-when", "it is superseded", "--spec", "specs/vision.md", "--scope", "one decision")
	r, err := w.rush(w.team()...)
	require.ErrorContains(t, err, "task-4 READY_FOR_REVIEW: a person has to judge it", r.said())
	require.Contains(t, w.note("frozen"), "rule: frozen")

	w.liza("approve", "task-4", "--commit", string(w.task("task-4").Submission.Commit))
	r, err = w.rush(w.team()...)
	require.NoError(t, err, r.said())
	for _, id := range []flow.TaskID{"task-1", "task-2", "task-3", "task-4", "task-5", "python", "greet", "retrospective"} {
		require.Equal(t, flow.Merged, w.task(id).Status, "%s: %s", id, r.said())
	}
	w.liza("goal", "done", "goal-1")
	b := w.board()
	require.Equal(t, flow.Completed, b.Goal("goal-1").Status, r.said())
	require.Len(t, w.moves(flow.ActImport), 1)
	require.Len(t, w.moves(flow.ActReject), 1, "the requirements")
	for _, a := range flow.ArtifactsOf(b, "goal-1", "") {
		require.False(t, a.Lacks(), a.Type)
	}
	var phases []flow.PhaseID
	for _, m := range w.moves(flow.ActPhase) {
		phases = append(phases, m.Detail.(*flow.PhaseMove).To)
	}
	require.Equal(t, []flow.PhaseID{"INCEPTION", "DESIGN", "PLANNING", "DESIGN", "PLANNING", "CONSTRUCTION"}, phases)
	require.Contains(t, w.git("show", "integration:specs/goal-1/daa.md"), "In English.")
	require.Contains(t, w.git("show", "integration:specs/goal-1/adr-001.md"), "status: superseded\nsuperseded_by: ADR-002\n")
	require.Contains(t, w.git("show", "integration:greet.sh"), "Hello")
	require.Contains(t, w.git("show", "integration:specs/goal-1/retrospective.md"), "## What did not")
	require.Regexp(t, `^\d+ moves replayed, the board is sound\n$`, w.liza("fsck", "--full"))
	w.left()
}
