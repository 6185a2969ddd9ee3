package hooks

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// governed is a fixture with a board that knows ann (admin, human), carl
// (coders), rita (reviewers) and mel (human, who merges); each is a user of
// the server by that name, and signs if keys says so.
func governed(t *testing.T, keys bool) *serverFixture {
	t.Helper()
	y := newServerFixture(t, "sha1")
	y.push.UserKnown, y.push.User = true, "ann"
	y.as = "ann"
	list := []board.Principal{
		{Name: "ann", Kind: "human", Users: []string{"ann"}, Agents: []string{"human:ann"}, Rights: []string{"admin"}},
		{Name: "carl", Kind: "machine", Users: []string{"carl"}, Roles: []board.Role{board.Coder}},
		{Name: "rita", Kind: "machine", Users: []string{"rita"}, Roles: []board.Role{board.CodeReviewer}},
		{Name: "mel", Kind: "human", Users: []string{"mel"}, Agents: []string{"human:mel"}, Rights: []string{"merge"}},
	}
	for i := range list {
		if keys {
			key, err := gitstore.NewKey(context.Background(), y.store.Repo, list[i].Name)
			require.NoError(t, err)
			list[i].Keys = []string{key}
		}
	}
	y.init()
	for _, p := range list {
		y.do(flow.Move{Act: board.ActPrincipal, By: ann, Detail: &flow.PrincipalMove{Principal: p}})
	}
	y.land(y.all()...)
	return y
}

// by is the fixture with another principal at the keyboard and before the server.
func (y *serverFixture) by(name string) *serverFixture {
	y.as, y.push.User = name, name
	return y
}

// TestWhoPushes: coder, reviewer, merger and admin each push their own moves
// and nobody else's.
func TestWhoPushes(t *testing.T) {
	t.Parallel()
	y := governed(t, false)
	y.add("a")
	tip := string(y.at(layout.State))
	for user, reason := range map[string]string{"": "nobody is known to push", "carl": "carl pushes", "eve": "belongs to no principal"} {
		y.push.User = user
		y.refuses(tip, flow.RulePrincipal, reason, y.all()...)
	}
	y.push.User, y.push.UserKnown = "ann", false
	y.refuses(tip, flow.RulePrincipal, "nobody is known to push", y.all()...)
	y.push.UserKnown = true
	y.land(y.all()...)

	y.by("carl").claim("a")
	y.land(y.moves(layout.State)...)
	y.push.User = "rita"
	y.refuses(branchA, RuleBranch, "held by coder-1 (carl)", y.moves(branchA)...)
	y.push.User = ""
	y.refuses(branchA, RuleBranch, "held by coder-1 (carl)", y.moves(branchA)...)
	y.by("carl").land(y.moves(branchA)...)
	y.work("a", "a.txt", "one\n")
	y.submit("a")
	y.land(y.all()...)

	y.by("rita").approve("a")
	approval := y.at(layout.State)
	y.push.User = "carl"
	y.refuses(string(parent(y, approval)), flow.RulePrincipal, "carl pushes", y.all()...)
	y.push.User = "rita"
	selfApproval := y.forge(approval, "by: code-reviewer-1", "by: coder-1", "principal: rita", "principal: carl")
	y.refuses(string(selfApproval), flow.RuleHolder, "", y.to(layout.State, selfApproval))
	asReviewer := y.forge(approval, "principal: rita", "principal: carl")
	y.refuses(string(asReviewer), flow.RulePrincipal, "does not act as", y.to(layout.State, asReviewer))
	y.land(y.all()...)

	d := y.merging("a")
	y.by("mel").do(flow.Move{Act: board.ActMerge, Task: "a", By: "human:mel", Detail: d})
	merged := y.at(layout.State)
	byAnn := y.forge(merged, `by: "human:mel"`, `by: "human:ann"`, "principal: mel", "principal: ann")
	y.refuses(string(byAnn), flow.RuleAdmin, "merging is for", y.to(layout.State, byAnn))
	y.land(append(y.moves(layout.State, integrationBranch), y.to(branchA, ""))...)
}

func parent(y *serverFixture, commit git.ID) git.ID {
	return git.ID(gittest.Git(y.t, y.clone, "rev-parse", string(commit)+"^"))
}

// TestLastAdmin: principals are changed by admins, and one stays.
func TestLastAdmin(t *testing.T) {
	t.Parallel()
	y := governed(t, false)
	y.do(flow.Move{Act: board.ActPrincipal, By: ann, Detail: &flow.PrincipalMove{Principal: board.Principal{Name: "mel"}, Remove: true}})
	good := y.at(layout.State)
	last := y.forge(good, "\nprincipal mel by", "\nprincipal ann by", "  name: mel\n", "  name: ann\n")
	y.refuses(string(last), flow.RuleAdmin, "at least one", y.to(layout.State, last))
	byMel := y.forge(good, `by: "human:ann"`, `by: "human:mel"`, "principal: ann", "principal: mel")
	y.push.User = "mel"
	y.refuses(string(byMel), flow.RuleAdmin, "right admin", y.to(layout.State, byMel))
}

// TestFirstPush: a server that was set up for an admin takes its board from
// that admin alone, and any server takes a board with principals from one of
// its admins.
func TestFirstPush(t *testing.T) {
	t.Parallel()
	y := governed(t, true)
	y.judge = y.open(y.empty())
	y.push.User, y.push.UserKnown = "", false
	y.accepts(y.all()...) // ann has signed the last move
	y.by("carl").note()
	y.refuses(layout.State, flow.RuleAdmin, "brought here by an admin", y.all()...)
	y.push.User, y.push.UserKnown = "ann", true
	y.accepts(y.all()...)
	y.push.User = "carl"
	y.refuses(layout.State, flow.RuleAdmin, "brought here by an admin", y.all()...)

	y.push.Admin = "zoe"
	y.refuses(layout.State, flow.RuleAdmin, "does not name", y.all()...)
	y.push.Admin = "ann"
	y.refuses(layout.State, flow.RuleAdmin, "neither pushes nor has signed", y.all()...)
	y.push.User = "ann"
	y.accepts(y.all()...)

	y.push.User, y.push.AdminKey = "", y.key("ann")
	y.refuses(layout.State, flow.RuleAdmin, "neither pushes nor has signed", y.all()...)
	y.by("ann").add("z")
	y.push.User = ""
	y.accepts(y.all()...)
	y.push.AdminKey = y.key("mel")
	y.refuses(layout.State, flow.RuleAdmin, "neither pushes nor has signed", y.all()...)
}

// note makes a move that is a coder's.
func (y *serverFixture) note() {
	y.t.Helper()
	y.do(flow.Move{Act: board.ActNote, By: coder, Detail: &flow.NoteMove{For: "all", Text: "hello"}})
}

func (y *serverFixture) key(name string) string {
	y.t.Helper()
	key, err := gitstore.PublicKey(context.Background(), y.store.Repo, name)
	require.NoError(y.t, err)
	return key
}

// TestTakeover: a board without principals on a server that was set up for an
// admin gets its first principal from nobody else.
func TestTakeover(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.push.Admin, y.push.UserKnown, y.push.User = "ann", true, "eve"
	found := func(name string) {
		y.do(flow.Move{Act: board.ActPrincipal, By: ann, Principal: name, Detail: &flow.PrincipalMove{
			Principal: board.Principal{Name: name, Kind: "human", Users: []string{name}, Agents: []string{"human:*"}, Rights: []string{"admin"}}}})
	}
	before := y.at(layout.State)
	found("eve")
	y.refuses(string(y.at(layout.State)), flow.RuleAdmin, "set up for the admin ann", y.all()...)
	gittest.Git(t, y.clone, "update-ref", layout.State, string(before))
	y.store = y.open(y.clone)
	found("ann")
	y.refuses(string(y.at(layout.State)), flow.RuleAdmin, "neither pushes nor has signed", y.all()...)
	y.push.User = "ann"
	y.accepts(y.all()...)
}

// TestPublish: an admin brings moves that were made long ago, others do not.
func TestPublish(t *testing.T) {
	t.Parallel()
	y := governed(t, false)
	y.add("a")
	y.by("carl").claim("a")
	y.now = y.now.Add(time.Hour)
	y.push.Publish = true
	y.refuses(layout.State, flow.RuleAdmin, "brought here by an admin", y.all()...)
	y.push.User = "ann"
	y.accepts(y.all()...)
	y.push.Publish = false
	y.refuses(string(parent(y, y.at(layout.State))), flow.RuleTime, "", y.all()...)

	// Only an admin who publishes moves branches of tasks that others hold.
	y.push.Publish = true
	y.land(y.all()...)
	y.work("a", "a.txt", "one\n")
	y.push.User = "rita"
	y.refuses(branchA, RuleBranch, "held by coder-1 (carl)", y.moves(branchA)...)
	y.push.User = "ann"
	y.accepts(y.moves(branchA)...)
}

// TestSignedMoves: where signatures are required they are all that counts,
// and a signed move is good for one place on one board.
func TestSignedMoves(t *testing.T) {
	t.Parallel()
	y := governed(t, true)
	y.push.Signed, y.push.UserKnown, y.push.User = true, false, ""
	y.add("a")
	y.as = "carl"
	y.claim("a")
	y.work("a", "a.txt", "one\n")
	y.land(y.all()...) // the claim in the same push says whose branch it is
	tip := y.at(layout.State)
	later := y.work("a", "b.txt", "two\n")
	y.refuses(branchA, RuleBranch, "held by coder-1 (carl)", y.to(branchA, later))
	y.submit("a")
	y.as = "rita"
	y.approve("a")
	approval := y.at(layout.State)

	raw := gittest.Git(t, y.clone, "cat-file", "commit", string(approval))
	for name, edits := range map[string][]string{
		"another's name": {"principal: rita", "principal: carl"},
		"another word":   {"request: ", "message: yes\nrequest: "},
		"no signature":   {raw[len(raw)-len("-----END SSH SIGNATURE-----"):], "", "-----BEGIN SSH SIGNATURE-----", ""},
	} {
		t.Run(name, func(t *testing.T) {
			forged := y.forge(approval, edits...)
			require.NotNil(t, y.judged(append(y.moves("refs/liza/saved/a/1", branchA), y.to(layout.State, forged))...))
		})
	}
	y.land(y.all()...)
	require.NotEqual(t, tip, y.there(layout.State))

	// The same move once more, after the task was rejected: its request has been.
	y.as = "ann"
	y.do(flow.Move{Act: board.ActReject, Task: "a", By: ann, Detail: &flow.RejectMove{Commit: y.board().Task("a").Submission.Commit, Feedback: board.Feedback{
		Blockers: []board.Finding{{File: "a.txt", Issue: "wrong", Why: "so", Suggestion: "mend"}}, Overall: "no"}}})
	y.land(y.all()...)
	now := y.at(layout.State)
	again := y.forge(approval, "parent "+string(parent(y, approval)), "parent "+string(now))
	y.refuses(string(again), RuleReplay, "was made already", y.to(layout.State, again))

}

// TestUnsignedMoves: where signatures are required, the name of the pusher is not enough.
func TestUnsignedMoves(t *testing.T) {
	t.Parallel()
	y := governed(t, false)
	y.push.Signed = true
	y.add("a")
	y.refuses(string(y.at(layout.State)), flow.RulePrincipal, "is not signed", y.all()...)
}
