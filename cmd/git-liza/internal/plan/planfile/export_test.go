package planfile

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plan"
)

var noon = time.Date(2026, 1, 17, 12, 0, 0, 0, time.UTC)

// moved is a board after a move of a person.
func moved(t require.TestingT, before board.Documents, act board.Act, d flow.Detail) board.Documents {
	m := flow.Move{Act: act, By: board.Human("ann"), At: noon, Request: "7f3a9c2e11d04b58", Detail: d}
	b := board.Open(before, noon)
	if act != board.ActInit {
		m.Goal = flow.GoalOf(b, m)
	}
	after, err := flow.Apply(b, m, nil)
	require.NoError(t, err)
	return before.With(after.Changes())
}

func newBoard(t require.TestingT) board.Documents {
	const commit = "5000000000000000000000000000000000000000"
	return moved(t, board.Documents{}, board.ActInit, &flow.InitMove{Board: "00112233445566aa", Format: board.NewestFormat, Goal: "goal-1", Title: "Shop", Spec: "S",
		Integration: board.Branch{Name: "integration", Tip: commit}, Created: true, Config: board.DefaultConfig(), Texts: []board.Text{{Path: "S", Blob: commit}}})
}

// entered is a new board after the import of a plan.
func entered(t *rapid.T, p *plan.Plan) board.Documents {
	before := newBoard(t)
	m := &flow.AddMove{Schedule: plan.Compare(p, board.Open(before, noon), "goal-1").Schedule}
	for i := range p.Tasks {
		m.Tasks = append(m.Tasks, p.Tasks[i].TaskInput)
	}
	return moved(t, before, board.ActAdd, m)
}

// randomInput draws a description with any of its fields.
func randomInput(t *rapid.T, id int, all int) board.TaskInput {
	text := rapid.SampledFrom([]string{"", "T", "two\nlines", "- x: {y}", "'é' # \"z\"", "0x1"})
	words := rapid.SampledFrom([]string{"a", "b-c", "yes", "x/y.go", "null"})
	list := func(name string) []string { return rapid.SliceOfNDistinct(words, 0, 3, rapid.ID[string]).Draw(t, name) }
	tasks := func(name string, below int) (ids []board.TaskID) {
		for i := range below {
			if i != id && rapid.IntRange(0, 3).Draw(t, name) == 0 {
				ids = append(ids, board.TaskID("t"+strconv.Itoa(i)))
			}
		}
		return ids
	}
	in := board.TaskInput{
		ID: board.TaskID("t" + strconv.Itoa(id)), Title: "T" + text.Draw(t, "title"), DoneWhen: "D" + text.Draw(t, "done"), Spec: "S", Scope: "S" + text.Draw(t, "scope"),
		Priority: rapid.IntRange(0, 5).Draw(t, "priority"), DependsOn: tasks("needs", id), Owns: list("owns"), Verify: text.Draw(t, "verify"),
		Kind: rapid.SampledFrom([]board.Kind{0, board.Code, board.Docs}).Draw(t, "kind"), Draft: rapid.Bool().Draw(t, "draft"), Stretch: rapid.Bool().Draw(t, "stretch"),
		Estimate: board.Duration(time.Duration(rapid.IntRange(0, 200).Draw(t, "estimate")) * time.Minute), Acceptance: list("acceptance"),
		Context: board.LongText(text.Draw(t, "context")), Consumers: tasks("consumers", all), IntegrationTest: rapid.SampledFrom([]string{"", "a_test.go"}).Draw(t, "test"),
		VerifyTimeout: board.Duration(time.Duration(rapid.IntRange(0, 90).Draw(t, "timeout")) * time.Second),
	}
	if rapid.Bool().Draw(t, "files") {
		in.Files = &board.Files{Create: list("create"), Read: list("read")}
	}
	if rapid.Bool().Draw(t, "labels") {
		in.Labels = []string{"api", "yes"}
	}
	if rapid.Bool().Draw(t, "limits") {
		in.Limits = &board.Limits{Cycles: 3}
	}
	for n := range rapid.IntRange(0, 2).Draw(t, "steps") {
		in.Steps = append(in.Steps, board.Step{Step: n, Action: "A" + text.Draw(t, "action"), Run: text.Draw(t, "run"), Expect: text.Draw(t, "expect")})
	}
	cleanFiles(in.Files)
	return in
}

// What a board exports is nothing new to it, and enters equal descriptions into another.
// Where tasks are merged, what is open is a plan without them.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := &plan.Plan{Names: map[int]string{}, Barrier: rapid.SampledFrom([]board.Barrier{0, board.NoBarrier, board.LevelBarrier}).Draw(t, "barrier")}
		all := rapid.IntRange(1, 6).Draw(t, "tasks")
		for i := range all {
			p.Tasks = append(p.Tasks, plan.Task{TaskInput: randomInput(t, i, all)})
		}
		p.Names[1] = "Base"
		documents := entered(t, p)
		before := board.Open(documents, noon)
		var merged []board.Edit
		for _, s := range before.Summaries() {
			one := *before.Task(s.ID)
			if one.Status == board.Unclaimed && len(one.DependsOn) == 0 && rapid.Bool().Draw(t, "merged") {
				one.Status = board.Merged
				merged = append(merged, board.Edit{Key: board.Key{Folder: board.Tasks, ID: string(one.ID)}, Document: &one})
			}
		}
		before = board.Open(documents.With(merged), noon)

		exported := Of(before, "goal-1")
		if len(exported.Tasks) == 0 {
			return
		}
		again := readBack(t, exported)
		require.Equal(t, plan.Difference{Same: len(exported.Tasks), WasSet: p.Barrier != 0}, plan.Compare(again, before, "goal-1"))

		Detach(exported)
		if len(merged) == 0 {
			require.Equal(t, again.Tasks, readBack(t, exported).Tasks)
		}
		again = readBack(t, exported)
		other := board.Open(entered(t, again), noon)
		require.Equal(t, len(again.Tasks), len(other.Summaries()))
		for i := range again.Tasks {
			want, got := exported.Tasks[i].TaskInput, other.Task(exported.Tasks[i].ID).Input()
			require.Empty(t, plan.Compare(&plan.Plan{Tasks: []plan.Task{{TaskInput: want}}}, other, "goal-1").Changed)
			require.Equal(t, want.Level, got.Level)
			require.Equal(t, want.Draft, got.Draft)
		}
		require.Equal(t, before.Goal("goal-1").Schedule == nil, other.Goal("goal-1").Schedule == nil)
	})
}

// readBack reads what is written of a plan.
func readBack(t *rapid.T, p *plan.Plan) *plan.Plan {
	text, err := Write(p)
	require.NoError(t, err)
	f := Read("plan.yaml", text, limit)
	require.Empty(t, f.Findings, "%s", text)
	return &f.Plan
}
