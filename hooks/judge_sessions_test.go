package hooks

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

const sessionsRef = "refs/liza/sessions/coder-1/0000000000000000"

// session saves one in the clone.
func (y *serverFixture) session() git.ID {
	y.t.Helper()
	id, err := gitstore.SaveSession(context.Background(), y.store.Repo, gitstore.SessionRecord{Agent: "coder-1", Generation: "0000000000000000",
		Role: board.Coder, Provider: "p", Outcome: "nothing", Began: y.now, Ended: y.now}, []byte("Do it."), []byte("Done.\n"))
	require.NoError(y.t, err)
	return id
}

// TestSessions: what an agent was told and said grows by sessions of bounded
// size, one after the other, and brings nothing else.
func TestSessions(t *testing.T) {
	t.Parallel()
	y := plain(t)
	first, second := y.session(), y.session()
	update := func(id git.ID) Update { return y.to(sessionsRef, id) }
	y.land(update(first))
	y.accepts(update(first))
	y.land(update(second))
	y.refuses(sessionsRef, RuleRef, "only grows", update(first))
	for _, name := range []string{"s1", "0000000000000000.child", "0000000000000000/x"} {
		name = "refs/liza/sessions/coder-1/" + name
		y.refuses(name, RuleRef, "names no registration", Update{name, "", second})
	}

	tree := gittest.Git(t, y.clone, "rev-parse", string(second)+"^{tree}")
	large := strings.Repeat("x", gitstore.MaxOutput+1)
	for reason, id := range map[string]git.ID{
		"only grows":             y.commitTree(tree, "in its place", first),
		"a commit of at most":    y.commitTree(tree, strings.Repeat("x", 20<<10), second),
		"is a tree":              git.ID(tree),
		"2 parents":              y.commitTree(tree, "brings more", second, y.at("refs/heads/main")),
		`it has "README"`:        y.commitTree(gittest.Git(t, y.clone, "rev-parse", "main^{tree}"), "something else", second),
		"of output.txt, at most": y.commitTree(y.treeWith(string(second), "output.txt", large), "too much", second),
		"it has 0 files":         y.commitTree(y.feed("", "mktree"), "nothing", second),
	} {
		y.refuses(sessionsRef, RuleRef, reason, update(id))
	}

	// So many at once, and the next ones with the next push.
	objects := y.store.Repo.Objects(context.Background())
	last, over := git.ID(""), second
	for range maxSessions + 1 {
		var err error
		last = over
		over, err = objects.WriteCommit([]byte("tree " + tree + "\nparent " + string(last) + "\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nsession\n"))
		require.NoError(t, err)
	}
	require.NoError(t, objects.Flush())
	y.refuses(sessionsRef, flow.RuleLimit, "at most 1000 sessions", update(over))
	other := "refs/liza/sessions/coder-1/0000000000000001"
	y.refuses(other, flow.RuleLimit, "at most 1000 sessions", update(last), Update{other, "", first})
	y.land(update(last))
	y.accepts(update(over))
}

// TestSessionsAreDeletedByAnAdmin: the agent's own principal, who adds them, cannot.
func TestSessionsAreDeletedByAnAdmin(t *testing.T) {
	t.Parallel()
	y := governed(t, false)
	y.by("carl").note() // which enters coder-1
	y.land(y.all()...)
	y.land(y.to(sessionsRef, y.session()))
	y.refuses(sessionsRef, flow.RuleAdmin, "is deleted by an admin", y.to(sessionsRef, ""))
	y.by("ann").accepts(y.to(sessionsRef, ""))
}
