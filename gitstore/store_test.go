package gitstore

import (
	"context"
	"fmt"
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

const (
	ann   = board.Actor("human:ann")
	half  = board.Duration(30 * time.Minute)
	coder = board.Actor("coder-1")
)

// boardTime is when a fresh blackboard is made.
var boardTime = time.Date(2026, 1, 17, 14, 6, 0, 0, time.UTC)

// A desk is a repository with a fresh blackboard, whose clock is now.
type desk struct {
	t     testing.TB
	dir   string
	now   time.Time
	store *Store
	made  int // tasks of addMany
}

// newDesk makes a blackboard in a repository whose main holds README.
func newDesk(t testing.TB, dir string) *desk {
	t.Helper()
	d := &desk{t: t, dir: dir, now: boardTime}
	d.store = d.open()
	tip, err := d.store.Repo.ParseCommit(context.Background(), "refs/heads/main")
	require.NoError(t, err)
	d.do(d.initial(tip))
	return d
}

func (d *desk) initial(tip git.ID) flow.Move {
	return flow.Move{Act: board.ActInit, By: ann, Detail: &flow.InitMove{Board: "00112233445566aa", Format: board.NewestFormat,
		Goal: "goal-1", Title: "Ship it", Spec: "README", Integration: board.Branch{Name: "integration", Tip: tip},
		Created: true, Config: board.DefaultConfig()}}
}

// open is another store of the same repository, as another process has it.
func (d *desk) open() *Store {
	d.t.Helper()
	repo, err := git.Open(context.Background(), d.dir)
	require.NoError(d.t, err)
	d.t.Cleanup(func() { repo.Close() })
	return OpenStore(context.Background(), repo, func() time.Time { return d.now })
}

// constant builds the same move for every board.
func constant(m flow.Move) Build {
	return func(*board.Board, time.Time) (flow.Move, []git.RefUpdate, error) { return m, nil, nil }
}

func (d *desk) try(m flow.Move) (Result, error) {
	return d.store.Do(context.Background(), constant(m))
}

func (d *desk) do(m flow.Move) Result {
	d.t.Helper()
	r, err := d.try(m)
	require.NoError(d.t, err)
	return r
}

func (d *desk) board() *board.Board {
	d.t.Helper()
	b, _, err := d.store.Board(context.Background())
	require.NoError(d.t, err)
	return b
}

func (d *desk) at(ref string) git.ID {
	d.t.Helper()
	id, err := d.store.Repo.Refs.Resolve(context.Background(), ref)
	require.NoError(d.t, err)
	return id
}

func (d *desk) add(ids ...board.TaskID) Result {
	d.t.Helper()
	var list []board.TaskInput
	for _, id := range ids {
		list = append(list, board.TaskInput{ID: id, Title: "Title of " + string(id), DoneWhen: "it works", Spec: "README", Scope: "small", Kind: board.Docs})
	}
	return d.do(flow.Move{Act: board.ActAdd, By: ann, Detail: &flow.AddMove{Tasks: list}})
}

func claim(id board.TaskID, by board.Actor) Build {
	return func(b *board.Board, _ time.Time) (flow.Move, []git.RefUpdate, error) {
		return flow.Move{Act: board.ActClaim, Task: id, By: by, Detail: &flow.ClaimMove{Lease: half}}, nil, nil
	}
}

func (d *desk) claim(id board.TaskID, by board.Actor) Result {
	d.t.Helper()
	r, err := d.store.Do(context.Background(), claim(id, by))
	require.NoError(d.t, err)
	return r
}

// commit adds a commit that changes one file to what a task works on.
func (d *desk) commit(parent git.ID, file, content string) git.ID {
	d.t.Helper()
	o := d.store.objects
	c, err := o.Commit(parent)
	require.NoError(d.t, err)
	entries, err := o.Tree(c.Tree)
	require.NoError(d.t, err)
	blob, err := o.WriteBlob([]byte(content))
	require.NoError(d.t, err)
	entries, err = setEntry("", entries, git.Entry{Mode: git.ModeBlob, Name: file, ID: blob})
	require.NoError(d.t, err)
	tree, err := o.WriteTree(entries)
	require.NoError(d.t, err)
	who := "Ada <ada@example.org> 1768658760 +0000"
	id, err := o.WriteCommit([]byte("tree " + string(tree) + "\nparent " + string(parent) + "\nauthor " + who + "\ncommitter " + who + "\n\nwork\n"))
	require.NoError(d.t, err)
	require.NoError(d.t, o.Flush())
	return id
}

// submit brings a task from UNCLAIMED to READY_FOR_REVIEW.
func (d *desk) submit(id board.TaskID, by board.Actor, file, content string) git.ID {
	d.t.Helper()
	base := d.claim(id, by).After.Settings().Integration.Tip
	d.do(flow.Move{Act: board.ActIntent, Task: id, By: by, Detail: &flow.IntentMove{Intent: board.Intent{Summary: "do it", Validation: "look", Tip: base}}})
	commit := d.commit(base, file, content)
	c, err := d.store.objects.Commit(commit)
	require.NoError(d.t, err)
	d.do(flow.Move{Act: board.ActSubmit, Task: id, By: by,
		Detail: &flow.SubmitMove{Commit: commit, Tree: c.Tree, Base: base, Paths: []string{file}, Save: d.board().Task(id).Saves + 1}})
	return commit
}

func (d *desk) approve(id board.TaskID, commit git.ID) {
	d.t.Helper()
	d.do(flow.Move{Act: board.ActReview, Task: id, By: "code-reviewer-1", Detail: &flow.ReviewMove{Lease: half}})
	d.do(flow.Move{Act: board.ActApprove, Task: id, By: "code-reviewer-1", Detail: &flow.ApproveMove{Commit: commit, Message: "good"}})
}

// merging builds the merge of an approved task.
func merging(s *Store, id board.TaskID) Build {
	return func(b *board.Board, at time.Time) (flow.Move, []git.RefUpdate, error) {
		sub := b.Task(id).Submission
		attributes, err := s.Commits.Attributes(context.Background(), sub.Base, sub.Commit)
		if err != nil {
			return flow.Move{}, nil, err
		}
		return mergingBy(s, id, attributes)(b, at)
	}
}

// mergingBy is merging by some attributes.
func mergingBy(s *Store, id board.TaskID, attributes string) Build {
	return func(b *board.Board, _ time.Time) (flow.Move, []git.RefUpdate, error) {
		ctx, t, onto := context.Background(), b.Task(id), b.Settings().Integration.Tip
		m, err := s.Commits.Merge(ctx, onto, t.Submission.Commit, attributes)
		if err != nil {
			return flow.Move{}, nil, err
		}
		commit, err := s.Commits.MergeCommit(ctx, m.Tree, onto, t.Submission.Commit, "Merge "+string(id))
		if err != nil {
			return flow.Move{}, nil, err
		}
		drift, err := s.Commits.Drift(ctx, t.Attempt.Base, onto)
		return flow.Move{Act: board.ActMerge, Task: id, By: ann,
			Detail: &flow.MergeMove{Commit: commit, Submission: t.Submission.Commit, Onto: onto, Tree: m.Tree, Drift: drift, Git: "2"}}, nil, err
	}
}

func (d *desk) merge(id board.TaskID) Result {
	d.t.Helper()
	r, err := d.store.Do(context.Background(), merging(d.store, id))
	require.NoError(d.t, err)
	return r
}

// life takes a task from nothing to MERGED.
func (d *desk) life(id board.TaskID, file string) Result {
	d.t.Helper()
	d.add(id)
	d.approve(id, d.submit(id, coder, file, "by "+string(id)+"\n"))
	return d.merge(id)
}

// sound replays everything.
func (d *desk) sound() {
	d.t.Helper()
	_, breach, err := d.open().Audit.Fsck(context.Background(), true)
	require.NoError(d.t, err)
	require.Nil(d.t, breach, "%+v", breach)
}

func TestStoreConformance(t *testing.T) {
	t.Parallel()
	for name, make := range gittest.Kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storeConforms(t, make(t).Dir)
		})
	}
}

// storeConforms is what a blackboard must do in every kind of repository.
func storeConforms(t *testing.T, dir string) {
	ctx := context.Background()
	d := newDesk(t, dir)
	main := d.at("refs/heads/main")
	require.Equal(t, main, d.at("refs/heads/integration"))
	require.Equal(t, d.at(layout.State), d.at("refs/liza/marks/sprint-1"))

	merged := d.life("task-1", "a.md")
	gittest.Git(t, dir, "pack-refs", "--all")
	gittest.Git(t, dir, "repack", "-q", "-a", "-d")
	d.store = d.open()
	again := d.life("Task-2", "b.md")
	require.Equal(t, again.After.Task("Task-2").Merge.Commit, d.at("refs/heads/integration"))
	require.Equal(t, string(merged.After.Settings().Integration.Tip), gittest.Git(t, dir, "rev-parse", "integration^1"))
	require.Equal(t, "by task-1", gittest.Git(t, dir, "show", "integration:a.md"))
	require.Equal(t, "by Task-2", gittest.Git(t, dir, "show", "integration:b.md"))
	require.Equal(t, string(again.After.Task("Task-2").Submission.Commit), gittest.Git(t, dir, "rev-parse", "refs/liza/saved/Task-2/1"))

	d.do(flow.Move{Act: board.ActArchive, By: ann, Detail: &flow.ArchiveMove{Tasks: []board.TaskID{"task-1"}}})
	require.Contains(t, gittest.Git(t, dir, "ls-tree", "-r", "--full-tree", "--name-only", layout.State), "archive/01/sk/task-1.yaml")
	b := d.board()
	require.Equal(t, board.Merged, b.Task("task-1").Status, "archived tasks are read")
	require.Equal(t, []string{"Task-2"}, b.IDs(board.Tasks))
	require.NotNil(t, b.Load(board.Key{Folder: board.Tasks, ID: "TASK-2"}), "ids ignore case")
	require.NotNil(t, b.Load(board.Key{Folder: board.Archive, ID: "TASK-1"}))

	d.sound()
	n, breach, err := d.store.Audit.Fsck(ctx, false)
	require.NoError(t, err)
	require.Nil(t, breach)
	require.Zero(t, n, "what was verified is not replayed")
	require.Equal(t, "16", gittest.Git(t, dir, "rev-list", "--count", layout.State))
	gittest.Git(t, dir, "fsck", "--strict", "--no-dangling")
}

func TestAMoveIsOneCommit(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1", "task-2")
	r := d.claim("task-1", coder)
	require.Equal(t, "claim task-1 by coder-1 → CLAIMED", gittest.Git(t, d.dir, "log", "-1", "--format=%s", layout.State))
	require.Equal(t, "coder-1 <coder-1@liza.invalid> 2026-01-17T14:06:00+00:00", gittest.Git(t, d.dir, "log", "-1", "--format=%an <%ae> %aI", layout.State))
	require.Equal(t, "Grace <grace@example.org>", gittest.Git(t, d.dir, "log", "-1", "--format=%cn <%ce>", layout.State))
	require.Equal(t, "agents/01/coder-1.yaml\ntasks/01/task-1.yaml", gittest.Git(t, d.dir, "diff", "--name-only", layout.State+"~", layout.State))
	again, err := d.open().BoardAt(r.Commit)
	require.NoError(t, err)
	require.Equal(t, r.After.Task("task-1"), again.Task("task-1"), "what was written is what was meant")
}

// The message of a move says what came of it. Commits of programs that said less are
// history too; what is said otherwise is no move.
func TestTheLogTellsWhatCameOfIt(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	told := func() string { return gittest.Git(t, d.dir, "log", "-1", "--format=%s", layout.State) }
	d.add("task-1")
	d.claim("task-1", coder)
	why := strings.Repeat("The library of the vendor is gone; ", 10)
	d.do(flow.Move{Act: board.ActBlock, Task: "task-1", By: coder, Detail: &flow.BlockMove{Reason: why + "\nreally", Questions: []string{"Which?"}}})
	require.Equal(t, "block task-1 by coder-1: The library of the vendor is gone; The library of the vendor is… → BLOCKED", told())
	c := d.board().Settings().Config
	c.Limits.Iterations, c.Lease, c.Tests = 3, board.Duration(45*time.Minute), []string{"*_test.go"}
	d.do(flow.Move{Act: board.ActConfig, By: ann, Detail: &flow.ConfigMove{Config: c}})
	require.Equal(t, "config lease 30m → 45m, limits.iterations 10 → 3, tests by human:ann", told())
	d.do(flow.Move{Act: board.ActPause, By: ann, Detail: &flow.PauseMove{Reason: "lunch\u202e"}})
	require.Equal(t, "pause by human:ann: lunch<U+202E> → PAUSED", told())

	tip := d.at(layout.State)
	raw := d.raw(tip)
	replay := func(subject string) error {
		head, rest, _ := strings.Cut(raw, "\n\n")
		_, body, _ := strings.Cut(rest, "\n")
		_, err := d.store.Audit.ReplayMove(t.Context(), d.forged(head+"\n\n"+subject+"\n"+body), false)
		return err
	}
	require.NoError(t, replay(told()))
	require.NoError(t, replay("pause by human:ann"))
	for _, subject := range []string{"pause by human:ann → RUNNING", "pause by human:ann: lunch → PAUSED", "pause by human:bob", ""} {
		require.Error(t, replay(subject), subject)
	}
}

// The boards that moves return hold what other processes read.
func TestAfterIsWhatIsWritten(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	in := board.TaskInput{ID: "task-2", Title: " padded \r\n", DoneWhen: "it\r\nworks", Spec: "README", Scope: "s", Kind: board.Docs,
		Owns: []string{}, Limits: &board.Limits{}}
	r := d.do(flow.Move{Act: board.ActAdd, By: ann, Detail: &flow.AddMove{Tasks: []board.TaskInput{in}}})
	read := d.board().Task("task-2")
	require.Equal(t, "padded", read.Title)
	require.Equal(t, r.After.Task("task-2").DoneWhen, read.DoneWhen)
	require.Nil(t, read.Owns, "this process reads what others read, not what it wrote")
	other, _, err := d.open().Board(context.Background())
	require.NoError(t, err)
	require.Equal(t, other.Task("task-2"), read)

	// Nothing that a board hands out is shared with what a move changes.
	before := fmt.Sprintf("%+v", *read)
	d.claim("task-2", coder)
	require.Equal(t, before, fmt.Sprintf("%+v", *read))
}

func TestHistoryAndRevisions(t *testing.T) {
	t.Parallel()
	ctx, d := context.Background(), newDesk(t, gittest.Seeded(t))
	first := d.at(layout.State)
	d.now = d.now.Add(time.Hour)
	added := d.add("task-1").Commit
	d.now = d.now.Add(time.Hour)
	claimed := d.claim("task-1", coder).Commit

	for name, want := range map[string]git.ID{
		"2026-01-17T15:30:00Z": added, "2026-01-17T15:06": added, "2026-01-18": claimed, "sprint-1": first,
		string(added): added, string(added[:12]): added, layout.State + "~2": first,
		"1s": added, "1h": added, "61m": first, "120m": first,
	} {
		got, err := d.store.Rev(ctx, name)
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
	}
	for _, name := range []string{"2026-01-16", "1w", "-1h", "main", "nonsense", "", "..", "--all"} {
		_, err := d.store.Rev(ctx, name)
		require.ErrorIs(t, err, ErrNoState, name)
	}
	var acts []string
	require.NoError(t, d.store.Events(claimed, func(e Event) (bool, error) {
		acts = append(acts, e.Move.Act.String())
		return len(acts) < 2, nil
	}))
	require.Equal(t, "claim add", strings.Join(acts, " "))

	diff, err := d.store.Diff(first, claimed)
	require.NoError(t, err)
	var paths []string
	for _, one := range diff {
		paths = append(paths, one.Path)
	}
	require.Equal(t, []string{"agents/01/coder-1.yaml", "goals/goal-1.yaml", "liza.yaml", "tasks/01/task-1.yaml"}, paths)
	require.Empty(t, diff[3].Old)
	require.Contains(t, diff[3].New, "status: CLAIMED\n")
	files, err := d.store.Files(claimed)
	require.NoError(t, err)
	require.Equal(t, diff[3].New, files["tasks/01/task-1.yaml"])
	require.Len(t, files, 18)
}

func TestNoBoard(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	store := OpenStore(ctx, open(t, gittest.Seeded(t)), time.Now)
	_, _, err := store.Board(ctx)
	require.ErrorIs(t, err, ErrNoBoard)
	_, err = store.Do(ctx, constant(flow.Move{Act: board.ActPause, By: ann, Detail: &flow.PauseMove{Reason: "x"}}))
	require.ErrorIs(t, err, ErrNoBoard)
	_, _, err = store.Audit.Fsck(ctx, true)
	require.ErrorIs(t, err, ErrNoBoard)
	_, err = store.Repairer.Repair(ctx)
	require.ErrorIs(t, err, ErrNoBoard)
	_, err = store.Rev(ctx, "HEAD")
	require.ErrorIs(t, err, ErrNoBoard)
	require.NoError(t, store.Settler.Settle(ctx))
}

func (d *desk) released(id board.TaskID) flow.Move {
	return flow.Move{Act: board.ActRelease, Task: id, By: ann, Detail: &flow.ReleaseMove{}}
}
