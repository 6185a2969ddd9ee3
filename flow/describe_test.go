package flow

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// A board refuses of a description what the move that enters it is refused for.
func TestDescribeIsWhatTheMoveIsRefusedFor(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a")
	good := s.board.Task("a").Input()
	good.ID = "b"
	require.Empty(t, DescribeOn(s.board, good, "planner-1"))
	require.Empty(t, Describe(good))
	for name, change := range map[string]struct {
		change   func(*board.TaskInput)
		anywhere bool // every board refuses it
	}{
		"priority":   {func(in *board.TaskInput) { in.Priority = 9 }, true},
		"missing":    {func(in *board.TaskInput) { in.Title, in.Scope = "", "" }, true},
		"patterns":   {func(in *board.TaskInput) { in.Owns = []string{"../a", "ok", "[b"} }, true},
		"twice":      {func(in *board.TaskInput) { in.DependsOn = []board.TaskID{"a", "a"} }, true},
		"limits":     {func(in *board.TaskInput) { in.Limits = &board.Limits{Cycles: -1} }, true},
		"several":    {func(in *board.TaskInput) { in.Priority, in.DoneWhen, in.Role = 7, "", "artist" }, true},
		"role":       {func(in *board.TaskInput) { in.Role = "artist" }, false},
		"budget":     {func(in *board.TaskInput) { in.Budget = &board.Budget{Tokens: 3} }, false},
		"agent's id": {func(in *board.TaskInput) { in.ID = "coder-7" }, false},
		"exists":     {func(in *board.TaskInput) { in.ID = "A" }, false},
		"reverts":    {func(in *board.TaskInput) { in.Reverts = []board.TaskID{"a"} }, false},
	} {
		in := good
		change.change(&in)
		m := s.by("planner-1", board.ActAdd, "", &AddMove{Tasks: []board.TaskInput{in}})
		refused := s.play(m)
		require.NotNil(t, refused, name)
		var want []string
		for _, one := range refused.Faults {
			want = append(want, one.Refusal.Reason)
		}
		require.Equal(t, want, reasons(DescribeOn(s.board, in, "planner-1")), name)
		if change.anywhere {
			require.Subset(t, want, reasons(Describe(in)), name)
		} else {
			require.Empty(t, Describe(in), name)
		}
	}
	vast := good
	vast.Owns = []string{"**/a/**/b/**/c/**/d/**/e"}
	want := Admissible(s.board, s.by("planner-1", board.ActAdd, "", &AddMove{Tasks: []board.TaskInput{vast}}), nil).Reason
	require.Equal(t, []string{want}, reasons(Describe(vast)))
	require.Equal(t, []string{want}, reasons(DescribeOn(s.board, vast, "planner-1")))
	good.ID = "a"
	require.Empty(t, DescribeOn(s.board, good, "planner-1"), "a task that the board has")
}

func reasons(list []*Refusal) (texts []string) {
	for _, r := range list {
		texts = append(texts, r.Reason)
	}
	return texts
}

// All lists and texts that are too long are told.
func TestBound(t *testing.T) {
	t.Parallel()
	in := board.TaskInput{Title: "a long title", Scope: "another long one", Owns: make([]string, board.MaxList+1), DependsOn: make([]board.TaskID, board.MaxList+1)}
	require.Equal(t, []string{
		`a text has 12 bytes, at most 10 are allowed; it begins "a long title"`,
		`a text has 16 bytes, at most 10 are allowed; it begins "another long one"`,
		"a list has 51 entries, at most 50 are allowed", "a list has 51 entries, at most 50 are allowed",
	}, reasons(Bound(&in, 10)))
	require.Empty(t, Bound(&board.TaskInput{Title: "short"}, 10))
}
