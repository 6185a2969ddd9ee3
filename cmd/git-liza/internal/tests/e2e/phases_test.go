package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

// newPhases is a workshop whose goal goes through the phases of the workflow feature, and
// whose models know what the agents of TestGoalThroughAllPhases do.
func newPhases(t *testing.T, names ...string) *workshop {
	t.Helper()
	archive, err := txtar.ParseFile("../../../../../testdata/workflows/feature.txtar")
	require.NoError(t, err)
	require.Len(t, archive.Files, 2)
	require.Equal(t, "specs/playbook.yaml", archive.Files[1].Name)
	book := strings.ReplaceAll(string(archive.Files[1].Data), " 2>$NOTES/frozen", "")
	w := newEmptyWorkshop(t, playerOf(t, []byte(book)), names...)
	for name, text := range map[string]string{archive.Files[0].Name: string(archive.Files[0].Data), "scripts/integration-test.sh": "true\n"} {
		require.NoError(t, os.MkdirAll(filepath.Join(w.dir, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644))
	}
	w.begin()
	w.must("git-liza", "init", "A command that greets who is named", "--spec", "specs/vision.md")
	w.must("git-liza", "goal", "set", "--workflow", "feature")
	w.must("git-liza", "role", "require", "human", "--paths", "specs/*/rfc.md")
	return w
}

// team begins a rush with an agent of each role that the workflow feature asks for.
func (w *workshop) team(flags ...string) <-chan outcome {
	return w.rush(append([]string{"--until-idle", "--planners=0", "--coders=1", "--reviewers=1",
		"--agents=researcher=1", "--agents=spec-writer=1", "--agents=architect=1", "--agents=manager=1"}, flags...)...)
}

// A sentence becomes merged code through all phases, by two command lines: requirements
// that are rejected, a question to a person, a decision that is superseded, a person's
// verdict, a plan that is imported, and a retrospective.
func TestTwoCommandLinesGoThroughAllPhases(t *testing.T) {
	t.Parallel()
	w := newPhases(t, "codex", "claude")
	crew := []string{"--provider=claude", "--provider=architect=codex", "--provider=code-reviewer=codex", "--provider=coder=codex"}
	judged := func(o outcome) {
		t.Helper()
		require.Contains(t, o.text(), "task-4 READY_FOR_REVIEW: a person has to judge it")
		require.Equal(t, 1, o.code)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(w.try("git-liza", "log").text())
			t.Log(w.transcript())
		}
	})
	ended := w.team(crew...)
	w.await("1", "sh", "-c", "git liza log --act ask --jsonl | wc -l | tr -d ' '")
	w.must("git-liza", "answer", "task-2", "In English.")
	judged(<-ended)

	w.must("git-liza", "goal", "phase", "back", "--reason", "not every machine has Python")
	w.must("git-liza", "task", "add", "python", "--title", "Another language", "--role", "architect", "--kind", "spec", "--owns", "specs/goal-1/adr-*.md",
		"--done-when", "it is superseded", "--spec", "specs/vision.md", "--scope", "one decision")
	judged(<-w.team(crew...))

	w.must("git-liza", "approve", "task-4", "--commit", w.must("git", "rev-parse", "liza/task-4"))
	o := <-w.team(crew...)
	require.Zero(t, o.code, o.text())
	w.must("git-liza", "goal", "done", "goal-1")
	statuses := w.statuses()
	require.Len(t, statuses, 8)
	for id, status := range statuses {
		require.Equal(t, "MERGED", status, id)
	}
	acts := w.acts()
	require.Equal(t, []int{1, 1, 1, 6}, []int{acts["reject"], acts["answer"], acts["import"], acts["phase"]})
	for path, text := range map[string]string{"daa.md": "In English.", "adr-001.md": "status: superseded\nsuperseded_by: ADR-002\n", "retrospective.md": "## What did not"} {
		require.Contains(t, w.must("git", "show", "integration:specs/goal-1/"+path), text)
	}
	require.Contains(t, w.must("git", "show", "integration:greet.sh"), "Hello")
	w.must("git-liza", "fsck", "--full")
	require.Contains(t, w.transcript(), "rule: frozen", "the accepted decision was edited first")
	require.Empty(t, w.model.Strays(), "nobody else was asked for anything")
}
