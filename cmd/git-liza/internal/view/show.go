package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// glanceHistory is the number of moves of a task's history that people are
// shown.
const glanceHistory = 20

// A Submission is one of a task's submissions.
type Submission struct {
	Number int            `json:"number"`
	Commit board.ObjectID `json:"commit"`
	Base   board.ObjectID `json:"base_commit"`
	By     board.Actor    `json:"by"`
	At     any            `json:"at"`
	Ref    string         `json:"ref"` // the ref that keeps the submitted commit
}

// Submissions returns the submissions in a task's history, oldest first,
// numbered from 1.
func Submissions(history []Entry) []Submission {
	list := []Submission{}
	for _, e := range history {
		if d, ok := e.Move.Detail.(*flow.SubmitMove); ok {
			list = append(list, Submission{len(list) + 1, d.Commit, d.Base, e.Move.By, TimeValue(e.Move.At), e.Move.Task.SavedRef(d.Save)})
		}
	}
	return list
}

// JudgedBefore returns the number of the submission before the last one that an actor
// judged last, the one before the last if it judged none, and 0 if there is only one.
func JudgedBefore(history []Entry, by board.Actor) int {
	list := Submissions(history)
	for n := len(list) - 1; n > 0; n-- {
		if HasJudged(history, by, list[n-1].Commit) {
			return n
		}
	}
	return max(0, len(list)-1)
}

// HasJudged reports whether an actor approved or rejected a commit.
func HasJudged(history []Entry, by board.Actor, commit board.ObjectID) bool {
	return slices.ContainsFunc(history, func(e Entry) bool {
		switch d := e.Move.Detail.(type) {
		case *flow.ApproveMove:
			return e.Move.By == by && d.Commit == commit
		case *flow.RejectMove:
			return e.Move.By == by && d.Commit == commit
		}
		return false
	})
}

// A Drift says how far integration went on since approved work began.
type Drift struct {
	Commits int
	Both    []string // the paths that integration and the work changed
}

// shown is a task with its drift, if that is known; the paths that both sides changed are
// among its keys then. So are the refs that keep work of it.
func (r Reading) shown(t *board.Task) Object {
	task, d := r.Task(t), r.Local.Drift
	if len(r.Local.Kept) > 0 {
		task = task.With("kept", ValueOf(r.Local.Kept))
	}
	if d == nil {
		return task
	}
	i := slices.IndexFunc(task, func(m Member) bool { return m.Key == "drift" })
	task[i].Value = d.Commits
	return slices.Insert(task, i+1, Member{"both_changed", ValueOf(d.Both)})
}

// Story returns a task with what it waits for, the questions that were ever asked about it, its
// submissions and its history, oldest first.
func (r Reading) Story(t *board.Task, history []Entry) Object {
	return r.shown(t).With("waits", r.WhyOf(t)).With("questions", ValueOf(board.QuestionsAbout(r.Board, t.ID))).With("submissions", Submissions(history)).With("history", LogValue(history))
}

// StoryText formats [Reading.Story] for people.
func (r Reading) StoryText(t *board.Task, history []Entry, width int) string {
	title, rest, _ := strings.Cut(describeTask(shownTo(t, r.shown(t)), width), "\n")
	if t.Reverted != nil {
		title = Cut(fmt.Sprintf("%s  %s, reverted by %s  %s", t.ID, t.Status, t.Reverted, plaintext.Line(t.Title)), width)
	}
	why := ""
	if !t.Status.Final() {
		why = r.WhyOf(t).Text(width)
	}
	return title + "\n" + why + rest + questionsText(board.QuestionsAbout(r.Board, t.ID), r.At, width) + historyText(t.ID, Submissions(history), namedRoles(t, history), width)
}

// shownTo leaves out of a task for people what its other keys say: of one role
// that judges it the list of roles, of several roles what only one of them
// holds. The receipts of gates are a line each. The texts that a verdict was given for are among the spec and based_on;
// stale says which of them have changed.
func shownTo(t *board.Task, task Object) Object {
	without := []string{"reviews", "missing", "entered"}
	if len(partOf(t.Submission).ReviewBy) > 1 || len(t.Judgements) > 1 {
		without = []string{"reviewing_by", "review_lease_expires", "approved_by", "verdict", "rejection"}
	}
	if t.Role == "" {
		without = append(without, "role")
	}
	task = slices.DeleteFunc(task, func(m Member) bool { return slices.Contains(without, m.Key) })
	for i, m := range task {
		switch m.Key {
		case "verdict", "reviews":
			task[i].Value = withoutTexts(m.Value)
		case "gates":
			task[i].Value = ValueOf(receiptLines(t.Submission))
		}
	}
	return task
}

// receiptLines says on a line each what the gates at a submission gave.
func receiptLines(s *board.Submission) (list []string) {
	if s == nil {
		return nil
	}
	for _, r := range s.Gates {
		line := fmt.Sprintf("%s: %s", r.Gate, r.Result)
		if r.Result != board.Skipped {
			line += " after " + r.Duration
		}
		list = append(list, line)
	}
	return list
}

// withoutTexts returns a value without the texts of the verdicts in it.
func withoutTexts(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = withoutTexts(v[i])
		}
	case Object:
		v = slices.DeleteFunc(v, func(m Member) bool { return m.Key == "texts" })
		for i, m := range v {
			v[i].Value = withoutTexts(m.Value)
		}
		return v
	}
	return value
}

// questionsText formats the questions about a task for people.
func questionsText(list []*board.Question, now time.Time, width int) string {
	var rows [][]string
	for _, q := range list {
		rows = append(rows, []string{string(q.ID), plaintext.Line(q.Text)}, []string{"", questionState(q, now)})
	}
	return section("questions", rows, width)
}

// questionState says on one line what became of a question.
func questionState(q *board.Question, now time.Time) string {
	switch {
	case q.IsOpen() && q.Lease != nil && q.Lease.Lease.After(now):
		return fmt.Sprintf("open, taken by %s until %s", q.Lease.By, Plain(TimeValue(q.Lease.Lease)))
	case q.IsOpen():
		return "open: git liza answer " + string(q.ID) + " TEXT"
	case q.Answer == "":
		return fmt.Sprintf("closed by %s without an answer", q.By)
	}
	return fmt.Sprintf("%s: %s", q.By, plaintext.Line(q.Answer))
}

// describeTask formats a task for people: every key with a value, long texts
// below their key.
func describeTask(task Object, width int) string {
	var rows Table
	var out strings.Builder
	out.WriteString(Cut(fmt.Sprintf("%s  %s  %s", Plain(task.Find("id")), Plain(task.Find("status")), plaintext.Line(Plain(task.Find("title")))), width) + "\n")
	for _, m := range task[3:] {
		addRows(&rows, m.Key, m.Value)
	}
	rows.Indent = "  "
	out.WriteString(rows.WrappedText(width))
	return out.String()
}

// addRows adds the rows of one value: none if it is empty, several if it has
// several lines or parts.
func addRows(rows *Table, key string, value any) {
	switch v := value.(type) {
	case Object:
		for _, m := range v {
			addRows(rows, key+"."+m.Key, m.Value)
		}
		return
	case []any:
		for i, one := range v {
			name := key
			if _, ok := one.(Object); ok {
				name = fmt.Sprintf("%s.%d", key, i+1)
			}
			addRows(rows, name, one)
		}
		return
	}
	text := Plain(value)
	if text == "" || text == "0" || text == "false" {
		return
	}
	for line := range strings.Lines(text) {
		rows.Add(key, line)
		key = ""
	}
}

// namedRoles adds to verdicts of people on the last submission the roles for which
// they were given, if several judge.
func namedRoles(t *board.Task, history []Entry) []Entry {
	if len(partOf(t.Submission).ReviewBy) < 2 {
		return history
	}
	history = slices.Clone(history)
	for i := range history {
		m := &history[i].Move
		if d, ok := m.Detail.(*flow.ApproveMove); !ok || d.Role != "" || !m.By.IsHuman() {
			continue
		}
		for _, j := range t.Judgements {
			if v := j.Verdict; v != nil && v.By == m.By && v.At.Equal(m.At) {
				history[i].Roles = append(history[i].Roles, j.Role)
			}
		}
	}
	return history
}

// historyText formats the submissions and the history for people.
func historyText(id board.TaskID, list []Submission, history []Entry, width int) string {
	text := section("submissions", lists.Of(list, func(one Submission) []string {
		return []string{strconv.Itoa(one.Number), one.Commit.Short(), Plain(one.At), string(one.By), one.Ref}
	}), width)
	var rows [][]string
	if n := len(history) - glanceHistory; n > 0 {
		rows = append(rows, []string{fmt.Sprintf("%s before: git liza log %s", Count(n, "move"), id)})
	}
	rows = append(rows, lists.Of(history[max(0, len(history)-glanceHistory):], func(e Entry) []string { return []string{e.line()} })...)
	return text + section("history", rows, width)
}
