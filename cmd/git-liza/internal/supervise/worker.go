package supervise

import (
	"time"

	"github.com/git-liza/git-liza/flow/board"
)

// A worker runs the sessions of one agent: it starts the agent's program on an
// assignment, watches program and board, and follows up on how each session ended.
type worker struct {
	*registration
	recorder  *recorder
	workplace *workplace
	priors    map[board.TaskID]priorSession // the session that the next one on a task may continue
	failures  map[board.TaskID]string       // why its last review of a task ended without a verdict

	unanswered map[board.RecordID]string // why its last session on a question found no answer

	cuts      int       // sessions in a row whose commands did not reach the remote
	strikes   int       // reviews in a row without a verdict
	restUntil time.Time // no review, answer or plan before this
}

// A result is the result of a session, or of all sessions on an assignment.
type result struct {
	again  bool   // the agent still has the assignment and gets another session
	failed string // why the assignment did not end as it should, "" if it did
}

// goOn is the result of a session after which the agent gets another one on the
// same assignment.
func goOn() result { return result{again: true} }

// finished is the result of an assignment that ended as it should, or that the
// supervisor gives back when it leaves.
func finished() result { return result{} }

// failed is the result of an assignment that did not end as it should.
func failed(why string) result { return result{failed: why} }
