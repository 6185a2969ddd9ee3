package supervise_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

const architect board.Role = "architect"

func of(role board.Role, p provider.Provider) supervise.Slot {
	return supervise.Slot{Role: role, Provider: p}
}

// played is the built-in agent with a playbook, and a board with its one task.
func (w *world) played(playbook string) provider.Provider {
	w.Helper()
	w.write(filepath.Join(w.notes, "playbook.yaml"), playbook)
	w.git("config", "liza.script.playbook", filepath.Join(w.notes, "playbook.yaml"))
	w.tasks(1)
	p, err := provider.Builtin().Find("script", self)
	require.NoError(w, err)
	return p
}

// works is a playbook whose coder asks and writes the answer into a file.
func works(ask string) string {
	return "checks:\n- {name: there, run: test -e a.txt, issue: it is not there}\nwork:\n- task: task-1\n  attempts:\n  - intent: {summary: a, validation: b}\n    ask: {" + ask + ", file: answer.txt}\n" +
		"    write:\n    - {path: a.txt, content: x}\n    message: Work\n"
}

// question is a question as the board has it now.
func (w *world) question(id string) *board.Question {
	w.Helper()
	q, ok := w.board().Load(board.Key{Folder: board.Questions, ID: id}).(*board.Question)
	require.True(w, ok, id)
	return q
}

// A coder asks a planner, who asks an architect for that. Each answers in a session of its
// own, under a lease, and the coder works with what it was told. Feedback to the planner is
// such a question.
func TestQuestionsAreAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	script := w.played(works(`to: planner, text: "the plan says two colours, which?", wait: 5m`) + `answers:
- {role: planner, asks: {to: architect, text: "what do you think?", wait: 5m}, text: blue}
- {role: architect, task: task-1, text: something dark}
`)
	r, err := w.rush(coder(script), reviewer(script), planner(script), of(architect, script))
	require.NoError(t, err, "%s %s", r.said(), w.liza("session", "show", "coder-1"))
	require.Equal(t, board.Merged, w.task("task-1").Status)
	require.Equal(t, "blue\n", w.git("show", "integration:answer.txt"))

	first, second := w.question("sprint-1/1"), w.question("sprint-1/2")
	require.Equal(t, []any{board.Actor("coder-1"), board.Actor("planner-1"), "blue"}, []any{first.From, first.By, first.Answer})
	require.Equal(t, []any{first.ID, board.Actor("planner-1"), board.Actor("architect-1")}, []any{second.Parent, second.From, second.By})
	var order []string
	outcomes := map[board.Role]string{}
	for _, m := range w.history() {
		switch d := m.Detail.(type) {
		case *flow.TakeMove, *flow.AskMove, *flow.AnswerMove:
			order = append(order, m.Act.String()+" "+string(m.By))
		case *flow.SessionMove:
			outcomes[d.Role] = d.Outcome
			require.Equal(t, board.TaskID("task-1"), m.Task)
		}
	}
	require.Equal(t, []string{"ask coder-1", "take planner-1", "ask planner-1", "take architect-1", "answer architect-1", "answer planner-1"}, order)
	require.Equal(t, map[board.Role]string{board.Coder: "submitted", board.CodeReviewer: "approved", board.Planner: "answered", architect: "answered"}, outcomes, r.said())
	w.left()
}

// Of two supervisors of a role one takes a question. A session that ends without an answer
// counts; the next one is told why, and after as many as the board allows a person has to
// answer. The asker goes on without.
func TestQuestionsThatNobodyCanAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	script := w.played(works(`to: architect, text: "which?", wait: 15m`))
	stray := w.agent(`test -n "$LIZA_QUESTION"
if git liza note "not mine" 2>"$notes/refused"; then exit 9; fi
echo "I cannot tell"`)
	r := w.begin(hasty, coder(script), reviewer(script), of(architect, stray), of(architect, stray))
	w.await("word that a person has to answer", func() bool {
		return strings.Contains(r.said(), "sprint-1/1 is left to a person: git liza answer sprint-1/1\n")
	})
	require.Contains(t, w.note("refused"), "looks for the answer of sprint-1/1: it answers, or asks somebody else")
	w.liza("answer", "sprint-1/1", "red")
	require.NoError(t, r.wait(), r.said())
	require.Equal(t, "red\n", w.git("show", "integration:answer.txt"))
	takes := map[bool]int{}
	for _, m := range w.moves(board.ActTake) {
		takes[m.Detail.(*flow.TakeMove).Missed]++
	}
	prompts := w.note("prompt-" + string(w.moves(board.ActTake)[0].By) + "-1")
	require.Equal(t, map[bool]int{false: 2, true: 2}, takes, r.said())
	require.Contains(t, prompts, "# The question\n\nquestion: sprint-1/1\nasked by: coder-1\n")
	require.Equal(t, 2, w.question("sprint-1/1").Missed)
	w.left()
}

// A question to a role without agents, or to a person who does not answer, holds the asker
// for as long as it waits. Its work goes on without, and the question is closed with the task.
func TestQuestionsToNobody(t *testing.T) {
	t.Parallel()
	for _, to := range []string{"manager", "human"} {
		t.Run(to, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			script := w.played(works("to: " + to + `, text: "which?", wait: 1s`))
			r, err := w.rush(coder(script), reviewer(script), planner(script))
			require.NoError(t, err, r.said())
			require.Equal(t, board.Merged, w.task("task-1").Status)
			require.False(t, w.question("sprint-1/1").IsOpen())
			require.Empty(t, w.moves(board.ActTake))
		})
	}
}

// A session that is killed counts, and another one answers. A supervisor that is killed with
// its session leaves a question that the next one is free to take.
func TestKilledAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.liza("claim", "task-1", "--as", "coder-1")
	w.liza("ask", "architect", "which?", "--as", "coder-1")
	hangs := `if test -e "$notes/twice"; then git liza answer $LIZA_QUESTION blue; exit; fi
if test -e "$notes/once"; then : >"$notes/twice"; else : >"$notes/once"; fi
echo $$ >"$notes/pid"; while :; do sleep 0.05; done`
	first := w.apart(hangs, "--agents", "architect=1", "--coders", "0", "--reviewers", "0")
	w.await("the first session", func() bool { return w.has("pid") })
	pid, err := strconv.Atoi(strings.TrimSpace(w.note("pid")))
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(w.notes, "pid")))
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	w.await("the second session", func() bool { return w.has("pid") })
	require.Equal(t, 1, w.question("sprint-1/1").Missed)
	require.NoError(t, first.Process.Kill())
	_ = first.Wait()
	require.NotNil(t, w.question("sprint-1/1").Lease)

	r := w.begin(nil, of(architect, w.agent(hangs)))
	w.until("the answer", func(*board.Board) bool { return !w.question("sprint-1/1").IsOpen() })
	require.Equal(t, "blue", w.question("sprint-1/1").Answer)
	require.Equal(t, architect, w.question("sprint-1/1").By.Role())
	r.cancel()
	require.NoError(t, r.wait(), r.said())
	require.Equal(t, board.Claimed, w.task("task-1").Status)
}
