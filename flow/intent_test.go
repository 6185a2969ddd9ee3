package flow

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// An agent says what it will do before it commits. Where an iteration begins follows from the
// board; what the branch has beyond is asked of git.
func TestIntentBeforeWork(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a | coder-1 claim a")
	intent := func(by board.Actor, tip board.ObjectID) Move {
		return s.by(by, board.ActIntent, "a", &IntentMove{board.Intent{Summary: "s", Validation: "v", Tip: tip}})
	}
	begins := func(b *board.Board, m Move) []board.ObjectID { return Ask(b, m).Behind }
	start, later, last := s.board.Task("a").Attempt.Start, object("later"), object("last")

	// A first iteration begins at the start of the attempt.
	require.Equal(t, []board.ObjectID{start, start}, begins(s.board, intent("coder-1", later)))
	require.Equal(t, later, Ask(s.board, intent("coder-1", later)).Intended)
	_, err := Apply(s.board, intent("coder-1", last), &Facts{Early: []board.ObjectID{last, later}})
	require.True(t, IsRefused(err, RuleIntent))
	require.ErrorContains(t, err, last.Short()+", "+later.Short())
	require.Equal(t, "git reset --soft "+string(later)+"~1 && git liza intent a --summary S --validation V", err.(*Refusal).Hint)

	// A new one without a tip is refused, a recorded one is not.
	_, err = Apply(s.board, intent("coder-1", ""), nil)
	require.NoError(t, err)
	require.Equal(t, RuleIntent, Admissible(s.board, intent("coder-1", ""), new(Facts)).Rule)
	require.Nil(t, Admissible(s.board, intent("coder-1", start), new(Facts)))
	require.Nil(t, Admissible(s.board, intent("human:ann", ""), new(Facts)))

	// Another intent may follow commits. The tip of the first one stays.
	require.Nil(t, s.judge(intent("coder-1", start), new(Facts)))
	require.Empty(t, begins(s.board, intent("coder-1", last)))
	require.Nil(t, s.judge(intent("coder-1", last), new(Facts)))
	require.Equal(t, start, s.board.Task("a").Intent.Tip)

	// The next iteration begins at the submission, and at what the claim found.
	for _, step := range []string{"coder-1 submit a c-a", "code-reviewer-1 review a", "code-reviewer-1 reject a"} {
		require.Empty(t, s.step(step, new(record)))
	}
	for tip, want := range map[board.ObjectID]board.ObjectID{"": object("c-a"), later: later} {
		b, err := Apply(s.board, s.by("coder-1", board.ActClaim, "a", &ClaimMove{Lease: board.Duration(time.Minute), Tip: tip}), new(Facts))
		require.NoError(t, err)
		require.Equal(t, []board.ObjectID{object("c-a"), want}, begins(b, intent("coder-1", last)))
	}

	// Another coder begins where its own attempt does.
	s = staged(t, "human:ann add a | coder-1 claim a tip=later | coder-1 release a | coder-2 claim a")
	start = s.board.Task("a").Attempt.Start
	require.Equal(t, []board.ObjectID{start, start}, begins(s.board, intent("coder-2", later)))

	// People are not bound.
	s = staged(t, "human:ann add a | human:ann claim a")
	require.Empty(t, Ask(s.board, intent("human:ann", later)).Intended)
}
