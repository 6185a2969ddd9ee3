package supervise_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
)

// phased lets the goal have the phases of a file, and a task in the last one.
func (w *world) phased(phases, last string) {
	w.Helper()
	w.write(filepath.Join(w.dir, "mine.yaml"), phases)
	w.liza("goal", "set", "--workflow", "mine.yaml")
	w.liza("task", "add", "work", "--title", "A file", "--done-when", "it is there", "--spec", "specs/vision.md", "--scope", "one file", "--kind", "docs", "--phase", last)
}

// A gate at a phase runs once on what it failed on, whoever is there. People are told why
// the goal stays, and by which command it goes on.
func TestPhaseIsLeftThroughItsGate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phased("phases:\n  - name: ONE\n  - name: TWO\n", "TWO")
	w.gate("whole", "phase", "echo run >>'"+w.notes+"/runs'; test -e '"+w.notes+"/good'")
	r, err := w.rush(coder(w.agent("submit")), coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.ErrorContains(t, err, "the phase ONE of goal-1: gate whole ")
	require.ErrorContains(t, err, "; git liza goal phase next --goal goal-1")
	require.Equal(t, "run\n", w.note("runs"), r.said())
	require.Equal(t, 1, strings.Count(r.said(), "goal-1 does not leave the phase ONE: gate whole "), r.said())
	require.Contains(t, w.liza("inbox"), "the phase ONE of goal-1 has what it needs, and its gates run when it is left")
	w.write(filepath.Join(w.notes, "good"), "")
	r, err = w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Equal(t, "run\nrun\n", w.note("runs"))
	require.Equal(t, board.Merged, w.task("work").Status)
}

// planned lets the goal make a plan before it builds, and approves one.
func (w *world) planned(plan string) {
	w.Helper()
	w.phased("phases:\n  - {name: PLAN, artifacts: [{type: plan, path: 'specs/{goal}/plan.yaml'}]}\n  - name: BUILD\n", "BUILD")
	require.NoError(w, w.mkdir("specs/goal-1"))
	w.write(filepath.Join(w.dir, "specs/goal-1/plan.yaml"), plan)
	w.git("add", "specs")
	w.git("commit", "-q", "-m", "plan")
	w.liza("adopt", "HEAD", "--accept", "--reason", "the plan")
}

// lock holds a lock of the supervisors of the clone.
func (w *world) lock(name string) (release func()) {
	w.Helper()
	release, err := git.TryHoldLock(w.clone.Repo.CommonDir(), name+".lock")
	require.NoError(w, err)
	require.NotNil(w, release)
	return release
}

const plannedTasks = `- {id: work, title: A file, done_when: it is there, spec: specs/vision.md, scope: one file, kind: docs}
- {id: more, title: More, done_when: it is there, spec: specs/vision.md, scope: one file, kind: docs}
`

// A plan that cannot be imported is told once. A person enters it.
func TestPlanThatCannotBeImported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.planned(strings.Replace(plannedTasks, "specs/vision.md", "specs/none.md", 1))
	r, err := w.rush(coder(w.agent("submit")), coder(w.agent("submit")), reviewer(w.agent("approve")))
	const why = "specs/goal-1/plan.yaml:1: "
	require.ErrorContains(t, err, "the phase BUILD of goal-1: its plan is not imported: "+why)
	require.Equal(t, 1, strings.Count(r.said(), ": the plan of goal-1 is not imported: "), r.said())
	inbox := w.liza("inbox")
	require.Contains(t, inbox, "  the tasks of specs/goal-1/plan.yaml are not imported yet\n      git liza plan import specs/goal-1/plan.yaml --goal goal-1\n")
	require.NotContains(t, inbox, "git liza goal done")
}

// A supervisor that is killed after the phase of the plan has ended leaves its import to
// the next one. A plan whose tasks all exist is imported, and due no longer.
func TestPlanIsImportedAfterAKill(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.planned(plannedTasks[:strings.Index(plannedTasks, "\n")+1])
	w.gate("whole", "phase", "true")
	release := w.lock("due")
	killed := exec.Command(self, "rush", "--planners", "0", "--coders", "1", "--reviewers", "1", "--provider", shell(w.scriptOf("submit")))
	killed.Dir = w.dir
	require.NoError(t, killed.Start())
	w.until("the next phase", func(b *board.Board) bool { return b.Goal("goal-1").Phase == "BUILD" })
	require.NoError(t, killed.Process.Kill())
	_ = killed.Wait()
	release()
	require.Empty(t, w.moves(board.ActImport))
	require.Len(t, board.DuePlans(w.board(), "goal-1"), 1)
	r, err := w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Len(t, w.moves(board.ActImport), 1)
	require.Empty(t, board.DuePlans(w.board(), "goal-1"))
	require.Equal(t, board.Merged, w.task("work").Status)
}
