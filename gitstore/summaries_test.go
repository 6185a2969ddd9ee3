package gitstore

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// drawTask is a task with whatever its summary shows.
func drawTask(t *rapid.T, id string) *board.Task {
	at := rapid.Custom(func(t *rapid.T) time.Time {
		return time.Unix(rapid.Int64Range(-1<<33, 1<<37).Draw(t, "seconds"), 0).UTC()
	})
	text := rapid.Custom(func(t *rapid.T) string { return board.Clean(rapid.String().Draw(t, "text")) })
	who := rapid.SampledFrom([]board.Actor{"coder-1", "coder-22", "human:ann"})
	task := &board.Task{ID: board.TaskID(id), Title: text.Draw(t, "title"), Goal: "goal-1", Sprint: "sprint-1",
		Status: rapid.SampledFrom(board.Statuses()).Draw(t, "status"), Kind: board.Code, Priority: rapid.IntRange(1, 5).Draw(t, "priority"),
		Stretch: rapid.Bool().Draw(t, "stretch"), Created: at.Draw(t, "created"), Changed: at.Draw(t, "changed"),
		Verify: text.Draw(t, "verify"), Owns: rapid.SliceOfN(text, 0, 3).Draw(t, "owns"), DependsOn: rapid.SampledFrom([][]board.TaskID{nil, {"a"}, {"b", "c"}}).Draw(t, "needs")}
	if rapid.Bool().Draw(t, "claimed") {
		task.Attempt = &board.Attempt{Coder: who.Draw(t, "coder"), Iteration: rapid.IntRange(1, 9).Draw(t, "n"), Cycles: rapid.IntRange(0, 5).Draw(t, "cycles"), Doubt: rapid.SampledFrom([]board.RecordID{"", "sprint-1/3"}).Draw(t, "doubt")}
		task.Claim = &board.Claim{By: who.Draw(t, "holder"), Lease: at.Draw(t, "lease"), From: board.Unclaimed}
	}
	if rapid.Bool().Draw(t, "submitted") {
		task.Submission = &board.Submission{Commit: "9f91405c3d2b97f315c1e0a44d2b97f315c1e0a4", ReviewBy: []board.Role{board.CodeReviewer, "security-reviewer"}}
	}
	if rapid.Bool().Draw(t, "reviewed") {
		task.Judgements = []board.Judgement{{Role: board.CodeReviewer, NotBefore: at.Draw(t, "not before"), Review: &board.Review{By: who.Draw(t, "reviewer"), Lease: at.Draw(t, "review lease")}}}
		task.Block = &board.Block{Reason: text.Draw(t, "reason"), Limit: text.Draw(t, "limit"), By: "human:ann"}
	}
	if rapid.Bool().Draw(t, "approved") {
		task.Judgements = []board.Judgement{{Role: board.CodeReviewer, Verdict: &board.Verdict{Commit: "9f91405c3d2b97f315c1e0a44d2b97f315c1e0a4"}}}
	}
	if rapid.Bool().Draw(t, "failed") {
		task.Integration = &board.Integration{Onto: "9f91405c3d2b97f315c1e0a44d2b97f315c1e0a4", By: "human:ann", At: at.Draw(t, "failed")}
	}
	if rapid.Bool().Draw(t, "of roles") {
		task.Role, task.BasedOn, task.Without = "cook", []string{"specs/a.md#b", "specs/c.md"}, []board.Role{"gates"}
		task.Judgements = append(task.Judgements, board.Judgement{Role: "security-reviewer", Review: &board.Review{By: "security-reviewer-1", Lease: at.Draw(t, "its lease")}})
	}
	if rapid.Bool().Draw(t, "budgeted") {
		task.Budget = &board.Budget{Tokens: 10}
	}
	return task
}

// From the documents, from memory, from the files, from files of an earlier state or from
// damaged ones: the summaries are the same, and those in work are those of them that are.
func TestSummariesAreTheSameFromEverywhere(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	gittest.Git(t, d.dir, "config", "liza.fsync", "none")
	cache := filepath.Join(d.store.Repo.CommonDir(), "liza", "cache")
	rapid.Check(t, func(rt *rapid.T) {
		require.NoError(rt, os.RemoveAll(cache))
		root := git.ID("")
		kept, past := newSummaryCache(cache), newSummaryCache("")
		for range rapid.IntRange(1, 3).Draw(rt, "states") {
			root = d.redrawn(rt, root)
			want := summariesOf(rt, newSummaryCache(""), d.store.objects, root)
			working := slices.DeleteFunc(slices.Clone(want), func(s *board.Summary) bool { return !s.IsInWork() })
			check := func(kept *summaryCache, from string) {
				for _, one := range rapid.Permutation([]string{"all", "in work"}).Draw(rt, "asked for") {
					if one == "all" {
						require.Equal(rt, want, summariesOf(rt, kept, d.store.objects, root), from)
					} else {
						require.Equal(rt, working, workOf(rt, kept, d.store.objects, root), from)
					}
				}
			}
			check(past, "without files, over an earlier state")
			check(kept, "over an earlier state")
			check(kept, "from memory")
			check(newSummaryCache(cache), "from the files")
			damage(rt, cache)
			check(newSummaryCache(cache), "from damaged files")
			check(newSummaryCache(cache), "from mended files")
		}
	})
}

// redrawn is a state tree with some tasks added, changed and removed.
func (d *desk) redrawn(t *rapid.T, root git.ID) git.ID {
	ids := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "A01", "b01", "c-01", "z", "task-7", "x07"}), 1, 7, func(s string) string { return s })
	edits := []board.Edit{{Key: board.Key{Folder: board.BreakerDoc}, Document: &board.Breaker{Watermark: 1}}}
	for _, id := range ids.Draw(t, "ids") {
		edit := board.Edit{Key: board.Key{Folder: board.Tasks, ID: id}}
		if rapid.IntRange(0, 4).Draw(t, "removed") > 0 {
			edit.Document = drawTask(t, id)
		}
		edits = append(edits, edit)
	}
	return d.withEdits(t, root, edits...)
}

// withEdits is a state tree with some documents changed.
func (d *desk) withEdits(t require.TestingT, root git.ID, edits ...board.Edit) git.ID {
	draft := &draft{snapshot: snapshot{documentCache: newDocumentCache(d.store.objects), root: root, cache: newSummaryCache(""), format: board.NewestFormat}}
	tree, err := draft.applyEdits(edits)
	require.NoError(t, err)
	require.NoError(t, draft.flush())
	return tree
}

// summariesOf are the summaries of a tree, in their order.
func summariesOf(t require.TestingT, kept *summaryCache, o *git.Objects, root git.ID) []*board.Summary {
	list, err := snapshot{documentCache: newDocumentCache(o), root: root, cache: kept, format: board.NewestFormat}.Summaries()
	require.NoError(t, err)
	require.True(t, slices.IsSortedFunc(list, (*board.Summary).Compare))
	return append([]*board.Summary{}, list...)
}

// workOf are the summaries of a tree that are in work, in order of creation.
func workOf(t require.TestingT, kept *summaryCache, o *git.Objects, root git.ID) []*board.Summary {
	list, err := snapshot{documentCache: newDocumentCache(o), root: root, cache: kept, format: board.NewestFormat}.InWork()
	require.NoError(t, err)
	list = append([]*board.Summary{}, list...)
	slices.SortFunc(list, (*board.Summary).Compare)
	return list
}

// damage changes one file of the cache somehow.
func damage(t *rapid.T, cache string) {
	files, err := filepath.Glob(filepath.Join(cache, "*"))
	require.NoError(t, err)
	if len(files) == 0 {
		return
	}
	path := rapid.SampledFrom(files).Draw(t, "file")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	at := rapid.IntRange(0, max(0, len(data)-1)).Draw(t, "at")
	how := rapid.IntRange(0, 3).Draw(t, "how")
	switch {
	case len(data) == 0 || how == 0:
		data = data[:at]
	case how == 1:
		data[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
	case how == 2:
		data = append(data, data[at:]...)
	default:
		other, err := os.ReadFile(rapid.SampledFrom(files).Draw(t, "other"))
		require.NoError(t, err)
		data = other
	}
	require.NoError(t, os.WriteFile(path, data, 0o666))
}

// A second reader needs the documents of what changed only, and none of the
// rest; a place that cannot be written to costs nothing but time.
func TestSummariesReadWhatChanged(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("a01", "b01", "c01")
	require.Len(t, d.board().Tasks(), 3)
	d.claim("b01", coder)
	s := d.open()
	b, _, err := s.Board(context.Background())
	require.NoError(t, err)
	require.Len(t, b.Tasks(), 3)
	read := 0
	for v := range s.documents.documents {
		if v.folder == board.Tasks {
			read++
		}
	}
	require.Equal(t, 1, read)

	cache := filepath.Join(d.store.Repo.CommonDir(), "liza", "cache")
	require.NoError(t, os.RemoveAll(cache))
	gittest.Write(t, d.dir, ".git/liza/cache", "in the way")
	b, _, err = d.open().Board(context.Background())
	require.NoError(t, err)
	require.Len(t, b.Tasks(), 3)
	d.claim("a01", "coder-2")
	d.sound()
}

// Replaying history leaves the files of the present alone.
func TestHistoryKeepsOutOfTheCache(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	old := d.add("a01").Commit
	d.claim("a01", coder)
	require.Len(t, d.board().Tasks(), 1)
	path := filepath.Join(d.store.Repo.CommonDir(), "liza", "cache", allFile)
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	b, err := d.open().BoardAt(old)
	require.NoError(t, err)
	require.Equal(t, board.Unclaimed, b.Tasks()[0].Status)
	d.sound()
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after)
}
