package gitstore

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

const generation = board.Generation("5c1e0a44d2b97f31")

var noon = time.Date(2026, 1, 17, 12, 0, 0, 0, time.UTC)

// ended is a session that ended so many minutes after noon.
func ended(agent board.AgentID, g board.Generation, task board.TaskID, minutes int) SessionRecord {
	at := noon.Add(time.Duration(minutes) * time.Minute)
	return SessionRecord{Agent: agent, Generation: g, Role: agent.Role(), Task: task, Provider: "script", Model: "m", Dir: "/w",
		Began: at.Add(-time.Minute), Ended: at, Outcome: "submitted", Ending: "exit 0", Session: "s", Denied: []string{"Bash: git push"},
		Usage: board.Usage{Sessions: 1, Input: 10, Cached: 4, Output: 2, Cost: 132500, Seconds: 60}}
}

func save(t testing.TB, r *git.Repo, rec SessionRecord) git.ID {
	id, err := SaveSession(context.Background(), r, rec, []byte("do "+rec.Task), []byte("did "+rec.Task))
	require.NoError(t, err)
	return id
}

func outlined(list []SessionRecord) (lines []string) {
	for _, one := range list {
		lines = append(lines, fmt.Sprintf("%s %s %s", one.Agent, one.Task, one.Ended.Format("15:04")))
	}
	return lines
}

// Sessions are kept in every kind of repository, and git itself has nothing
// against them.
func TestSessions(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, make := range gittest.Kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := make(t)
			r := open(t, k.Dir)
			none, err := Sessions(ctx, r, SessionFilter{})
			require.NoError(t, err)
			require.Empty(t, none)

			first := save(t, r, ended("coder-1", generation.Child(), "a", 1))
			save(t, r, ended("coder-1", "1111111111111111", "b", 2))
			save(t, r, ended("code-reviewer-1", generation, "a", 3))
			last := save(t, r, ended("coder-1", generation, "c", 4))
			ref := layout.SessionRefs + "coder-1/" + string(generation)
			require.Equal(t, string(last)+" "+string(first), strings.ReplaceAll(gittest.Git(t, k.Dir, "rev-list", ref), "\n", " "), "a chain for each registration")
			require.Equal(t, "session of coder-1 on c: submitted|coder-1", gittest.Git(t, k.Dir, "log", "-1", "--format=%s|%an", ref))
			gittest.Git(t, k.Dir, "gc", "-q", "--prune=now")
			gittest.Git(t, k.Dir, "fsck", "--strict", "--no-dangling")

			r = open(t, k.Dir)
			for filter, want := range map[SessionFilter][]string{
				{}:                            {"coder-1 c 12:04", "code-reviewer-1 a 12:03", "coder-1 b 12:02", "coder-1 a 12:01"},
				{Limit: 2}:                    {"coder-1 c 12:04", "code-reviewer-1 a 12:03"},
				{Task: "a"}:                   {"code-reviewer-1 a 12:03", "coder-1 a 12:01"},
				{Agent: "coder-1", Task: "a"}: {"coder-1 a 12:01"},
				{Agent: "coder-1", Limit: 1}:  {"coder-1 c 12:04"},
				{Agent: "coder-2"}:            nil,
			} {
				list, err := Sessions(ctx, r, filter)
				require.NoError(t, err)
				require.Equal(t, want, outlined(list), "%+v", filter)
			}
			rec, prompt, output, err := Session(ctx, r, first)
			require.NoError(t, err)
			want := ended("coder-1", generation, "a", 1)
			want.ID, want.PromptSize, want.OutputSize = first, 4, 5
			require.Equal(t, want, rec)
			require.Equal(t, "do a did a", string(prompt)+" "+string(output))
		})
	}
}

// Whatever a provider said of itself fits.
func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := open(t, gittest.Seeded(t))
	rec := ended("coder-1", generation, "a", 1)
	long := strings.Repeat("ü\x00\x1b[31m", 1<<18)
	rec.Provider, rec.Model, rec.Dir, rec.Ending, rec.Session, rec.Error = long, long, long, long, long, long
	rec.Denied = []string{}
	for range 100 {
		rec.Denied = append(rec.Denied, long[:10_000])
	}
	rec.Usage = board.Usage{Sessions: 9, Input: -1, Output: 1 << 62, Cost: -1}
	rec.OutputSize = 1 << 40 // the caller had kept the ends only
	id, err := SaveSession(ctx, r, rec, []byte(long), []byte(long))
	require.NoError(t, err)
	got, prompt, output, err := Session(ctx, r, id)
	require.NoError(t, err)
	require.Len(t, got.Denied, board.MaxList)
	require.Equal(t, board.Usage{Sessions: 1, Output: 1e12}, got.Usage)
	require.Equal(t, int64(len(long)), got.PromptSize)
	require.Equal(t, int64(1<<40), got.OutputSize)
	for limit, text := range map[int][]byte{MaxPrompt: prompt, MaxOutput: output} {
		require.LessOrEqual(t, len(text), limit)
		require.Greater(t, len(text), limit-100)
		require.Contains(t, string(text), fmt.Sprintf("\n[… %d bytes left out …]\n", len(long)-2*((limit-64)/2)+leftover(text)))
		require.Equal(t, bytes.ToValidUTF8(text, nil), text, "cut between characters")
	}
	for odd := range 8 { // wherever the cuts fall
		text := cutMiddle([]byte(strings.Repeat("x", odd)+strings.Repeat("ü€😀", 100)), 200+odd/2)
		require.True(t, utf8.Valid(text), "%q", text)
	}
	whole := []byte(long[:MaxPrompt])
	require.Equal(t, whole, cutMiddle(whole, MaxPrompt))
}

// leftover is what cutting between characters left out besides.
func leftover(text []byte) int {
	limit := MaxPrompt
	if len(text) > MaxPrompt {
		limit = MaxOutput
	}
	head, tail, _ := bytes.Cut(text, []byte("\n[…"))
	_, tail, _ = bytes.Cut(tail, []byte("…]\n"))
	return 2*((limit-64)/2) - len(head) - len(tail)
}

func TestSessionsOfNobody(t *testing.T) {
	t.Parallel()
	r := open(t, gittest.Seeded(t))
	for _, bad := range [][2]string{{"", string(generation)}, {"../x", string(generation)}, {"coder-1", ""}, {"coder-1", "../../heads/main"}, {"coder-1", ".child"}} {
		_, err := SaveSession(context.Background(), r, ended(board.AgentID(bad[0]), board.Generation(bad[1]), "a", 1), nil, nil)
		require.Error(t, err, bad)
	}
	require.Empty(t, gittest.Git(t, r.CommonDir(), "for-each-ref", "refs/liza"))
}

// No session is lost where two are saved under one registration at once.
func TestSessionsAtOnce(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	saved := make(chan error, 4)
	for i := range 4 {
		r := open(t, dir)
		go func() {
			_, err := SaveSession(context.Background(), r, ended("coder-1", generation, "a", i), nil, nil)
			saved <- err
		}()
	}
	for range 4 {
		require.NoError(t, <-saved)
	}
	list, err := Sessions(context.Background(), open(t, dir), SessionFilter{})
	require.NoError(t, err)
	require.Len(t, list, 4)
}

// Other clones may have pushed anything under the names of sessions.
func TestForeignSessions(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := gittest.Seeded(t)
	r := open(t, dir)
	good := save(t, r, ended("coder-1", generation, "a", 1))
	main := gittest.Git(t, dir, "rev-parse", "main")
	gittest.Git(t, dir, "update-ref", layout.SessionRefs+"coder-2/x", main)
	gittest.Git(t, dir, "update-ref", layout.SessionRefs+"coder-3/blob", gittest.Git(t, dir, "rev-parse", "main:README"))
	gittest.Git(t, dir, "checkout", "-q", "--detach", string(good))
	gittest.Write(t, dir, "record.yaml", "agent: coder-4\nsurprise: 1\n")
	gittest.Git(t, dir, "add", "record.yaml")
	gittest.Git(t, dir, "commit", "-q", "-m", "another")
	gittest.Git(t, dir, "update-ref", layout.SessionRefs+"coder-4/x", "HEAD")
	list, err := Sessions(ctx, r, SessionFilter{})
	require.NoError(t, err)
	said := map[board.AgentID]string{}
	for _, one := range list {
		said[one.Agent] += "|" + one.Ending
	}
	require.Equal(t, "|exit 0|exit 0", said["coder-1"], "once more behind that of coder-4")
	require.Contains(t, said["coder-2"], "is no session")
	require.Contains(t, said["coder-3"], "not a commit")
	require.Contains(t, said["coder-4"], "surprise")
	_, _, _, err = Session(ctx, r, git.ID(main))
	require.ErrorIs(t, err, git.ErrNoCommit)
	_, _, _, err = Session(ctx, r, git.ID(strings.Repeat("1", 40)))
	require.ErrorIs(t, err, git.ErrNoObject)
}

func TestPruneSessions(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	d := newDesk(t, gittest.Seeded(t))
	d.do(by(ann, board.ActRegister, &flow.RegisterMove{Agent: "coder-1", Generation: generation}))
	for i := range 3 {
		save(t, d.store.Repo, ended("coder-1", generation, "a", i))
		save(t, d.store.Repo, ended("coder-1", "1111111111111111", "a", i))
		save(t, d.store.Repo, ended("coder-2", "2222222222222222", "a", 10*i))
	}
	gittest.Git(t, d.store.Repo.CommonDir(), "update-ref", layout.SessionRefs+"coder-3/odd", string(d.at(layout.State)))
	n, err := d.store.PruneSessions(ctx, noon.Add(20*time.Minute))
	require.NoError(t, err)
	require.Equal(t, 3+2, n, "with what is no session; coder-1 is registered, coder-2 ended later")
	require.Equal(t, []string{layout.SessionRefs + "coder-1/" + string(generation), layout.SessionRefs + "coder-2/2222222222222222"},
		strings.Fields(gittest.Git(t, d.dir, "for-each-ref", "--format=%(refname)", layout.SessionRefs)))
	_, err = d.store.PruneSessions(ctx, noon.Add(21*time.Minute))
	require.NoError(t, err)
	d.do(by(ann, board.ActUnregister, &flow.UnregisterMove{Agent: "coder-1"}))
	n, err = d.store.PruneSessions(ctx, noon.Add(21*time.Minute))
	require.NoError(t, err)
	require.Equal(t, 3, n)
	require.Empty(t, gittest.Git(t, d.dir, "for-each-ref", layout.SessionRefs))
}
