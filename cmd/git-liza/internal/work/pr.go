package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/codehost"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
)

// An Imported is a review of a code host, and what became of it.
type Imported struct {
	codehost.Review
	Task    board.TaskID  // whose submission it is about; "" if it is about none
	Status  board.Status  // of that task then
	Made    board.Act     // approve, reject or note; zero if it was left out
	Already bool          // the board had it
	Why     string        // it was left out, or became a note
	Refusal *flow.Refusal // of the rules, if they left it out
}

// ImportReviews brings the reviews of an export that stand and name the full id of the
// submission of a task as verdicts of the person of this clone: a move each, rejections
// first. role is for whom they judge; "" is human where that role is missing, else as for
// a verdict of the person's own. An error other than a refusal of one review ends it; the
// list says what was made before.
func ImportReviews(ctx context.Context, c *Clone, x codehost.Export, role board.Role) ([]Imported, error) {
	b, _, err := c.Store.Board(ctx)
	switch {
	case err != nil:
		return nil, err
	case !c.By.IsHuman():
		return nil, &flow.Refusal{Rule: flow.RuleVouch, Hint: "git liza help pr", Reason: fmt.Sprintf("only a person brings a verdict from a code host, not %s", c.By)}
	}
	i := importer{Clone: c, role: role, board: b, against: map[board.TaskID]string{}}
	for _, one := range codehost.Standings(x.Reviews) {
		i.list = append(i.list, Imported{Review: one.Review, Why: one.Why})
	}
	if err := i.findTasks(ctx); err != nil {
		return nil, err
	}
	for _, state := range []string{codehost.ChangesRequested, codehost.Approved, codehost.Commented} {
		for n := range i.list {
			if one := &i.list[n]; one.Why == "" && one.State == state {
				if err := i.bring(ctx, one); err != nil {
					return i.list, err
				}
			}
		}
	}
	return i.list, b.Err()
}

// An importer brings the reviews of one export.
type importer struct {
	*Clone
	role    board.Role
	board   *board.Board // after the last move
	list    []Imported
	against map[board.TaskID]string // who rejected it in this import
}

// findTasks finds the tasks whose submissions the reviews are about.
func (i *importer) findTasks(ctx context.Context) error {
	of := map[board.ObjectID][]*board.Task{}
	for _, s := range i.board.Tasks() {
		if s.Status.Final() {
			continue
		}
		if t := i.board.Task(s.ID); t != nil && t.Submission != nil {
			of[t.Submission.Commit] = append(of[t.Submission.Commit], t)
		}
	}
	saved, err := i.Repo.Refs.List(ctx, strings.TrimSuffix(layout.SavedRefs, "/"))
	if err != nil {
		return err
	}
	before := map[board.ObjectID]string{}
	for _, ref := range slices.Sorted(maps.Keys(saved)) {
		before[saved[ref]], _, _ = strings.Cut(strings.TrimPrefix(ref, layout.SavedRefs), "/")
	}
	for n := range i.list {
		one := &i.list[n]
		commit := board.ObjectID(cmp.Or(one.Commit, one.Head))
		tasks := of[commit]
		if len(tasks) == 1 {
			one.Task, one.Status = tasks[0].ID, tasks[0].Status
		}
		switch was := i.board.Task(board.TaskID(before[commit])); {
		case one.Task != "":
		case len(tasks) == 0 && was != nil && was.Submission != nil && was.Submission.Commit == commit:
			one.Task, one.Status = was.ID, was.Status // it has ended
		case one.Why != "":
		case len(tasks) > 1:
			one.Why = fmt.Sprintf("%s and %s have submitted %s", tasks[0].ID, tasks[1].ID, commit.Short())
		case was != nil && was.Submission != nil:
			one.Why = fmt.Sprintf("it is about %s, and %s has submitted %s since", commit.Short(), was.ID, was.Submission.Commit.Short())
		default:
			one.Why = fmt.Sprintf("no task has submitted %.40s", board.Clean(string(commit)))
		}
	}
	return i.board.Err()
}

// bring makes the move of one review that stands.
func (i *importer) bring(ctx context.Context, one *Imported) error {
	t := i.board.Task(one.Task)
	if t == nil {
		return i.board.Err()
	}
	v := &board.Voucher{Account: one.Account, Review: one.ID, URL: one.URL}
	role := i.role
	if role == "" && slices.Contains(t.Missing(), board.HumanRole) {
		role = board.HumanRole
	}
	commit := board.ObjectID(one.Commit)
	switch {
	case one.State == codehost.Commented:
		return i.note(ctx, one)
	case hasVerdict(t, v, commit):
		one.Made, one.Already, one.Status = verdictOf(one.State), true, t.Status
		return nil
	case one.State == codehost.Approved && i.against[t.ID] != "":
		one.Why = "changes are requested by " + i.against[t.ID]
		return nil
	case one.State == codehost.Approved:
		return i.make(ctx, one, &flow.ApproveMove{Commit: commit, Message: board.Excerpt(one.Body, i.limit()), Role: role, For: v})
	case i.against[t.ID] != "":
		one.Why = fmt.Sprintf("%s is rejected by %s already", t.ID, i.against[t.ID])
		return i.note(ctx, one)
	}
	m := &flow.RejectMove{Commit: commit, Role: role, For: v}
	feedback, err := i.feedback(ctx, t, one.Review)
	if err != nil {
		return err
	}
	m.Feedback = feedback
	if last := t.Judgement(flow.RejectsAs(i.board, i.Caller.Move(board.ActReject, t.ID, m))).Rejection; t.Attempt.Cycles > 0 && last != nil {
		for n := range last.Blockers { // the host says nothing of them
			m.Feedback.Prior = append(m.Feedback.Prior, board.Prior{Finding: strconv.Itoa(n + 1), Status: board.StillPresent})
		}
	}
	if err := i.make(ctx, one, m); err != nil || one.Made == 0 {
		return err
	}
	i.against[t.ID] = one.Account
	return nil
}

// verdictOf is the act that brings a review in a state that judges.
func verdictOf(state string) board.Act {
	if state == codehost.Approved {
		return board.ActApprove
	}
	return board.ActReject
}

// hasVerdict reports whether a task has the verdict of a review already.
func hasVerdict(t *board.Task, v *board.Voucher, commit board.ObjectID) bool {
	return slices.ContainsFunc(t.Judgements, func(j board.Judgement) bool {
		return j.Verdict != nil && j.Verdict.For != nil && *j.Verdict.For == *v && j.Verdict.Commit == commit ||
			j.Rejection != nil && j.Rejection.For != nil && *j.Rejection.For == *v && j.Rejection.Commit == commit
	})
}

// make makes the move of a verdict. A refusal is that of this review alone.
func (i *importer) make(ctx context.Context, one *Imported, d flow.Detail) error {
	r, err := i.Verdict(ctx, verdictOf(one.State), one.Task, d)
	var refusal *flow.Refusal
	var setback *Setback
	switch {
	case errors.As(err, &refusal) && refusal.Rule == flow.RuleState:
		one.Why = refusal.Reason
		return nil
	case errors.As(err, &refusal):
		one.Why, one.Refusal = refusal.Reason, refusal
		return nil
	case err != nil && !errors.As(err, &setback): // the rejection that blocked the task was made
		return err
	}
	i.board = r.After
	if t := r.After.Task(one.Task); t != nil {
		one.Status = t.Status
	}
	one.Made, one.Already = verdictOf(one.State), r.Already
	return r.After.Err()
}

// limit is the longest text that the board takes, in bytes.
func (i *importer) limit() int { return i.board.Settings().Config.TextLimit }

// mostBlockers bounds the blockers that a review becomes; the rest is named by its URL.
const mostBlockers = 40

// feedback is what a review that requests changes says: its comments on lines are the
// blockers, or what it says at all.
func (i *importer) feedback(ctx context.Context, t *board.Task, r codehost.Review) (board.Feedback, error) {
	var f board.Feedback
	for n, one := range r.Comments {
		if n == mostBlockers {
			f.Blockers = append(f.Blockers, board.Finding{Issue: fmt.Sprintf("%d more comments: %s", len(r.Comments)-n, r.URL)})
			break
		}
		issue := one.Body
		if one.Old {
			issue = fmt.Sprintf("before the change, %s:%d: %s", one.Path, one.Line, issue)
			one.Path, one.Line = "", 0
		}
		f.Blockers = append(f.Blockers, board.Finding{File: board.Clean(one.Path), Line: one.Line, Issue: board.Excerpt(issue, i.limit())})
	}
	if len(f.Blockers) > 0 {
		f.Overall = board.Excerpt(r.Body, i.limit())
		return f, i.checkPlaces(ctx, t, f.Blockers)
	}
	issue := cmp.Or(board.Excerpt(r.Body, i.limit()), "changes are requested: "+r.URL)
	f.Blockers = []board.Finding{{Issue: issue}}
	return f, nil
}

// checkPlaces puts the places of findings that the submission does not have into their words.
func (i *importer) checkPlaces(ctx context.Context, t *board.Task, list []board.Finding) error {
	facts, err := i.Store.Commits.Facts(ctx, flow.Query{Submission: t.Submission.Commit, Lines: filesOf(list)})
	if err != nil || !facts.Exists {
		return err
	}
	for n := range list {
		one := &list[n]
		if lines, known := facts.Lines[one.File]; one.File != "" && (!known || lines < 0 || one.Line > lines) {
			one.Issue = board.Excerpt(fmt.Sprintf("%s:%d: %s", one.File, one.Line, one.Issue), i.limit())
			one.File, one.Line = "", 0
		}
	}
	return nil
}

// note leaves what a review says as a note for the task.
func (i *importer) note(ctx context.Context, one *Imported) error {
	text := one.Account + " on " + board.ObjectID(one.Commit).Short() + ": " + one.Body
	for _, c := range one.Comments {
		text += fmt.Sprintf("\n- %s:%d — %s", c.Path, c.Line, c.Body)
	}
	at := "\n" + one.URL
	if len(at) > i.limit()/2 {
		at = ""
	}
	text = board.Excerpt(text, i.limit()-len(at)) + at
	one.Made = board.ActNote
	for _, n := range board.All[*board.Note](i.board, board.Notes) {
		if n.For == string(one.Task) && n.Text == text {
			one.Already = true
			return nil
		}
	}
	r, err := i.Make(ctx, board.ActNote, "", &flow.NoteMove{For: string(one.Task), Text: text})
	if err == nil {
		i.board = r.After
	}
	return err
}
