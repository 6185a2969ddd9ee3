package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// code takes the best task and keeps the agent at it until it is submitted,
// blocked or lost.
func (s *supervisor) code(ctx context.Context, b *flow.Board) (turn, error) {
	id, why := s.pick(ctx, b, flow.ActClaim)
	if a := b.Agent(s.id); a.Task != "" {
		if id, why = a.Task, nil; s.late(b, id) {
			// A lease that ended and that nobody has taken is still ours.
			if _, err := s.clone.Renew(ctx, id, 0); err != nil {
				return turn{}, err
			}
		}
	}
	if why != nil {
		t := turn{retry: s.again()}
		if s.unsure.After(time.Now()) {
			t.due = s.unsure
		}
		return t, nil
	}
	if err := s.mayPrepare(ctx, b); err != nil {
		return turn{}, err
	}
	got, r, err := s.clone.Claim(ctx, id, 0)
	if setback(err) {
		return turn{moved: true}, nil
	}
	if err != nil && r.After == nil {
		return s.avoid(ctx, flow.ActClaim, id, err)
	}
	var obstacle *worktrees.Obstacle
	if errors.As(err, &obstacle) {
		failed, err := s.obstructed(ctx, r.After, got.Task, obstacle)
		return turn{moved: true, piece: true, failed: failed}, err
	}
	if unanswered(err) {
		return turn{}, err // what is won is kept; the next look repeats the claim
	}
	if err != nil {
		return s.unmade(ctx, got.Task, err)
	}
	t := r.After.Task(got.Task)
	s.lease = leaseOf(t)
	s.rush.troubles.clear(t.ID)
	e := &errand{role: flow.Coder, task: t, dir: got.Worktree}
	unready, err := s.prepare(ctx, e, b)
	if unready != "" && t.Attempt.Iteration == 1 {
		err = &unfitError{t.ID, errors.New(unready)}
	}
	if err != nil {
		return turn{}, err
	}
	e.failure = unready // of its own work, for it to mend
	for {
		more, failed, err := s.attempt(ctx, e)
		if err != nil || !more {
			return turn{moved: true, piece: true, failed: failed}, err
		}
	}
}

// late reports whether the lease of the agent's own claim is over.
func (s *supervisor) late(b *flow.Board, id flow.TaskID) bool {
	t := b.Task(id)
	return t != nil && t.Claim != nil && t.Claim.By == flow.Actor(s.id) && !t.Claim.Lease.After(s.at(b))
}

func setback(err error) bool {
	var s *work.Setback
	return errors.As(err, &s)
}

// attempt is one session on a task and what follows from it; more says that
// the agent still holds the task and goes on.
func (s *supervisor) attempt(ctx context.Context, e *errand) (more bool, failed string, err error) {
	if gone(e.dir) {
		if failed, err := s.repair(ctx, e); err != nil || failed != "" {
			return false, failed, err
		}
	}
	now, _, err := s.clone.Store.Board(ctx)
	if err != nil {
		return false, "", err
	}
	if r := s.affordable(ctx, e, now); r != nil {
		failed, err := s.overspent(ctx, now, e, r)
		return false, failed, err
	}
	before, err := s.progress(ctx, e)
	if err != nil {
		return false, "", err
	}
	begun := time.Now()
	ending, b, err := s.session(ctx, e)
	if err != nil {
		return false, "", err
	}
	st := e.stage(b, s.id, s.generation)
	if ctx.Err() != nil || st == halted {
		return false, "", nil // whoever leaves gives back what is held
	}
	if st == fenced {
		return false, "", s.replaced()
	}
	switch st {
	case done:
		return false, "", nil
	case lost:
		s.say("%s: %s is no longer its own; the session was ended", s.id, e.subject())
		return false, "it was lost", nil
	}
	if cut, err := s.cutOff(e, begun); cut || err != nil {
		if err != nil {
			return false, "", err
		}
		return s.standBy(ctx, e)
	}
	if ending.Trouble != nil {
		more, err := s.yield(ctx, e, *ending.Trouble)
		return more, ending.Trouble.Text, err
	}
	if e.spent {
		return true, "", nil // before the next session the budget is asked for
	}
	after, err := s.progress(ctx, e)
	if err != nil {
		return false, "", err
	}
	return s.short(ctx, e, ending, short{b, st, before != after && !gone(e.dir)})
}

// standBy keeps a task whose session fell short while the remote did not answer,
// until it answers: that the program could not report does not count.
func (s *supervisor) standBy(ctx context.Context, e *errand) (more bool, failed string, err error) {
	e.failure = "While the last session ran, the remote that holds the board could not be reached. Look at what is there, and report again."
	for first := true; first && s.cuts > 0 || s.rush.link.isDown(); first = false {
		s.presence.doing(resting, e.id(), s.rush.link.remote+" does not answer")
		st := s.rest(ctx, e, max(s.rush.Limits.pause(s.cuts), work.QuickLook))
		if ctx.Err() != nil {
			return false, "", nil
		}
		if st != held && st != handed {
			return false, "it was lost", nil
		}
	}
	return true, "", nil
}

// short is what is known of a session that left its task CLAIMED.
type short struct {
	board    *flow.Board
	stage    stage
	progress bool
}

// short counts a session without the expected move, and either blocks the task
// or waits for the next session.
func (s *supervisor) short(ctx context.Context, e *errand, ending provider.Ending, left short) (bool, string, error) {
	var f shortfall
	limits := s.rush.Limits
	switch {
	case left.stage == handed:
		e.failure = ""
		f = e.tally.handed(limits, left.progress)
	case ending.Outcome == provider.Exhausted:
		e.failure = ""
		if err := s.leaveWord(ctx, e, ending); err != nil {
			return false, "", err
		}
		f = e.tally.handed(limits, left.progress)
	case ending.Outcome == provider.Ended:
		e.failure = s.explain(ctx, e, ending, "The program ended well, but without submit, block or handoff.")
		f = e.tally.spun(limits, left.progress)
	case ending.Outcome == provider.Failed:
		e.failure = s.explain(ctx, e, ending, "The program failed ("+ending.Text+").")
		f = e.tally.crashed(limits, "failed")
	default:
		e.failure = s.explain(ctx, e, ending, "The program did not end well ("+ending.Text+").")
		f = e.tally.crashed(limits, "crashed")
	}
	if f = e.tally.endless(limits, f); f.reached() {
		err := s.block(ctx, left.board, e, f, ending)
		return false, f.text(), err
	}
	pause := limits.pause(max(f.count-1, 0))
	s.say("%s: %s, session %d %s (%s), %d of %d; again in %s", s.id, e.subject(), e.tally.sessions, f.kind, ending.Text, f.count, f.limit, pause)
	if f.count == 1 {
		s.say("%s: what it said: git liza session show %s", s.id, s.id)
	}
	s.presence.doing(resting, e.id(), fmt.Sprintf("session %d %s, again in %s", e.tally.sessions, f.kind, pause))
	switch s.rest(ctx, e, pause) {
	case held, handed:
		return ctx.Err() == nil, "", nil
	case lost:
		s.say("%s: %s is no longer its own", s.id, e.subject())
	}
	return false, "it was lost", nil
}

// progress is the signature of task and worktree.
func (s *supervisor) progress(ctx context.Context, e *errand) (string, error) {
	b, _, err := s.clone.Store.Board(ctx)
	if err != nil {
		return "", err
	}
	t := b.Task(e.task.ID)
	if t == nil {
		return "", nil
	}
	worktree, err := s.clone.Trees.Fingerprint(ctx, e.dir)
	if err != nil {
		// An agent may have ruined its worktree; that is a state like others.
		worktree = err.Error()
	}
	return signature(t, worktree)
}

// explain is what the next prompt says about a failed session.
func (s *supervisor) explain(ctx context.Context, e *errand, ending provider.Ending, what string) string {
	var b strings.Builder
	b.WriteString(what + ending.Complaint())
	status, err := s.clone.Trees.Status(ctx, e.dir)
	switch {
	case gone(e.dir): // repair adds it
	case err != nil:
		fmt.Fprintf(&b, "\nThe worktree cannot be read: %v", err)
	case !status.Clean():
		changed := status.Changed()
		fmt.Fprintf(&b, "\n%d files are not committed:", len(changed))
		for _, path := range changed[:min(len(changed), 10)] {
			b.WriteString(" " + git.Visible(path))
		}
	case e.task.Attempt != nil && status.Head == e.task.Attempt.Base:
		b.WriteString("\nNothing is committed.")
	}
	if t := e.task; e.role == flow.Coder && err == nil && status.Branch != t.ID.Branch() {
		fmt.Fprintf(&b, "\nThe worktree is not on its branch %s but on %s.", t.ID.Branch(), cmp.Or(status.Branch, "none"))
	}
	if tail := lastOf(ending.Excerpt); tail != "" {
		b.WriteString("\nIts last output:\n" + tail)
	}
	return b.String()
}

// maxTail is how much of a program's last output is repeated.
const maxTail = 600

// lastOf is the end of an output, from the beginning of a line.
func lastOf(output string) string {
	output = flow.Clean(output)
	if len(output) <= maxTail {
		return output
	}
	tail := strings.ToValidUTF8(output[len(output)-maxTail:], "")
	if _, rest, ok := strings.Cut(tail, "\n"); ok {
		tail = rest
	}
	return "… " + tail
}

// leaveWord records a handoff for an agent that has left none.
func (s *supervisor) leaveWord(ctx context.Context, e *errand, ending provider.Ending) error {
	h := flow.Handoff{Summary: "the agent's context was used up before it left a handoff", NextAction: "look at the worktree and go on from there"}
	if tail := lastOf(ending.Excerpt); tail != "" {
		h.Approach = "its last output: " + tail
	}
	_, err := s.clone.Make(ctx, flow.ActHandoff, e.task.ID, &flow.HandoffMove{Handoff: h})
	return err
}

// block gives the task up, with what is known.
func (s *supervisor) block(ctx context.Context, b *flow.Board, e *errand, f shortfall, ending provider.Ending) error {
	reason := f.text() + "; last: " + ending.Text
	if gone(e.dir) {
		reason += ", and the worktree was gone"
	}
	if tail := lastOf(ending.Excerpt); tail != "" {
		reason += "\n" + tail
	}
	_, err := s.clone.Make(ctx, flow.ActBlock, e.task.ID, &flow.BlockMove{
		Reason: flow.Excerpt(reason, b.Settings().Config.TextLimit), Questions: []string{f.question}})
	return err
}

// at is the time by which the supervisor judges the board.
func (s *supervisor) at(b *flow.Board) time.Time {
	now := s.clone.Store.Now()
	if now.Before(b.At()) {
		return b.At()
	}
	return now
}
