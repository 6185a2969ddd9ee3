package hooks

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// TestForgedHistory: the state ref takes nothing but what moves make.
func TestForgedHistory(t *testing.T) {
	t.Parallel()
	y := plain(t)
	root := y.there(layout.State)
	y.add("a")
	first := y.at(layout.State)
	y.land(y.all()...)
	y.add("b")
	good := y.at(layout.State)
	tree := gittest.Git(t, y.clone, "rev-parse", string(good)+"^{tree}")
	oldTree := gittest.Git(t, y.clone, "rev-parse", string(first)+"^{tree}")
	twoParents := y.forge(good, "parent "+string(first), "parent "+string(first)+"\nparent "+string(root))
	orphan := y.forge(good, "parent "+string(first)+"\n", "")

	for name, forged := range map[string]struct {
		commit git.ID
		what   string // "" the commit
		rule   flow.Rule
		reason string
	}{
		"rewound":              {root, layout.State, RuleHistory, "only grows"},
		"forked":               {y.forge(good, "parent "+string(first), "parent "+string(root)), layout.State, RuleHistory, "only grows"},
		"rewritten":            {orphan, layout.State, RuleHistory, "only grows"},
		"two parents":          {twoParents, layout.State, RuleHistory, "2 parents"},
		"a branch's commit":    {y.at("refs/heads/main"), layout.State, RuleHistory, "only grows"},
		"a tree":               {git.ID(tree), layout.State, RuleHistory, "no commit"},
		"nothing that exists":  {git.ID(hexes("a", 40)), layout.State, RuleHistory, "no commit"},
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
			y.refuses(what, forged.rule, forged.reason, y.to(layout.State, forged.commit))
		})
	}
	y.refuses(layout.State, RuleHistory, "never deleted", y.to(layout.State, ""))
	y.accepts(y.to(layout.State, good))
}

// TestOneOfSeveralMoves: the first bad move of a chain is named, and nothing
// is said of what follows from it.
func TestOneOfSeveralMoves(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.add("a")
	y.add("b")
	bad := y.forge(y.at(layout.State), "\nadd b by", "\nadd x by")
	tree := gittest.Git(t, y.clone, "rev-parse", string(bad)+"^{tree}")
	next := y.commitTree(tree, "nonsense", bad)
	refused := y.judged(y.to(layout.State, next), y.to("refs/heads/topic", y.at("refs/heads/main")), y.to("refs/liza/inbox/x", next))
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
	tip, server := string(y.at(layout.State)), y.now
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

// TestFuture: no push option dates a move so that every clone would have to
// wait until then.
func TestFuture(t *testing.T) {
	t.Parallel()
	y := plain(t)
	server := y.now
	y.now = server.Add(1000 * time.Hour)
	y.add("a")
	tip := string(y.at(layout.State))
	y.now, y.push.Publish = server, true
	y.refuses(tip, flow.RuleTime, "is in the future", y.all()...)
	y.now = server.Add(2000 * time.Hour)
	y.accepts(y.all()...)

	// Nor does a whole board bring one.
	fresh := newServerFixture(t, "sha1")
	fresh.init()
	fresh.now = fresh.now.Add(-time.Hour)
	fresh.refuses(string(fresh.at(layout.State)), flow.RuleTime, "is in the future", fresh.all()...)
}

// TestCommitter: the one line of a state commit that no move gives is as git
// writes it, also where moves were made elsewhere.
func TestCommitter(t *testing.T) {
	t.Parallel()
	for name, to := range map[string]string{
		"control characters": "\ncommitter Grace\x1b[31m <",
		"NUL":                "\ncommitter Gra\x00ce <",
		"no blank":           "\ncommitter Grace<",
		"carriage return":    "\ncommitter Grace\r <",
		"long":               "\ncommitter " + strings.Repeat("A", 2000) + " <",
		"zone":               "\ncommitter Grace <x@y> 1 +9999999 <",
	} {
		y := plain(t)
		y.add("a")
		forged := y.forge(y.at(layout.State), "\ncommitter Grace <", to)
		gittest.Git(t, y.clone, "update-ref", layout.State, string(forged))
		for _, y.push.Publish = range []bool{false, true} {
			refused := y.judged(y.all()...)
			require.Len(t, refused, 1, name)
			require.Contains(t, []flow.Rule{RuleObject, RuleReplay}, refused[0].Rule, name)
		}
		_, err := y.store.Audit.ReplayMove(context.Background(), forged, false)
		if name == "control characters" || name == "long" {
			require.NoError(t, err, "history is what it is")
		}
	}
	y := plain(t)
	y.add("a")
	gittest.Git(t, y.clone, "update-ref", layout.State, string(y.forge(y.at(layout.State), "\ncommitter Grace <", "\ncommitter Grâce O'Malley, Jr. <")))
	y.accepts(y.all()...)
}

// TestLongLease: a lease that no program would take today is refused where it
// is new, and stays where it is history.
func TestLongLease(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.add("a")
	y.land(y.all()...)
	y.claim("a")
	file := "tasks/0a/a.yaml"
	raw := gittest.Git(t, y.clone, "show", layout.State+":"+file)
	longer := y.now.Add(48 * time.Hour).Format(time.RFC3339)
	long := strings.Replace(raw, "lease_expires: "+y.now.Add(time.Duration(half)).Format(time.RFC3339), "lease_expires: "+longer, 1)
	require.NotEqual(t, raw, long)
	tip := y.forge(y.at(layout.State), "\nlease: 30m\n", "\nlease: 48h\n", "tree "+gittest.Git(t, y.clone, "rev-parse", layout.State+"^{tree}"),
		"tree "+y.treeWith(layout.State, file, long+"\n"))
	r, err := y.judge.Audit.ReplayMove(context.Background(), tip, false)
	require.NoError(t, err)
	require.Equal(t, longer, r.After.Task("a").Claim.Lease.Format(time.RFC3339))
	y.refuses(string(tip), flow.RuleLease, "at most 24h", y.to(layout.State, tip))
	y.push.Publish = true
	y.accepts(y.to(layout.State, tip))
	_, err = Verify(context.Background(), y.store, y.there(layout.State), tip, false)
	require.NoError(t, err)
}

// TestEvilMerge: what is merged is what git makes of the two parents, the
// reviewed commit and the tip.
func TestEvilMerge(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.add("a", "b")
	for _, id := range []board.TaskID{"b", "a"} {
		y.claim(id)
		y.work(id, string(id)+".txt", "one\n")
		y.submit(id)
		y.approve(id)
	}
	y.land(y.all()...)
	before := y.there(layout.State)
	d := y.merging("a")
	evilTree := gittest.Git(t, y.clone, "rev-parse", string(y.commit(string(d.Commit), "evil", "x"))+"^{tree}")
	evil := y.commitTree(evilTree, "Merge a", d.Onto, d.Submission)
	amended := y.commit(branchA, "more", "x")
	unreviewed := y.commitTree(string(d.Tree), "Merge a", d.Onto, amended)
	swapped := y.commitTree(string(d.Tree), "Merge a", d.Submission, d.Onto)
	twofold := y.forge(evil, "\n\n", "\ntree "+string(d.Tree)+"\n\n")
	require.Equal(t, evilTree, gittest.Git(t, y.clone, "rev-parse", string(twofold)+"^{tree}"), "git takes the first tree")
	y.do(flow.Move{Act: board.ActMerge, Task: "a", By: ann, Detail: d})
	good := y.at(layout.State)

	for name, forged := range map[string]struct {
		rule  flow.Rule
		edits []string
		tip   git.ID
	}{
		"an extra change":                 {flow.RuleMerge, []string{field("commit: ", d.Commit), field("commit: ", evil)}, evil},
		"an extra change, recorded":       {flow.RuleMerge, []string{field("commit: ", d.Commit), field("commit: ", evil), field("\ntree: ", d.Tree), field("\ntree: ", git.ID(evilTree))}, evil},
		"an amended commit":               {flow.RuleCommit, []string{field("commit: ", d.Commit), field("commit: ", unreviewed), field("submission: ", d.Submission), field("submission: ", amended)}, unreviewed},
		"an amended commit, not recorded": {flow.RuleMerge, []string{field("commit: ", d.Commit), field("commit: ", unreviewed)}, unreviewed},
		"the parents the other way":       {flow.RuleMerge, []string{field("commit: ", d.Commit), field("commit: ", swapped)}, swapped},
		"a fast-forward":                  {flow.RuleMerge, []string{field("commit: ", d.Commit), field("commit: ", d.Submission)}, d.Submission},
		"another tip":                     {flow.RuleTip, []string{field("onto: ", d.Onto), field("onto: ", d.Submission)}, d.Commit},
		"a commit that is not there":      {flow.RuleFact, []string{field("commit: ", d.Commit), field("commit: ", git.ID(hexes("a", 40)))}, d.Commit},
		"a drift that is not so":          {flow.RuleFact, []string{"\ngit: ", "\ndrift: 7\ngit: "}, d.Commit},
		"the work of another task":        {flow.RuleCommit, []string{field("submission: ", d.Submission), field("submission: ", y.board().Task("b").Submission.Commit)}, d.Commit},
	} {
		t.Run(name, func(t *testing.T) {
			commit := y.forge(good, forged.edits...)
			y.refuses(string(commit), forged.rule, "", y.to(layout.State, commit), y.to(integrationBranch, forged.tip))
		})
	}
	crooked := y.forge(d.Commit, "\nauthor Grace <", "\nauthor Grace<")
	crookedly := y.rewritten(good, string(d.Commit), string(crooked), d.Commit.Short(), crooked.Short())
	y.refuses(string(crookedly), flow.RuleContent, "is not as git writes it", y.to(layout.State, crookedly), y.to(integrationBranch, crooked))
	whole := y.rewritten(good, string(d.Commit), string(twofold), d.Commit.Short(), twofold.Short())
	y.refuses(string(whole), RuleReplay, "names a tree where git does not look", y.to(layout.State, whole), y.to(integrationBranch, twofold))
	y.land(y.to(layout.State, good), y.to(integrationBranch, d.Commit), y.to(branchA, ""))
	require.NotEqual(t, before, y.there(layout.State))

	// The tip has moved on: the next merge builds on it, or not at all.
	late := y.merging("b")
	late.Onto = y.at("refs/heads/main")
	m, err := y.store.Commits.Merge(context.Background(), late.Onto, late.Submission, "")
	require.NoError(t, err)
	late.Commit, late.Tree = y.commitTree(string(m.Tree), "Merge b", late.Onto, late.Submission), m.Tree
	right := y.merging("b")
	y.do(flow.Move{Act: board.ActMerge, Task: "b", By: ann, Detail: right})
	good = y.at(layout.State)
	forged := y.forge(good, field("commit: ", right.Commit), field("commit: ", late.Commit), field("onto: ", right.Onto), field("onto: ", late.Onto), field("\ntree: ", right.Tree), field("\ntree: ", late.Tree))
	y.refuses(string(forged), flow.RuleTip, "", y.to(layout.State, forged), y.to(integrationBranch, late.Commit))
}

// TestBounds: many moves come in parts, and a judgement ends.
func TestBounds(t *testing.T) {
	t.Parallel()
	old, tip := git.ID("c0"), git.ID("c5001")
	var lines strings.Builder
	for i := MaxMoves + 1; i > 0; i-- {
		lines.WriteString(row(i) + " " + row(i-1) + "\n")
	}
	_, refused, err := parseChain(lines.String(), Update{layout.State, old, tip})
	require.NoError(t, err)
	require.Equal(t, flow.RuleLimit, refused.Rule)
	require.Contains(t, refused.Hint, "c5000:refs/liza/state")
	list, refused, err := parseChain(strings.TrimPrefix(lines.String(), row(MaxMoves+1)+" "+row(MaxMoves)+"\n"), Update{layout.State, old, "c5000"})
	require.NoError(t, err)
	require.Nil(t, refused)
	require.Len(t, list, MaxMoves)
	require.Equal(t, git.ID("c1"), list[0])

	// A board that a push brings may have more moves, but git lists so many alone.
	lines.Reset()
	for i := maxChain; i > 1; i-- {
		lines.WriteString(row(i) + " " + row(i-1) + "\n")
	}
	whole := lines.String() + row(1) + "\n"
	_, refused, err = parseChain(whole, Update{layout.State, "", git.ID(row(maxChain))})
	require.NoError(t, err)
	require.Equal(t, flow.RuleLimit, refused.Rule)
	_, whole, _ = strings.Cut(whole, "\n")
	list, refused, err = parseChain(whole, Update{layout.State, "", git.ID(row(maxChain - 1))})
	require.NoError(t, err)
	require.Nil(t, refused)
	require.Len(t, list, maxChain-1)

	y := plain(t)
	y.add("a")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err = judgeUpdates(ctx, y.judge, Push{Updates: y.all(), Server: true, Now: y.now})
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
	good, d := y.at(layout.State), y.board().Task("a").Submission
	rest := gittest.Git(t, y.clone, "ls-tree", string(base)) + "\n"
	with := func(mode, kind string, id git.ID) git.ID {
		return y.commitTree(y.feed(rest+mode+" "+kind+" "+string(id)+"\ta.txt\n", "mktree", "--missing"), "work", base)
	}
	for name, forged := range map[string]struct {
		commit git.ID
		rule   flow.Rule
		reason string
	}{
		"a link out of the tree": {with("120000", "blob", y.hash("blob", "../../etc/passwd")), flow.RuleContent, "symbolic link out of the tree"},
		"a link to the hooks":    {with("120000", "blob", y.hash("blob", ".git/hooks/pre-commit")), flow.RuleContent, "symbolic link out of the tree"},
		"a submodule":            {with("160000", "commit", base), flow.RuleContent, "submodule"},
		"a huge file":            {with("100644", "blob", y.hash("blob", strings.Repeat("x", 51<<20))), flow.RuleContent, "at most"},
		"nothing":                {y.commitTree(gittest.Git(t, y.clone, "rev-parse", string(base)+"^{tree}"), "work", base), flow.RuleFact, ""},
		"another history":        {y.commitTree(string(d.Tree), "work"), flow.RuleFact, ""},
		"a file that is missing": {with("100644", "blob", git.ID(hexes("b", 40))), RuleUndecided, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tree := gittest.Git(t, y.clone, "rev-parse", string(forged.commit)+"^{tree}")
			commit := y.forge(good, field("", d.Commit), field("", forged.commit), field("\ntree: ", d.Tree), field("\ntree: ", git.ID(tree)))
			y.refuses(string(commit), forged.rule, forged.reason, y.to(layout.State, commit), Update{savedA, "", forged.commit}, y.to(branchA, forged.commit))
		})
	}
	// The record says one thing and the commit is another.
	other := y.commit(branchA, "b.txt", "two\n")
	lie := y.forge(good, string(d.Commit), string(other))
	y.refuses(string(lie), flow.RuleFact, "", y.to(layout.State, lie), Update{savedA, "", other}, y.to(branchA, other))
	missing := y.forge(good, string(d.Commit), hexes("c", 40))
	y.refuses(string(missing), flow.RuleFact, "does not exist", y.to(layout.State, missing))
	y.accepts(y.all()...)
}

// TestHiddenRevert: work with two merge bases could take back what integration
// gained over the one that it is not compared with.
func TestHiddenRevert(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.add("a", "b", "c")
	for _, id := range []board.TaskID{"a", "b"} {
		y.claim(id)
		y.work(id, string(id)+".txt", "one\n")
		y.submit(id)
		y.approve(id)
	}
	y.merge("b")
	y.claim("c")
	start, other := y.at("refs/heads/liza/c"), y.board().Task("a").Submission.Commit
	y.merge("a")
	y.land(y.all()...)
	lean := y.commit("refs/heads/liza/c", "c.txt", "mine\n")
	crossed := y.commitTree(gittest.Git(t, y.clone, "rev-parse", string(lean)+"^{tree}"), "work", start, other)
	y.do(flow.Move{Act: board.ActIntent, Task: "c", By: coder, Detail: &flow.IntentMove{Intent: board.Intent{Summary: "do", Validation: "look", Tip: y.board().Task("c").Attempt.Start}}})
	facts, err := y.store.Commits.Facts(context.Background(), flow.Query{Submission: crossed, Tip: y.board().Settings().Integration.Tip})
	require.NoError(t, err)
	d := &flow.SubmitMove{Commit: crossed, Tree: facts.Tree, Base: facts.Base, Save: 1}
	for _, c := range facts.Changes {
		d.Paths = append(d.Paths, c.Path)
	}
	_, err = y.store.Do(context.Background(), func(*board.Board, time.Time) (flow.Move, []git.RefUpdate, error) {
		return flow.Move{Act: board.ActSubmit, Task: "c", By: coder, Detail: d}, nil, nil
	})
	var refused *flow.Refusal
	require.ErrorAs(t, err, &refused, "it shows %v", d.Paths)
	require.Equal(t, flow.RuleAncestry, refused.Rule)
	require.Contains(t, refused.Reason, "2 merge bases")
}

// TestStackedRevert: work that holds another task's commits, but not their
// content, takes them back once they are in; then it is reviewed again.
func TestStackedRevert(t *testing.T) {
	t.Parallel()
	for name, other := range map[string]bool{"one base": false, "two bases": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := plain(t)
			y.add("a", "b", "c")
			y.claim("a")
			stacked := y.work("a", "a.txt", "one\n")
			y.submit("a")
			if other { // which the commit that b takes over does not have
				y.claim("c")
				y.work("c", "c.txt", "one\n")
				y.submit("c")
				y.approve("c")
				y.merge("c")
			}
			y.claim("b")
			start := y.at("refs/heads/liza/b")
			lean := y.commit("refs/heads/liza/b", "b.txt", "mine\n")
			gittest.Git(t, y.clone, "update-ref", "refs/heads/liza/b", string(y.commitTree(gittest.Git(t, y.clone, "rev-parse", string(lean)+"^{tree}"), "work", start, stacked)))
			y.submit("b")
			y.approve("a")
			y.approve("b")
			y.merge("a")
			y.land(y.all()...)
			_, err := y.store.Do(context.Background(), func(*board.Board, time.Time) (flow.Move, []git.RefUpdate, error) {
				return flow.Move{Act: board.ActMerge, Task: "b", By: ann, Detail: y.merging("b")}, nil, nil
			})
			var refused *flow.Refusal
			require.ErrorAs(t, err, &refused)
			require.Equal(t, flow.RuleMerge, refused.Rule)
			require.Contains(t, refused.Reason, "was reviewed against")
			if !other {
				return
			}
			onto, submission := y.at(integrationBranch), y.board().Task("b").Submission.Commit
			bases := strings.Fields(gittest.Git(t, y.clone, "merge-base", "--all", string(onto), string(submission)))
			require.Len(t, bases, 2)
			for _, base := range bases { // whichever git lists first
				crossed, err := y.store.Commits.Crossed(context.Background(), onto, submission, git.ID(base))
				require.NoError(t, err)
				require.True(t, crossed, base)
			}
		})
	}
}

// TestBombs: what is too large or too clever is refused before it is decoded.
func TestBombs(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.add("a")
	good := y.at(layout.State)
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
			refused := y.judged(y.to(layout.State, forged))
			require.Len(t, refused, 1)
			require.Equal(t, string(forged), refused[0].What)
			require.Contains(t, []flow.Rule{RuleReplay, flow.RuleText, flow.RuleForm}, refused[0].Rule)
		})
	}
}
