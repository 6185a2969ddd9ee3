package gitstore

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// A board of rules 1 gets no key of later rules: the program does not write one, and
// what somebody else wrote is no move and no document of that board.
func TestKeysOfLaterRules(t *testing.T) {
	t.Parallel()
	d := newDeskOf(t, gittest.Seeded(t), 1)
	d.add("task-1")
	good := d.at(layout.State)
	d.refused(flow.RuleVersion, flow.Move{Act: flow.ActNote, By: ann, Goal: "goal-1", Detail: &flow.NoteMove{For: "all", Text: "x"}})
	require.Equal(t, good, d.at(layout.State))

	done := d.do(flow.Move{Act: flow.ActNote, By: ann, Detail: &flow.NoteMove{For: "all", Text: "x"}})
	c, err := d.store.objects.Commit(done.Commit)
	require.NoError(t, err)
	require.NotContains(t, string(c.Raw), "goal_id")
	breach := d.breachOf(d.forged(strings.Replace(string(c.Raw), "act: note\n", "act: note\ngoal_id: goal-1\n", 1)))
	require.ErrorContains(t, breach, `the key "goal_id" exists since version 2, not in 1`)
	gittest.Git(t, d.dir, "update-ref", layout.State, string(good))
	for path, key := range map[string]string{"tasks/01/task-1.yaml": "role: coder\n", "goals/goal-1.yaml": "tasks_added: 1\n"} {
		files, err := d.store.Files(good)
		require.NoError(t, err)
		tree := d.edited(good, map[string]string{path: files[path] + key})
		breach := d.breachOf(d.forged(strings.Replace(string(c.Raw), headerValue(c.Raw, "tree "), string(tree), 1)))
		require.ErrorContains(t, breach, "its tree is not what its move makes")
		b, _, err := d.open().Board(context.Background())
		require.NoError(t, err)
		b.Task("task-1")
		b.Goal("goal-1")
		name, _, _ := strings.Cut(key, ":")
		require.ErrorContains(t, b.Err(), `the key "`+name+`" exists since version 2, not in 1`)
	}
	gittest.Git(t, d.dir, "update-ref", layout.State, string(done.Commit))
	_, last, err := d.open().Audit.Fsck(context.Background(), true)
	require.NoError(t, err)
	require.Nil(t, last)
}

// A board of rules 4 gets nothing of workflows, classes and loops.
func TestKeysOfRules5(t *testing.T) {
	t.Parallel()
	d := newDeskOf(t, gittest.Seeded(t), 4)
	d.add("task-1")
	input := flow.TaskInput{ID: "task-2", Title: "T", DoneWhen: "D", Spec: "README", Scope: "S", Phase: flow.AnyPhase}
	loop := &flow.Loop{Path: "README", Iterations: 1}
	for _, m := range []flow.Move{
		by(ann, flow.ActAdd, &flow.AddMove{Tasks: []flow.TaskInput{input}}),
		by(ann, flow.ActGoal, &flow.GoalMove{ID: "goal-2", Title: "T", Spec: "README", Every: flow.EveryTask}),
		by(ann, flow.ActGoal, &flow.GoalMove{ID: "goal-2", Title: "T", Spec: "README", Workflow: &flow.Workflow{Name: "w", Phases: []flow.WorkflowPhase{{Name: "A"}}}}),
		by(ann, flow.ActGoal, &flow.GoalMove{ID: "goal-2", Title: "T", Spec: "README", Loop: loop}),
		by(ann, flow.ActReload, &flow.ReloadMove{}),
		by(ann, flow.ActPhase, &flow.PhaseMove{}),
		by(ann, flow.ActAsk, &flow.AskMove{About: "task-1", Text: "Why?"}),
		by(ann, flow.ActClassify, &flow.ClassifyMove{Files: []flow.Classified{{Path: "README"}}}),
		by(ann, flow.ActImport, &flow.ImportMove{Plan: &flow.PlanRef{Path: "README"}}),
	} {
		d.refused(flow.RuleVersion, m)
	}
	good := d.at(layout.State)
	done := d.do(by(ann, flow.ActNote, &flow.NoteMove{For: "all", Text: "x"}))
	c, err := d.store.objects.Commit(done.Commit)
	require.NoError(t, err)
	gittest.Git(t, d.dir, "update-ref", layout.State, string(good))
	for path, key := range map[string]string{"tasks/01/task-1.yaml": "phase: A\n", "goals/goal-1.yaml": "workflow: w\n"} {
		files, err := d.store.Files(good)
		require.NoError(t, err)
		tree := d.edited(good, map[string]string{path: files[path] + key})
		require.ErrorContains(t, d.breachOf(d.forged(strings.Replace(string(c.Raw), headerValue(c.Raw, "tree "), string(tree), 1))), "its tree is not what its move makes")
		b, _, err := d.open().Board(context.Background())
		require.NoError(t, err)
		b.Task("task-1")
		b.Goal("goal-1")
		name, _, _ := strings.Cut(key, ":")
		require.ErrorContains(t, b.Err(), `the key "`+name+`" exists since version 5, not in 4`)
	}
}

// breachOf is what a full fsck says of a state commit.
func (d *desk) breachOf(id git.ID) error {
	d.t.Helper()
	gittest.Git(d.t, d.dir, "update-ref", layout.State, string(id))
	_, breach, err := d.open().Audit.Fsck(context.Background(), true)
	require.NoError(d.t, err)
	require.NotNil(d.t, breach)
	require.Equal(d.t, id, breach.Commit)
	return breach
}
