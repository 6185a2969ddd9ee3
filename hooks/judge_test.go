package hooks

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
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
			y := newYard(t, format)
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
func (y *yard) empty() string {
	y.server = y.t.TempDir()
	git(y.t, y.server, "init", "-q", "--bare", "--object-format="+git(y.t, y.clone, "rev-parse", "--show-object-format"))
	write(y.t, y.server, "objects/info/alternates", y.clone+"/.git/objects\n")
	return y.server
}

// TestForgedHistory: the state ref takes nothing but what moves make.
func TestForgedHistory(t *testing.T) {
	t.Parallel()
	y := plain(t)
	root := y.there(gitstore.StateRef)
	y.add("a")
	first := y.at(gitstore.StateRef)
	y.land(y.all()...)
	y.add("b")
	good := y.at(gitstore.StateRef)
	tree := git(t, y.clone, "rev-parse", string(good)+"^{tree}")
	oldTree := git(t, y.clone, "rev-parse", string(first)+"^{tree}")
	twoParents := y.forge(good, "parent "+string(first), "parent "+string(first)+"\nparent "+string(root))
	orphan := y.forge(good, "parent "+string(first)+"\n", "")

	for name, forged := range map[string]struct {
		commit gitstore.ID
		what   string // "" the commit
		rule   flow.Rule
		reason string
	}{
		"rewound":              {root, gitstore.StateRef, RuleHistory, "only grows"},
		"forked":               {y.forge(good, "parent "+string(first), "parent "+string(root)), gitstore.StateRef, RuleHistory, "only grows"},
		"rewritten":            {orphan, gitstore.StateRef, RuleHistory, "only grows"},
		"two parents":          {twoParents, gitstore.StateRef, RuleHistory, "2 parents"},
		"a branch's commit":    {y.at("refs/heads/main"), gitstore.StateRef, RuleHistory, "only grows"},
		"a tree":               {gitstore.ID(tree), gitstore.StateRef, RuleHistory, "no commit"},
		"nothing that exists":  {gitstore.ID(hexes("a", 40)), gitstore.StateRef, RuleHistory, "no commit"},
		"hand-edited tree":     {y.forge(good, "tree "+tree, "tree "+oldTree), "", RuleReplay, "its tree is not"},
		"lying subject":        {y.forge(good, "\nadd b by human:ann\n", "\nadd c by human:ann\n"), "", RuleReplay, "renders to"},
		"lying author":         {y.forge(good, "author ann <ann@", "author eve <eve@"), "", RuleReplay, "renders to"},
		"another header":       {y.forge(good, "\ncommitter ", "\nencoding latin1\ncommitter "), "", RuleReplay, "renders to"},
		"a word at its end":    {y.forge(good, "scope: small\n", "scope: small\n# and more\n"), "", RuleReplay, "renders to"},
		"unknown act":          {y.forge(good, "\nact: add\n", "\nact: conquer\n"), "", RuleReplay, "act"},
		"understated effect":   {y.forge(good, "id: b\n", "id: c\n"), "", RuleReplay, "tree"},
		"an id that is a path": {y.forge(good, "id: b\n", "id: ../../x\n"), "", RuleReplay, "not an id"},
		"an id as an option":   {y.forge(good, "id: b\n", "id: -x\n"), "", RuleReplay, "not an id"},
		"an id as a ref trick": {y.forge(good, "id: b\n", "id: \"a..b\"\n"), "", RuleReplay, "not an id"},
		"an id that is there":  {y.forge(good, "id: b\n", "id: A\n"), "", flow.RuleExists, "a"},
		"no move at all":       {y.forge(good, "\n\nact: add\n", "\nact: add\n"), "", RuleReplay, "no move"},
		"aliases":              {y.forge(good, "scope: small\n", "scope: &a small\n    title: *a\n"), "", RuleReplay, ""},
		"duplicate keys":       {y.forge(good, "\nact: add\n", "\nact: add\nact: add\n"), "", RuleReplay, ""},
		"a coder adds tasks":   {y.forge(good, `by: "human:ann"`, "by: coder-1"), "", flow.RuleRole, "coder-1"},
	} {
		t.Run(name, func(t *testing.T) {
			what := forged.what
			if what == "" {
				what = string(forged.commit)
			}
			y.refuses(what, forged.rule, forged.reason, y.to(gitstore.StateRef, forged.commit))
		})
	}
	y.refuses(gitstore.StateRef, RuleHistory, "never deleted", y.to(gitstore.StateRef, ""))
	y.accepts(y.to(gitstore.StateRef, good))
}

// TestOneOfSeveralMoves: the first bad move of a chain is named, and nothing
// is said of what follows from it.
func TestOneOfSeveralMoves(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.add("a")
	y.add("b")
	bad := y.forge(y.at(gitstore.StateRef), "\nadd b by", "\nadd x by")
	tree := git(t, y.clone, "rev-parse", string(bad)+"^{tree}")
	next := y.commitTree(tree, "nonsense", bad)
	refused := y.judged(y.to(gitstore.StateRef, next), y.to("refs/heads/topic", y.at("refs/heads/main")), y.to("refs/liza/inbox/x", next))
	require.Len(t, refused, 2)
	require.Equal(t, string(bad), refused[0].What)
	require.Equal(t, "refs/liza/inbox/x", refused[1].What)
}

// TestClock: a lease is not taken early by a false time, nor far ahead, and
// only a push that makes the board is not held against the clock.
func TestClock(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.add("a")
	tip, server := string(y.at(gitstore.StateRef)), y.now
	for offset, ok := range map[time.Duration]bool{
		0: true, Past: true, Past + time.Second: false, -Future: true, -Future - time.Second: false, 240 * time.Hour: false, -240 * time.Hour: false,
	} {
		y.now = server.Add(offset)
		if ok {
			y.accepts(y.all()...)
			continue
		}
		y.refuses(tip, flow.RuleTime, "the server's clock says", y.all()...)
	}
}

// TestLies: a server goes by its own refs, not by what a push says of them.
func TestLies(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.add("a")
	y.claim("a")
	y.land(y.moves(gitstore.StateRef)...)
	old := y.there(integrationBranch)
	evil := y.commit("refs/heads/main", "evil", "x")
	y.refuses(integrationBranch, RuleMoved, "", Update{integrationBranch, evil, old})
	y.refuses(gitstore.StateRef, RuleMoved, "", Update{gitstore.StateRef, "", y.at(gitstore.StateRef)})
	y.refuses(branchA, RuleMoved, "", Update{branchA, evil, old})
	y.accepts(Update{"refs/heads/topic", evil, old})
}

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
	git(t, y.server, "symbolic-ref", "refs/heads/release", integrationBranch)
	y.refuses(integrationBranch, flow.RuleTip, "", Update{"refs/heads/release", tip, evil})
	y.refuses(integrationBranch, RuleRef, "twice", Update{"refs/heads/release", tip, tip}, Update{integrationBranch, tip, evil})
	y.accepts(Update{"refs/heads/release", tip, tip}, Update{integrationBranch, tip, tip})
	git(t, y.server, "symbolic-ref", "--delete", "refs/heads/release")

	y.add("a")
	y.claim("a")
	y.work("a", "a.txt", "one\n")
	y.submit("a")
	y.approve("a")
	y.land(y.all()...)
	y.merge("a")
	merged := y.at(integrationBranch)
	y.refuses(integrationBranch, flow.RuleTip, "", y.to(integrationBranch, merged)) // without its move
	y.refuses(integrationBranch, flow.RuleTip, "", append(y.moves(gitstore.StateRef), y.to(integrationBranch, evil))...)

	// Its move alone may come: who receives it rolls the branch forward.
	y.accepts(y.moves(gitstore.StateRef)...)
	git(t, y.server, "update-ref", integrationBranch, string(evil))
	y.refuses(integrationBranch, flow.RuleTip, "here it is at", y.moves(gitstore.StateRef)...)
	git(t, y.server, "update-ref", integrationBranch, string(tip))
	y.land(y.all()...)
	y.refuses(integrationBranch, flow.RuleTip, "", y.to(integrationBranch, tip)) // back again
}

// TestEvilMerge: what is merged is what git makes of the two parents, the
// reviewed commit and the tip.
func TestEvilMerge(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.add("a", "b")
	for _, id := range []flow.TaskID{"b", "a"} {
		y.claim(id)
		y.work(id, string(id)+".txt", "one\n")
		y.submit(id)
		y.approve(id)
	}
	y.land(y.all()...)
	before := y.there(gitstore.StateRef)
	d := y.merging("a")
	evilTree := git(t, y.clone, "rev-parse", string(y.commit(string(d.Commit), "evil", "x"))+"^{tree}")
	evil := y.commitTree(evilTree, "Merge a", d.Onto, d.Submission)
	amended := y.commit(branchA, "more", "x")
	unreviewed := y.commitTree(string(d.Tree), "Merge a", d.Onto, amended)
	swapped := y.commitTree(string(d.Tree), "Merge a", d.Submission, d.Onto)
	y.do(flow.Move{Act: flow.ActMerge, Task: "a", By: ann, Detail: d})
	good := y.at(gitstore.StateRef)

	for name, forged := range map[string]struct {
		rule  flow.Rule
		edits []string
		tip   gitstore.ID
	}{
		"an extra change":                 {flow.RuleMerge, []string{"commit: " + string(d.Commit), "commit: " + string(evil)}, evil},
		"an extra change, recorded":       {flow.RuleMerge, []string{"commit: " + string(d.Commit), "commit: " + string(evil), "\ntree: " + string(d.Tree), "\ntree: " + evilTree}, evil},
		"an amended commit":               {flow.RuleCommit, []string{"commit: " + string(d.Commit), "commit: " + string(unreviewed), "submission: " + string(d.Submission), "submission: " + string(amended)}, unreviewed},
		"an amended commit, not recorded": {flow.RuleMerge, []string{"commit: " + string(d.Commit), "commit: " + string(unreviewed)}, unreviewed},
		"the parents the other way":       {flow.RuleMerge, []string{"commit: " + string(d.Commit), "commit: " + string(swapped)}, swapped},
		"a fast-forward":                  {flow.RuleMerge, []string{"commit: " + string(d.Commit), "commit: " + string(d.Submission)}, d.Submission},
		"another tip":                     {flow.RuleTip, []string{"onto: " + string(d.Onto), "onto: " + string(d.Submission)}, d.Commit},
		"a commit that is not there":      {flow.RuleFact, []string{"commit: " + string(d.Commit), "commit: " + hexes("a", 40)}, d.Commit},
		"a drift that is not so":          {flow.RuleFact, []string{"\ngit: ", "\ndrift: 7\ngit: "}, d.Commit},
		"the work of another task":        {flow.RuleCommit, []string{"submission: " + string(d.Submission), "submission: " + string(y.board().Task("b").Submission.Commit)}, d.Commit},
	} {
		t.Run(name, func(t *testing.T) {
			commit := y.forge(good, forged.edits...)
			y.refuses(string(commit), forged.rule, "", y.to(gitstore.StateRef, commit), y.to(integrationBranch, forged.tip))
		})
	}
	y.land(y.to(gitstore.StateRef, good), y.to(integrationBranch, d.Commit), y.to(branchA, ""))
	require.NotEqual(t, before, y.there(gitstore.StateRef))

	// The tip has moved on: the next merge builds on it, or not at all.
	late := y.merging("b")
	late.Onto = y.at("refs/heads/main")
	m, err := y.store.Merge(context.Background(), late.Onto, late.Submission)
	require.NoError(t, err)
	late.Commit, late.Tree = y.commitTree(string(m.Tree), "Merge b", late.Onto, late.Submission), m.Tree
	right := y.merging("b")
	y.do(flow.Move{Act: flow.ActMerge, Task: "b", By: ann, Detail: right})
	good = y.at(gitstore.StateRef)
	forged := y.forge(good, "commit: "+string(right.Commit), "commit: "+string(late.Commit), "onto: "+string(right.Onto), "onto: "+string(late.Onto), "\ntree: "+string(right.Tree), "\ntree: "+string(late.Tree))
	y.refuses(string(forged), flow.RuleTip, "", y.to(gitstore.StateRef, forged), y.to(integrationBranch, late.Commit))
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
	y.refuses(branchA, RuleBranch, "submitted and nowhere else", append(y.moves(gitstore.StateRef, savedA), y.to(branchA, later))...)
	y.land(y.all()...)
	y.refuses(branchA, RuleBranch, "submitted and nowhere else", y.to(branchA, later))
	y.refuses(branchA, RuleBranch, "not over", y.to(branchA, ""))
	y.approve("a")
	y.land(y.all()...)
	y.refuses(branchA, RuleBranch, "", y.to(branchA, later))
	y.merge("a")
	y.refuses(branchA, flow.RuleFinal, "is gone", append(y.moves(gitstore.StateRef, integrationBranch), y.to(branchA, later))...)
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
	y.refuses("refs/liza/marks/mine", RuleRef, "no move", Update{"refs/liza/marks/mine", "", y.at(gitstore.StateRef)})
	mark := "refs/liza/marks/sprint-1"
	y.refuses(mark, RuleRef, "never moved", y.to(mark, y.there(gitstore.StateRef)))
	y.refuses(mark, RuleRef, "never moved or deleted", y.to(mark, ""))
	y.submit("a")
	y.refuses(savedA, RuleRef, "does not bring it", y.moves(gitstore.StateRef)...)
	y.refuses(savedA, RuleRef, "the push puts it at", append(y.moves(gitstore.StateRef), Update{savedA, "", main})...)
	y.refuses("refs/liza/saved/a/2", RuleRef, "no move", append(y.moves(gitstore.StateRef, savedA), Update{"refs/liza/saved/a/2", "", main})...)
	y.land(y.all()...)
	y.refuses(savedA, RuleRef, "never moved", y.to(savedA, ""))
	y.do(flow.Move{Act: flow.ActCheckpoint, By: ann, Detail: &flow.CheckpointMove{Reason: "look"}})
	y.refuses("refs/liza/marks/checkpoint-1", RuleRef, "does not bring it", y.moves(gitstore.StateRef)...)
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
		"refs/Liza/state": RuleRef, "refs/replace/" + hexes("a", 40): RuleReplace, "refs/liza/agents/root": flow.RulePrincipal,
		"refs/liza/agents/coder-1": RuleRef, "refs/liza/sessions/x/y": flow.RulePrincipal,
	} {
		y.refuses(name, rule, "", Update{name, "", y.commit("refs/heads/main", "x", "y")})
	}
	y.accepts(Update{"refs/heads/topic", "", main}, Update{"refs/tags/v1", "", main}, Update{"refs/notes/commits", "", main}, Update{"refs/heads/Integration", "", main})
	git(t, y.server, "config", "core.ignoreCase", "true")
	y.judge = y.open(y.server)
	y.refuses("refs/heads/Integration", RuleRef, "", Update{"refs/heads/Integration", "", main})

	tree := git(t, y.clone, "rev-parse", string(main)+"^{tree}")
	alive, again := y.commitTree(tree, "alive"), y.commitTree(tree, "still alive")
	y.land(Update{"refs/liza/agents/coder-1", "", alive})
	y.land(y.to("refs/liza/agents/coder-1", again))
	y.accepts(y.to("refs/liza/agents/coder-1", ""))
	y.refuses("refs/liza/agents/coder-1", RuleRef, "at most", y.to("refs/liza/agents/coder-1", y.commitTree(tree, strings.Repeat("x", maxPresence))))
	y.refuses("refs/liza/agents/coder-1", RuleRef, "no parents", y.to("refs/liza/agents/coder-1", y.commitTree(tree, "again", alive)))
	y.refuses("refs/liza/agents/coder-1", RuleRef, "a commit", y.to("refs/liza/agents/coder-1", gitstore.ID(tree)))
	more := y.commitTree(tree, "more", alive)
	y.land(Update{"refs/liza/sessions/coder-1/s1", "", alive})
	y.refuses("refs/liza/sessions/coder-1/s2", RuleRef, "a commit", Update{"refs/liza/sessions/coder-1/s2", "", gitstore.ID(tree)})
	y.refuses("refs/liza/sessions/coder-1/s1", RuleRef, "only grows", y.to("refs/liza/sessions/coder-1/s1", again))
	y.land(y.to("refs/liza/sessions/coder-1/s1", more))

	// A push of which one part is illegal is refused whole.
	y.add("a")
	refused := y.judged(append(y.all(), Update{"refs/heads/liza", "", main})...)
	require.Len(t, refused, 1)
}

// TestWithoutABoard: a server without a board is an ordinary one, except that
// only a whole board brings refs of ours.
func TestWithoutABoard(t *testing.T) {
	t.Parallel()
	y := newYard(t, "sha1")
	main := y.at("refs/heads/main")
	y.accepts(Update{"refs/heads/integration", "", main}, Update{"refs/heads/main", main, ""}, Update{"refs/replace/" + hexes("a", 40), "", main})
	y.refuses("refs/liza/marks/x", flow.RuleNotFound, "no blackboard", Update{"refs/liza/marks/x", "", main})
	y.refuses("refs/Liza", flow.RuleNotFound, "no blackboard", Update{"refs/Liza", "", main})
	y.accepts(Update{"refs/heads/liza/a", "", main}, Update{"refs/heads/liza", "", main})
	y.init()
	y.refuses("refs/liza/marks/sprint-1", RuleRef, "does not bring it", y.moves(gitstore.StateRef, integrationBranch)...)
	y.refuses(integrationBranch, flow.RuleTip, "does not bring it", y.moves(gitstore.StateRef, "refs/liza/marks/sprint-1")...)
	y.refuses(string(main), RuleReplay, "", Update{gitstore.StateRef, "", main})

	// What is on the server's branch is not thrown away.
	other := y.commit("refs/heads/main", "theirs", "x")
	git(t, y.server, "update-ref", integrationBranch, string(other))
	y.refuses(integrationBranch, flow.RuleTip, "does not contain", y.all()...)
	git(t, y.server, "update-ref", integrationBranch, string(main))
	y.accepts(y.all()...)

	// What was in the way of the board before it came can go.
	git(t, y.server, "update-ref", "refs/heads/liza", string(main))
	y.land(y.moves(gitstore.StateRef, integrationBranch, "refs/liza/marks/sprint-1")...)
	y.refuses("refs/heads/liza", RuleRef, "", y.to("refs/heads/liza", other))
	y.accepts(y.to("refs/heads/liza", ""))
}

// TestBounds: many moves come in parts, and a judgement ends.
func TestBounds(t *testing.T) {
	t.Parallel()
	old, tip := gitstore.ID("c0"), gitstore.ID("c5001")
	var lines strings.Builder
	for i := MaxMoves + 1; i > 0; i-- {
		lines.WriteString(row(i) + " " + row(i-1) + "\n")
	}
	_, refused, err := linear(lines.String(), Update{gitstore.StateRef, old, tip})
	require.NoError(t, err)
	require.Equal(t, flow.RuleLimit, refused.Rule)
	require.Contains(t, refused.Hint, "c5000:refs/liza/state")
	list, refused, err := linear(strings.TrimPrefix(lines.String(), row(MaxMoves+1)+" "+row(MaxMoves)+"\n"), Update{gitstore.StateRef, old, "c5000"})
	require.NoError(t, err)
	require.Nil(t, refused)
	require.Len(t, list, MaxMoves)
	require.Equal(t, gitstore.ID("c1"), list[0])

	y := plain(t)
	y.add("a")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err = Judge(ctx, y.judge, Push{Updates: y.all(), Server: true, Now: y.now})
	require.ErrorContains(t, err, string(RuleTime))
}

func row(i int) string { return "c" + strconv.Itoa(i) }

// TestSubmissionContent: a submission is held against the commit that it
// names, and what reaches out of the tree or swells it is refused unread.
func TestSubmissionContent(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.add("a")
	y.claim("a")
	base := y.at(branchA)
	y.work("a", "a.txt", "one\n")
	y.land(y.all()...)
	y.submit("a")
	good, d := y.at(gitstore.StateRef), y.board().Task("a").Submission
	rest := git(t, y.clone, "ls-tree", string(base)) + "\n"
	with := func(mode, kind string, id gitstore.ID) gitstore.ID {
		return y.commitTree(y.feed(rest+mode+" "+kind+" "+string(id)+"\ta.txt\n", "mktree", "--missing"), "work", base)
	}
	for name, forged := range map[string]struct {
		commit gitstore.ID
		rule   flow.Rule
		reason string
	}{
		"a link out of the tree": {with("120000", "blob", y.hash("blob", "../../etc/passwd")), flow.RuleContent, "symbolic link out of the tree"},
		"a link to the hooks":    {with("120000", "blob", y.hash("blob", ".git/hooks/pre-commit")), flow.RuleContent, "symbolic link out of the tree"},
		"a submodule":            {with("160000", "commit", base), flow.RuleContent, "submodule"},
		"a huge file":            {with("100644", "blob", y.hash("blob", strings.Repeat("x", 51<<20))), flow.RuleContent, "at most"},
		"nothing":                {y.commitTree(git(t, y.clone, "rev-parse", string(base)+"^{tree}"), "work", base), flow.RuleFact, ""},
		"another history":        {y.commitTree(string(d.Tree), "work"), flow.RuleFact, ""},
		"a file that is missing": {with("100644", "blob", gitstore.ID(hexes("b", 40))), RuleUndecided, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tree := git(t, y.clone, "rev-parse", string(forged.commit)+"^{tree}")
			commit := y.forge(good, string(d.Commit), string(forged.commit), "\ntree: "+string(d.Tree), "\ntree: "+tree)
			y.refuses(string(commit), forged.rule, forged.reason, y.to(gitstore.StateRef, commit), Update{savedA, "", forged.commit}, y.to(branchA, forged.commit))
		})
	}
	// The record says one thing and the commit is another.
	other := y.commit(branchA, "b.txt", "two\n")
	lie := y.forge(good, string(d.Commit), string(other))
	y.refuses(string(lie), flow.RuleFact, "", y.to(gitstore.StateRef, lie), Update{savedA, "", other}, y.to(branchA, other))
	missing := y.forge(good, string(d.Commit), hexes("c", 40))
	y.refuses(string(missing), flow.RuleFact, "does not exist", y.to(gitstore.StateRef, missing))
	y.accepts(y.all()...)
}

// TestBombs: what is too large or too clever is refused before it is decoded.
func TestBombs(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.add("a")
	good := y.at(gitstore.StateRef)
	aliases := "scope: small\n    a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		last := string(c - 1)
		aliases += "    " + string(c) + ": &" + string(c) + " [*" + strings.Repeat(last+",*", 8) + last + "]\n"
	}
	for name, text := range map[string]string{
		"a long text":    "scope: " + strings.Repeat("x", 5<<20) + "\n",
		"aliases":        aliases,
		"brackets":       "scope: " + strings.Repeat("[", 1<<20) + "\n",
		"a long line":    "scope: " + strings.Repeat("a,", 1<<20) + "\n",
		"many fields":    strings.Repeat("scope: small\n    ", 1<<16) + "scope: small\n",
		"control":        "scope: \"a\\u0007\"\n",
		"a raw control":  "scope: a\x07\n",
		"two documents":  "scope: small\n---\nact: add\n",
		"a tag":          "scope: !!binary c21hbGw=\n",
		"another type":   "scope: {a: b}\n",
		"a broken UTF-8": "scope: \xff\xfe\n",
	} {
		t.Run(name, func(t *testing.T) {
			forged := y.forge(good, "scope: small\n", text)
			refused := y.judged(y.to(gitstore.StateRef, forged))
			require.Len(t, refused, 1)
			require.Equal(t, string(forged), refused[0].What)
			require.Contains(t, []flow.Rule{RuleReplay, flow.RuleText, flow.RuleForm}, refused[0].Rule)
		})
	}
}

// TestUnreadable: a board that cannot be read refuses what would hang on it.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.add("a")
	y.claim("a")
	y.land(y.all()...)
	main, sound := y.at("refs/heads/main"), string(y.there(gitstore.StateRef))
	spoil := func(path, content string) {
		blob := y.hash("blob", content)
		y.environ = []string{"GIT_INDEX_FILE=" + t.TempDir() + "/index"}
		y.feed("", "read-tree", sound)
		y.feed("", "update-index", "--add", "--cacheinfo", "100644,"+string(blob)+","+path)
		tree := y.feed("", "write-tree")
		y.environ = nil
		git(t, y.server, "update-ref", gitstore.StateRef, string(y.commitTree(tree, "spoilt", gitstore.ID(sound))))
		y.judge = y.open(y.server)
	}
	spoil("tasks/0a/a.yaml", "id: [\n")
	y.refuses("push", RuleUndecided, "a.yaml", y.to(branchA, ""))
	y.accepts(Update{"refs/heads/topic", "", main})
	spoil("liza.yaml", "rules: [\n")
	y.refuses("push", RuleUndecided, "liza.yaml", Update{"refs/heads/topic", "", main})
	y.refuses("push", RuleUndecided, "liza.yaml", y.to(gitstore.StateRef, gitstore.ID(sound)))
	y.accepts(Update{"refs/tags/v1", "", main})
	spoil("liza.yaml", "rules: 2\n")
	y.refuses("push", flow.RuleVersion, "rules version 2", Update{"refs/heads/topic", "", main})
}
