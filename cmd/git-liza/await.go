package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
)

type awaitCommand struct {
	ID      flow.TaskID   `arg:"" help:"The task."`
	For     string        `enum:"verdict,resubmission,merge" default:"verdict" help:"What to wait for: verdict (default), resubmission or merge."`
	Timeout flow.Duration `default:"10m" placeholder:"10m" help:"How long at the most; default 10m, no more than 1h."`
}

// longestAwait bounds a wait: an agent that waits for ever is one that hangs.
const longestAwait = flow.Duration(time.Hour)

func (c *awaitCommand) Run(s *session) error {
	if c.Timeout > longestAwait {
		return usagef("git liza help await", "--timeout is %s at the most", longestAwait)
	}
	clone, err := s.clone()
	if err != nil {
		return err
	}
	wait := work.Waits[slices.IndexFunc(work.Waits, func(w work.Wait) bool { return w.Name == c.For })]
	b, err := clone.Await(s.ctx, c.ID, wait, time.Duration(c.Timeout), func(t *flow.Task, left time.Duration) {
		s.progress("%s is %s; waiting for %s up to %s more", t.ID, t.Status, c.For, left.Round(time.Second))
	})
	if err != nil {
		return err
	}
	l := look{Clone: clone, board: b, at: clone.Store.Now()}
	t := b.Task(c.ID)
	steps := l.goOn(t)
	task := l.view(s).of(t)
	data := object{{"task", t.ID}, {"awaited", c.For}}
	for _, key := range []string{"status", "assigned_to", "review_commit", "verdict", "rejection", "merge_commit", "integration_failure", "blocked_reason", "superseded_by"} {
		data = append(data, member{key, task.find(key)})
	}
	data = append(data, member{"next", steps})
	return s.answer("", data, answered(t, steps))
}

// goOn is what whoever waited can do now, as the rules let it.
func (l look) goOn(t *flow.Task) []step {
	whys := []struct {
		act flow.Act
		why string
	}{
		{flow.ActClaim, "then answer what it came back with, and submit again"},
		{flow.ActReview, "then judge the new submission"},
	}
	for _, w := range whys {
		if l.board.Opens(w.act, t.ID, l.Caller, l.at) == nil {
			return []step{{fmt.Sprintf("git liza %s %s", w.act.Command(), t.ID), w.why}}
		}
	}
	if t.Status.Final() {
		return []step{{"git liza list --mine", "nothing more is to be done on " + string(t.ID)}}
	}
	return []step{{"git liza show " + string(t.ID), "it is for others to move on; end the session"}}
}

// answered is what came, for people.
func answered(t *flow.Task, steps []step) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s", t.ID, t.Status)
	switch {
	case t.Rejection != nil && t.Status == flow.Rejected:
		fmt.Fprintf(&text, " by %s\n", t.Rejection.By)
		findings(&text, "blocker", t.Rejection.Blockers)
		findings(&text, "concern", t.Rejection.Concerns)
		if t.Rejection.Overall != "" {
			fmt.Fprintf(&text, "Overall: %s\n", t.Rejection.Overall)
		}
	case t.Verdict != nil && t.Status == flow.Approved:
		fmt.Fprintf(&text, " by %s\n%s", t.Verdict.By, lined(t.Verdict.Message))
	case t.Merge != nil:
		fmt.Fprintf(&text, " as %s\n", t.Merge.Commit.Short())
	case t.Integration != nil && t.Status == flow.IntegrationFailed:
		fmt.Fprintf(&text, ": %s\n", plain(viewOf(t.Integration)))
	case t.Block != nil:
		fmt.Fprintf(&text, ": %s\n", t.Block.Reason)
	default:
		text.WriteByte('\n')
	}
	for _, s := range steps {
		fmt.Fprintf(&text, "next: %s  %s\n", s.Command, s.Why)
	}
	return text.String()
}

// lined is a text that ends its last line, "" if there is none.
func lined(text string) string {
	if text == "" {
		return ""
	}
	return text + "\n"
}

// findings prints remarks in the form in which reviewers write them.
func findings(text *strings.Builder, kind string, list []flow.Finding) {
	for _, f := range list {
		place := f.File
		if f.Line > 0 {
			place += fmt.Sprintf(":%d", f.Line)
		}
		if place != "" {
			place += " — "
		}
		fmt.Fprintf(text, "- [%s] %s%s\n", kind, place, f.Issue)
		if f.Why != "" {
			fmt.Fprintf(text, "  Why it matters: %s\n", f.Why)
		}
		if f.Suggestion != "" {
			fmt.Fprintf(text, "  Suggestion: %s\n", f.Suggestion)
		}
	}
}

// An awaitTool is await with the bound that clients put up with.
type awaitTool struct {
	ID      flow.TaskID   `arg:"" help:"The task."`
	For     string        `enum:"verdict,resubmission,merge" default:"verdict" help:"What to wait for; default verdict."`
	Timeout flow.Duration `default:"10m" help:"How long, such as 90s or 5m; ten minutes at the most, which is the default."`
}

// Run waits.
func (c *awaitTool) Run(s *session) error {
	if most := flow.Duration(10 * time.Minute); c.Timeout > most {
		return usagef("git liza help await", "timeout is %s at the most", most)
	}
	return (&awaitCommand{ID: c.ID, For: c.For, Timeout: c.Timeout}).Run(s)
}
