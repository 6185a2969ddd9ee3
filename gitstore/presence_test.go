package gitstore

import (
	"context"
	"os"
	"path/filepath"
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

// alive is what an agent says so many seconds after noon.
func alive(agent board.AgentID, g board.Generation, seconds int) Presence {
	at := noon.Add(time.Duration(seconds) * time.Second)
	return Presence{Agent: agent, Generation: g, Host: "ant", PID: 4711, Began: noon, At: at, Every: board.Duration(30 * time.Second),
		Provider: "claude", Model: "m", Doing: "coding", Task: "task-1", Since: noon, Note: "session 2",
		Usage: board.Usage{Sessions: 1, Input: 10, Cached: 4, Output: 2, Cost: 132500}, Context: 63}
}

func TestPresenceIsSilentAfterThreeBeats(t *testing.T) {
	t.Parallel()
	p := alive("coder-1", generation, 0)
	require.False(t, p.Silent(noon.Add(90*time.Second)))
	require.True(t, p.Silent(noon.Add(91*time.Second)))
	require.False(t, p.Silent(noon.Add(-time.Hour)), "another host's clock may be ahead")
}

// A presence is kept in every kind of repository, and git itself has nothing
// against it, nor against its going.
func TestPresence(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, make := range gittest.Kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := make(t)
			r := open(t, k.Dir)
			said := func() (Presence, bool) {
				at, err := r.Refs.Resolve(ctx, layout.PresenceRefs+"coder-1")
				require.NoError(t, err)
				return readPresence(ctx, r, at, "coder-1")
			}
			_, ok := said()
			require.False(t, ok)
			_, ok = readBeat(r, "coder-1")
			require.False(t, ok)
			require.NoError(t, DropPresence(ctx, r, "coder-1", ""))

			require.NoError(t, SavePresence(ctx, r, alive("coder-1", generation, 1)))
			second := alive("coder-1", generation, 2)
			require.NoError(t, SavePresence(ctx, r, second))
			require.Equal(t, "presence of coder-1|coder-1|", gittest.Git(t, k.Dir, "log", "--format=%s|%an|%p", layout.PresenceRefs+"coder-1"), "one commit, without a parent")
			got, ok := said()
			require.True(t, ok)
			require.Equal(t, second, got)
			require.NoError(t, Beat(r, alive("coder-1", generation, 3)))
			third := alive("coder-1", generation, 4)
			require.NoError(t, Beat(r, third))
			gittest.Git(t, k.Dir, "gc", "-q", "--prune=now")
			gittest.Git(t, k.Dir, "fsck", "--strict", "--no-dangling")

			r = open(t, k.Dir)
			got, ok = said()
			require.True(t, ok)
			require.Equal(t, second, got)
			got, ok = readBeat(r, "coder-1")
			require.True(t, ok)
			require.Equal(t, third, got)

			require.NoError(t, DropPresence(ctx, r, "coder-1", "1111111111111111"), "what a newer registration says stays")
			_, ok = said()
			require.True(t, ok)
			require.NoError(t, DropPresence(ctx, r, "coder-1", generation))
			_, ok = said()
			require.False(t, ok)
			_, ok = readBeat(r, "coder-1")
			require.False(t, ok)
		})
	}
}

// A file or commit that is no presence counts for nothing, whichever agent wrote
// it, and texts do not steer a terminal.
func TestPresenceOfAStranger(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := gittest.Seeded(t)
	r := open(t, dir)
	require.Error(t, Beat(r, Presence{Agent: "root", Generation: generation}))
	require.Error(t, Beat(r, Presence{Agent: "coder-1"}))
	require.Error(t, SavePresence(ctx, r, Presence{Agent: "coder-1", Generation: generation.Child()}))

	long := alive("coder-1", generation, 0)
	long.Note, long.Host = strings.Repeat("x", 1<<20), "a\x1b[2Jnt"
	long.Usage.Input, long.Context = -1, 700
	require.NoError(t, Beat(r, long))
	require.NoError(t, SavePresence(ctx, r, long))
	p, ok := readBeat(r, "coder-1")
	require.True(t, ok)
	require.Equal(t, "a[2Jnt", p.Host)
	require.LessOrEqual(t, len(p.Note), maxWords)
	require.Zero(t, p.Usage.Input)
	require.Equal(t, 100, p.Context)
	long.Context = 0
	require.NoError(t, Beat(r, long))
	text, err := os.ReadFile(presenceFile(r, "coder-1"))
	require.NoError(t, err)
	require.NotContains(t, string(text), "context")

	path := presenceFile(r, "coder-1")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for name, text := range map[string]string{
		"half":            string(whole[:30]),
		"another's":       strings.Replace(string(whole), "agent: coder-1", "agent: coder-2", 1),
		"without a beat":  strings.Replace(string(whole), "every: 30s\n", "", 1),
		"of a child":      strings.Replace(string(whole), string(generation), string(generation)+".child", 1),
		"with more":       string(whole) + "more: 1\n",
		"without an end":  "note: \"" + strings.Repeat("x", MaxPresence) + "\"\n" + string(whole),
		"with the escape": strings.Replace(string(whole), "a[2Jnt", "a\x1b[2Jnt", 1),
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		_, ok := readBeat(r, "coder-1")
		require.False(t, ok, name)
	}
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o777))
	_, ok = readBeat(r, "coder-1")
	require.False(t, ok)
	require.Error(t, Beat(r, long), "the caller says so once")

	for _, object := range []string{"HEAD", "HEAD^{tree}", "HEAD:README"} {
		_, ok := readPresence(ctx, r, git.ID(gittest.Git(t, dir, "rev-parse", object)), "coder-1")
		require.False(t, ok, object)
	}
	_, ok = readPresence(ctx, r, git.ID(strings.Repeat("1", 40)), "coder-1")
	require.False(t, ok)
}

// The presence of agents reaches other clones with the state, and only what the
// agent's own registration said counts.
func TestPresenceTravels(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newLane(t)
	enter := func(d *desk, id board.AgentID, g board.Generation) {
		d.do(flow.Move{Act: board.ActRegister, By: board.Actor(id), Detail: &flow.RegisterMove{Agent: id, Generation: g, Takeover: true}})
	}
	said := func(d *desk) map[board.AgentID]Presence {
		d.store = d.open()
		_, err := d.store.Mirror.Sync(ctx)
		require.NoError(t, err)
		known, err := d.store.Presences.List(ctx, d.board())
		require.NoError(t, err)
		return known
	}
	share := func(d *desk, ids ...board.AgentID) { require.NoError(t, d.store.Presences.Share(ctx, ids)) }
	require.Empty(t, said(l.b))
	enter(l.a, "coder-1", generation)
	enter(l.a, "coder-2", generation)
	for _, p := range []Presence{alive("coder-1", generation, 1), alive("coder-2", "1111111111111111", 1)} {
		require.NoError(t, SavePresence(ctx, l.a.store.Repo, p))
	}
	share(l.a, "coder-1", "coder-2")
	require.NoError(t, Beat(l.a.store.Repo, alive("coder-1", generation, 9)))
	require.Equal(t, map[board.AgentID]Presence{"coder-1": alive("coder-1", generation, 1)}, said(l.b))
	require.Equal(t, map[board.AgentID]Presence{"coder-1": alive("coder-1", generation, 9)}, said(l.a), "a clone knows more of its own")

	enter(l.a, "coder-1", "2222222222222222")
	require.Empty(t, said(l.b), "it is registered anew")
	pruned, err := l.b.store.Presences.Prune(ctx, l.b.board())
	require.NoError(t, err)
	require.Equal(t, 2, pruned)
	require.Empty(t, gittest.Git(t, l.b.dir, "for-each-ref", "refs/liza/remote/origin/agents"))

	for _, id := range []board.AgentID{"coder-1", "coder-2"} {
		require.NoError(t, DropPresence(ctx, l.a.store.Repo, id, ""))
	}
	share(l.a, "coder-1", "coder-2")
	require.Empty(t, gittest.Git(t, l.bare, "for-each-ref", "refs/liza/agents"))
	share(l.a, "coder-1")
	l.agree(t)

	require.NoError(t, os.Rename(l.bare, filepath.Join(t.TempDir(), "away")))
	require.NoError(t, SavePresence(ctx, l.a.store.Repo, alive("coder-1", generation, 5)))
	require.ErrorIs(t, l.a.store.Presences.Share(ctx, []board.AgentID{"coder-1"}), ErrOffline)
}

// Presences are no reason to fail for a look at the board: not where the ref of
// one cannot come here.
func TestPresenceNeverStopsAFetch(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	tip := gittest.Git(t, l.bare, "rev-parse", "refs/heads/main")
	gittest.Git(t, l.bare, "update-ref", "refs/liza/agents/coder-1/x", tip)
	l.agree(t)
	gittest.Git(t, l.bare, "update-ref", "-d", "refs/liza/agents/coder-1/x")
	gittest.Git(t, l.bare, "update-ref", "refs/liza/agents/coder-1", tip)
	l.a.add("task-1")
	l.agree(t)
	known, err := l.b.store.Presences.List(context.Background(), l.b.board())
	require.NoError(t, err)
	require.Empty(t, known)
}

// Another program may write what ours would not: numbers that would give others
// more to spend, or all that there is, and entries that steer a terminal.
func TestPresenceOfAnotherProgram(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := gittest.Seeded(t)
	r := open(t, dir)
	said := func(document string) (Presence, bool) {
		o := r.Objects(ctx)
		id, err := o.WriteCommit([]byte("tree " + string(r.Hash("tree", nil)) + "\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nsubject\n\n" + document))
		require.NoError(t, err)
		require.NoError(t, o.Flush())
		return readPresence(ctx, r, id, "coder-1")
	}
	head := "agent: coder-1\ngeneration: " + string(generation) + "\nevery: 30s\n"
	p, ok := said(head + "host: \"\\e[2J\\u009b31m\"\nusage:\n  input: 1\n  cached: 9000000000000000000\n  output: -5\n  sessions: 9\n")
	require.True(t, ok)
	require.Equal(t, "[2J31m", p.Host)
	require.Equal(t, board.Usage{Sessions: 1, Input: 1, Cached: 1}, p.Usage)
	require.Zero(t, p.Usage.Tokens(), "nobody gets more by it")
	p, ok = said(head + "usage:\n  input: 9223372036854775807\n  output: 9223372036854775807\n  cost: \"1000000000\"\n")
	require.True(t, ok)
	require.Equal(t, board.Usage{Input: 1e12, Output: 1e12, Cost: 1e12}, p.Usage)
	for _, body := range []string{"usage:\n  cost: \"-1\"\n", "task: ../../x\n", "note: \"" + strings.Repeat("x", MaxPresence-len(head)-10) + "\"\n"} {
		_, ok := said(head + body)
		require.False(t, ok, "%.40s", body)
	}
}

// An agent cannot keep itself alive by its clock and its beat: it counts as
// silent three leases after it was heard of last.
func TestPresenceEnds(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newLane(t)
	l.a.do(flow.Move{Act: board.ActRegister, By: "coder-1", Detail: &flow.RegisterMove{Agent: "coder-1", Generation: generation}})
	lease := time.Duration(l.a.board().Settings().Config.Lease)
	heard := func(at time.Time, every time.Duration) (Presence, bool) {
		p := alive("coder-1", generation, 0)
		p.At, p.Every = at, board.Duration(every)
		require.NoError(t, SavePresence(ctx, l.a.store.Repo, p))
		require.NoError(t, l.a.store.Presences.Share(ctx, []board.AgentID{"coder-1"}))
		_, err := l.b.store.Mirror.Sync(ctx)
		require.NoError(t, err)
		known, err := l.b.store.Presences.List(ctx, l.b.board())
		require.NoError(t, err)
		got, ok := known["coder-1"]
		return got, ok
	}
	now := l.b.store.Now()
	for _, ahead := range []time.Duration{lease + time.Hour, 80 * 365 * 24 * time.Hour} {
		_, ok := heard(now.Add(ahead), lease/2)
		require.False(t, ok, "it is dated %s ahead", ahead)
	}
	p, ok := heard(now.Add(lease/2), lease/2)
	require.True(t, ok, "another host's clock may be ahead")
	require.Equal(t, board.Duration(lease/2), p.Every)
	p, ok = heard(now.Add(-time.Minute), 10*365*24*time.Hour)
	require.True(t, ok)
	require.False(t, p.Silent(now))
	require.True(t, p.Silent(now.Add(3*lease)))
}
