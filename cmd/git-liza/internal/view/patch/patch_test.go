package patch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestMarksWithinLines(t *testing.T) {
	t.Parallel()
	old, new := Side{Text: "id: task-1\nstatus: UNCLAIMED\npriority: 3\n"}, Side{Text: "id: task-1\nstatus: CLAIMED\npriority: 3\nsaves: 1\n"}
	require.Equal(t, strings.Join([]string{
		"\x1b[1m--- a/tasks/01/task-1.yaml\x1b[m", "\x1b[1m+++ b/tasks/01/task-1.yaml\x1b[m", "\x1b[36m@@ -1,3 +1,4 @@\x1b[m",
		" id: task-1", "\x1b[31m-status: \x1b[7mUN\x1b[27mCLAIMED\x1b[m", "\x1b[32m+status: CLAIMED\x1b[m", " priority: 3", "\x1b[32m+saves: 1\x1b[m", ""}, "\n"),
		Format("tasks/01/task-1.yaml", old, new, true))
}

// Without color a difference is a patch: git makes the new document of the old
// one with it, and no line that is the same is shown as changed twice.
func TestDifferenceIsAPatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		line := rapid.SampledFrom([]string{"a: 1", "b: 2", "c: 3", "d:", "  - x", "", "é"})
		texts := rapid.Custom(func(rt *rapid.T) string {
			return strings.Join(append(rapid.SliceOfN(line, 1, 30).Draw(rt, "lines"), ""), "\n")
		})
		old, new := Side{Text: texts.Draw(rt, "old")}, Side{Text: texts.Draw(rt, "new")}
		if old == new {
			return
		}
		file := filepath.Join(dir, "doc")
		require.NoError(rt, os.WriteFile(file, []byte(old.Text), 0o644))
		text := Format("doc", old, new, false)
		command := exec.Command("git", "apply", "--unidiff-zero", "--whitespace=nowarn", "-")
		command.Dir, command.Stdin = dir, strings.NewReader(text)
		command.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir), "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1"}
		out, err := command.CombinedOutput()
		require.NoError(rt, err, "%s\n%s", out, text)
		got, err := os.ReadFile(file)
		require.NoError(rt, err)
		require.Equal(rt, new.Text, string(got), text)
	})
}
