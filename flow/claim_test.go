package flow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// The list of coders cannot be cut short: who coded must never review.
func TestTheFiftyFirstCoderIsRefused(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a")
	for i := range board.MaxList {
		require.Empty(t, s.step(fmt.Sprintf("coder-%d claim a", i+1), new(record)))
		require.Empty(t, s.step(fmt.Sprintf("coder-%d release a", i+1), new(record)))
	}
	require.Empty(t, s.step("coder-51 claim a -> refused limit", new(record)))
	require.Empty(t, s.step("coder-7 claim a -> CLAIMED", new(record)))
}

// A task does not come to depend on more tasks than its document may name.
func TestRepointingHasALimit(t *testing.T) {
	t.Parallel()
	deps := make([]string, board.MaxList)
	for i := range deps {
		deps[i] = fmt.Sprintf("d%d", i)
	}
	all := strings.Join(deps, " ")
	s := staged(t, "human:ann add "+all+" a<"+strings.Join(deps, ","))
	require.Empty(t, s.step("human:ann supersede d0 x y -> refused limit", new(record)))
	require.Empty(t, s.step("human:ann supersede d0 x -> SUPERSEDED", new(record)))
}

// A lease ends within a day, unless the board itself gives longer ones; what
// was accepted before replays.
func TestLeasesEnd(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a")
	day := MaxLease
	for _, c := range []struct {
		by     board.Actor
		act    board.Act
		detail Detail
		hint   string
	}{
		{"coder-1", board.ActClaim, &ClaimMove{Lease: day + 1}, "git liza claim a --lease 24h --as coder-1"},
		{"human:ann", board.ActRenew, &RenewMove{Lease: 2 * day}, "git liza renew a --lease 24h"},
		{"code-reviewer-1", board.ActReview, &ReviewMove{Lease: 365 * day}, "git liza review a --lease 24h --as code-reviewer-1"},
	} {
		m := s.by(c.by, c.act, "a", c.detail)
		r := Admissible(s.board, m, nil)
		require.NotNil(t, r)
		require.Equal(t, RuleLease, r.Rule)
		require.Equal(t, c.hint, r.Hint)
	}
	require.Nil(t, Admissible(s.board, s.by("coder-1", board.ActClaim, "a", &ClaimMove{Lease: day}), nil))
	long := s.by("coder-1", board.ActClaim, "a", &ClaimMove{Lease: 2 * day, Base: baseOf(s.board, "a", "coder-1")})
	_, err := Apply(s.board, long, nil)
	require.NoError(t, err, "history is what it is")
}

// baseOf is the base that a claim of the task by the actor is filled with.
func baseOf(b *board.Board, id board.TaskID, by board.Actor) board.ObjectID {
	return Fill(b, Move{Task: id, By: by, Detail: &ClaimMove{}}, nil).Detail.(*ClaimMove).Base
}

// TestBase: what a claim is filled with is what it has to name, in every state.
func TestBase(t *testing.T) {
	t.Parallel()
	for _, status := range board.Statuses() {
		at := sceneAt(t, status)
		at.now = at.now.Add(2 * 60 * 60 * 1e9)
		for _, who := range []string{"coder-1", "coder-2"} {
			try := *at
			m, facts := try.moveOf([]string{who, "claim", "task-1"})
			if r := try.judge(m, facts); r != nil {
				require.NotEqual(t, RuleTip, r.Rule, "%s by %s", status, who)
				continue
			}
			fresh := try.board.Task("task-1").Attempt.Number > 1 || status == board.Unclaimed
			carried := status == board.IntegrationFailed
			require.Equal(t, fresh && !carried, baseOf(at.board, "task-1", board.Actor(who)) != "", "%s by %s", status, who)
		}
	}
	require.Empty(t, baseOf(opened(t).board, "zz", "coder-1"))
}

// shelf answers for its summaries at once, as a store with a cache does.
type shelf struct {
	board.Documents
	list []*board.Summary
}

func (s shelf) Summaries() ([]*board.Summary, error) { return s.list, nil }

func (s shelf) InWork() ([]*board.Summary, error) {
	return lists.Where(s.list, (*board.Summary).IsInWork), nil
}

// crowd is a board with n live tasks, every tenth of them under review, which
// own a folder each.
func crowd(b *testing.B, n int) *scene {
	s := opened(b)
	list := make([]board.TaskInput, n)
	for i := range list {
		list[i] = board.TaskInput{ID: board.TaskID(fmt.Sprintf("t%d", i)), Title: "T", DoneWhen: "D", Spec: vision, Scope: "S",
			Owns: []string{fmt.Sprintf("src/part%d/", i)}}
	}
	for len(list) > 0 {
		some := min(len(list), board.MaxTasks)
		next, err := Apply(s.board, s.by("human:ann", board.ActAdd, "", &AddMove{Tasks: list[:some]}), nil)
		require.NoError(b, err)
		s.docs, list = s.docs.With(next.Changes()), list[some:]
		s.board = board.Open(s.docs, s.now)
	}
	var held []board.Edit
	for i := 0; i < n; i += 10 {
		id := fmt.Sprintf("t%d", i)
		busy := *s.board.Task(board.TaskID(id))
		busy.Status, busy.Attempt, busy.Submission = board.ReadyForReview, &board.Attempt{Number: 1, Base: s.tip()}, &board.Submission{Commit: object("c"), ReviewBy: []board.Role{board.CodeReviewer}}
		held = append(held, board.Edit{Key: board.Key{Folder: board.Tasks, ID: id}, Document: &busy})
	}
	s.docs = s.docs.With(held)
	summaries, err := s.docs.Summaries()
	require.NoError(b, err)
	s.board = board.Open(shelf{s.docs, summaries}, s.now)
	return s
}

func BenchmarkClaimAmong10000(b *testing.B) {
	s := crowd(b, 10_000)
	m := s.by("coder-1", board.ActClaim, "t7", &ClaimMove{Lease: s.board.Settings().Config.Lease, Base: s.tip()})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Apply(s.board, m, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBestAmong10000(b *testing.B) {
	s := crowd(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, r := Best(s.board, board.ActClaim, Caller{By: "coder-1"}, s.now, nil); r != nil {
			b.Fatal(r)
		}
	}
}

func BenchmarkCheck10000(b *testing.B) {
	s := crowd(b, 10_000)
	for b.Loop() {
		if err := Check(s.board); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAdd5000(b *testing.B) {
	s := opened(b)
	list := make([]board.TaskInput, board.MaxTasks)
	for i := range list {
		list[i] = board.TaskInput{ID: board.TaskID(fmt.Sprintf("t%d", i)), Title: "T", DoneWhen: "D", Spec: vision, Scope: "S"}
		if i > 0 {
			list[i].DependsOn = []board.TaskID{list[i-1].ID}
		}
	}
	m := s.by("human:ann", board.ActAdd, "", &AddMove{Tasks: list})
	for b.Loop() {
		if _, err := Apply(s.board, m, nil); err != nil {
			b.Fatal(err)
		}
	}
}
