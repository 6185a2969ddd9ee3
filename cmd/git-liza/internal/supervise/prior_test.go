package supervise_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// resumable is a provider whose sessions can be gone on with, and which counts
// all that they have used.
func resumable(r *provider.Row) {
	r.Session, r.Resume, r.Usage = []string{"--id", "{session}"}, []string{"--resume", "{session}"}, provider.PerSession
}

// The next session of the same agent on the same work resumes the
// provider's own, also after a rejection, and what it counts again is taken off.
func TestNextSessionGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r, err := w.rush(coder(w.fake(`echo "$1" >> "$notes/how"
began "$2"; used='"input_tokens":'$n'00,"output_tokens":'$n; cost=$n
test $n = 1 || submit; ended done; exit`, resumable)),
		reviewer(w.agent(`if test $n = 1; then git liza reject $LIZA_TASK --commit $LIZA_REVIEW_COMMIT --reason '- [blocker] a:1 — no'; else approve; fi`)))
	require.NoError(t, err, r.said())
	require.Equal(t, "--id\n--resume\n--resume\n", w.note("how"))
	require.Equal(t, []string{"nothing", "submitted", "submitted"}, w.outcomes("coder-1"))
	total := board.Usage{}
	for _, m := range w.moves(board.ActSession) {
		if m.By == "coder-1" {
			d := m.Detail.(*flow.SessionMove)
			require.Equal(t, int64(100), d.Usage.Input)
			require.Equal(t, board.Cost(1_000_000), d.Usage.Cost)
			total = total.Plus(d.Usage)
		}
	}
	require.Equal(t, int64(303), total.Tokens())
	require.Contains(t, w.note("prompt-coder-1-1"), "# Your role: coder")
	for _, name := range []string{"prompt-coder-1-2", "prompt-coder-1-3"} {
		require.Contains(t, w.note(name), "# What is new")
		require.NotContains(t, w.note(name), "# Your role: coder")
	}
	require.Contains(t, w.note("prompt-coder-1-3"), "a:1")
}

// A session that could not be gone on with is not tried a second time; one that
// has handed over is not gone on with at all.
func TestSessionsThatDoNotGoOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.attempts(0)
	r, err := w.rush(reviewer(w.agent("approve")), coder(w.fake(`echo "$1" >> "$notes/how"
case $n in
1) began "$2"; turn 1 5; ended done;;
2) began "$2"; failed "No conversation found";;
3) began "$2"; turn 1 5; turn 2 5; turn 3 5; failed "lost my way";;
4) began "$2"; turn 1 5; git liza handoff $LIZA_TASK --summary "half" --next-action "the rest"; ended done;;
*) began "$2"; submit; ended done;;
esac`, resumable)))
	require.NoError(t, err, r.said())
	require.Equal(t, "--id\n--resume\n--id\n--resume\n--id\n", w.note("how"))
	require.Equal(t, []string{"nothing", "failed", "failed", "handoff", "submitted"}, w.outcomes("coder-1"))
	for n, whole := range map[string]bool{"1": true, "2": false, "3": true, "4": false, "5": true} {
		require.Equal(t, whole, strings.Contains(w.note("prompt-coder-1-"+n), "# Your role: coder"), n)
	}
}

// Another agent begins afresh, and so does one whose attempt was taken away.
func TestOthersBeginAfresh(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	script := w.fake(`echo "$LIZA_AGENT_ID $1" >> "$notes/how"; began "$2"
if test $LIZA_AGENT_ID = coder-1; then git liza block $LIZA_TASK --reason no --question why; else submit; fi; ended done`, resumable)
	_, err := w.rush(coder(script))
	require.ErrorContains(t, err, "BLOCKED")
	w.liza("task", "unblock", "task-1", "--unanswered")
	other := coder(script)
	other.ID = "coder-2"
	r, err := w.rush(other, reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Equal(t, "coder-1 --id\ncoder-2 --id\n", w.note("how"))
}
