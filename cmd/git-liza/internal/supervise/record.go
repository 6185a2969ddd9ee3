package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A recorder records the sessions of one agent, and knows their usage that is not on
// the board yet.
type recorder struct {
	*registration
	pending []pendingRecord
}

// recordSession records a session that has ended: its prompt and output below
// refs/liza/sessions, its usage on the board, and that it ended its work if it did. d says
// how it ended, and gets the rest. A failure is said, and does not stop the work.
func (rec *recorder) recordSession(ctx context.Context, r *session, ending provider.Ending, b *board.Board, d *flow.SessionMove) {
	a := r.assignment
	ctx, cancel := context.WithTimeout(ctx, maxLeave)
	defer cancel()
	if ending.Outcome == provider.Ended { // the provider works again
		if err := provider.Recover(rec.clone.Repo.CommonDir(), rec.provider.Name, time.Now()); err != nil {
			rec.sayOnce("%s: %v", rec.id, err)
		}
	}
	d.Provider, d.Model, d.Role = rec.provider.Name, cmp.Or(ending.Report.Model, rec.provider.Model), a.role
	d.Usage = r.usageOf(ending.Report)
	d.Usage.Seconds = int64(time.Since(r.started).Seconds())
	if used := d.Usage; used.Input+used.Output > 0 || used.Cost > 0 || rec.provider.Tokens == provider.CountsFree || ending.Trouble != nil && ending.Report.Turns == 0 {
		d.Usage.Sessions = 1
	}
	d.Usage = d.Usage.Bounded()
	if rec.rush.usage.endSession(r, d) && rec.provider.Tokens != provider.CountsNever {
		rec.say("what the session of %s on %s used is unknown, and no budget binds it", rec.provider.Name, a.subject())
		for _, line := range rec.rush.usage.unboundLines(b, rec.rush.Bounds, []Slot{{Provider: rec.provider}}) {
			rec.say("%s", line)
		}
	}
	id, err := rec.saveTranscript(ctx, r, ending, d)
	if err != nil {
		rec.sayOnce("%s: what was said in the session on %s is not kept: %v", rec.id, a.subject(), err)
	}
	d.Record = id
	rec.pending = append(rec.pending, pendingRecord{a.goal(), a.taskID(), d})
	_ = rec.recordPending(ctx) // which said why
}

// A pendingRecord is a session that is not on the board yet.
type pendingRecord struct {
	goal board.GoalID
	task board.TaskID
	move *flow.SessionMove
}

// recordPending records what is pending, as long as the remote answers. The error says that the disk
// is full, and what is pending stays so.
func (rec *recorder) recordPending(ctx context.Context) error {
	// What is about to be on the board must not count twice.
	rec.presence.setUsage(board.Usage{}, "")
	rec.presence.setContext(0)
	defer func() { rec.presence.setUsage(rec.pendingUsage(), "") }()
	for len(rec.pending) > 0 {
		next := rec.pending[0]
		_, err := rec.clone.For(next.goal).Make(ctx, board.ActSession, next.task, next.move)
		if rec.rush.noteOffline(err) {
			rec.log.note("\n--- recorded when the remote answers\n")
			return nil
		}
		if errors.Is(err, syscall.ENOSPC) {
			err = fmt.Errorf("a session is recorded when there is room (df -h): %w", err)
			rec.sayOnce("%s: %v", rec.id, err)
			return err
		}
		if err != nil {
			rec.say("%s: a session is not recorded: %v", rec.id, err)
		}
		rec.pending = rec.pending[1:]
	}
	return nil
}

// pendingUsage returns what sessions have used that is not on the board.
func (rec *recorder) pendingUsage() (used board.Usage) {
	for _, d := range rec.pending {
		used = used.Plus(d.move.Usage)
	}
	return used
}

// saveTranscript keeps prompt and output, without secrets.
func (rec *recorder) saveTranscript(ctx context.Context, r *session, ending provider.Ending, d *flow.SessionMove) (git.ID, error) {
	a := r.assignment
	kept := gitstore.SessionRecord{Agent: rec.id, Generation: rec.generation, Role: a.role, Task: a.taskID(), Commit: a.reviewedCommit(),
		Provider: d.Provider, Model: d.Model, Format: rec.provider.Output, Dir: a.dir, Confined: r.confined.String(), Began: r.begun, Ended: rec.clone.Store.Now(),
		Outcome: d.Outcome, Ending: ending.Text, Session: cmp.Or(ending.Report.Session, r.chosenID), Usage: d.Usage,
		Denied: ending.Report.Denied, Refused: ending.Refused, Error: ending.Report.Error}
	if rec.provider.ACP {
		kept.Format = "plain" // its protocol is logged as text for people
	}
	return gitstore.SaveSession(ctx, rec.clone.Repo, kept, []byte(r.told()), r.output.Bytes())
}
