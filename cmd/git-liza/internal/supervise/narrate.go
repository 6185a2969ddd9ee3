package supervise

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// startNarration says every move on the blackboard after the state commit since. It
// does so in a goroutine that ends after ctx is done and it has looked once more.
func (r *Rush) startNarration(ctx context.Context, since board.ObjectID) {
	store := gitstore.OpenStore(ctx, r.Clone.Repo, r.Clone.Store.Now)
	r.beside.Go(func() {
		silence := time.NewTimer(r.Limits.Silence)
		defer silence.Stop()
		for ctx.Err() == nil {
			tip, changed := r.view.Now()
			since = r.tellMoves(store, since, tip)
			select {
			case <-changed:
			case <-silence.C:
				silence.Reset(r.breakSilence(store, since))
			case <-ctx.Done():
			}
		}
		if tip, err := r.Clone.Repo.Refs.Resolve(context.WithoutCancel(ctx), layout.State); err == nil {
			r.tellMoves(store, since, tip)
		}
	})
}

// tellMoves says the moves between two state commits and returns the later one.
func (r *Rush) tellMoves(store *gitstore.Store, since, tip board.ObjectID) board.ObjectID {
	if tip == "" || tip == since {
		return since
	}
	var events []gitstore.Event
	err := store.Events(tip, func(e gitstore.Event) (bool, error) {
		if e.Commit == since {
			return false, nil
		}
		events = append(events, e)
		return true, nil
	})
	if err != nil {
		return since // the supervisors read the same board and say why it fails
	}
	for _, e := range slices.Backward(events) {
		if e.Move.Act == board.ActSession {
			r.lastSessions.put(e.Move.By.Agent(), e.Move.At)
		}
		r.lastSessions.put("", e.Move.At)
		if e.Move.Act == board.ActMerge {
			r.usage.noteMerge(e.Move.Task)
		}
		b, err := store.BoardAt(e.Commit)
		if err != nil {
			return since
		}
		if text := moveText(e.Move, b); text != "" {
			kind := MoveMessage
			if needsPerson(e.Move, b) {
				kind = NeedMessage
			}
			m := Message{Kind: kind, Text: text}
			if t := cmp.Or(b.Task(e.Move.Task), flow.ReturnedBy(e.Move, b)); t != nil {
				m.about(b, t)
			}
			r.speaker.pass(m) // without the board, which is this goroutine's
		}
	}
	return tip
}

// needsPerson reports whether a move leads to what only a person goes on with.
func needsPerson(m flow.Move, after *board.Board) bool {
	t := after.Task(m.Task)
	switch d := m.Detail.(type) {
	case *flow.OutageMove:
		return !d.Over
	case *flow.DegradeMove, *flow.CheckpointMove, *flow.PauseMove, *flow.StopMove, *flow.TripMove:
		return true
	case *flow.RenewMove:
		return false
	case *flow.SessionMove:
		return endedWork(m, t) && t.Status.IsBlocked()
	}
	if t == nil || t.Status.IsBlocked() {
		return t != nil
	}
	missing := t.Missing()
	return flow.Allows(t.Status, board.ActReview) && len(missing) > 0 && !slices.ContainsFunc(missing, func(r board.Role) bool { return r != board.HumanRole })
}

// moveText returns what a move did, for people, with the state that it led to; "" if the
// move is not worth a line. It does not name the move's task.
func moveText(m flow.Move, after *board.Board) string {
	t := after.Task(m.Task)
	if t == nil {
		return boardLine(m, after)
	}
	entered := "→ " + t.Status.String()
	if m.Act == board.ActRenew || m.Act == board.ActSession && !endedWork(m, t) {
		return "" // the state was there before
	}
	if t.Status.IsBlocked() && m.Act != board.ActBlock {
		return fmt.Sprintf("%s (%s) on %s by %s", entered, t.Block.Reason, m.Act, m.Author())
	}
	switch d := m.Detail.(type) {
	case *flow.SessionMove:
		if again := backoffOf(after, t.Summary(), d.Role).text(m.At); again != "" {
			return entered + ": " + again
		}
	case *flow.ClaimMove:
		text := "claimed by " + string(m.By)
		if t.Attempt.Iteration > 1 {
			text += fmt.Sprintf(", iteration %d", t.Attempt.Iteration)
		}
		if caution := board.Caution(after, t.ID); caution != "" {
			text += "; caution: " + caution
		}
		return text
	case *flow.IntentMove:
		return fmt.Sprintf("%s set out: %s", m.By, d.Intent.Summary)
	case *flow.ReviewMove:
		return "under review by " + string(m.By)
	case *flow.ApproveMove:
		if missing := t.Missing(); len(missing) > 0 {
			return fmt.Sprintf("approved by %s, misses the verdict of %s", m.By, listRoles(missing))
		}
	case *flow.HandoffMove:
		return fmt.Sprintf("handed over by %s: %s", m.By, d.Handoff.Summary)
	case *flow.ReleaseMove:
		return "released by " + string(m.By)
	}
	return entered + moveReason(m.Detail) + " by " + m.Author()
}

// endedWork reports whether the record of a session ended the claim or the review of a
// task. t is the task after it.
func endedWork(m flow.Move, t *board.Task) bool {
	d, ok := m.Detail.(*flow.SessionMove)
	return ok && t != nil && !d.Of.IsZero() && t.Changed.Equal(m.At)
}

// moveReason returns the reason that a move gives for the state that it leads to.
func moveReason(d flow.Detail) string {
	switch d := d.(type) {
	case *flow.SubmitMove:
		return " (" + countNoun(len(d.Paths), "path") + ")"
	case *flow.RejectMove:
		return " (" + countNoun(len(d.Feedback.Blockers), "blocker") + ")"
	case *flow.MergeMove:
		return " as " + d.Commit.Short()
	case *flow.IntegrationFailMove:
		if d.Gate != "" {
			return " (gate " + d.Gate + ")"
		}
		return " (conflicts in " + strings.Join(d.Paths, ", ") + ")"
	case *flow.BlockMove:
		why := d.Reason
		if why == "" && len(d.Questions) > 0 {
			why = "asks: " + d.Questions[0]
		}
		first, _, _ := strings.Cut(why, "\n")
		return " (" + first + ")"
	}
	return ""
}

// boardLine returns a line about a move that does not concern one task.
func boardLine(m flow.Move, after *board.Board) string {
	switch d := m.Detail.(type) {
	case *flow.SessionMove:
		return ""
	case *flow.AddMove:
		return fmt.Sprintf("%s added %s", m.By, git.VisibleList(lists.Of(d.Tasks, func(t board.TaskInput) string { return string(t.ID) }), 5))
	case *flow.RegisterMove:
		return fmt.Sprintf("%s joined", d.Agent)
	case *flow.UnregisterMove:
		return fmt.Sprintf("%s left", d.Agent)
	case *flow.DegradeMove:
		return fmt.Sprintf("%s rests: %s", d.Agent, d.Reason)
	case *flow.SprintStartMove:
		return fmt.Sprintf("%s opened by %s", cmp.Or(d.Sprint, after.OpenSprint(m.Goal)), m.By)
	case *flow.SprintCloseMove:
		if s := after.Sprint(d.Sprint); s != nil {
			planned, final := board.PlannedTasks(after, s)
			return fmt.Sprintf("%s closed by %s: %d of %d planned final", s.ID, m.By, final, planned)
		}
	case *flow.LevelMove:
		if l := board.FindLevel(after, m.Goal, d.Level); l != nil && !l.Passed {
			return fmt.Sprintf("level %d of %s failed by %s; git liza goal show %s --level %d", l.Number, l.Goal, m.By, l.Goal, l.Number)
		}
		return fmt.Sprintf("level %d of %s passed by %s", d.Level, m.Goal, m.By)
	case *flow.OutageMove:
		if d.Over {
			return fmt.Sprintf("gate %s runs on %s again", d.Gate, d.Host)
		}
		return outageText(d.Gate, d.Host, d.Error)
	case *flow.CompleteMove:
		if g := after.Goal(m.Goal); g != nil {
			return fmt.Sprintf("%s → %s (%s) by %s", g.ID, g.Status, g.Reason, m.By)
		}
	case *flow.TripMove:
		return fmt.Sprintf("circuit breaker tripped by %s: %s (%s), board → %s", m.By, strings.Join(d.Patterns, ", "), d.Severity, after.Settings().Control.State)
	case *flow.CheckpointMove, *flow.PauseMove, *flow.ResumeMove, *flow.StopMove:
		c := after.Settings().Control
		reason := c.Reason
		if m.Act == board.ActCheckpoint && c.Mark != "" {
			reason = c.Mark + ": " + reason
		}
		text := fmt.Sprintf("board → %s (%s) by %s", c.State, reason, m.By)
		if !m.By.IsHuman() { // nobody who reads this has asked for it
			text += "; " + c.Onward(after)
		}
		return text
	case *flow.AnswerMove:
		if t := flow.ReturnedBy(m, after); t != nil {
			return fmt.Sprintf("→ %s: %s answered", t.Status, m.By)
		}
	case *flow.DecideMove:
		return fmt.Sprintf("%s (%s) decided by %s, board → %s", d.Decision, board.Excerpt(d.Message, 120), m.By, after.Settings().Control.State)
	}
	reason, _, _ := strings.Cut(m.Reason(), "\n")
	return strings.TrimSuffix(m.Subject()+": "+reason, ": ")
}

// listRoles names roles on one line.
func listRoles(roles []board.Role) string {
	return strings.Join(lists.Of(roles, board.Role.String), ", ")
}

func countNoun(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
