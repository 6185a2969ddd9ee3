package hooks

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

func rule(t *testing.T, err error) flow.Rule {
	t.Helper()
	var rejection *Rejection
	require.ErrorAs(t, err, &rejection)
	require.Len(t, rejection.Refused, 1, err)
	return rejection.Refused[0].Rule
}

// TestBackstop: of a push that is not atomic nothing lands before the state
// that it follows from, whatever pre-receive was told.
func TestBackstop(t *testing.T) {
	t.Parallel()
	y := plain(t)
	ctx := context.Background()
	y.add("a")
	y.claim("a")
	y.work("a", "a.txt", "one\n")
	y.land(y.all()...)
	y.submit("a")
	y.approve("a")
	y.do(flow.Move{Act: flow.ActMerge, Task: "a", By: ann, Detail: y.merging("a")})
	state, branch, save := y.moves(git.StateRef)[0], y.moves(integrationBranch)[0], y.moves(savedA)[0]
	backstop := func(list ...Update) error { return Transaction(ctx, y.judge, list, true, nil) }

	require.Equal(t, flow.RuleTip, rule(t, backstop(branch)), "integration alone")
	require.Equal(t, RuleRef, rule(t, backstop(save)), "a save alone")
	require.Equal(t, RuleHistory, rule(t, backstop(y.to(git.StateRef, ""))))
	require.Equal(t, RuleHistory, rule(t, backstop(y.to(git.StateRef, y.at("refs/heads/main")))))
	require.Equal(t, RuleRef, rule(t, backstop(y.to("refs/liza/marks/sprint-1", state.Old))))
	require.Equal(t, RuleRef, rule(t, backstop(Update{"refs/liza/marks/mine", "", y.at("refs/heads/main")})))
	require.NoError(t, backstop(state, branch, save), "together")
	require.NoError(t, backstop(Update{branchA, y.there(branchA), ""}, Update{"refs/heads/topic", "", branch.New}, Update{"HEAD", "", branch.New}))
	// git says where it takes the ref to be, and may have read that before
	// somebody else moved it.
	require.Equal(t, RuleMoved, rule(t, backstop(Update{integrationBranch, branch.New, branch.New})))
	require.Equal(t, RuleMoved, rule(t, backstop(Update{git.StateRef, branch.Old, state.New}, branch, save)))

	gittest.Git(t, y.server, "update-ref", git.StateRef, string(state.New))
	require.NoError(t, backstop(branch), "after its state")
	require.NoError(t, backstop(save), "after its state")
	require.Equal(t, RuleRef, rule(t, backstop(Update{save.Name, "", y.at("refs/heads/main")})), "of a push whose state came second")
	require.Equal(t, RuleBranch, rule(t, backstop(Update{branchA, y.there(branchA), y.at("refs/heads/main")})), "the task is merged")
}

// TestTransactionOnAClone: the board and integration move by moves; what git
// does to its files, and all other refs, pass.
func TestTransactionOnAClone(t *testing.T) {
	t.Parallel()
	y := plain(t)
	ctx := context.Background()
	main, state := y.at("refs/heads/main"), y.at(git.StateRef)
	evil := y.commit("refs/heads/main", "evil", "x")
	clone := func(list ...Update) error { return Transaction(ctx, y.store, list, false, nil) }
	require.Equal(t, flow.RuleTip, rule(t, clone(Update{integrationBranch, "", evil})), "an old value of zero is none given")
	require.Equal(t, flow.RuleTip, rule(t, clone(Update{"HEAD", main, evil}, Update{integrationBranch, main, evil})))
	require.Equal(t, flow.RuleTip, rule(t, clone(Update{integrationBranch, main, ""})))
	require.Equal(t, RuleHistory, rule(t, clone(Update{git.StateRef, state, ""})))
	require.Equal(t, RuleHistory, rule(t, clone(Update{git.StateRef, state, main})))
	require.NoError(t, clone(Update{"refs/heads/topic", "", evil}, Update{"ORIG_HEAD", "", evil}, Update{"refs/liza/remote/origin/state", "", state}))
	require.NoError(t, clone(Update{integrationBranch, main, main}))

	// gc removes what is packed; a deletion of the same ref holds the lock.
	gittest.Git(t, y.clone, "pack-refs", "--all")
	require.NoError(t, clone(Update{git.StateRef, state, ""}, Update{integrationBranch, main, ""}))
	gittest.Write(t, y.clone, ".git/packed-refs.lock", "")
	require.Error(t, clone(Update{git.StateRef, state, ""}))

	// It packs what it read a moment ago; whoever moves a ref has locked it with
	// the new value.
	require.NoError(t, clone(Update{integrationBranch, "", evil}))
	gittest.Write(t, y.clone, ".git/"+integrationBranch+".lock", string(evil)+"\n")
	require.Equal(t, flow.RuleTip, rule(t, clone(Update{integrationBranch, "", evil})))
}

// TestReadUpdates: a hook's input is read as git writes it, or not at all.
func TestReadUpdates(t *testing.T) {
	t.Parallel()
	zero, id := hexes("0", 40), hexes("a", 40)
	list, err := ReadUpdates(strings.NewReader(zero + " " + id + " refs/heads/a b\n" + id + " " + zero + " refs/tags/v\n"))
	require.NoError(t, err)
	require.Equal(t, []Update{{"refs/heads/a b", "", git.ID(id)}, {"refs/tags/v", git.ID(id), ""}}, list)
	_, err = ReadUpdates(strings.NewReader("nonsense\n"))
	require.Error(t, err)
	_, err = ReadUpdates(strings.NewReader(strings.Repeat("x", 2<<20)))
	require.Error(t, err)
}

// TestReceived: a server knows of a push what its settings and the variable
// that they name say, and nothing else of the environment.
func TestReceived(t *testing.T) {
	t.Parallel()
	y := newYard(t, "sha1")
	received := func(env map[string]string, settings ...string) (Push, error) {
		for i := 0; i < len(settings); i += 2 {
			gittest.Git(t, y.server, "config", settings[i], settings[i+1])
		}
		return ReadPush(context.Background(), y.open(y.server).Repo, nil, y.now, func(name string) string { return env[name] })
	}
	p, err := received(map[string]string{"LIZA_USER": "eve", "REMOTE_USER": "eve"})
	require.NoError(t, err)
	require.Equal(t, Push{Server: true, Now: y.now}, p)
	p, err = received(map[string]string{"LIZA_USER": "ann", "GIT_PUSH_OPTION_COUNT": "2", "GIT_PUSH_OPTION_0": "ci.skip", "GIT_PUSH_OPTION_1": "liza-publish"},
		"liza.server.userEnv", "LIZA_USER", "liza.server.requireSignedMoves", "yes", "liza.server.admin", "ann", "liza.server.adminKey", "ssh-ed25519 A")
	require.NoError(t, err)
	require.Equal(t, Push{Server: true, Now: y.now, User: "ann", UserKnown: true, Signed: true, Publish: true, Admin: "ann", AdminKey: "ssh-ed25519 A"}, p)
	_, err = received(nil, "liza.server.requireSignedMoves", "perhaps")
	require.ErrorContains(t, err, "perhaps")

	for text, want := range map[string]uint64{"": 2 << 30, "512m": 512 << 20, "3g": 3 << 30, "1048576": 1 << 20, "many": 0, "-1": 0, "1gg": 0} {
		gittest.Git(t, y.server, "config", "liza.server.memory", text)
		n, err := Memory(context.Background(), y.open(y.server).Repo)
		require.Equal(t, want, n, text)
		require.Equal(t, want == 0, err != nil, text)
	}
}

// TestLines: what a push can put into a line cannot make it two, nor long.
func TestLines(t *testing.T) {
	t.Parallel()
	r := &Rejection{[]Refused{{"refs/heads/x", refusal(RuleRef, "git liza help", "a \x1b[31mred\nline\r%s", strings.Repeat("é", 2000))}}}
	require.NotContains(t, r.Error(), "\n")
	require.NotContains(t, r.Error(), "\x1b")
	require.Less(t, len(r.Error()), longest+50)
	require.True(t, strings.HasSuffix(r.Error(), "; type: git liza help"))
}

// TestCommit: an agent commits its own task's work, on its branch, in its
// paths; elsewhere, and before anything is claimed, it is on its own.
func TestCommit(t *testing.T) {
	t.Parallel()
	y := newYard(t, "sha1")
	y.init()
	y.do(flow.Move{Act: flow.ActAdd, By: ann, Detail: &flow.AddMove{Tasks: []flow.TaskInput{{ID: "a", Title: "A", DoneWhen: "it works",
		Spec: "README", Scope: "small", Kind: flow.Code, Owns: []string{"src/**", "specs/**"}}}}})
	main := y.at("refs/heads/main")
	gittest.Git(t, y.clone, "update-ref", branchA, string(main))
	dir := filepath.Join(y.clone, ".worktrees", "a")
	gittest.Git(t, y.clone, "worktree", "add", "-q", dir, "liza/a")
	commit := func(dir string, agent flow.AgentID) flow.Rule {
		err := Commit(context.Background(), y.open(dir), agent, "")
		if err == nil {
			return ""
		}
		var refused *flow.Refusal
		require.ErrorAs(t, err, &refused)
		require.NotEmpty(t, refused.Hint)
		return refused.Rule
	}
	require.Equal(t, flow.RuleHolder, commit(dir, "coder-1"), "nobody holds it")
	y.claim("a")
	gittest.Write(t, dir, "src/a.go", "package a\n")
	gittest.Git(t, dir, "add", "-A")
	require.Equal(t, flow.RuleIntent, commit(dir, "coder-1"))
	y.do(flow.Move{Act: flow.ActIntent, Task: "a", By: "coder-1", Detail: &flow.IntentMove{Intent: flow.Intent{Summary: "S", Validation: "V"}}})
	require.Empty(t, commit(dir, "coder-1"))
	require.Equal(t, flow.RuleHolder, commit(dir, "coder-2"))
	require.Equal(t, flow.RuleHolder, commit(dir, "code-reviewer-1"))
	require.Empty(t, commit(y.clone, "coder-2"), "not a task's folder")

	gittest.Write(t, dir, "specs/a.md", "# A\n")
	gittest.Git(t, dir, "add", "-A")
	require.Equal(t, flow.RuleRolePaths, commit(dir, "coder-1"))
	gittest.Git(t, dir, "rm", "-q", "-f", "specs/a.md")
	gittest.Write(t, dir, "other/a.md", "# A\n")
	gittest.Git(t, dir, "add", "-A")
	require.Equal(t, flow.RuleScope, commit(dir, "coder-1"))
	y.do(flow.Move{Act: flow.ActIntent, Task: "a", By: coder, Detail: &flow.IntentMove{Intent: flow.Intent{Summary: "do", Validation: "look", Extend: []string{"other/**"}}}})
	require.Empty(t, commit(dir, "coder-1"))
	gittest.Git(t, dir, "switch", "-q", "-c", "aside")
	require.Equal(t, RuleBranch, commit(dir, "coder-1"))
}

// TestVerifyOtherGit: what another version of git merged is history.
func TestVerifyOtherGit(t *testing.T) {
	t.Parallel()
	y := newYard(t, "sha1")
	ctx := context.Background()
	y.init()
	y.add("a")
	y.claim("a")
	y.work("a", "a.txt", "one\n")
	y.submit("a")
	y.approve("a")
	y.land(y.all()...)
	d := y.merging("a")
	d.Git = "2.38.0"
	y.do(flow.Move{Act: flow.ActMerge, Task: "a", By: ann, Detail: d})
	tip := y.at(git.StateRef)
	v, err := Verify(ctx, y.store, "", tip, false)
	require.NoError(t, err)
	require.Equal(t, Verified{Moves: 8}, v)

	// As if that version had made another tree of it.
	other := y.commitTree(gittest.Git(t, y.clone, "rev-parse", string(y.commit(string(d.Commit), "more", "x"))+"^{tree}"), "Merge a", d.Onto, d.Submission)
	tree := gittest.Git(t, y.clone, "rev-parse", string(other)+"^{tree}")
	forged := y.rewritten(tip, field("", d.Commit), field("", other), field("tree: ", d.Tree)+"\n  by: \"human:ann", field("tree: ", git.ID(tree))+"\n  by: \"human:ann",
		field("tree: ", d.Tree)+"\ngit: ", field("tree: ", git.ID(tree))+"\ngit: ")
	v, err = Verify(ctx, y.open(y.clone), "", forged, false)
	require.NoError(t, err)
	require.Len(t, v.Warnings, 1)
	require.Contains(t, v.Warnings[0].Reason, "git 2.38.0 computed this merge")

	// Who has judged all before it holds this merge against git's.
	_, err = Verify(ctx, y.open(y.clone), git.ID(gittest.Git(t, y.clone, "rev-parse", string(forged)+"^")), forged, false)
	require.Equal(t, flow.RuleMerge, rule(t, err))

	// A server takes it with a whole board, as history, but not as a move.
	y.refuses(string(forged), flow.RuleMerge, "", y.to(git.StateRef, forged), y.to(integrationBranch, other))
	y.judge = y.open(y.empty())
	gittest.Git(t, y.clone, "update-ref", git.StateRef, string(forged))
	gittest.Git(t, y.clone, "update-ref", integrationBranch, string(other))
	gittest.Git(t, y.clone, "update-ref", "-d", branchA)
	y.accepts(y.all()...)
}

// rewritten is a state commit with edits in its move and in every document
// that follows from it.
func (y *yard) rewritten(commit git.ID, edits ...string) git.ID {
	y.t.Helper()
	edit := strings.NewReplacer(edits...)
	var index strings.Builder
	for line := range strings.Lines(gittest.Git(y.t, y.clone, "ls-tree", "-r", string(commit)) + "\n") {
		f := strings.Fields(line)
		blob := y.hash("blob", edit.Replace(gittest.Git(y.t, y.clone, "cat-file", "blob", f[2])+"\n"))
		index.WriteString(f[0] + " " + string(blob) + "\t" + f[3] + "\n")
	}
	dir := y.t.TempDir()
	y.environ = []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	y.feed(index.String(), "update-index", "--add", "--index-info")
	tree := y.feed("", "write-tree")
	y.environ = nil
	return y.forge(commit, append(edits, "tree "+gittest.Git(y.t, y.clone, "rev-parse", string(commit)+"^{tree}")+"\n", "tree "+tree+"\n")...)
}

// TestBackstopOfALostRace: two pushes were judged on the same board, and the one
// that came second leaves nothing of what its own moves would have named: no
// save that is no submission, no mark, no branch of a task that was handed on.
func TestBackstopOfALostRace(t *testing.T) {
	t.Parallel()
	y := plain(t)
	ctx := context.Background()
	backstop := func(list ...Update) error { return Transaction(ctx, y.judge, list, true, nil) }
	y.add("a", "b")
	y.claim("a")
	work := y.work("a", "a.txt", "one\n")
	y.land(y.all()...)

	// Whoever wins takes the task over and keeps what was left of it, and makes a mark.
	y.now = y.now.Add(2 * time.Hour)
	other := flow.Actor("coder-2")
	y.do(flow.Move{Act: flow.ActClaim, Task: "a", By: other, Detail: &flow.ClaimMove{Lease: half, Saved: &flow.Save{Number: 1, Commit: work}}})
	y.do(flow.Move{Act: flow.ActCheckpoint, By: ann, Detail: &flow.CheckpointMove{Reason: "look"}})
	state := y.moves(git.StateRef)[0]
	lost := y.commit("refs/heads/main", "lost", "x")
	before := y.there(git.StateRef)
	gittest.Git(t, y.server, "update-ref", git.StateRef, string(state.New))
	require.Equal(t, RuleRef, rule(t, backstop(Update{savedA, "", lost})), "a save of another commit")
	require.Equal(t, RuleRef, rule(t, backstop(Update{"refs/liza/saved/b/1", "", work})), "of another task")
	require.Equal(t, RuleRef, rule(t, backstop(Update{"refs/liza/marks/checkpoint-1", "", before})), "a mark at an earlier state")
	require.Equal(t, RuleRef, rule(t, backstop(Update{"refs/liza/marks/mine", "", state.New})), "a mark of no move")
	require.NoError(t, backstop(Update{savedA, "", work}))
	require.NoError(t, backstop(Update{"refs/liza/marks/checkpoint-1", "", state.New}))
	require.NoError(t, backstop(Update{branchA, y.there(branchA), lost}), "held: the holder was judged before")
	require.Equal(t, RuleBranch, rule(t, backstop(Update{"refs/heads/liza/b", "", lost})), "held by nobody")

	// Submitted meanwhile: the branch stays at what is reviewed.
	y.do(flow.Move{Act: flow.ActRelease, Task: "a", By: ann, Detail: &flow.ReleaseMove{}})
	gittest.Git(t, y.server, "update-ref", git.StateRef, string(y.at(git.StateRef)))
	require.Equal(t, RuleBranch, rule(t, backstop(Update{branchA, y.there(branchA), lost})))
	require.Equal(t, RuleBranch, rule(t, backstop(Update{branchA, y.there(branchA), ""})))
}
