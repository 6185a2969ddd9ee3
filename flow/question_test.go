package flow

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// Agents of the role that a question is to answer it under a lease of theirs, and
// so do people and planners without one.
func TestQuestionsToARole(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a | coder-1 claim a | coder-1 block a questions=why?,how?")
	for _, id := range []string{"sprint-1/1", "sprint-1/2"} {
		q := *s.board.Load(board.Key{Folder: board.Questions, ID: id}).(*board.Question)
		q.To = board.CodeReviewer
		s.docs = s.docs.With([]board.Edit{{Key: board.Key{Folder: board.Questions, ID: id}, Document: &q}})
	}
	s.board = board.Open(s.docs, s.now)
	for _, step := range []string{
		"coder-1 take sprint-1/1 -> refused not_allowed", "planner-1 take sprint-1/1 -> refused not_allowed",
		"code-reviewer-1 answer sprint-1/1 -> refused not_holder",
		"code-reviewer-1 take sprint-1/1 lease=10m",
		"code-reviewer-2 answer sprint-1/1 -> refused not_holder",
		"+10m code-reviewer-1 answer sprint-1/1 -> refused not_holder",
		"code-reviewer-2 take sprint-1/1", "code-reviewer-2 answer sprint-1/1 text=so",
		"a has questions=sprint-1/1:why?:so:code-reviewer-2,sprint-1/2:how?:open",
		"planner-1 answer sprint-1/2 text=thus",
	} {
		require.Empty(t, s.step(step, new(record)), step)
	}
}

// A board on which a question is open that no task waits for is not sound, nor
// one whose blocked task lists a question that is not there.
func TestStrayQuestions(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a b | coder-1 claim a | coder-1 block a")
	key := board.Key{Folder: board.Questions, ID: "sprint-1/1"}
	asked := *s.board.Load(key).(*board.Question)
	spoilt := func(edit func(*board.Question)) board.Documents {
		q := asked
		edit(&q)
		return s.docs.With([]board.Edit{{Key: key, Document: &q}})
	}
	closed := *s.board.Task("a")
	closed.Block = &board.Block{Reason: "stuck", Questions: []string{"why?"}}
	for name, docs := range map[string]board.Documents{
		"about no task":      spoilt(func(q *board.Question) { q.Task = "c" }),
		"about another task": spoilt(func(q *board.Question) { q.Task = "b" }),
		"answered and open":  spoilt(func(q *board.Question) { q.Answer = "so" }),
		"closed by nobody":   spoilt(func(q *board.Question) { q.At = s.now }),
		"closed and taken":   spoilt(func(q *board.Question) { q.At, q.By, q.Lease = s.now, "human:ann", &board.Review{By: "human:ann"} }),
		"not asked":          s.docs.With([]board.Edit{{Key: board.Key{Folder: board.Tasks, ID: "a"}, Document: &closed}}),
		"gone":               s.docs.With([]board.Edit{{Key: key, Document: nil}}),
	} {
		require.Error(t, Check(board.Open(docs, s.now)), name)
	}
	require.NoError(t, Check(board.Open(s.docs, s.now)))
}

// Prompts repeat a note until it expires, or until what it is for is over.
func TestNotesExpire(t *testing.T) {
	t.Parallel()
	s := staged(t, `human:ann add task-1 | human:ann note for=all until=1h | human:ann note for=all | human:ann note for=task-1
		human:ann note for=coder-7 | human:ann note for=code-reviewer`)
	current := func(id string, at time.Time) bool {
		return board.NoteIsCurrent(s.board, s.board.Load(board.Key{Folder: board.Notes, ID: "sprint-1/" + id}).(*board.Note), at)
	}
	require.True(t, current("1", s.now.Add(time.Hour-time.Second)))
	require.False(t, current("1", s.now.Add(time.Hour)))
	for _, id := range []string{"2", "3", "4", "5"} {
		require.True(t, current(id, s.now), id)
	}
	s = staged(t, `human:ann add task-1 | human:ann note for=all | human:ann note for=task-1 | human:ann note for=coder-7 | human:ann note for=coder
		human:ann abandon task-1 | human:ann abort`)
	require.False(t, current("1", s.now), "the goal has ended")
	require.False(t, current("2", s.now), "the task is final")
	require.False(t, current("3", s.now), "the goal has ended")
	require.False(t, current("4", s.now), "the goal has ended")
	require.Empty(t, s.step("+1s human:ann note for=coder", new(record)))
	require.Empty(t, s.step("human:ann note for=all", new(record)))
	require.True(t, current("5", s.now), "written after the end of the goal")
	require.True(t, current("6", s.now), "written after the end of the goal")
}

// A move on a question names the goal of the task that it is about, not the one
// that was set last.
func TestGoalOfQuestions(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a | coder-1 claim a | coder-1 block a | human:ann goal goal-2")
	for act, d := range map[board.Act]Detail{board.ActAnswer: &AnswerMove{Question: "sprint-1/1"}, board.ActTake: &TakeMove{Question: "sprint-1/1"}} {
		require.Equal(t, board.GoalID("goal-1"), GoalOf(s.board, Caller{By: "human:ann"}.Move(act, "", d)))
	}
}

// A session that was spawned for an answer answers, or asks on, and does nothing else.
func TestAnsweringSessions(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a | coder-1 claim a | coder-1 ask to=planner | human:ann register planner-1 | planner-1 take sprint-1/1")
	refused := func(act board.Act, d Detail) Rule {
		t.Helper()
		m := s.by("planner-1", act, "", d)
		m.Generation = s.board.Agent("planner-1").Generation.Child()
		r := Admissible(s.board, m, nil)
		if r == nil {
			return ""
		}
		return r.Rule
	}
	require.Equal(t, RuleRole, refused(board.ActAdd, &AddMove{}))
	require.Equal(t, RuleRole, refused(board.ActNote, &NoteMove{}))
	require.Equal(t, RuleRole, refused(board.ActAnswer, &AnswerMove{Question: "sprint-1/2"}))
	require.Equal(t, RuleRole, refused(board.ActAsk, &AskMove{About: "a"}))
	require.Empty(t, refused(board.ActAsk, &AskMove{About: "a", Parent: "sprint-1/1"}))
	require.Empty(t, refused(board.ActAnswer, &AnswerMove{Question: "sprint-1/1"}))
	require.Nil(t, Admissible(s.board, s.by("planner-1", board.ActAdd, "", &AddMove{}), nil), "its supervisor is no such session")
	require.Empty(t, s.step("planner-1 answer sprint-1/1", new(record)))
	require.Empty(t, refused(board.ActAdd, &AddMove{}))
}

// The question for an agent is the one that it has taken, else the oldest that it may
// take. What blocks a task wakes planners, who take only what is asked during the work.
func TestNextQuestion(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a b c | coder-1 claim a | coder-1 ask to=architect | +1m coder-1 ask to=planner | coder-1 ask | coder-2 claim b | coder-2 block b reason=- to=architect | coder-3 claim c | coder-3 block c reason=- to=planner")
	next := func(by board.Actor) (board.RecordID, time.Time) {
		q, at := NextQuestion(s.board, Caller{By: by}, s.now, nil)
		if q == nil {
			return "", at
		}
		return q.ID, at
	}
	for _, c := range []struct {
		step string
		by   board.Actor
		id   board.RecordID
		wait time.Duration
	}{
		{"", "architect-1", "sprint-1/1", 0},
		{"", "coder-2", "", 0},
		{"", "planner-1", "sprint-1/2", 0},
		{"planner-1 take sprint-1/2", "planner-2", "sprint-1/3", 0},
		{"architect-1 take sprint-1/1", "architect-2", "sprint-1/4", 0},
		{"architect-2 take sprint-1/4 lease=20m", "architect-1", "sprint-1/1", 0},
		{"architect-2 take sprint-1/4 +free", "architect-2", "sprint-1/4", 0},
		{"architect-2 take sprint-1/4 lease=20m", "architect-3", "", 20*time.Minute + time.Second},
		{"architect-2 take sprint-1/4 +free +missed", "architect-3", "", time.Duration(board.DefaultConfig().Retry.Base)},
	} {
		if c.step != "" {
			require.Empty(t, s.step(c.step, new(record)), c.step)
		}
		id, at := next(c.by)
		require.Equal(t, c.id, id, "%s: %s", c.step, c.by)
		if c.wait > 0 {
			require.Equal(t, c.wait, at.Sub(s.now), "%s: %s", c.step, c.by)
		}
	}
}

// Whoever looks for an answer reports its session on the asker's task.
func TestSessionsOnQuestions(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a | coder-1 claim a | coder-1 ask to=architect")
	refused := func() bool {
		return Admissible(s.board, s.by("architect-1", board.ActSession, "a", &SessionMove{Provider: "p", Role: "architect", Outcome: "answered"}), nil) != nil
	}
	require.True(t, refused())
	require.Empty(t, s.step("architect-1 take sprint-1/1", new(record)))
	require.False(t, refused())
	require.Empty(t, s.step("architect-1 answer sprint-1/1", new(record)))
	require.False(t, refused())
}
