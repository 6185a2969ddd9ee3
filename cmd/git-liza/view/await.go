package view

import (
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow"
)

// An Answer is what came of waiting for something about a task.
type Answer struct {
	Value Object // as JSON has it
	Text  string // for people
}

// AnswerFor tells an actor, which waited for what is called awaited, what became
// of the task and what it can do now.
func (r Reading) AnswerFor(actor flow.Caller, t *flow.Task, awaited string) Answer {
	steps, task := r.stepsAfter(t, actor), r.Task(t)
	value := Object{{"task", t.ID}, {"awaited", awaited}}
	for _, key := range []string{"status", "assigned_to", "review_commit", "verdict", "rejection", "merge_commit", "integration_failure", "blocked_reason", "superseded_by"} {
		value = append(value, Member{key, task.Find(key)})
	}
	return Answer{append(value, Member{"next", steps}), answerText(t, steps)}
}

// stepsAfter are what an actor, which waited for something about a task, can do
// now, as the rules let it.
func (r Reading) stepsAfter(t *flow.Task, actor flow.Caller) []Step {
	whys := []struct {
		act flow.Act
		why string
	}{
		{flow.ActClaim, "then answer what it came back with, and submit again"},
		{flow.ActReview, "then judge the new submission"},
	}
	for _, w := range whys {
		if r.Board.Opens(w.act, t.ID, actor, r.At) == nil {
			return []Step{{fmt.Sprintf("git liza %s %s", w.act.Command(), t.ID), w.why}}
		}
	}
	if t.Status.Final() {
		return []Step{{"git liza list --mine", "nothing more is to be done on " + string(t.ID)}}
	}
	return []Step{{"git liza show " + string(t.ID), "it is for others to move on; end the session"}}
}

// answerText is what came, for people.
func answerText(t *flow.Task, steps []Step) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s", t.ID, t.Status)
	switch {
	case t.Rejection != nil && t.Status == flow.Rejected:
		fmt.Fprintf(&text, " by %s\n", t.Rejection.By)
		addFindings(&text, "blocker", t.Rejection.Blockers)
		addFindings(&text, "concern", t.Rejection.Concerns)
		if t.Rejection.Overall != "" {
			fmt.Fprintf(&text, "Overall: %s\n", t.Rejection.Overall)
		}
	case t.Verdict != nil && t.Status == flow.Approved:
		fmt.Fprintf(&text, " by %s\n%s", t.Verdict.By, lined(t.Verdict.Message))
	case t.Merge != nil:
		fmt.Fprintf(&text, " as %s\n", t.Merge.Commit.Short())
	case t.Integration != nil && t.Status == flow.IntegrationFailed:
		fmt.Fprintf(&text, ": %s\n", Plain(ValueOf(t.Integration)))
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

// addFindings adds remarks in the form in which reviewers write them.
func addFindings(text *strings.Builder, kind string, list []flow.Finding) {
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
