package supervise

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// outageRetry is how often what could not run on this machine is tried again.
const outageRetry = time.Minute

// gateTries remembers when gates that cannot run here are tried again, and on what, and
// which moves about goals that need gates could not be made.
type gateTries struct {
	gates sharedMap[string, gateTry]
	moves sharedMap[goalAct, moveTry]
}

// A goalAct is a move about a goal.
type goalAct struct {
	act  board.Act
	goal board.GoalID
}

type moveTry struct {
	next time.Time
	tip  board.ObjectID // of integration, on which the gates failed; "" if they did not run
	said string         // why it could not be made
}

type gateTry struct {
	next   time.Time
	commit board.ObjectID // on which it could not run, "" if that is not known
	merged []board.TaskID // tasks whose merges tried it since the last round of all
}

// putOff has a gate tried again later, on the commit.
func (g *gateTries) putOff(gate string, commit board.ObjectID) {
	g.gates.change(gate, func(try gateTry) gateTry {
		try.next, try.commit = time.Now().Add(outageRetry), commit
		return try
	})
}

// take reports whether the merge of a task is the one that tries a gate next: each of
// the tasks in its turn, because a gate may need what one of them brings.
func (g *gateTries) take(gate string, id board.TaskID, waiting int) (taken bool) {
	g.gates.change(gate, func(try gateTry) gateTry {
		if time.Now().Before(try.next) {
			return try
		}
		if len(try.merged) >= waiting {
			try.merged = nil
		}
		if taken = !slices.Contains(try.merged, id); taken {
			try.merged = append(try.merged, id)
		}
		return try
	})
	return taken
}

// noteMove notes why a move about a goal could not be made. If its gates failed on a
// state of integration, it is not tried again on that one. It returns true if this is new.
func (g *gateTries) noteMove(of goalAct, tip board.ObjectID, why error) bool {
	now := moveTry{next: time.Now().Add(retryAfter), said: why.Error()}
	if flow.IsRefused(why, flow.RuleGate) {
		now.tip = tip
	}
	return g.moves.put(of, now).said != now.said
}

// isLeft reports whether a move about a goal is not tried now, and until when; zero means
// until integration moves.
func (g *gateTries) isLeft(of goalAct, tip board.ObjectID) (until time.Time, left bool) {
	try := g.moves.at(of)
	if try.tip != "" && try.tip == tip {
		return time.Time{}, true
	}
	return try.next, time.Now().Before(try.next)
}

// outagesAt are the required gates of a stage that cannot run on the agent's host.
func (reg *registration) outagesAt(b *board.Board, at board.Stage) []board.Outage {
	a := b.Agent(reg.id)
	if a == nil {
		return nil
	}
	return lists.Where(board.OutagesOf(b), func(o board.Outage) bool {
		g, there := b.Settings().Config.Gate(o.Gate)
		return there && o.Host == a.Host && g.Stage() == at && g.Required
	})
}

// outageText says for people that a gate cannot run.
func outageText(gate, host, said string) string {
	return fmt.Sprintf("gate %s cannot run on %s: %s", gate, host, said)
}

// refuseOutage is the refusal of what waits for a gate that cannot run.
func refuseOutage(o board.Outage) *flow.Refusal {
	return &flow.Refusal{Rule: flow.RuleGate, Reason: outageText(o.Gate, o.Host, o.Error), Hint: "git liza gate outage " + o.Gate + " --over"}
}

// recordOutage records that a gate cannot run on the agent's host, if the board does not
// say so. It is tried again later.
func (reg *registration) recordOutage(ctx context.Context, b *board.Board, o *work.Outage) error {
	reg.rush.gates.putOff(o.Gate, o.Commit)
	a := b.Agent(reg.id)
	if a == nil || a.Host == "" {
		return nil
	}
	said := board.Excerpt(reg.rush.mask.String(o.Said), min(maxSessionError, b.Settings().Config.TextLimit))
	return reg.makeOutage(ctx, &flow.OutageMove{Gate: o.Gate, Host: a.Host, Error: said})
}

// endOutage records that a gate runs on the agent's host again.
func (reg *registration) endOutage(ctx context.Context, o board.Outage) error {
	reg.rush.gates.gates.drop(o.Gate)
	return reg.makeOutage(ctx, &flow.OutageMove{Gate: o.Gate, Host: o.Host, Over: true})
}

// makeOutage makes the move, unless another supervisor of the host was faster.
func (reg *registration) makeOutage(ctx context.Context, d *flow.OutageMove) error {
	_, err := reg.clone.Make(ctx, board.ActOutage, "", d)
	if flow.IsRefused(err, flow.RuleExists, flow.RuleNotFound) {
		return nil
	}
	return err
}

// noteSubmission records the outage that a command of a session met at its submission, if
// the gate cannot run on that commit for the supervisor either. The claim does not count
// among those that failed then.
func (reg *registration) noteSubmission(ctx context.Context, b *board.Board, begun time.Time) error {
	if reg.capacity != board.Does {
		return nil
	}
	o := work.SessionOutage(reg.clone.Repo.CommonDir(), reg.id, begun)
	if o == nil {
		return nil
	}
	if g, there := b.Settings().Config.Gate(o.Gate); !there || g.Stage() != board.AtSubmit {
		return nil
	}
	if runs, err := reg.clone.Integration.TryGate(ctx, o.Gate, o.Commit); runs || err != nil {
		return err
	}
	return reg.recordOutage(ctx, b, o)
}

// trySubmitGates tries the gates at submissions that cannot run here, each when its time
// has come: no task is claimed before they all run again. wait is the result of the look
// then; it is nil if they do.
func trySubmitGates(ctx context.Context, s *supervisor, b *board.Board) (wait *lookResult, err error) {
	for _, o := range s.outagesAt(b, board.AtSubmit) {
		if next := s.rush.gates.gates.at(o.Gate).next; time.Now().Before(next) {
			wait = &lookResult{retry: next, why: refuseOutage(o).Reason}
			continue
		}
		commit := s.rush.gates.gates.at(o.Gate).commit
		s.rush.gates.putOff(o.Gate, commit)
		runs, err := s.clone.Integration.TryGate(ctx, o.Gate, commit)
		var refusal *flow.Refusal
		switch {
		case errors.As(err, &refusal):
			s.sayOnce("%s: %v; %s", s.id, err, refusal.Hint)
		case err != nil:
			return nil, err
		case runs:
			return &lookResult{moved: true}, s.endOutage(ctx, o)
		}
		wait = &lookResult{retry: s.rush.gates.gates.at(o.Gate).next, why: refuseOutage(o).Reason}
	}
	return wait, nil
}

// waitsForGate returns the outage that keeps a task from being merged, nil if there is
// none or its merge is the one that tries the gate again.
func waitsForGate(s *supervisor, b *board.Board, id board.TaskID, waiting int) *board.Outage {
	return lists.Find(neededOutages(s, b, id), func(o board.Outage) bool { return !s.rush.gates.take(o.Gate, id, waiting) })
}

// neededOutages are the gates that the merge of a task needs and that cannot run here.
func neededOutages(s *supervisor, b *board.Board, id board.TaskID) []board.Outage {
	all := s.outagesAt(b, board.AtMerge)
	if len(all) == 0 {
		return nil
	}
	sub := b.Task(id).Submission
	return slices.DeleteFunc(all, func(o board.Outage) bool {
		g, _ := b.Settings().Config.Gate(o.Gate)
		return flow.Skips(g, b, sub.Changed, sub.Paths)
	})
}

// endOutages records which gates ran again when a task was merged, or a merge failed by
// the gate that is named.
func endOutages(ctx context.Context, s *supervisor, b *board.Board, id board.TaskID, failedBy string, merged bool) error {
	for _, o := range neededOutages(s, b, id) {
		if merged || o.Gate == failedBy {
			if err := s.endOutage(ctx, o); err != nil {
				return err
			}
		}
	}
	return nil
}
