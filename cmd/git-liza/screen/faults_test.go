package screen

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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
	require.Contains(t, strings.ReplaceAll(wordsOf(s.screen()), " ", ""), strings.Repeat("4462f22e", 5))
}
