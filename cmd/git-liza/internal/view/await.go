package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// An Answer is the result of waiting for a task.
type Answer struct {
	Value Object // for --json
	Text  string // for people
}

// AnswerFor returns the state of a task, and the next steps, for an actor that
// waited for the event named awaited.
func (r Reading) AnswerFor(actor flow.Caller, t *board.Task, awaited string) Answer {
	steps, task := r.stepsAfter(t, actor), r.Task(t)
	value := Object{{"task", t.ID}, {"awaited", awaited}}
	for _, key := range []string{"status", "assigned_to", "review_commit", "verdict", "rejection", "reviews", "missing", "merge_commit", "integration_failure", "blocked_reason", "superseded_by"} {
		value = append(value, Member{key, task.Find(key)})
	}
	return Answer{append(value, Member{"next", steps}), answerText(t, steps)}
}

// stepsAfter returns the steps that the rules allow an actor after it has
// waited for a task.
func (r Reading) stepsAfter(t *board.Task, actor flow.Caller) []Step {
	whys := []struct {
		act board.Act
		why string
	}{
		{board.ActClaim, "then answer what it came back with, and submit again"},
		{board.ActReview, "then judge the new submission"},
	}
	for _, w := range whys {
		if flow.Opens(r.Board, w.act, t.ID, actor, r.At) == nil {
			return []Step{{fmt.Sprintf("git liza %s %s", w.act.Command(), t.ID), w.why}}
		}
	}
	if t.Status.Final() {
		return []Step{{"git liza list --mine", "there is nothing more to do on " + string(t.ID)}}
	}
	return []Step{{"git liza show " + string(t.ID), "others have to act on it; end the session"}}
}

// ReturnedText says that an answer let a task go on; "" if the last move of its history,
// which is newest first, was none.
func ReturnedText(history []Entry) string {
	i := slices.IndexFunc(history, func(e Entry) bool { return e.Move.Act != board.ActSession })
	if i < 0 || history[i].Returned == nil {
		return ""
	}
	t := history[i].Returned
	return fmt.Sprintf("%s → %s: %s answered", t.ID, t.Status, history[i].Move.By)
}

// answerText describes the result for people.
func answerText(t *board.Task, steps []Step) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s", t.ID, t.Status)
	switch {
	case t.Rejection() != nil && t.Status == board.Rejected:
		fmt.Fprintf(&text, " by %s%s\n", t.Rejection().By, VoucherText(t.Rejection().For))
		addFindings(&text, "blocker", t.Rejection().Blockers)
		addFindings(&text, "concern", t.Rejection().Concerns)
		if t.Rejection().Overall != "" {
			fmt.Fprintf(&text, "Overall: %s\n", indented(t.Rejection().Overall))
		}
		addOthers(&text, t)
	case t.Verdict() != nil && t.Status == board.Approved:
		addVerdicts(&text, t)
	case t.Merge != nil:
		fmt.Fprintf(&text, " as %s\n", t.Merge.Commit.Short())
	case t.Integration != nil && t.Status == board.IntegrationFailed:
		fmt.Fprintf(&text, ": %s\n", indented(Plain(ValueOf(t.Integration))))
	case t.Block != nil:
		fmt.Fprintf(&text, ": %s\n", indented(t.Block.Reason))
	default:
		text.WriteByte('\n')
	}
	for _, s := range steps {
		fmt.Fprintf(&text, "next: %s  %s\n", s.Command, s.Why)
	}
	return text.String()
}

// addOthers adds the blockers of roles that did not reject last, which are open
// all the same.
func addOthers(text *strings.Builder, t *board.Task) {
	for _, j := range t.Judgements {
		if j.Role != t.RejectedBy && len(partOf(j.Rejection).Blockers) > 0 {
			fmt.Fprintf(text, "Still open for %s, by %s:\n", j.Role, j.Rejection.By)
			addFindings(text, "blocker", j.Rejection.Blockers)
		}
	}
}

// addVerdicts adds who approved the submission, and the words with it.
func addVerdicts(text *strings.Builder, t *board.Task) {
	var by []string
	words := ""
	for _, j := range t.Judgements {
		if v := j.Verdict; v != nil {
			if line := endLine(indented(v.Message)); !strings.Contains(words, line) {
				words += line
			}
			if one := string(v.By) + VoucherText(v.For); !slices.Contains(by, one) {
				by = append(by, one)
			}
		}
	}
	fmt.Fprintf(text, " by %s\n%s", strings.Join(by, ", "), words)
}

// endLine returns a text with a line feed at its end. An empty text stays
// empty.
func endLine(text string) string {
	if text == "" {
		return ""
	}
	return text + "\n"
}

// addFindings adds remarks in the form in which reviewers write them.
func addFindings(text *strings.Builder, kind string, list []board.Finding) {
	for _, f := range list {
		place := f.File
		if f.Line > 0 {
			place += fmt.Sprintf(":%d", f.Line)
		}
		if place != "" {
			place += " — "
		}
		fmt.Fprintf(text, "- [%s] %s%s\n", kind, plaintext.Line(place), indented(f.Issue))
		if f.Why != "" {
			fmt.Fprintf(text, "  Why it matters: %s\n", indented(f.Why))
		}
		if f.Suggestion != "" {
			fmt.Fprintf(text, "  Suggestion: %s\n", indented(f.Suggestion))
		}
	}
}
