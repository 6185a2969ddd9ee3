package screen

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/faults"
	"github.com/git-liza/git-liza/internal/gittest"
)

// The program's screen of each board with one fault has what the board needs first, with
// the command, and takes no colour for it.
func TestFaults(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("there is no terminal to test with")
	}
	built := filepath.Join(t.TempDir(), "git-liza")
	require.NoError(t, gittest.Build(built, false))
	for _, fault := range faults.Faults() {
		t.Run(fault.Name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			environ := []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + filepath.Dir(built) + ":" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "TZ=UTC",
				"GIT_AUTHOR_DATE=" + boardTime, "GIT_COMMITTER_DATE=" + boardTime, "TERM=vt100", "NO_COLOR=1"}
			if !fault.Live {
				environ = append(environ, "LIZA_NOW="+boardTime)
			}
			board := filepath.Join(dir, "board")
			require.NoError(t, os.Mkdir(board, 0o755))
			require.NoError(t, fault.Make(board, environ))
			for _, size := range [][2]int{{80, 24}, {40, 15}} {
				cmd := exec.Command(built, "watch")
				cmd.Dir, cmd.Env = board, environ
				shown := screenOf(t, cmd, size, strings.Join(strings.Fields(fault.Needs[0].Command)[:2], " "))
				words := wordsOf(shown)
				require.Regexp(t, fault.Needs[0].Sentence, words)
				require.Contains(t, strings.ReplaceAll(words, " ", ""), strings.ReplaceAll(fault.Needs[0].Command, " ", ""))
				if fault.Live && size[0] < 80 {
					continue // how long the id of a process is moves lines
				}
				golden(t, fmt.Sprintf("fault-%s-%dx%d", fault.Name, size[0], size[1]), steady(shown, fault.Live))
			}
		})
	}
}

// boardTime is when boards with a fault are made and shown, unless that depends on the
// processes of this machine.
const boardTime = "2026-01-17T14:00:00Z"

// steady is a screen without what differs from run to run.
func steady(shown string, live bool) string {
	shown = regexp.MustCompile(`process [0-9]+`).ReplaceAllString(shown, "process …")
	shown = regexp.MustCompile(`\b[0-9a-f]{10}\b`).ReplaceAllString(shown, "…")
	if live {
		shown = regexp.MustCompile(` *\b(now|[0-9]+[smh]|[0-9]{2}:[0-9]{2})\b`).ReplaceAllString(shown, " …")
	}
	return shown
}

// wordsOf puts a screen on one line, without what is drawn around texts.
func wordsOf(screen string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("▸", "", "━", "", "─", "", "│", "").Replace(screen)), " ")
}

// The chosen item has its whole sentence and its command on the smallest screen, the others
// when they are chosen.
func TestSentencesOnTheSmallestScreen(t *testing.T) {
	t.Parallel()
	r := usual()
	r.Local.Needs = append(r.Local.Needs, needOf("the budget of goal-1 is spent: 26 of 25 dollars, and nothing more is planned", "git config budgets.goal.cost 51"),
		needOf("nobody here has allowed a command", "git liza trust "+strings.Repeat("4462f22e", 5)))
	s := newStage(t, r, 40, 15)
	for _, want := range [][2]string{
		{`12m task-4 asks: Table or list\?`, "git liza answer task-4"},
		{`the budget of goal-1 is spent: 26 of 25 dollars, and nothing more is planned`, "git config budgets.goal.cost 51"},
		{`nobody here has allowed a command`, "git liza trust"},
	} {
		shown := wordsOf(s.screen())
		require.Regexp(t, regexp.MustCompile(want[0]), shown)
		require.Contains(t, shown, want[1])
		s.typed("down")
	}
	s.typed("up") // a draft comes last
	require.Contains(t, strings.ReplaceAll(wordsOf(s.screen()), " ", ""), strings.Repeat("4462f22e", 5))
}
