package hooks

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/internal/gittest"
)

// TestIntentAfterWork: a server holds an agent's intent against the commits that it names. Where
// the branch is, it takes from the agent: one that hides its commits is believed.
func TestIntentAfterWork(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.add("a")
	y.claim("a")
	start := y.board().Task("a").Attempt.Start
	early := y.work("a", "a.txt", "one\n")
	y.land(y.all()...)
	intent := func(tip board.ObjectID) flow.Move {
		return on(board.ActIntent, "a", coder, &flow.IntentMove{Intent: board.Intent{Summary: "do", Validation: "look", Tip: tip}})
	}
	y.refusesMove(flow.RuleIntent, "already: "+early.Short(), intent(early))
	y.do(intent(start))
	named, file, at := "  "+field("tip: ", start)+"\n", "tasks/0a/a.yaml", y.at(layout.State)
	raw := gittest.Git(t, y.clone, "show", string(at)+":"+file) + "\n"
	require.Contains(t, raw, named)
	nameless := y.forge(at, named, "", "tree "+gittest.Git(t, y.clone, "rev-parse", string(at)+"^{tree}"), "tree "+y.treeWith(string(at), file, strings.Replace(raw, named, "", 1)))
	y.refuses(string(nameless), flow.RuleIntent, "names the tip", y.to(layout.State, nameless))
	y.land(y.all()...)
	require.Equal(t, start, y.board().Task("a").Intent.Tip)
}
