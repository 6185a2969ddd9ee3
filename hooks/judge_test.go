package hooks

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

const (
	integrationBranch = "refs/heads/integration"
	branchA           = "refs/heads/liza/a"
	savedA            = "refs/liza/saved/a/1"
)

// TestAStory pushes the life of a task a move at a time, and then all of it
// to a server that knows nothing: what is legal lands.
func TestAStory(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			y := newServerFixture(t, format)
			y.init()
			y.land(y.all()...)
			y.add("a")
			y.land(y.all()...)
			y.claim("a")
			y.land(y.all()...)
			y.work("a", "a.txt", "one\n")
			y.land(y.moves(branchA)...)
			y.submit("a")
			y.land(y.all()...)
			y.approve("a")
			y.land(y.all()...)
			y.merge("a")
			y.land(y.all()...)
			require.Equal(t, y.board().Settings().Integration.Tip, y.there(integrationBranch))
			require.Empty(t, y.there(branchA))
			require.Empty(t, y.all())

			y.judge = y.open(y.empty())
			y.now = y.now.Add(240 * time.Hour)
			y.land(y.all()...)
		})
	}
}

// empty makes another server, which has nothing.
func (y *serverFixture) empty() string {
	y.server = y.t.TempDir()
	gittest.Git(y.t, y.server, "init", "-q", "--bare", "--object-format="+gittest.Git(y.t, y.clone, "rev-parse", "--show-object-format"))
	gittest.Write(y.t, y.server, "objects/info/alternates", y.clone+"/.git/objects\n")
	return y.server
}

// TestLies: a server goes by its own refs, not by what a push says of them.
func TestLies(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.add("a")
	y.claim("a")
	y.land(y.moves(layout.State)...)
	old := y.there(integrationBranch)
	evil := y.commit("refs/heads/main", "evil", "x")
	y.refuses(integrationBranch, RuleMoved, "", Update{integrationBranch, evil, old})
	y.refuses(layout.State, RuleMoved, "", Update{layout.State, "", y.at(layout.State)})
	y.refuses(branchA, RuleMoved, "", Update{branchA, evil, old})
	y.accepts(Update{"refs/heads/topic", evil, old})
}

// TestWithoutABoard: a server without a board is an ordinary one, except that
// only a whole board brings refs of ours.
func TestWithoutABoard(t *testing.T) {
	t.Parallel()
	y := newServerFixture(t, "sha1")
	main := y.at("refs/heads/main")
	y.accepts(Update{"refs/heads/integration", "", main}, Update{"refs/heads/main", main, ""}, Update{"refs/replace/" + hexes("a", 40), "", main})
	y.refuses("refs/liza/marks/x", flow.RuleNotFound, "no blackboard", Update{"refs/liza/marks/x", "", main})
	y.refuses("refs/Liza", flow.RuleNotFound, "no blackboard", Update{"refs/Liza", "", main})
	y.refuses("refs/heads/refs/heads/main", RuleRef, "begins with refs/ twice", Update{"refs/heads/refs/heads/main", "", main})
	y.accepts(Update{"refs/heads/liza/a", "", main}, Update{"refs/heads/liza", "", main})
	y.init()
	y.refuses("refs/liza/marks/sprint-1", RuleRef, "does not bring it", y.moves(layout.State, integrationBranch)...)
	y.refuses(integrationBranch, flow.RuleTip, "does not bring it", y.moves(layout.State, "refs/liza/marks/sprint-1")...)
	y.refuses(string(main), RuleReplay, "", Update{layout.State, "", main})

	// The server's own branch is not thrown away.
	other := y.commit("refs/heads/main", "theirs", "x")
	gittest.Git(t, y.server, "update-ref", integrationBranch, string(other))
	y.refuses(integrationBranch, flow.RuleTip, "does not contain", y.all()...)
	gittest.Git(t, y.server, "update-ref", integrationBranch, string(main))
	y.accepts(y.all()...)

	// A ref that stood in the way of the board before the board came can go.
	gittest.Git(t, y.server, "update-ref", "refs/heads/liza", string(main))
	y.land(y.moves(layout.State, integrationBranch, "refs/liza/marks/sprint-1")...)
	y.refuses("refs/heads/liza", RuleRef, "", y.to("refs/heads/liza", other))
	y.accepts(y.to("refs/heads/liza", ""))
}

// TestUnreadable: a board that cannot be read refuses what would hang on it.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.add("a")
	y.claim("a")
	y.land(y.all()...)
	main, sound := y.at("refs/heads/main"), string(y.there(layout.State))
	spoil := func(path, content string) {
		blob := y.hash("blob", content)
		y.environ = []string{"GIT_INDEX_FILE=" + t.TempDir() + "/index"}
		y.feed("", "read-tree", sound)
		y.feed("", "update-index", "--add", "--cacheinfo", "100644,"+string(blob)+","+path)
		tree := y.feed("", "write-tree")
		y.environ = nil
		gittest.Git(t, y.server, "update-ref", layout.State, string(y.commitTree(tree, "spoilt", git.ID(sound))))
		y.judge = y.open(y.server)
	}
	spoil("tasks/0a/a.yaml", "id: [\n")
	y.refuses("push", RuleUndecided, "a.yaml", y.to(branchA, ""))
	y.accepts(Update{"refs/heads/topic", "", main})
	spoil("liza.yaml", "format: [\n")
	y.refuses("push", RuleUndecided, "liza.yaml", Update{"refs/heads/topic", "", main})
	y.refuses("push", RuleUndecided, "liza.yaml", y.to(layout.State, git.ID(sound)))
	y.accepts(Update{"refs/tags/v1", "", main})
	spoil("liza.yaml", "format: 2\n")
	y.refuses("push", flow.RuleFormat, "format 2", Update{"refs/heads/topic", "", main})
}

// TestJudgementEndsWithItsContext: a push has as many refs as its pusher wants,
// and every list of them ends with the context, not only at its end.
func TestJudgementEndsWithItsContext(t *testing.T) {
	t.Parallel()
	y := plain(t)
	const many = 50
	refs := func(prefix string) (list []Update) {
		for i := range many {
			list = append(list, Update{prefix + strconv.Itoa(i), "", y.there("refs/heads/main")})
		}
		return list
	}
	push := func(prefix string) *judge {
		return newJudge(y.judge, Push{Updates: refs(prefix), Server: true, Now: y.now})
	}
	for name, test := range map[string]struct {
		looks int
		judge func(ctx context.Context) error
	}{
		"as they stand":  {many / 2, push("refs/heads/x").resolveSymrefs},
		"where they are": {many / 2, push("refs/liza/agents/coder-").openBoard},
		"one by one":     {many * 3 / 2, push("refs/heads/x").judgePush},
		"what is left out": {many / 2, func(ctx context.Context) error {
			j := push("refs/heads/x")
			require.NoError(t, j.openBoard(context.Background()))
			for _, u := range refs(layout.SavedRefs + "a/") {
				j.kept[u.Name] = u.New
			}
			return j.checkComplete(ctx)
		}},
		"a transaction": {many / 2, func(ctx context.Context) error {
			return Transaction(ctx, y.judge, refs("refs/heads/x"), true, nil)
		}},
		"the backstop": {many / 2, func(ctx context.Context) error {
			return newJudge(y.judge, Push{Updates: refs("refs/heads/x")}).judgeTransaction(ctx)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.ErrorIs(t, within(test.judge(gittest.EndsAfter(test.looks))), context.Canceled)
		})
	}
}

// within is a judgement that took too long as what ended it.
func within(err error) error {
	var refused *Rejection
	if errors.As(err, &refused) && len(refused.Refused) == 1 && refused.Refused[0].Rule == RuleTime {
		return context.Canceled
	}
	return err
}
