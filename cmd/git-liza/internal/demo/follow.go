package demo

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/playbook"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// rush lets the agents work until nothing is left to do, and prints every move as it is
// made. ended says how the supervisors failed, "" if they did not.
func (f *follower) rush(ctx context.Context, agents ...string) (ended string, err error) {
	type end struct {
		text string
		err  error
	}
	done := make(chan end, 1)
	go func() {
		result, err := f.proc(ctx, nil, append([]string{f.Program, "rush", "--provider=script", "--until-idle"}, agents...)...)
		text := ""
		if !result.Passed() {
			text = "git liza rush: " + complaint(result.Excerpt)
		}
		done <- end{text, err}
	}()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	var trouble error
	for {
		select {
		case e := <-done:
			if e.err == nil {
				// The last moves are printed even if the run was cancelled.
				e.err = f.catchUp(context.WithoutCancel(ctx))
			}
			return e.text, cmp.Or(e.err, trouble)
		case <-tick.C:
			if trouble == nil {
				trouble = f.catchUp(context.WithoutCancel(ctx))
			}
		}
	}
}

// A follower prints the moves of a board.
type follower struct {
	*run
	repo  *git.Repo
	store *gitstore.Store
	seen  git.ID
}

func (r *run) follower(ctx context.Context) (*follower, error) {
	repo, err := git.Open(ctx, r.report.Dir)
	if err != nil {
		return nil, err
	}
	store := gitstore.OpenStore(ctx, repo, time.Now)
	f := &follower{run: r, repo: repo, store: store}
	return f, f.catchUp(ctx)
}

// catchUp prints the moves since the last call.
func (f *follower) catchUp(ctx context.Context) error {
	tip, err := f.repo.Refs.Resolve(ctx, layout.State)
	if err != nil || tip == f.seen {
		return err
	}
	var events []gitstore.Event
	err = f.store.Events(tip, func(e gitstore.Event) (bool, error) {
		if e.Commit == f.seen {
			return false, nil
		}
		events = append(events, e)
		return true, nil
	})
	if err != nil {
		return err
	}
	slices.Reverse(events)
	for _, e := range events {
		b, err := f.store.BoardAt(e.Commit)
		if err != nil {
			return err
		}
		f.printMove(e.Move, b)
	}
	f.seen = tip
	return f.noteStates(tip)
}

// noteStates keeps the state of every task for the report.
func (f *follower) noteStates(tip git.ID) error {
	b, err := f.store.BoardAt(tip)
	if err != nil {
		return err
	}
	f.report.Tasks = map[string]string{}
	for _, t := range b.Tasks() {
		f.report.Tasks[string(t.ID)] = t.Status.String()
	}
	return b.Err()
}

// printMove prints one line: when, the new state, and what the move was.
func (f *follower) printMove(m flow.Move, after *board.Board) {
	f.report.Moves++
	switch {
	case m.Act == board.ActSession:
		return // sessions' usage is left out of the story
	case m.Act == board.ActApprove:
		f.verdicts++
	case m.Act == board.ActReject:
		f.verdicts++
		f.report.Rejected++
	case m.Act == board.ActIntegrationFail:
		f.report.FailedFit++
	}
	f.say("%5.1fs  %-28s  %s", time.Since(f.begun).Seconds(), enteredState(m, after), describeMove(m, after))
}

// enteredState returns the state that the move led to: task-2 → REJECTED.
func enteredState(m flow.Move, after *board.Board) string {
	const arrow = " → "
	switch d := m.Detail.(type) {
	case *flow.AddMove:
		first, last := d.Tasks[0].ID, d.Tasks[len(d.Tasks)-1].ID
		name := string(first)
		if first != last {
			name += "…" + strings.TrimPrefix(string(last), "task-")
		}
		return name + arrow + after.Task(first).Status.String()
	case *flow.RegisterMove:
		return string(d.Agent) + arrow + "STARTING"
	case *flow.UnregisterMove:
		return string(d.Agent) + arrow + "GONE"
	case *flow.SprintStartMove:
		return string(d.Sprint) + arrow + after.Sprint(d.Sprint).Status.String()
	case *flow.SprintCloseMove:
		return string(d.Sprint) + arrow + after.Sprint(d.Sprint).Status.String()
	case *flow.InitMove:
		return string(d.Goal) + arrow + after.Goal(d.Goal).Status.String()
	}
	if t := after.Task(m.Task); t != nil {
		return string(t.ID) + arrow + t.Status.String()
	}
	return "board" + arrow + after.Settings().Control.State.String()
}

// describeMove describes a move in the words of its actor.
func describeMove(m flow.Move, after *board.Board) string {
	text := m.Subject()
	switch d := m.Detail.(type) {
	case *flow.ClaimMove:
		if t := after.Task(m.Task); t.Attempt != nil {
			text = fmt.Sprintf("%s, iteration %d", text, t.Attempt.Iteration)
			if t.Attempt.Fix != "" {
				text += ", to merge " + t.Attempt.Fix.Short()
			}
		}
	case *flow.NoteMove:
		text += ": " + d.Text
	case *flow.IntentMove:
		text += ": " + d.Intent.Summary
	case *flow.SubmitMove:
		text += fmt.Sprintf(": %s, %d paths", d.Commit.Short(), len(d.Paths))
	case *flow.ApproveMove:
		if d.Message != "" {
			text += ": " + d.Message
		}
	case *flow.RejectMove:
		b := d.Feedback.Blockers[0]
		if b.File != "" {
			text += fmt.Sprintf(": %s:%d", b.File, b.Line)
		}
		text += " " + b.Issue
	case *flow.MergeMove:
		text += ": " + d.Commit.Short() + " on integration"
	case *flow.IntegrationFailMove:
		text += ": " + failureWords(d)
	}
	return oneLine(text)
}

// oneLine returns a text fit for one line of the story.
func oneLine(text string) string {
	const width = 100
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= width {
		return string(runes)
	}
	return string(runes[:width-1]) + "…"
}

func failureWords(d *flow.IntegrationFailMove) string {
	if d.Gate != "" {
		return "gate " + d.Gate + " fails"
	}
	return "conflict in " + strings.Join(d.Paths, ", ")
}

// complaint returns what git liza says is wrong, without the rest of its output.
func complaint(s string) string {
	for line := range strings.Lines(s) {
		if reason, ok := strings.CutPrefix(line, "git-liza: "); ok {
			return strings.TrimRight(reason, ":\n")
		}
	}
	return playbook.LastLine(s)
}
