package flow

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// TestBestSkips: what is left to others changes nothing of the order of the rest.
func TestBestSkips(t *testing.T) {
	t.Parallel()
	s := staged(t, `human:ann add first priority=1 | human:ann add mine | coder-1 claim mine | coder-1 intent mine | coder-1 submit mine c-mine
		code-reviewer-1 review mine | code-reviewer-1 reject mine | human:ann add barred | coder-1 claim barred | coder-1 intent barred
		coder-1 submit barred c-barred | code-reviewer-1 review barred | code-reviewer-1 approve barred | coder-1 integration_fail barred`)
	best := func(skipped ...board.TaskID) (board.TaskID, *Refusal) {
		return Best(s.board, board.ActClaim, Caller{By: "coder-1"}, s.now, func(t board.Summary) bool {
			for _, id := range skipped {
				if t.ID == id {
					return true
				}
			}
			return false
		})
	}
	for _, want := range []struct {
		id   board.TaskID
		skip []board.TaskID
	}{
		{"barred", nil},
		{"mine", []board.TaskID{"barred"}},
		{"first", []board.TaskID{"barred", "mine"}},
	} {
		id, r := best(want.skip...)
		require.Nil(t, r)
		require.Equal(t, want.id, id)
	}
	_, r := best("barred", "mine", "first")
	require.Equal(t, RuleNothing, r.Rule)
	require.Equal(t, "all tasks that can be taken are left to others", r.Reason)
}

// TestNextIsWhenTheRulesChangeTheirMind: a task that is kept is refused until the
// time that Next says, and free then.
func TestNextIsWhenTheRulesChangeTheirMind(t *testing.T) {
	t.Parallel()
	const submitted = "human:ann add a | coder-1 register coder-1 | coder-1 claim a | coder-1 intent a | coder-1 submit a c-a | code-reviewer-1 review a"
	for _, c := range []struct {
		steps string
		act   board.Act
		by    board.Actor
		rule  Rule
	}{
		{"human:ann add a | coder-1 claim a", board.ActClaim, "coder-2", RuleLease},
		{submitted, board.ActReview, "code-reviewer-2", RuleLease},
		{submitted + " | code-reviewer-1 approve a | code-reviewer-1 integration_fail a", board.ActClaim, "coder-2", RuleReserved},
	} {
		s := staged(t, c.steps)
		next := s.board.Next(c.by.Role(), s.now)
		require.True(t, next.After(s.now), c.steps)
		r := Opens(s.board, c.act, "a", Caller{By: c.by}, next.Add(-time.Second))
		require.NotNil(t, r, c.steps)
		require.Equal(t, c.rule, r.Rule)
		require.Nil(t, Opens(s.board, c.act, "a", Caller{By: c.by}, next), c.steps)
		require.Zero(t, s.board.Next(c.by.Role(), next))
	}
	s := staged(t, submitted+" | code-reviewer-1 reject a")
	require.Equal(t, s.now.Add(time.Duration(board.DefaultConfig().Lease)), s.board.Next(board.Coder, s.now), "left to its coder")
	require.Zero(t, s.board.Next(board.CodeReviewer, s.now))
	how, by, until := s.board.Holder(s.board.Task("a").Summary())
	require.Equal(t, board.Left, how)
	require.Equal(t, board.Actor("coder-1"), by)
	require.Equal(t, s.board.Next(board.Coder, s.now), until)
}

// TestWritable: a commit is refused for what its submission would be refused for.
func TestWritable(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a owns=src/** | coder-1 claim a | coder-1 intent a extend=lib/*")
	task := s.board.Task("a")
	try := func(path string) *Refusal {
		return Writable(s.board, task, board.Coder, []string{"src/a.go", path}, nil)
	}
	require.Nil(t, try("src/b.go"))
	require.Nil(t, try("lib/b.go"))
	r := try("other.go")
	require.Equal(t, RuleScope, r.Rule)
	require.Equal(t, "a changes other.go, which it neither owns nor has declared", r.Reason)
	require.Contains(t, try("oth\ner.go").Reason, `"oth\ner.go"`)

	free := *task
	free.Owns = nil
	r = Writable(s.board, &free, board.Coder, []string{vision}, func(path string) string { return "git restore --staged -- " + path })
	require.Equal(t, RuleRolePaths, r.Rule)
	require.Equal(t, "git restore --staged -- "+vision, r.Hint)
	free.Intent = nil
	require.Nil(t, Writable(s.board, &free, board.Coder, []string{"other.go"}, nil))
}

// What a task in work owns is changed by no other: from the intent to the merge, which a person
// may make all the same.
func TestExtendedPaths(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a owns=src/** | human:ann add b owns=lib/b* | human:ann add c owns=lib/c* | coder-1 claim a")
	extend := s.by("coder-1", board.ActIntent, "a", &IntentMove{Intent: board.Intent{Tip: object("tip"), Extend: []string{"lib/b.go"}}})
	require.Nil(t, Admissible(s.board, extend, nil))
	require.Empty(t, s.step("coder-1 intent a extend=lib/b.go", new(record)))
	submit := s.by("coder-1", board.ActSubmit, "a", &SubmitMove{Paths: paths{"src/a.go", "lib/b.go"}})
	require.Nil(t, Admissible(s.board, submit, nil))
	require.Empty(t, s.step("coder-2 claim b", new(record)))
	for _, m := range []Move{extend, submit} {
		r := Admissible(s.board, m, nil)
		require.Equal(t, RuleOwnership, r.Rule)
		require.Equal(t, "b owns lib/b* and is CLAIMED: a leaves lib/b.go alone until then", r.Reason)
	}
	require.Empty(t, s.step("coder-3 claim c", new(record)))
	shared := s.by("coder-3", board.ActIntent, "c", &IntentMove{Intent: board.Intent{Tip: object("tip"), Extend: []string{"go.sum"}}})
	require.Nil(t, Admissible(s.board, shared, nil))
	require.Empty(t, s.step("coder-3 intent c extend=go.sum", new(record)))
	require.Empty(t, s.step("coder-2 intent b extend=go.sum", new(record)))
	require.Nil(t, Admissible(s.board, shared, nil), "both may declare what neither owns")

	for _, step := range []string{"coder-1 submit a c1 paths=src/a.go,src/a_test.go,lib/b.go", "code-reviewer-1 review a", "code-reviewer-1 approve a"} {
		require.Empty(t, s.step(step, new(record)), "replay: %s", step)
	}
	merge := s.by("coder-1", board.ActMerge, "a", &MergeMove{})
	require.Equal(t, RuleOwnership, Admissible(s.board, merge, nil).Rule)
	require.Equal(t, RuleOwnership, Opens(s.board, board.ActMerge, "a", Caller{By: "coder-1"}, s.now).Rule)
	require.Nil(t, Opens(s.board, board.ActMerge, "a", Caller{By: "human:ann"}, s.now))
	brings := &Facts{Brought: []PathChange{{Path: "lib/b.go", Commit: object("c1")}}}
	require.Equal(t, RuleOwnership, Admissible(s.board, merge, brings).Rule)
	require.Nil(t, Admissible(s.board, s.by("human:ann", board.ActMerge, "a", &MergeMove{}), brings), "a person merges it all the same")
	require.Nil(t, Barred(s.board, "a"), "it waits, and nobody has to reject it")
	require.Empty(t, s.step("coder-2 release b", new(record)))
	require.Nil(t, Admissible(s.board, merge, nil))
}

// The hint that takes refused paths out of the work takes all of them, and restores what was there.
func TestUndoOfWork(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a owns=src/** | coder-1 claim a | coder-1 intent a")
	p := &play{board: s.board, task: s.board.Task("a"), facts: &Facts{Changes: []PathChange{{Path: "src/a.go", Mode: 0o100644},
		{Path: "bumped", Mode: submodule, Was: submodule}, {Path: "linked", Mode: submodule}, {Path: "old", Mode: 0o100644, Was: 0o100644}}}}
	require.Equal(t, "git reset -q --soft B && git rm -q --cached -- linked && git checkout -q B -- bumped old && git commit -q --allow-empty -C ORIG_HEAD", p.undo("B", "old"))
	for i := range 100 {
		p.facts.Changes = append(p.facts.Changes, PathChange{Path: fmt.Sprint("vendor/", i), Mode: 0o100644})
	}
	require.Contains(t, p.undo("B", "old"), "vendor/0 ")
	require.Contains(t, p.undo("B", "old"), "vendor/99 ")
	require.NotContains(t, p.undo("B", "old"), "src/a.go")
}

// Agents enter no work in a loop on other paths than its tasks own.
func TestPathsOfALoop(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann goal goal-2 workflow=loop*1:RUN loop=9 | human:ann add a owns=src/**")
	add := func(by board.Actor, owns ...string) *Refusal {
		m := s.by(by, board.ActAdd, "", &AddMove{Tasks: []board.TaskInput{{ID: "b", Owns: owns}}})
		m.Goal = "goal-2"
		return Admissible(s.board, m, nil)
	}
	require.Nil(t, add("planner-1", "src/**", "src/b.go", "src/foo/**", "src/foo/"))
	require.Nil(t, add("human:ann", "lib/**"))
	for _, owns := range [][]string{nil, {"**"}, {"src/b.go", "lib/b.go"}, {"srcs/**"}} {
		require.Equal(t, RuleScope, add("planner-1", owns...).Rule, "%s", owns)
	}
}
