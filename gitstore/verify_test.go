package gitstore

import (
	"context"
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

// forged writes a commit as it stands.
func (d *desk) forged(raw string) git.ID {
	d.t.Helper()
	id, err := d.store.objects.WriteCommit([]byte(raw))
	require.NoError(d.t, err)
	require.NoError(d.t, d.store.objects.Flush())
	return id
}

// edited is the tree of a commit with files replaced, added or, with "", removed.
func (d *desk) edited(commit git.ID, files map[string]string) git.ID {
	d.t.Helper()
	c, err := d.store.objects.Commit(commit)
	require.NoError(d.t, err)
	draft := &draft{snapshot: snapshot{documentCache: d.store.documents, root: c.Tree, cache: d.store.past, format: board.NewestFormat}}
	blobs := map[string]git.ID{}
	for path, text := range files {
		if blobs[path] = ""; text != "" {
			blobs[path] = draft.addObject("blob", []byte(text))
		}
	}
	tree, err := draft.rewriteFolder("", c.Tree, blobs)
	require.NoError(d.t, err)
	require.NoError(d.t, draft.flush())
	return tree
}

func TestVerifyRefusesForgeries(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	added := d.add("task-1").Commit
	genuine := d.claim("task-1", coder).Commit
	c, err := d.store.objects.Commit(genuine)
	require.NoError(t, err)
	raw := string(c.Raw)
	parent, err := d.store.objects.Commit(added)
	require.NoError(t, err)
	files, err := d.store.Files(genuine)
	require.NoError(t, err)
	task := files["tasks/01/task-1.yaml"]
	swap := func(old, new string) string {
		require.Contains(t, raw, old)
		return strings.Replace(raw, old, new, 1)
	}
	tree := func(files map[string]string) string {
		return swap("tree "+string(c.Tree), "tree "+string(d.edited(genuine, files)))
	}
	committer := headerValue(c.Raw, "committer ")

	for name, good := range map[string]string{
		"as made":           raw,
		"another committer": swap("committer "+committer, "committer Somebody Else <x@y> 1 -0330"),
	} {
		require.NoError(t, d.store.Audit.Verify(d.forged(good)), name)
	}
	for name, bad := range map[string]string{
		"an edited document":         tree(map[string]string{"tasks/01/task-1.yaml": strings.Replace(task, "priority: 3", "priority: 1", 1)}),
		"another style":              tree(map[string]string{"tasks/01/task-1.yaml": task + "# hello\n"}),
		"a document more":            tree(map[string]string{"goals/goal-2.yaml": "id: goal-2\n"}),
		"a document less":            tree(map[string]string{"agents/01/coder-1.yaml": ""}),
		"a file more":                tree(map[string]string{"README": "hello\n"}),
		"a file more in a folder":    tree(map[string]string{"tasks/01/x": "hello\n"}),
		"no effect":                  swap("tree "+string(c.Tree), "tree "+string(parent.Tree)),
		"half the effect":            tree(map[string]string{"agents/01/coder-1.yaml": "id: coder-1\nrole: coder\nregistered: 2026-01-17T14:06:00Z\n"}),
		"subject":                    swap("claim task-1 by", "claim task-2 by"),
		"author":                     swap("author coder-1 <coder-1@", "author coder-2 <coder-1@"),
		"author's address":           swap("<coder-1@liza.invalid>", "<coder-1@example.org>"),
		"author's time":              swap(" 1768658760 +0000\ncommitter", " 1768658761 +0000\ncommitter"),
		"author's zone":              swap(" 1768658760 +0000\ncommitter", " 1768658760 +0100\ncommitter"),
		"a header more":              swap("\n\nclaim", "\nencoding UTF-8\n\nclaim"),
		"a signature of git's":       swap("\n\nclaim", "\ngpgsig -----BEGIN SSH SIGNATURE-----\n x\n\nclaim"),
		"two committers":             swap("committer "+committer, "committer "+committer+"\ncommitter "+committer),
		"two parents":                swap("parent "+string(added), "parent "+string(added)+"\nparent "+string(genuine)),
		"another parent":             swap("parent "+string(added), "parent "+string(genuine)),
		"no parent":                  swap("parent "+string(added)+"\n", ""),
		"a parent that is not there": swap("parent "+string(added), "parent "+strings.Repeat("1", 40)),
		"another actor":              swap("by: coder-1", "by: coder-2"),
		"an earlier time":            swap("at: 2026-01-17T14:06:00Z", "at: 2026-01-17T14:05:59Z"),
		"a longer lease":             swap("lease: 30m", "lease: 31m"),
		"another style of move":      swap("lease: 30m", "lease: \"30m\""),
		"a comment in the move":      swap("lease: 30m", "lease: 30m # long"),
		"an unknown key":             swap("lease: 30m", "lease: 30m\nx: y"),
		"an unknown act":             swap("act: claim", "act: grab"),
		"no act":                     swap("act: claim\n", ""),
		"a bad request":              swap("request: ", "request: x"),
		"text at the end":            raw + "more\n",
		"no move":                    raw[:strings.Index(raw, "\n\nact")] + "\n\n",
		"no message":                 raw[:strings.Index(raw, "\n\n")+2],
		"a body of two documents":    raw + "---\nact: claim\n",
		"a broken signature":         raw + signatureBegin + "x y\n" + signatureEnd,
		"an unfinished signature":    raw + signatureBegin + "xy\n",
		"no signature in the block":  raw + signatureBegin + "U1NIU0lHAAAAAQ+/==\n" + signatureEnd,
		"a signature without end":    raw + signatureBegin + strings.Repeat("A", maxSignature) + "\n" + signatureEnd,
	} {
		require.Error(t, d.store.Audit.Verify(d.forged(bad)), name)
	}
	require.Equal(t, genuine, d.at(layout.State))
}

// Replaying writes nothing, neither now nor with the next move's flush.
func TestVerifyWritesNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	r := d.claim("task-1", coder)
	c, err := d.store.objects.Commit(r.Commit)
	require.NoError(t, err)
	before := gittest.Git(t, d.dir, "count-objects")
	// A forged move whose effect would be an object that is nowhere.
	forged := d.forged(strings.Replace(string(c.Raw), "lease: 30m", "lease: 44m", 1))
	require.NotEqual(t, before, gittest.Git(t, d.dir, "count-objects"))
	before = gittest.Git(t, d.dir, "count-objects")
	require.ErrorContains(t, d.store.Audit.Verify(forged), "its tree is not what its move makes")
	require.NoError(t, d.store.objects.Flush())
	require.Equal(t, before, gittest.Git(t, d.dir, "count-objects"))
}

func TestVerifyHoldsCommitsAgainstWhatIsRecorded(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	start := d.claim("task-1", coder).After.Settings().Integration.Tip
	d.do(flow.Move{Act: board.ActIntent, Task: "task-1", By: coder, Detail: &flow.IntentMove{Intent: board.Intent{Summary: "do it", Validation: "look", Tip: start}}})
	commit := d.commit(start, "a.md", "x\n")
	c, err := d.store.objects.Commit(start)
	require.NoError(t, err)
	m := flow.Move{Act: board.ActSubmit, Task: "task-1", By: coder,
		Detail: &flow.SubmitMove{Commit: commit, Tree: c.Tree, Base: start, Paths: []string{"a.md"}, Save: 1}}
	require.ErrorContains(t, d.store.Audit.Verify(d.unasked(m)), "it records tree")
	_, err = d.try(m)
	var refusal *flow.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, flow.RuleFact, refusal.Rule)

	d.add("task-2")
	d.approve("task-2", d.submit("task-2", "coder-2", "b.md", "y\n"))
	m, _, err = merging(d.store, "task-2")(d.board(), d.now)
	require.NoError(t, err)
	merge := m.Detail.(*flow.MergeMove)
	merge.Commit, err = d.store.Commits.MergeCommit(context.Background(), merge.Tree, merge.Submission, merge.Onto, "Merge task-2")
	require.NoError(t, err)
	require.ErrorContains(t, d.store.Audit.Verify(d.unasked(m)), "has other parents than it records")
}

// unasked is a state commit of a move upon the board, made without asking git about it.
func (d *desk) unasked(m flow.Move) git.ID {
	d.t.Helper()
	tip := d.at(layout.State)
	before, source, err := d.store.boardAt(tip, d.store.past)
	require.NoError(d.t, err)
	m.At, m.Request, m.Goal = d.now, "7f3a9c2e11d04b58", flow.GoalOf(before, m)
	after, err := flow.Apply(before, m, nil)
	require.NoError(d.t, err)
	id, err := d.store.writeMove(context.Background(), base{tip: tip}, &draft{snapshot: source}, Result{Move: m, Before: before, After: after})
	require.NoError(d.t, err)
	return id
}

func TestFsckFindsTheFirstBreach(t *testing.T) {
	t.Parallel()
	ctx, d := context.Background(), newDesk(t, gittest.Seeded(t))
	good := d.add("task-1").Commit
	n, breach, err := d.store.Audit.Fsck(ctx, false)
	require.NoError(t, err)
	require.Nil(t, breach)
	require.Equal(t, 2, n)

	bad := d.tampered(good)
	d.store.Audit.rememberWritten(bad)
	d.add("task-2") // a move does not replay what came before it
	n, breach, err = d.store.Audit.Fsck(ctx, false)
	require.NoError(t, err)
	require.Equal(t, bad, breach.Commit)
	require.Equal(t, 1, n, "incrementally")
	n, breach, err = d.store.Audit.Fsck(ctx, true)
	require.NoError(t, err)
	require.Equal(t, bad, breach.Commit)
	require.Equal(t, 3, n, "in full")

	// The file of the last run is only a hint.
	for _, text := range []string{"", "x", strings.Repeat("1", 40), string(d.at("refs/heads/main"))} {
		gittest.Write(t, d.dir, ".git/liza/verified", text)
		_, breach, err = d.store.Audit.Fsck(ctx, false)
		require.NoError(t, err)
		require.Equal(t, bad, breach.Commit)
	}
}

// tampered moves the state ref to a commit that says less than it does.
func (d *desk) tampered(tip git.ID) git.ID {
	d.t.Helper()
	c, err := d.store.objects.Commit(tip)
	require.NoError(d.t, err)
	m := flow.Move{Act: board.ActNote, Goal: "goal-1", By: ann, At: d.now, Request: "7f3a9c2e11d04b58", Detail: &flow.NoteMove{For: "all", Text: "innocent"}}
	raw, err := stateCommit{d.edited(tip, map[string]string{"breaker.yaml": "watermark: 7\n"}), tip, m, m.Subject(), headerValue(c.Raw, "committer ")}.encode(board.NewestFormat)
	require.NoError(d.t, err)
	id := d.forged(string(raw))
	require.NoError(d.t, d.store.Repo.Refs.MoveRefs(context.Background(), []git.RefUpdate{{Name: layout.State, Old: tip, New: id}}, "tampered"))
	return id
}

func TestFsckSaysWhereIntegrationIs(t *testing.T) {
	t.Parallel()
	ctx, d := context.Background(), newDesk(t, gittest.Seeded(t))
	outside := d.commit(d.at("refs/heads/integration"), "hotfix", "x\n")
	gittest.Git(t, d.dir, "update-ref", "refs/heads/integration", string(outside))
	_, breach, err := d.store.Audit.Fsck(ctx, true)
	require.NoError(t, err)
	require.ErrorIs(t, breach.Err, ErrForeignRef)
	var refusal *flow.Refusal
	require.ErrorAs(t, breach.Err, &refusal)
	require.Equal(t, "git liza adopt integration --reason R", refusal.Hint)
}

func TestRepairOfASoundBoard(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	tip := d.add("task-1").Commit
	done, err := d.store.Repairer.Repair(context.Background())
	require.NoError(t, err)
	require.Equal(t, []git.ID{tip, tip}, []git.ID{done.Was, done.Is})
	require.Equal(t, tip, d.at(layout.State))
}

func TestRepairKeepsTheBadTip(t *testing.T) {
	t.Parallel()
	ctx, d := context.Background(), newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	d.submit("task-1", coder, "a.md", "one\n")
	last := d.at(layout.State)
	d.store.Audit.rememberWritten(d.tampered(last))
	d.do(flow.Move{Act: board.ActReview, Task: "task-1", By: "code-reviewer-1", Detail: &flow.ReviewMove{Lease: half}})
	d.do(flow.Move{Act: board.ActReject, Task: "task-1", By: "code-reviewer-1", Detail: &flow.RejectMove{Commit: d.board().Task("task-1").Submission.Commit,
		Feedback: board.Feedback{Blockers: []board.Finding{{File: "a.md", Line: 1, Issue: "wrong", Why: "so", Suggestion: "right"}}}}})
	second := d.submit("task-1", coder, "a.md", "two\n")
	tip := d.at(layout.State)

	done, err := d.store.Repairer.Repair(ctx)
	require.NoError(t, err)
	require.Equal(t, []git.ID{tip, last}, []git.ID{done.Was, done.Is})
	require.Equal(t, last, d.at(layout.State))
	require.Len(t, done.Dropped, done.Count)
	var subjects []string
	for _, dropped := range done.Dropped {
		subjects = append(subjects, dropped.Subject)
	}
	require.Equal(t, []string{"submit task-1 by coder-1", "intent task-1 by coder-1", "claim task-1 by coder-1",
		"reject task-1 by code-reviewer-1", "review task-1 by code-reviewer-1", "note by human:ann"}, subjects)
	require.Equal(t, Dropped{tip, subjects[0], "submit", "task-1"}, done.Dropped[0])
	rescued, err := d.store.Repo.Refs.List(ctx, "refs/liza/rescue")
	require.NoError(t, err)
	at := "refs/liza/rescue/1768658760-" + tip.Short()
	require.Equal(t, map[string]git.ID{at + "/state": tip, at + "/saved/task-1/2": second}, rescued)
	require.Empty(t, d.at("refs/liza/saved/task-1/2"), "its number is free again")
	require.NotEmpty(t, d.at("refs/liza/saved/task-1/1"))
	d.sound()
	d.store = d.open()
	d.do(flow.Move{Act: board.ActReview, Task: "task-1", By: "code-reviewer-1", Detail: &flow.ReviewMove{Lease: half}})
}

// A tip that shares nothing with the board is mended from the reflog.
func TestRepairFromTheReflog(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	last := d.add("task-1").Commit
	gittest.Git(t, d.dir, "update-ref", "-m", "oops", layout.State, "refs/heads/main")
	done, err := d.store.Repairer.Repair(context.Background())
	require.NoError(t, err)
	require.Equal(t, []git.ID{d.at("refs/heads/main"), last}, []git.ID{done.Was, done.Is})
	require.Equal(t, last, d.at(layout.State))
	d.sound()
}

// A history that was rewritten is mended by what it was, not by what both
// have in common.
func TestRepairPrefersTheLongerHistory(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	common := d.add("task-1").Commit
	last := d.add("task-2").Commit
	require.NoError(t, d.store.Repo.Refs.MoveRefs(context.Background(), []git.RefUpdate{{Name: layout.State, Old: last, New: common}}, "rewind"))
	d.tampered(common)
	done, err := d.store.Repairer.Repair(context.Background())
	require.NoError(t, err)
	require.Equal(t, last, done.Is)

	// Without a reflog the chain itself must do.
	d.tampered(last)
	gittest.Git(t, d.dir, "reflog", "expire", "--expire=all", layout.State)
	done, err = d.store.Repairer.Repair(context.Background())
	require.NoError(t, err)
	require.Equal(t, last, done.Is)
}

func TestRepairFindsNothing(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	gittest.Git(t, dir, "update-ref", layout.State, "refs/heads/main")
	s := OpenStore(context.Background(), open(t, dir), time.Now)
	done, err := s.Repairer.Repair(context.Background())
	require.NoError(t, err)
	require.Equal(t, gittest.Git(t, dir, "rev-parse", "main"), string(done.Was))
	require.Empty(t, done.Is)
	require.Equal(t, gittest.Git(t, dir, "rev-parse", "main"), gittest.Git(t, dir, "rev-parse", layout.State))
}
