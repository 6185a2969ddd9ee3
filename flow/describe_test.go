package flow

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A board refuses of a description what the move that enters it is refused for.
func TestDescribeIsWhatTheMoveIsRefusedFor(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a")
	good := s.board.Task("a").Input()
	good.ID = "b"
	require.Empty(t, s.board.Describe(good, "planner-1"))
	require.Empty(t, Describe(good))
	for name, change := range map[string]struct {
		change   func(*TaskInput)
		anywhere bool // every board refuses it
	}{
		"priority":   {func(in *TaskInput) { in.Priority = 9 }, true},
		"missing":    {func(in *TaskInput) { in.Title, in.Scope = "", "" }, true},
		"patterns":   {func(in *TaskInput) { in.Owns = []string{"../a", "ok", "[b"} }, true},
		"twice":      {func(in *TaskInput) { in.DependsOn = []TaskID{"a", "a"} }, true},
		"limits":     {func(in *TaskInput) { in.Limits = &Limits{Cycles: -1} }, true},
		"several":    {func(in *TaskInput) { in.Priority, in.DoneWhen, in.Role = 7, "", "artist" }, true},
		"role":       {func(in *TaskInput) { in.Role = "artist" }, false},
		"budget":     {func(in *TaskInput) { in.Budget = &Budget{Tokens: 3} }, false},
		"agent's id": {func(in *TaskInput) { in.ID = "coder-7" }, false},
		"exists":     {func(in *TaskInput) { in.ID = "A" }, false},
		"reverts":    {func(in *TaskInput) { in.Reverts = []TaskID{"a"} }, false},
	} {
		in := good
		change.change(&in)
		m := s.by("planner-1", ActAdd, "", &AddMove{Tasks: []TaskInput{in}})
		refused := s.play(m)
		require.NotNil(t, refused, name)
		var want []string
		for _, one := range refused.Faults {
			want = append(want, one.Refusal.Reason)
		}
		require.Equal(t, want, reasons(s.board.Describe(in, "planner-1")), name)
		if change.anywhere {
			require.Subset(t, want, reasons(Describe(in)), name)
		} else {
			require.Empty(t, Describe(in), name)
		}
	}
	vast := good
	vast.Owns = []string{"**/a/**/b/**/c/**/d/**/e"}
	want := s.board.Admissible(s.by("planner-1", ActAdd, "", &AddMove{Tasks: []TaskInput{vast}}), nil).Reason
	require.Equal(t, []string{want}, reasons(Describe(vast)))
	require.Equal(t, []string{want}, reasons(s.board.Describe(vast, "planner-1")))
	good.ID = "a"
	require.Empty(t, s.board.Describe(good, "planner-1"), "a task that the board has")
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
	in := TaskInput{Title: "a long title", Scope: "another long one", Owns: make([]string, MaxList+1), DependsOn: make([]TaskID, MaxList+1)}
	require.Equal(t, []string{
		`a text has 12 bytes, at most 10 are allowed; it begins "a long title"`,
		`a text has 16 bytes, at most 10 are allowed; it begins "another long one"`,
		"a list has 51 entries, at most 50 are allowed", "a list has 51 entries, at most 50 are allowed",
	}, reasons(Bound(&in, 10)))
	require.Empty(t, Bound(&TaskInput{Title: "short"}, 10))
}
