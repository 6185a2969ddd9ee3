package supervise_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// newWorkflow is a board whose goal goes through the phases of the workflow feature. What
// the agents of the provider script do is in testdata/workflows/feature.txtar at the top.
func newWorkflow(t *testing.T) *world {
	t.Helper()
	w := newEmptyWorld(t)
	archive, err := txtar.ParseFile("../../../../testdata/workflows/feature.txtar")
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

// A team is a rush as a process of its own, with an agent of each role that the workflow
// feature asks for. It ends when nothing is left to do.
type team struct {
	*world
	cmd *exec.Cmd
	out strings.Builder
}

func (w *world) team() *team {
	w.Helper()
	r := &team{world: w, cmd: exec.Command(self, "rush", "--until-idle", "--provider", "script", "--planners", "0", "--coders", "1", "--reviewers", "1",
		"--agents", "researcher=1", "--agents", "spec-writer=1", "--agents", "architect=1", "--agents", "manager=1")}
	r.cmd.Dir, r.cmd.Stdout, r.cmd.Stderr = w.dir, &r.out, &r.out
	require.NoError(w, r.cmd.Start())
	return r
}

// ends is what the rush said until its end.
func (r *team) ends(code int) string {
	r.Helper()
	_ = r.cmd.Wait()
	require.Equal(r, code, r.cmd.ProcessState.ExitCode(), r.out.String())
	return r.out.String()
}

// A goal goes from a sentence to merged code through all phases of the workflow feature.
// A person answers a question, goes back for a decision that is superseded, and judges the
// design.
func TestGoalThroughAllPhases(t *testing.T) {
	t.Parallel()
	w := newWorkflow(t)
	w.liza("role", "require", "human", "--paths", "specs/*/rfc.md")
	const judged = "task-4 READY_FOR_REVIEW: a person has to judge it"
	r := w.team()
	w.until("a question", func(b *board.Board) bool { return len(b.IDs(board.Questions)) > 0 })
	w.liza("answer", "task-2", "In English.")
	require.Contains(t, r.ends(1), judged)
	require.Equal(t, board.PhaseID("PLANNING"), w.board().Goal("goal-1").Phase)

	w.liza("goal", "phase", "back", "--reason", "not every machine has Python")
	w.liza("task", "add", "python", "--title", "Another language", "--role", "architect", "--kind", "spec", "--owns", "specs/goal-1/adr-*.md",
		"--done-when", "it is superseded", "--spec", "specs/vision.md", "--scope", "one decision")
	require.Contains(t, w.team().ends(1), judged)
	require.Contains(t, w.note("frozen"), "rule: frozen")

	w.liza("approve", "task-4", "--commit", string(w.task("task-4").Submission.Commit))
	said := w.team().ends(0)
	for _, id := range []board.TaskID{"task-1", "task-2", "task-3", "task-4", "task-5", "python", "greet", "retrospective"} {
		require.Equal(t, board.Merged, w.task(id).Status, "%s: %s", id, said)
	}
	p, err := supervise.Prompt(t.Context(), w.clone.Repo, w.board(), supervise.PromptInput{Role: "manager", Agent: "manager-1", Task: "task-5"})
	require.NoError(t, err)
	tip := string(w.board().Settings().Integration.Tip)
	for _, want := range []string{"workflow: feature\nphase: RESEARCH → INCEPTION → DESIGN → PLANNING → [CONSTRUCTION]\nabout: how it is built, and in which tasks\n",
		"and you write no other file", "\n| plan at specs/goal-1/plan.yaml: git liza artifact template plan\n| bolt-plan at specs/goal-1/bolts/*.md: git liza artifact template bolt-plan (not required)\n",
		"\ngit show " + tip + ":specs/goal-1/prd.md\n", "\ngit show " + tip + ":specs/goal-1/adr-001.md\n"} {
		require.Contains(t, p.Text(), want)
	}
	w.liza("goal", "done", "goal-1")
	b := w.board()
	require.Equal(t, board.Completed, b.Goal("goal-1").Status, said)
	require.Len(t, w.moves(board.ActImport), 1)
	require.Len(t, w.moves(board.ActReject), 1, "the requirements")
	for _, a := range board.ArtifactsOf(b, "goal-1", "") {
		require.GreaterOrEqual(t, a.Approved, max(len(a.Files), a.Count), a.Type)
	}
	var phases []board.PhaseID
	for _, m := range w.moves(board.ActPhase) {
		phases = append(phases, m.Detail.(*flow.PhaseMove).To)
	}
	require.Equal(t, []board.PhaseID{"INCEPTION", "DESIGN", "PLANNING", "DESIGN", "PLANNING", "CONSTRUCTION"}, phases)
	require.Contains(t, w.git("show", "integration:specs/goal-1/daa.md"), "In English.")
	require.Contains(t, w.git("show", "integration:specs/goal-1/adr-001.md"), "status: superseded\nsuperseded_by: ADR-002\n")
	require.Contains(t, w.git("show", "integration:greet.sh"), "Hello")
	require.Contains(t, w.git("show", "integration:specs/goal-1/retrospective.md"), "## What did not")
	require.Regexp(t, `^\d+ moves replayed, the board is sound\n$`, w.liza("fsck", "--full"))
	w.left()
}
