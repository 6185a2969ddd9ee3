package hooks

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// TestIntegrationBranch: nothing but what the board says stands on it.
func TestIntegrationBranch(t *testing.T) {
	t.Parallel()
	y := plain(t)
	tip := y.there(integrationBranch)
	evil := y.commit("refs/heads/main", "evil", "x")
	y.refuses(integrationBranch, flow.RuleTip, "approved merges only", y.to(integrationBranch, evil))
	y.refuses(integrationBranch, flow.RuleTip, "never deleted", y.to(integrationBranch, ""))
	y.accepts(y.to(integrationBranch, tip))

	// A name that stands for it is it.
	gittest.Git(t, y.server, "symbolic-ref", "refs/heads/release", integrationBranch)
	y.refuses(integrationBranch, flow.RuleTip, "", Update{"refs/heads/release", tip, evil})
	y.refuses(integrationBranch, RuleRef, "twice", Update{"refs/heads/release", tip, tip}, Update{integrationBranch, tip, evil})
	y.accepts(Update{"refs/heads/release", tip, tip}, Update{integrationBranch, tip, tip})
	gittest.Git(t, y.server, "symbolic-ref", "--delete", "refs/heads/release")

	y.add("a")
	y.claim("a")
	y.work("a", "a.txt", "one\n")
	y.submit("a")
	y.approve("a")
	y.land(y.all()...)
	y.merge("a")
	merged := y.at(integrationBranch)
	y.refuses(integrationBranch, flow.RuleTip, "", y.to(integrationBranch, merged)) // without its move
	y.refuses(integrationBranch, flow.RuleTip, "", append(y.moves(layout.State), y.to(integrationBranch, evil))...)

	// Its move alone may come: who receives it rolls the branch forward.
	y.accepts(y.moves(layout.State)...)
	gittest.Git(t, y.server, "update-ref", integrationBranch, string(evil))
	y.refuses(integrationBranch, flow.RuleTip, "here it is at", y.moves(layout.State)...)
	gittest.Git(t, y.server, "update-ref", integrationBranch, string(tip))
	y.land(y.all()...)
	y.refuses(integrationBranch, flow.RuleTip, "", y.to(integrationBranch, tip)) // back again

	// Of two merges in one push the branch stands at the last.
	var between git.ID
	for _, id := range []board.TaskID{"b", "c"} {
		between = y.at(integrationBranch)
		y.add(id)
		y.claim(id)
		y.work(id, string(id)+".txt", "one\n")
		y.submit(id)
		y.approve(id)
		y.merge(id)
	}
	push := y.moves(layout.State, "refs/liza/saved/b/1", "refs/liza/saved/c/1")
	y.refuses(integrationBranch, flow.RuleTip, "approved merges only", append(push, y.to(integrationBranch, between))...)
	y.land(y.all()...)
}

// TestIntegrationOfANewBoard: a board that a push brings says where integration is too.
func TestIntegrationOfANewBoard(t *testing.T) {
	t.Parallel()
	y := newServerFixture(t, "sha1")
	y.init()
	evil := y.commit("refs/heads/main", "evil", "x")
	push := y.all()
	for i, u := range push {
		if u.Name == integrationBranch {
			push[i].New = evil
		}
	}
	y.refuses(integrationBranch, flow.RuleTip, "approved merges only", push...)
	y.accepts(y.all()...)
}

// TestTaskBranch: a branch is its holder's, then it is at the commit under
// review, then it is gone.
func TestTaskBranch(t *testing.T) {
	t.Parallel()
	y := plain(t)
	main := y.at("refs/heads/main")
	y.refuses(branchA, flow.RuleNotFound, "no task", Update{branchA, "", main})
	y.add("a")
	y.land(y.all()...)
	y.refuses(branchA, RuleBranch, "UNCLAIMED", Update{branchA, "", main})
	y.claim("a")
	y.land(y.all()...)
	y.work("a", "a.txt", "one\n")
	y.land(y.all()...)
	y.submit("a")
	later := y.commit(branchA, "later.txt", "x")
	y.refuses(branchA, RuleBranch, "submitted and nowhere else", append(y.moves(layout.State, savedA), y.to(branchA, later))...)
	y.land(y.all()...)
	y.refuses(branchA, RuleBranch, "submitted and nowhere else", y.to(branchA, later))
	y.refuses(branchA, RuleBranch, "not over", y.to(branchA, ""))
	y.approve("a")
	y.land(y.all()...)
	y.refuses(branchA, RuleBranch, "", y.to(branchA, later))
	y.merge("a")
	y.refuses(branchA, flow.RuleFinal, "is gone", append(y.moves(layout.State, integrationBranch), y.to(branchA, later))...)
	y.land(y.all()...)
	y.refuses(branchA, flow.RuleFinal, "is gone", Update{branchA, "", later})
}

// TestKept: saves and marks come with the move that names them, once.
func TestKept(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.add("a")
	y.claim("a")
	y.work("a", "a.txt", "one\n")
	y.land(y.all()...)
	main := y.at("refs/heads/main")
	y.refuses(savedA, RuleRef, "no move", Update{savedA, "", main})
	y.refuses("refs/liza/marks/mine", RuleRef, "no move", Update{"refs/liza/marks/mine", "", y.at(layout.State)})
	mark := "refs/liza/marks/sprint-1"
	y.refuses(mark, RuleRef, "never moved", y.to(mark, y.there(layout.State)))
	y.refuses(mark, RuleRef, "never moved or deleted", y.to(mark, ""))
	y.submit("a")
	y.refuses(savedA, RuleRef, "does not bring it", y.moves(layout.State)...)
	y.refuses(savedA, RuleRef, "the push puts it at", append(y.moves(layout.State), Update{savedA, "", main})...)
	y.refuses("refs/liza/saved/a/2", RuleRef, "no move", append(y.moves(layout.State, savedA), Update{"refs/liza/saved/a/2", "", main})...)
	y.land(y.all()...)
	y.refuses(savedA, RuleRef, "never moved", y.to(savedA, ""))
	y.do(flow.Move{Act: board.ActCheckpoint, By: ann, Detail: &flow.CheckpointMove{Reason: "look"}})
	y.refuses("refs/liza/marks/checkpoint-1", RuleRef, "does not bring it", y.moves(layout.State)...)
	y.land(y.all()...)
}

// TestOtherRefs: what has no place on a server stays out, and what is none of
// our business passes.
func TestOtherRefs(t *testing.T) {
	t.Parallel()
	y := plain(t)
	main := y.at("refs/heads/main")
	for name, rule := range map[string]flow.Rule{
		"refs/liza/remote/origin/state": RuleRef, "refs/liza/rescue/x": RuleRef, "refs/liza/inbox/x": RuleRef, "refs/heads/liza": RuleRef,
		"refs/Liza/state": RuleRef, "refs/replace/" + hexes("a", 40): RuleReplace, "refs/liza/agents/root": flow.RulePrincipal, "refs/liza/agents/cook-1": flow.RulePrincipal,
		"refs/liza/agents/coder-1": flow.RuleNotFound, "refs/liza/sessions/x/y": flow.RulePrincipal, "refs/liza/sessions/coder-1": RuleRef,
		"refs/heads/refs/heads/main": RuleRef,
	} {
		y.refuses(name, rule, "", Update{name, "", y.commit("refs/heads/main", "x", "y")})
	}
	y.accepts(Update{"refs/heads/topic", "", main}, Update{"refs/tags/v1", "", main}, Update{"refs/notes/commits", "", main}, Update{"refs/heads/Integration", "", main})
	gittest.Git(t, y.server, "update-ref", "refs/heads/LIZA/a", string(main))
	gittest.Git(t, y.server, "update-ref", "refs/heads/refs/heads/main", string(main))
	y.accepts(Update{"refs/heads/LIZA/a", main, ""}, Update{"refs/heads/refs/heads/main", main, ""})
	for _, yes := range []string{"Yes", "1", "true"} {
		gittest.Git(t, y.server, "config", "core.ignoreCase", yes)
		y.judge = y.open(y.server)
		y.refuses("refs/heads/Integration", RuleRef, "", Update{"refs/heads/Integration", "", main})
	}
	y.refuses("refs/heads/LIZA/a", RuleRef, "means nothing here", Update{"refs/heads/LIZA/a", main, ""}) // it could be a task's
	gittest.Git(t, y.server, "update-ref", "-d", "refs/heads/LIZA/a")

	tree := y.feed("", "mktree")
	alive, again := y.commitTree(tree, "alive"), y.commitTree(tree, "still alive")
	y.refuses("refs/liza/agents/coder-1", flow.RuleNotFound, "no agent", Update{"refs/liza/agents/coder-1", "", alive})
	y.note() // which enters coder-1
	y.land(y.all()...)
	y.land(Update{"refs/liza/agents/coder-1", "", alive})
	y.land(y.to("refs/liza/agents/coder-1", again))
	require.NoError(t, gitstore.SavePresence(context.Background(), y.store.Repo, gitstore.Presence{Agent: "coder-1", Generation: "5c1e0a44d2b97f31",
		At: y.now, Doing: "waiting", Note: strings.Repeat("x", 1<<20)}))
	y.land(y.to("refs/liza/agents/coder-1", y.at("refs/liza/agents/coder-1")))
	y.accepts(y.to("refs/liza/agents/coder-1", ""))
	y.refuses("refs/liza/agents/coder-1", RuleRef, "at most", y.to("refs/liza/agents/coder-1", y.commitTree(tree, strings.Repeat("x", gitstore.MaxPresence))))
	y.refuses("refs/liza/agents/coder-1", RuleRef, "no parents", y.to("refs/liza/agents/coder-1", y.commitTree(tree, "again", alive)))
	y.refuses("refs/liza/agents/coder-1", RuleRef, "a commit", y.to("refs/liza/agents/coder-1", git.ID(tree)))
	files := y.commitTree(gittest.Git(t, y.clone, "rev-parse", string(main)+"^{tree}"), "alive, with files that every clone would fetch")
	y.refuses("refs/liza/agents/coder-1", RuleRef, "without files", y.to("refs/liza/agents/coder-1", files))

	// A push of which one part is illegal is refused whole.
	y.add("a")
	refused := y.judged(append(y.all(), Update{"refs/heads/liza", "", main})...)
	require.Len(t, refused, 1)
}

// TestMissingObjects: what a push leaves out of a merge or of a submission is
// missed before a ref stands on it, also where git would not look.
func TestMissingObjects(t *testing.T) {
	t.Parallel()
	y := plain(t)
	main := y.at("refs/heads/main")
	y.add("a", "b")
	folder := func(id board.TaskID, name string) {
		sub := y.feed("100644 blob "+string(y.hash("blob", name))+"\t"+name+"\n", "mktree")
		tree := y.feed(gittest.Git(t, y.clone, "ls-tree", string(main))+"\n040000 tree "+sub+"\tsub\n", "mktree")
		gittest.Git(t, y.clone, "update-ref", "refs/heads/"+id.Branch(), string(y.commitTree(tree, "work", y.at("refs/heads/"+id.Branch()))))
	}
	without := func(object string, refused func()) {
		path := filepath.Join(y.clone, ".git/objects", object[:2], object[2:])
		require.NoError(t, os.Rename(path, path+".away"))
		refused()
		require.NoError(t, os.Rename(path+".away", path))
	}
	y.claim("a")
	y.land(y.all()...)
	amid := y.work("a", "amid.txt", "one\n")
	folder("a", "a.txt")
	y.submit("a")
	push := y.moves(layout.State, savedA)
	without(gittest.Git(t, y.clone, "rev-parse", string(amid)+"^{tree}"), func() {
		y.refuses(savedA, flow.RuleFact, "objects are missing", push...)
	})
	y.claim("b")
	push = y.moves(layout.State, savedA, "refs/heads/liza/b")
	without(gittest.Git(t, y.clone, "rev-parse", layout.State+"^{tree}"), func() {
		y.refuses(layout.State, flow.RuleFact, "objects are missing", push...)
	})
	folder("b", "b.txt")
	y.submit("b")
	y.approve("a")
	y.approve("b")
	y.merge("a")
	y.land(y.all()...)
	y.merge("b")
	push = y.moves(layout.State)
	y.accepts(push...)
	without(gittest.Git(t, y.clone, "rev-parse", "integration:sub"), func() {
		y.refuses(integrationBranch, flow.RuleFact, "objects are missing", push...)
	})
}
