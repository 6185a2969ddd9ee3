package supervise_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/templates"
)

const addOne = `git liza task add --title "A file" --done-when "it is there" --spec specs/vision.md --scope "one file" --kind docs`

func TestPlannerIsWokenForAnEmptyBoard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plan := w.agent(`git show HEAD:specs/vision.md > "$notes/spec"; git rev-parse HEAD > "$notes/head"; ` + addOne)
	r, err := w.rush(planner(plan), coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Contains(t, r.said(), "planner-1 plans: no_tasks\n")
	require.Contains(t, w.note("prompt-planner-1-1"), "The goal has no tasks yet")
	require.Equal(t, 1, w.sessions("planner-1", ""))
	require.Equal(t, "# A small product\n", w.note("spec"))
	require.Equal(t, w.git("rev-parse", "main"), w.note("head"))
	require.NotContains(t, w.git("worktree", "list"), ".worktrees")
	w.left()
}

// A planner in a sandbox cannot write git's configuration: what it wants to be
// run is allowed for it, where the machine trusts its planner.
func TestPlannersChecksAreAllowedForIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.git("config", "liza.trust.planner", "true")
	lock := filepath.Join(w.dir, ".git", "config.lock")
	plan := w.agent(": > '" + lock + "'; " + addOne + " --verify 'test -e task-1.txt' || touch \"$notes/failed\"; waitfor seen; rm '" + lock + "'")
	r := w.begin(untilIdle, planner(plan), coder(w.agent("submit")), reviewer(w.agent("approve")))
	w.await("a coder who may not begin yet", func() bool { return strings.Contains(r.said(), "task-1 waits: ") })
	w.write(filepath.Join(w.notes, "seen"), "")
	require.NoError(t, r.wait(), r.said())
	require.False(t, w.has("failed"), "the planner was told that its task did not go well")
	require.Equal(t, board.Merged, w.task("task-1").Status, r.said())
}

func TestPlannerAnswersABlockedTask(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	code := w.agent(`if test $n = 1; then git liza block $LIZA_TASK --reason "no key" --question "Where is the key?"; else submit; fi`)
	r, err := w.rush(planner(w.agent("git liza task unblock task-1")), coder(code), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Contains(t, r.said(), "planner-1 plans: blocked task-1\n")
	prompt := w.note("prompt-planner-1-1")
	require.Contains(t, prompt, "Where is the key?")
	require.Len(t, w.moves(board.ActUnblock), 1)
}

// A planner that does nothing is asked a few times, with what went wrong.
func TestIdlePlannerDoesNotSpin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r, err := w.rush(planner(w.agent("echo no idea")))
	require.ErrorContains(t, err, "the goal has no tasks")
	require.Equal(t, 3, w.sessions("planner-1", ""), r.said())
	require.Contains(t, w.note("prompt-planner-1-2"), "no idea")
	require.Contains(t, timeless(w.note("prompt-planner-1-2")), "The trigger is not answered (exit 0 after 0s)")
}

// Another terminal shows that a planner has given up, and what helps.
func TestFailingPlannerIsShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.begin(nil, planner(w.agent("echo no idea")))
	w.does("planner-1", "failing")
	require.Regexp(t, `(?m)  planner-1 has given up: 3 sessions on no_tasks failed\n      git liza task add --from FILE$`, w.liza("inbox"))
	require.Regexp(t, `(?m)^  planner-1 +IDLE +failing for `, w.liza("status"))
	w.tasks(1)
	w.does("planner-1", "waiting")
	require.NotContains(t, w.liza("inbox"), "given up")
	r.cancel()
	require.NoError(t, r.wait())
}

// A planner that says that a human is needed is not asked again until the task
// changes.
func TestPlannerLeavesATriggerToAHuman(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.liza("claim", "task-1", "--as", "coder-9")
	w.liza("block", "task-1", "--as", "coder-9", "--reason", "no key", "--question", "Where?")
	r := w.begin(nil, planner(w.agent(`git liza note "only Ann has the key" --for task-1`)))
	w.await("the planner's word", func() bool { return w.has("planner-1--1") && len(w.board().IDs(board.Notes)) == 1 })
	w.await("its end", func() bool { return w.logged("planner-1", "exit 0") })
	w.liza("note", "thanks", "--for", "all") // a new state that changes nothing about the task
	r.cancel()
	require.NoError(t, r.wait())
	require.Equal(t, 1, w.sessions("planner-1", ""), r.said())

	r2, err := w.rush(planner(w.agent(`git liza note "only Ann has the key" --for task-1`)))
	require.ErrorContains(t, err, "task-1 BLOCKED: no key")
	require.Contains(t, r2.said(), "planner-1 leaves to a human: blocked task-1\n")
	require.Equal(t, 2, w.sessions("planner-1", ""), "once for each rush")
}

func TestTwoPlannersPlanOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plan := w.agent(addOne)
	r, err := w.rush(planner(plan), planner(plan), coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Len(t, w.moves(board.ActAdd), 1, r.said())
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	for who, text := range map[string]string{"all": "for everybody", "coder": "for coders", "coder-2": "for the second coder", "task-1": "on the task", "planner": "for planners"} {
		w.liza("note", text, "--for", who)
	}
	p, err := supervise.Prompt(context.Background(), w.clone.Repo, w.board(), supervise.PromptInput{Role: board.Coder, Agent: "coder-1", Task: "task-1", Failure: "it fell over"})
	require.NoError(t, err)
	for _, want := range []string{"for everybody", "for coders", "on the task", "it fell over", "id: task-1"} {
		require.Contains(t, p.Text(), want)
	}
	require.NotContains(t, p.Text(), "for the second coder")
	require.NotContains(t, p.Text(), "for planners")

	require.NoError(t, w.mkdir(".liza/prompts/coder"))
	w.write(w.dir+"/.liza/prompts/coder/role.append.md", "Mind the gap.\n")
	told := func() templates.Prompt {
		p, err := supervise.Prompt(context.Background(), w.clone.Repo, w.board(), supervise.PromptInput{Role: board.Coder, Agent: "coder-1", Task: "task-1"})
		require.NoError(t, err)
		return p
	}
	require.NotContains(t, told().Text(), "Mind the gap.", "a session could have written it")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "Mind the gap")
	w.liza("adopt", "HEAD", "--reason", "it was read")
	require.Contains(t, told().Text(), "Mind the gap.")
	require.Contains(t, told().Explain(), "project")

	_, err = supervise.Prompt(context.Background(), w.clone.Repo, w.board(), supervise.PromptInput{Role: board.CodeReviewer, Task: "task-1"})
	require.ErrorContains(t, err, "needs a task with a submission")
	p, err = supervise.Prompt(context.Background(), w.clone.Repo, w.board(), supervise.PromptInput{Role: board.Planner, Triggers: []flow.Trigger{{Reason: "blocked", Task: "task-2", Text: "no key"}}})
	require.NoError(t, err)
	require.Contains(t, p.Text(), "## task-2")
}
