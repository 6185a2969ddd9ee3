package planfile

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plan"
)

// ended is a plan of a → b → c → d ← b, e and a cycle f ⇄ g, in which some tasks are finished.
func ended(finished ...board.TaskID) *File {
	needs := map[board.TaskID][]board.TaskID{"b": {"a"}, "c": {"b"}, "d": {"c", "b"}, "f": {"g"}, "g": {"f", "a"}, "h": {"g"}}
	var list []Source
	for i, id := range []board.TaskID{"a", "b", "c", "d", "e", "f", "g", "h"} {
		one := Source{Task: plan.Task{TaskInput: board.TaskInput{ID: id, Title: "T", DependsOn: needs[id], Level: i + 1}}, At: Origin{"F", i + 1}}
		if slices.Contains(finished, id) {
			one.Ended = "it is done"
		}
		list = append(list, one)
	}
	return Converted("x", list, nil, Report{System: "S"})
}

func needsOf(f *File) map[board.TaskID][]board.TaskID {
	needs := map[board.TaskID][]board.TaskID{}
	for _, t := range f.Plan.Tasks {
		needs[t.ID] = t.DependsOn
	}
	return needs
}

// What needs a finished task needs what that one needs, and levels have no gap.
func TestSettle(t *testing.T) {
	t.Parallel()
	f := ended("b", "f", "g")
	f.Settle(nil)
	require.Equal(t, map[board.TaskID][]board.TaskID{"a": nil, "c": {"a"}, "d": {"c", "a"}, "e": nil, "h": {"a"}}, needsOf(f))
	require.Equal(t, []Finished{{"F", 2, "b", "T", "it is done"}, {"F", 6, "f", "T", "it is done"}, {"F", 7, "g", "T", "it is done"}}, f.Report.Finished)
	for i := range f.Plan.Tasks {
		require.Equal(t, i+1, f.Plan.Tasks[i].Level)
		require.Equal(t, []int{1, 3, 4, 5, 8}[i], f.TaskLine(i))
	}
	before := needsOf(f)
	f.Settle(nil)
	require.Equal(t, before, needsOf(f))
	require.Len(t, f.Report.Finished, 3)
}

// Finished tasks that the board has stay as they are.
func TestSettleOnBoard(t *testing.T) {
	t.Parallel()
	f := ended("a", "b")
	f.Settle(func(id board.TaskID) bool { return id == "b" })
	require.Equal(t, []board.TaskID{"b"}, needsOf(f)["c"])
	require.Empty(t, needsOf(f)["b"])
	require.NotContains(t, needsOf(f), board.TaskID("a"))
	require.Contains(t, f.Report.Finished[1].Why, "the board has it")

	all := ended("a", "b", "c", "d", "e", "f", "g", "h")
	all.Settle(nil)
	require.Empty(t, all.Plan.Tasks)
	wrong, warnings := all.Locate(nil)
	require.Empty(t, append(wrong, warnings...))
}

// A task-graph.json of a version that is not known is refused, its unknown keys are not.
func TestGraphReport(t *testing.T) {
	t.Parallel()
	for version, known := range map[string]bool{"1": true, "1.0": true, "2.1": true, "": true, "3.0": false, "new": false} {
		f := Read("a.json", []byte(`{"version": "`+version+`", "tasks": [{"id": "a", "colour": "red",
			"files": {"created": ["x"]}}]}`), limit)
		require.Equal(t, known, len(f.Findings) == 0, version)
		require.Equal(t, []Left{{"", 1, "colour", `unknown key "colour"`}, {"", 2, "created", `unknown key "created"; did you mean "create"?`}}, f.Report.Left)
	}
}
